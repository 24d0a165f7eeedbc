import { MINUTE_MS } from '../../util/durations.ts';

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
