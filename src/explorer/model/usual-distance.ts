// Usual distance between a time and the nearest image of a source, above which the explorer warns.
import { HOUR_MS } from '../../platform/util/durations.ts';

const HOUR_SECONDS = HOUR_MS / 1000;
/** Share of the time for which the nearest image is no farther. */
const USUAL = 0.95;
/** Mean intervals in multiples of the smallest one from which images come in bursts. */
const BURST_FACTOR = 2;

/**
 * The 95th percentile over time of the distance to the nearest image, seconds. `counts`: images of successive hours; those before the first
 * image and after the last one do not count. `cadenceSeconds`: the smallest interval, the result for a source without pauses. Where
 * images come in bursts within the hours, whose times are not known, it is an hour.
 */
export function usualDistance(counts: readonly number[], cadenceSeconds: number): number {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return cadenceSeconds;
  const covered = counts.slice(first, counts.findLastIndex((count) => count > 0) + 1);
  const busy = [...covered.keys()].filter((i) => covered[i]! > 0);
  // From each hour to the nearest one with images.
  const distances = covered.map((_, i) => Math.min(...busy.map((k) => Math.abs(k - i)))).sort((a, b) => a - b);
  const hours = distances[Math.ceil(covered.length * USUAL) - 1]!;
  if (hours > 0) return Math.max((hours + 1) * HOUR_SECONDS, cadenceSeconds);
  const images = covered.reduce((sum, count) => sum + count, 0);
  const isInBursts = (busy.length * HOUR_SECONDS) / images > BURST_FACTOR * cadenceSeconds && images > busy.length;
  return isInBursts ? Math.max(HOUR_SECONDS, cadenceSeconds) : cadenceSeconds;
}
