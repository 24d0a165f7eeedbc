import type { StageTimings } from '../../ports/timing.ts';

/** Runs `work` and adds its duration, until it returns or its promise settles, to a stage. */
export function timed<T>(timings: StageTimings, stage: keyof StageTimings, work: () => T): T {
  const startedAtMs = performance.now();
  const stop = () => {
    timings[stage] = (timings[stage] ?? 0) + performance.now() - startedAtMs;
  };
  const result = work();
  if (result instanceof Promise) return result.finally(stop) as T;
  stop();
  return result;
}
