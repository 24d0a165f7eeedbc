// Selects the frames of getJPX from a time range.
import { JPX_COST } from '../../platform/limits/jpx.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/util/durations.ts';
import type { TimeRange } from '../../sun/bins.ts';
import { formatDateTime } from '../../sun/time.ts';

/** Maximum frames of a JPX file where the operator sets no other (`most`). */
export const MAX_JPX_FRAMES = 1000;

export type RangePlan =
  /** Every image of the span from its start on; `isCut` when the maximum ended it. */
  | { readonly take: 'all'; readonly isCut: boolean }
  /** The images nearest to times `cadenceSeconds` apart, counted backwards from the end, and the first image. */
  | { readonly take: 'sampled'; readonly cadenceSeconds: number; readonly steps: number; readonly isChanged: boolean };

/** The finest cadence in whole seconds that keeps within the maximum. */
function widened({ startMs, endMs }: TimeRange, most: number): RangePlan & { readonly take: 'sampled' } {
  const cadenceSeconds = Math.max(1, Math.floor((endMs - startMs) / 1000 / most));
  const steps = Math.min(most, stepsOf({ startMs, endMs }, cadenceSeconds));
  return { take: 'sampled', cadenceSeconds, steps, isChanged: true };
}

const stepsOf = ({ startMs, endMs }: TimeRange, cadenceSeconds: number): number =>
  Math.ceil((endMs - startMs) / (cadenceSeconds * 1000));

/**
 * Plans the frames of a span, at most `most`.
 * @param cadenceSeconds Undefined: every image, or the maximum evenly spread. Zero or below: every image up to the maximum
 * @param imageCount Images in the span; counting may stop above the maximum
 */
export function planRange(
  span: TimeRange,
  cadenceSeconds: number | undefined,
  imageCount: number,
  most = MAX_JPX_FRAMES,
): RangePlan {
  const isTooMany = imageCount > most;
  if (cadenceSeconds === undefined) return isTooMany ? widened(span, most) : { take: 'all', isCut: false };
  if (cadenceSeconds <= 0) return { take: 'all', isCut: isTooMany };
  const steps = stepsOf(span, cadenceSeconds);
  return steps > most ? widened(span, most) : { take: 'sampled', cadenceSeconds, steps, isChanged: false };
}

/** Estimates the frames of a request from its parameters alone, for its cost: at most `most`. @param cadenceSeconds As of `planRange` */
export function estimatedFrames(span: TimeRange, cadenceSeconds: number | undefined, most: number): number {
  const isStated = cadenceSeconds !== undefined && cadenceSeconds > 0;
  return Math.min(most, stepsOf(span, isStated ? cadenceSeconds : JPX_COST.cadenceSeconds) + 1);
}

/** The times of a sampled plan, backwards from the end of the span. */
export const sampleTimes = (
  { endMs }: TimeRange,
  { cadenceSeconds, steps }: { cadenceSeconds: number; steps: number },
): number[] => Array.from({ length: steps }, (_, i) => endMs - i * cadenceSeconds * 1000);

type Dated = { readonly fileName: string; readonly takenAtMs: number };

const isSame = (a: Dated | undefined, b: Dated) => a?.fileName === b.fileName || a?.takenAtMs === b.takenAtMs;

/** Ascending images without those that repeat the file or time of the previous one, because clients reject repeated times. */
export const withoutRepeats = <T extends Dated>(ascending: readonly T[]): T[] =>
  ascending.filter((image, i) => i === 0 || !isSame(ascending[i - 1], image));

/**
 * Ascending frames of a sampled plan.
 * @param nearest Images nearest to the times of the plan, newest first
 * @param first First image of the span, which is always a frame; it replaces its neighbour where the maximum is exceeded
 */
export function sampledFrames<T extends Dated>(nearest: readonly T[], first: T, most = MAX_JPX_FRAMES): T[] {
  const frames = withoutRepeats(nearest.toReversed());
  if (isSame(frames[0], first)) return frames;
  return [first, ...frames.slice(Math.max(0, frames.length + 1 - most))];
}

/** The requested range, and the time of the last frame, milliseconds. */
interface PlannedRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly lastFrameMs: number;
  /** The requested cadence, or the mean one of the images for a request of every image. */
  readonly cadenceSeconds: number;
}

/** A length of time in the unit in which it is between 1 and 100 or so. */
function duration(seconds: number): string {
  const [name, length] = UNITS.find(([, unit]) => seconds >= unit) ?? UNITS.at(-1)!;
  return `${Math.floor((seconds / length) * 10) / 10} ${name}`;
}

const UNITS = [
  ['days', DAY_MS / SECOND_MS],
  ['hours', HOUR_MS / SECOND_MS],
  ['minutes', MINUTE_MS / SECOND_MS],
] as const;

/** Message for the client about a plan that deviates from its request; null when it does not. */
export function planMessage(
  plan: RangePlan,
  { startMs, endMs, lastFrameMs, cadenceSeconds }: PlannedRange,
  most = MAX_JPX_FRAMES,
): string | null {
  const start = formatDateTime(startMs);
  const fitting = `Ranges of up to ${duration(most * cadenceSeconds)} have every image that was requested`;
  if (plan.take === 'sampled' && plan.isChanged)
    return (
      `Movie cadence has been changed to one image every ${plan.cadenceSeconds} seconds between ${start} and ` +
      `${formatDateTime(endMs)}: the maximum is ${most} frames per request. ${fitting}.`
    );
  if (plan.take === 'all' && plan.isCut)
    return (
      `Movie has been cut at the maximum of ${most} frames per request: it has every image from ${start} ` +
      `through ${formatDateTime(lastFrameMs)}. ${fitting}; a cadence of ${widened({ startMs, endMs }, most).cadenceSeconds} seconds has the whole range.`
    );
  return null;
}
