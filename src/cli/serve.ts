// The whole service on this machine, with everything a first start needs. Runs under start.ts.
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startDemoEvents } from '../../demo/events/server.ts';
import type { Shot } from '../../demo/instruments/instrument.ts';
import { LAUNCHER_VARIABLES } from '../platform/settings/launcher.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { MINUTE_MS } from '../platform/util/durations.ts';
import { onInterrupt } from '../platform/util/interrupt.ts';
import { buildStaleArtefacts } from './build/artefacts.ts';
import { checkWorkerVariables, localSecret, projectRoot, stateDirFrom, workerVariables } from './command.ts';
import { type AdminClient, adminClient } from './ingest/admin-client.ts';
import { fillEmptyFlareList } from './ingest/rhessi-import.ts';
import { FirstArchive, type Sample } from './local/first-archive.ts';
import { loadRuntime, startCron, startLocalService } from './local/local-service.ts';
import { applyMigrations, isMigrated, refuseOlderState, schemaMigrations } from './local/migrations.ts';
import { expectFreePort, freePort } from './local/ports.ts';
import { lockState, openStateDir } from './local/state-lock.ts';
import { RETRY_STATUS, Supervised } from './local/supervised.ts';

const PROGRAM = 'build/movie/main.mjs';
const POLL_SECONDS = '5';
/** Time in which a worker returns its job. */
const STOP_MS = 1_000;
/** Requests go before movies, which in a deployment have machines of their own. */
const NICENESS = 10;

/** A movie worker at each port of 127.0.0.1. */
function startMovieWorkers(ports: readonly number[], serviceUrl: string, token: string, hangSeconds: number): Part {
  const drawThreads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, ports.length)));
  const workers = ports.map((port, i) => {
    const name = `local-${i + 1}`;
    return new Supervised({
      name: `the movie worker ${name}`,
      args: [join(projectRoot, PROGRAM)],
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: String(port),
        SERVICE_URL: serviceUrl,
        MOVIE_TOKEN: token,
        WORKER_NAME: name,
        DRAW_THREADS: String(drawThreads),
        POLL_SECONDS,
      },
      healthUrl: `http://127.0.0.1:${port}/health`,
      hangSeconds,
      stopMs: STOP_MS,
      niceness: NICENESS,
      say,
    });
  });
  return { stop: () => Promise.all(workers.map((worker) => worker.stop())) };
}

/** Time for the parts to stop: the movie workers, which come first, need up to a second. Miniflare stops its processes at exit. */
const STOP_TIMEOUT_MS = 1_200;

/** Niceness of the threads of the sample archive. Builds and the start of the service come before the first stage, requests before the others. */
const THREADS = { first: { niceness: 5 }, rest: { niceness: 10 }, recent: { niceness: 10, concurrency: 1 } } as const;

/** Recent images of the sample are added while the service runs, for a day: later starts begin anew. */
const RECENT_ADDITIONS = { everyMs: 20 * MINUTE_MS, most: 72 } as const;

/** Space below which a failure of the start is one of the disk: SQLite in workerd then fails without a reason. */
const MIN_FREE_BYTES = 1 << 20;

type Part = { stop(): unknown };

/** Rate limits of a local service, which has no bill: programs on this machine, and all clients together, are hardly limited. */
const OWN_MACHINE = { TRUSTED_NETWORKS: '127.0.0.0/8=1000,::/64=1000', LOCATION_FACTOR: '1000' } as const;

const say = (line: string) => console.error(line);
let isStopping = false;
/** Running parts in the order of their start. */
const parts: Part[] = [];

function keep<P extends Part>(part: P): P {
  parts.push(part);
  return part;
}

// A start.ts that was killed cannot stop the parts.
process.once('disconnect', () => void stop(0));
const handleSignalsAlone = onInterrupt(() => {
  // While the service starts, Miniflare exits at a signal with the signal's number as status.
  process.once('exit', () => {
    process.exitCode = 0;
  });
  void stop(0);
});

/** Address of the runtime, once it has responded. */
let runtimeUrl: string | null = null;
/** Exit status of a failure: another start would repeat one of the settings or builds, and recover the others. */
let failureStatus = RETRY_STATUS;

const stateDir = stateDirFrom(process.env);
try {
  await start();
} catch (error) {
  if (!isStopping) {
    say(explained(error as Error));
    await stop(isDiskFull() ? 1 : failureStatus);
  }
}

