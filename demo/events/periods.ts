// Observation cadences of the event sources.
import { HOUR_MS } from '../../src/util/durations.ts';

/** Upper bound of the duration of a flare of the sample. */
export const LONGEST_FLARE_MS = 4 * HOUR_MS;
/** SPoCA makes maps of the Sun six times a day. */
export const SPOCA_STEP_MS = 4 * HOUR_MS;

/** Starts of the whole periods of `stepMs` that overlap `fromMs` to `toMs`. */
export function stepsBetween(fromMs: number, toMs: number, stepMs: number): number[] {
  const first = Math.floor(fromMs / stepMs);
  const last = Math.floor(toMs / stepMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * stepMs);
}
