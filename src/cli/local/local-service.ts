// The Worker in workerd on this machine, with database, objects, queue and cache in the state folder.
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourcelessWorkerOptions } from 'wrangler';
import { MINUTE_MS } from '../../util/durations.ts';
import { readBuiltWorker } from './built-worker.ts';
import { resourcesIn } from './database-files.ts';
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

/** Beginning of Miniflare's words. */
const CRASHED = 'The Workers runtime crashed unexpectedly';

/** Environment that keeps Miniflare to this machine. */
const OFFLINE = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', X_LOCAL_OBSERVABILITY: 'false', X_LOCAL_EXPLORER: 'false' };

/** The runtime of the Worker. Called ahead of `startLocalService`, it loads while other work is under way. */
export function loadRuntime(): Promise<typeof import('miniflare')> {
  Object.assign(process.env, OFFLINE);
  return import('miniflare');
}

/**
 * Starts the Worker of build/local and resolves once it responds.
 * @throws Error when it has not been built, or does not respond
 */
export async function startLocalService({ port, stateDir, secrets, vars = {} }: ServiceOptions): Promise<LocalService> {
  const [miniflare, worker] = await Promise.all([loadRuntime(), readBuiltWorker()]);
  const { name, options, modules, modulesRoot } = worker;
  /** Its words for a runtime that has ended and is started again are for developers of Workers. */
  class Log extends miniflare.Log {
    override warn(message: string): void {
      if (message.startsWith(CRASHED)) console.error('the runtime has ended, it is started again');
      else super.warn(message);
    }
  }
  const runtime = new miniflare.Miniflare(
    miniflare.convertV4MiniflareOptions({
      host: HOST,
      port,
      cf: false,
      resourcePersistencePath: resourcesIn(stateDir),
      unsafeTriggerHandlers: true,
      log: new Log(miniflare.LogLevel.WARN),
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error' || level === 'warn') console.error(worker.mapped(message));
      },
      workers: [
        {
          ...options,
          name,
          modulesRoot,
          modules,
          ratelimits: {},
          bindings: { ...(options.bindings as object), ...LOCAL_VARS, ...limitsOf(options), ...vars, ...secrets },
        },
      ],
    }),
  );
  const url = `http://${HOST}:${port}`;
  const service = { url, stop: () => runtime.dispose() };
  try {
    await runtime.ready;
    await healthy(url);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** The rate limits as a setting: the Worker counts them itself, because each count in this runtime's binding is a write to a database. */
function limitsOf({ ratelimits = {} }: SourcelessWorkerOptions): Readonly<Record<string, string>> {
  const simple = ratelimits as Readonly<Record<string, { readonly simple: { readonly limit: number; readonly period: number } }>>;
  const limits = Object.entries(simple).map(
    ([
      name,
      {
        simple: { limit, period },
      },
    ]) => `${name}:${limit}:${period}`,
  );
  return { LOCAL_RATE_LIMITS: limits.join(',') };
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

/** Runs the scheduled handler now and every minute, because workerd does not run the crons of wrangler.toml. */
export function startCron(serviceUrl: string): { stop(): void } {
  const tick = () => {
    const run = fetch(`${serviceUrl}/cdn-cgi/local/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
    // The Worker logs a failure; the next run repeats the work.
    void run.then((response) => response.body?.cancel()).catch(() => undefined);
  };
  tick();
  const timer = setInterval(tick, MINUTE_MS);
  return { stop: () => clearInterval(timer) };
}