function isDiskFull(): boolean {
  try {
    const { bavail, bsize } = statfsSync(stateDir);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

function explained({ message }: Error): string {
  return isDiskFull() ? `No space is left for the state in ${stateDir}. Free some, or set STATE_DIR.` : message;
}

/** Answers at a port of its own, by which start.ts watches this process, as long as the runtime answers too. */
async function startHealth(): Promise<void> {
  const server = createServer(async (_, response) => {
    try {
      if (runtimeUrl) await (await fetch(`${runtimeUrl}/health`)).body?.cancel();
      response.end();
    } catch {
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  tellStart(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Sends an address to start.ts, unless that has been killed. */
function tellStart(url: string): void {
  if (process.connected) process.send?.(url, () => undefined);
}

async function start(): Promise<void> {
  await startHealth();
  failureStatus = 1;
  const settings = readVariables(LAUNCHER_VARIABLES, process.env);
  const { PORT: port, MOVIE_WORKERS: workerCount, SAMPLE: hasSample, HANG_SECONDS: hangSeconds } = settings;
  checkWorkerVariables(process.env);
  await expectFreePort(port);
  openStateDir(stateDir);
  keep(lockState(stateDir, port));
  await refuseOlderState(stateDir);
  const sample = hasSample ? keep(new FirstArchive({ stateDir, openSample })) : null;
  const prepared = prepareState(sample);
  prepared.catch(() => undefined);
  await buildStaleArtefacts(say);
  failureStatus = RETRY_STATUS;
  await prepared;
  say('starting the service');
  const [adminToken, movieToken, sessionKey] = await Promise.all([
    localSecret(stateDir, 'admin-token', process.env.ADMIN_TOKEN),
    localSecret(stateDir, 'movie-token', undefined),
    localSecret(stateDir, 'session-key', undefined),
  ]);
  const vars = workerVariables(process.env);
  const demoEvents = vars.EVENTS_UPSTREAM ? null : keep(await startDemoEvents());
  const client = adminClient(`http://127.0.0.1:${port}`, adminToken);
  const ports: number[] = [];
  while (ports.length < workerCount) ports.push(await freePort());
  const service = keep(
    await startLocalService({
      port,
      stateDir,
      secrets: { ADMIN_TOKEN: adminToken, MOVIE_TOKEN: movieToken, SESSION_KEY: sessionKey },
      vars: {
        ...OWN_MACHINE,
        ...vars,
        SCHEMA_MIGRATIONS: await schemaMigrations(),
        ...(demoEvents ? { EVENTS_UPSTREAM: demoEvents.url } : {}),
        MOVIE_WORKER_URL: ports.map((each) => `http://127.0.0.1:${each}`).join(','),
      },
    }),
  );
  // Miniflare would exit at a signal before the movie workers have returned their jobs.
  handleSignalsAlone();
  runtimeUrl = service.url;
  keep(startCron(service.url));
  const [isFilling] = await Promise.all([
    sample ? sample.fillFirst(client) : client.reportSample(null),
    sample && demoEvents ? fillEmptyFlareList(service.url, adminToken, demoEvents.url) : null,
  ]);
  keep(startMovieWorkers(ports, service.url, movieToken, hangSeconds));
  tellStart(service.url);
  if (sample) await fillInBackground(sample, client, isFilling === true);
}

async function fillInBackground(sample: FirstArchive, client: AdminClient, isFilling: boolean): Promise<void> {
  try {
    if (isFilling) {
      await sample.fillRest(client);
      say('the sample archive is complete');
    }
    await sample.fillRecent(client);
    for (let addition = 0; addition < RECENT_ADDITIONS.most; addition++) {
      await delay(RECENT_ADDITIONS.everyMs, undefined, { ref: false });
      if (isStopping) return;
      await sample.fillRecent(client, true);
    }
  } catch (error) {
    if (!isStopping) say(`The sample archive is incomplete; the next start completes it. ${explained(error as Error)}`);
  }
}

/** Begins the sample of a new state folder, migrates the database, and loads the runtime, which blocks this thread for seconds. */
async function prepareState(sample: FirstArchive | null): Promise<void> {
  await sample?.prepare(!(await isMigrated(stateDir)));
  await Promise.all([applyMigrations(stateDir, say), loadRuntime()]);
}

/** The sample archive of demo/, imported behind the first response, because most starts have their archive. */
async function openSample(isAddition: boolean): Promise<Sample<Shot>> {
  const { makeArchive, recentArchive, sampleStages } = await import('../../demo/archive.ts');
  const { archivePath } = await import('../../demo/image-file.ts');
  return {
    stages: { ...sampleStages(), recent: recentArchive(Date.now(), isAddition) },
    nameOf: (shot) => basename(archivePath(shot)),
    make: (stage, shots, folder, options) => makeArchive(shots, folder, { ...options, ...THREADS[stage] }),
  };
}

async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  setTimeout(() => process.exit(code), STOP_TIMEOUT_MS);
  for (const part of parts.toReversed()) await Promise.resolve(part.stop()).catch(() => undefined);
  process.exit(code);
}
