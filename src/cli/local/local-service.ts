// The Worker in workerd on this machine, with database, objects, queue and cache in the state folder.
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../util/durations.ts';
import { projectRoot } from '../settings.ts';
import { listenerAt } from './processes.ts';

const HOST = '127.0.0.1';
const HEALTH_TIMEOUT_MS = 30_000;
const HEALTH_INTERVAL_MS = 50;

export interface LocalService {
  readonly url: string;
  stop(): Promise<void>;
}

interface ServiceOptions {
  readonly port: number;
  readonly stateDir: string;
  /** Secrets by name, as ADMIN_TOKEN. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables that replace those of wrangler.toml. */
  readonly vars?: Readonly<Record<string, string>>;
}

/** The port if it is free, else null; 0 stands for any port. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  const taken = await new Promise<number | null>((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return taken;
}

/** @throws Error when the port is in use */
export async function expectFreePort(port: number): Promise<void> {
  if ((await tryPort(port)) !== null) return;
  const listener = listenerAt(port);
  throw new Error(`Expected a free port for PORT, got ${port}, which is in use${listener === null ? '' : ` by ${listener}`}.`);
}

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  const port = await tryPort(0);
  if (port === null) throw new Error('Expected a free port on 127.0.0.1, got none.');
  return port;
}

/** Workers Cache does not exist on this machine. */
const LOCAL_VARS = { EDGE_CACHE: 'cache-api' };

const bindingsOf = (values: Readonly<Record<string, string>>, type: 'plain_text' | 'secret_text') =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type, value }]));

/** The program that starts the Worker. Called ahead of `startLocalService`, it loads while other work is under way: it has 15 MB. */
export async function loadRuntime(stateDir: string): Promise<typeof import('wrangler').unstable_startWorker> {
  Object.assign(process.env, offlineEnvironment(stateDir));
  return (await import('wrangler')).unstable_startWorker;
}

/**
 * Starts the Worker and resolves once it responds.
 * @throws Error with the output of the compiler when the Worker does not build
 */
export async function startLocalService({ port, stateDir, secrets, vars = {} }: ServiceOptions): Promise<LocalService> {
  const startWorker = await loadRuntime(stateDir);
  const worker = await startWorker({
    config: join(projectRoot, 'wrangler.toml'),
    bindings: { ...bindingsOf({ ...LOCAL_VARS, ...vars }, 'plain_text'), ...bindingsOf(secrets, 'secret_text') },
    dev: {
      logLevel: 'warn',
      persist: stateDir,
      watch: false,
      inspector: false,
      server: { hostname: HOST, port },
    },
  }).catch((error: Error) => {
    throw new Error(`The Worker does not build.\n${error.cause instanceof Error ? error.cause.message : error.message}`);
  });
  const failed = new Promise<never>((_, reject) => {
    worker.raw.once('buildFailed', () => reject(new Error('The Worker does not build.')));
    worker.raw.on('error', (event: { cause?: Error } & Error) => reject(event.cause ?? event));
  });
  const url = `http://${HOST}:${port}`;
  const service = { url, stop: () => worker.dispose() };
  try {
    await Promise.race([failed, worker.ready.then(() => healthy(url))]);
  } catch (error) {
    await service.stop();
    throw error;
  }
  failed.catch((error: Error) => console.error(error.message));
  return service;
}

async function healthy(url: string): Promise<void> {
  const deadline = performance.now() + HEALTH_TIMEOUT_MS;
  let last = '';
  while (performance.now() < deadline) {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).catch(
      (error: Error) => error,
    );
    if (response instanceof Response && response.ok) return;
    last = response instanceof Response ? `${response.status} ${await response.text()}` : response.message;
    await sleep(HEALTH_INTERVAL_MS);
  }
  throw new Error(`Expected a healthy service at ${url}, got ${last}.`);
}

/** Environment that keeps wrangler and workerd off the network and their files in `stateDir`. */
function offlineEnvironment(stateDir: string): Record<string, string> {
  return {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_LOG: 'warn',
    WRANGLER_WRITE_LOGS: 'false',
    WRANGLER_REGISTRY_PATH: `${stateDir}/registry`,
    X_LOCAL_OBSERVABILITY: 'false',
    X_LOCAL_EXPLORER: 'false',
  };
}

/** Runs the scheduled handler now and every minute, because workerd does not run the crons of wrangler.toml. */
export function startCron(serviceUrl: string): { stop(): void } {
  const tick = () => {
    const run = fetch(`${serviceUrl}/cdn-cgi/handler/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
    // The Worker logs a failure; the next run repeats the work.
    void run.then((response) => response.body?.cancel()).catch(() => undefined);
  };
  tick();
  const timer = setInterval(tick, MINUTE_MS);
  return { stop: () => clearInterval(timer) };
}
