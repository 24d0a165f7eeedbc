// The whole service on this machine, with everything a first start needs. start.ts runs it and starts it again when it ends.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startDemoEvents } from '../../demo/events/server.ts';
import { readLauncherSettings } from '../config/settings/launcher.ts';
import { onInterrupt } from '../util/interrupt.ts';
import { buildStaleArtefacts } from './build/artefacts.ts';
import { type AdminClient, adminClient } from './ingest/admin-client.ts';
import { FirstArchive, type Sample } from './local/first-archive.ts';
import { fillEmptyFlareList } from './local/first-events.ts';
import { expectFreePort, freePort, loadRuntime, startCron, startLocalService } from './local/local-service.ts';
import { applyMigrations, isMigrated } from './local/migrations.ts';
import { startMovieWorkers } from './local/movie-workers.ts';
import { RecentSample } from './local/recent-sample.ts';
import { RuntimeWatch } from './local/runtime-watch.ts';
import { lockState, openStateDir } from './local/state-lock.ts';
import { ALIVE_INTERVAL_MS, type ServiceMessage } from './local/supervisor.ts';
import { checkWorkerVariables, localSecret, stateDirFrom, workerVariables } from './settings.ts';

/** Time for the parts to stop: the movie workers, which come first, need up to a second. Miniflare stops its processes at exit. */
const STOP_TIMEOUT_MS = 1_200;

/**
 * Niceness of the threads that make the stages of the sample archive. Builds and the start of the service come before the first, because they
 * leave processors idle at their end, and requests before the rest.
 */
const NICENESS = { first: 5, rest: 10 } as const;

interface Part {
  stop(): unknown;
}

const say = (line: string) => console.error(line);
let isStopping = false;
/** Running parts in the order of their start. */
const parts: Part[] = [];

function keep<P extends Part>(part: P): P {
  parts.push(part);
  return part;
}

/** Tells the supervisor, which may have been killed: a failed message is none of this process. */
const tell = (message: ServiceMessage) => process.connected && process.send?.(message, () => undefined);
tell({ is: 'alive' });
setInterval(() => tell({ is: 'alive' }), ALIVE_INTERVAL_MS).unref();

// A supervisor that has been killed cannot stop the parts.
process.once('disconnect', () => void stop(0));
const handleSignalsAlone = onInterrupt(() => {
  // While the service starts, Miniflare exits at a signal with the signal's number as status.
  process.once('exit', () => {
    process.exitCode = 0;
  });
  void stop(0);
});

try {
  await start();
} catch (error) {
  if (!isStopping) {
    say((error as Error).message);
    await stop(1);
  }
}

async function start(): Promise<void> {
  const { port, movieWorkers: workerCount, hasSample, runtimeMemory } = readLauncherSettings(process.env);
  const stateDir = stateDirFrom(process.env);
  checkWorkerVariables(process.env);
  await expectFreePort(port);
  openStateDir(stateDir);
  keep(lockState(stateDir, port));
  const sample = hasSample ? keep(new FirstArchive({ stateDir, openSample })) : null;
  const prepared = prepareState(stateDir, sample);
  prepared.catch(() => undefined);
  await buildStaleArtefacts(say);
  // Settings and builds are right: from here on, another start may succeed where this one fails.
  tell({ is: 'begun' });
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
  const recentUrl = sample ? await keep(recentSample(client, sample, stateDir)).start() : null;
  const ports: number[] = [];
  while (ports.length < workerCount) ports.push(await freePort());
  keep(new RuntimeWatch({ url: `http://127.0.0.1:${port}`, memoryMiB: runtimeMemory, say, giveUp }));
  const service = keep(
    await startLocalService({
      port,
      stateDir,
      secrets: { ADMIN_TOKEN: adminToken, MOVIE_TOKEN: movieToken, SESSION_KEY: sessionKey },
      vars: {
        ...vars,
        ...(demoEvents ? { EVENTS_UPSTREAM: demoEvents.url } : {}),
        ...(recentUrl === null ? {} : { RECENT_SAMPLE_URL: recentUrl }),
        MOVIE_WORKER_URL: ports.map((each) => `http://127.0.0.1:${each}`).join(','),
      },
    }),
  );
  // Miniflare would exit at a signal before the movie workers have returned their jobs.
  handleSignalsAlone();
  keep(startCron(service.url));
  const [isFilling] = await Promise.all([
    sample ? sample.fillFirst(client) : client.reportSample(null),
    sample && demoEvents ? fillEmptyFlareList(service.url, adminToken, demoEvents.url) : null,
  ]);
  const drawThreads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, workerCount)));
  keep(startMovieWorkers({ ports, serviceUrl: service.url, token: movieToken, drawThreads, say }));
  tell({ is: 'ready', url: service.url });
  if (sample && isFilling) {
    await sample.fillRest(client).then(
      () => say('the sample archive is complete'),
      (error: Error) => {
        if (!isStopping) say(`The sample archive is incomplete; the next start goes on with it. ${error.message}`);
      },
    );
  }
}

/** Begins the sample of a new state folder, migrates the database, and loads the runtime, which blocks this thread for seconds. */
async function prepareState(stateDir: string, sample: FirstArchive | null): Promise<void> {
  await sample?.prepare(!(await isMigrated(stateDir)));
  await Promise.all([applyMigrations(stateDir, say), loadRuntime()]);
}

/** The sample archive of demo/, imported only when it is needed, because most starts have their archive. */
async function openSample(): Promise<Sample> {
  const { makeArchive, sampleStages } = await import('../../demo/archive.ts');
  const stages = sampleStages();
  return {
    total: stages.first.shots.length + stages.rest.shots.length,
    make: (stage, folder, options) => makeArchive(stages[stage], folder, { ...options, niceness: NICENESS[stage] }),
  };
}

/** The recent images of demo/, imported when the first of them is requested. */
function recentSample(client: AdminClient, sample: FirstArchive, stateDir: string) {
  return new RecentSample({
    client,
    hasSample: () => sample.hasSample(),
    folder: join(stateDir, 'recent'),
    openImages: () => import('../../demo/recent.ts'),
  });
}

/** Ends this process, which the supervisor starts again. */
function giveUp(reason: string): void {
  say(reason);
  void stop(1);
}

async function stop(code: number): Promise<never> {
  isStopping = true;
  setTimeout(() => process.exit(code), STOP_TIMEOUT_MS);
  for (const part of parts.reverse()) await Promise.resolve(part.stop()).catch(() => undefined);
  process.exit(code);
}
