import { MINUTE_MS } from '../../util/durations.ts';
/** Does what the clock does in production, at once and then each minute: workerd has the crons of wrangler.toml but does not keep them. */
export function startCron(serviceUrl: string): { stop(): void } {
  const tick = () => {
    const asked = fetch(`${serviceUrl}/cdn-cgi/handler/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
    // What fails is logged by the Worker, and tried again by the next one.
    void asked.then((answer) => answer.body?.cancel()).catch(() => undefined);
  };
  tick();
  const timer = setInterval(tick, MINUTE_MS);
  return { stop: () => clearInterval(timer) };
}
