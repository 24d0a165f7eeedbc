// The Worker in workerd on this machine, with database, objects, queue and cache in the state folder.
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { delay, TIMED_OUT, withTimeout } from '../../platform/util/retry.ts';
import { readBuiltWorker } from './built-worker.ts';
import { resourcesIn } from './state-lock.ts';

const HOST = '127.0.0.1';
/** Time for the first response. A busy machine takes several times the usual three seconds. */
const START_TIMEOUT_MS = 45_000;
const HEALTH_INTERVAL_MS = 50;

export type LocalService = { readonly url: string; stop(): Promise<void> };

interface ServiceOptions {
  readonly port: number;
  readonly stateDir: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
}

/** Beginning of Miniflare's message about a runtime that has ended. */
const CRASHED = 'The Workers runtime crashed unexpectedly';

/** Environment that keeps Miniflare to this machine. */
const OFFLINE = { CLOUDFLARE_CF_FETCH_ENABLED: 'false', X_LOCAL_OBSERVABILITY: 'false', X_LOCAL_EXPLORER: 'false' };

/** The runtime of the Worker. Called ahead of `startLocalService`, it loads while other work is under way. */
export function loadRuntime(): Promise<typeof import('miniflare')> {
  Object.assign(process.env, OFFLINE);
  return import('miniflare');
}

/** Starts the Worker of build/local and resolves once it responds. @throws Error when it has not been built, or does not respond */
export async function startLocalService({ port, stateDir, secrets, vars = {} }: ServiceOptions): Promise<LocalService> {
  const [miniflare, worker] = await Promise.all([loadRuntime(), readBuiltWorker()]);
  const { name, options, modules, modulesRoot } = worker;
  class Log extends miniflare.Log {
    override warn(message: string): void {
      if (message.startsWith(CRASHED)) console.error('the runtime ended; restarting');
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
          // Each count in a binding of this runtime would be a write to a database.
          ratelimits: {},
          bindings: { ...(options.bindings as object), ...vars, ...secrets },
        },
      ],
    }),
  );
  const url = `http://${HOST}:${port}`;
  const service = { url, stop: () => runtime.dispose() };
  try {
    const started = await withTimeout(
      runtime.ready.then(() => healthy(url)),
      START_TIMEOUT_MS,
    );
    if (started === TIMED_OUT) throw new Error(`The service has not responded within ${START_TIMEOUT_MS / 1000} s of its start.`);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

async function healthy(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(HEALTH_INTERVAL_MS);
  }
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
