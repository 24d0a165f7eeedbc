// What a client is told of a plan that is not the one it asked for.
import { formatDateTime } from '../time.ts';
import { MOST_JPX_FRAMES, type RangePlan } from './range-plan.ts';

/** The range as it was asked for, and the time of the last frame, milliseconds. */
export interface PlannedRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly lastFrameMs: number;
}

/** Null when nothing was changed. */
export function planMessage(plan: RangePlan, { startMs, endMs, lastFrameMs }: PlannedRange): string | null {
  const start = formatDateTime(startMs);
  if (plan.take === 'sampled' && plan.isChanged) {
    return (
      `Movie cadence has been changed to one image every ${plan.cadenceSeconds} seconds between ${start} and ` +
      `${formatDateTime(endMs)}: the maximum is ${MOST_JPX_FRAMES} frames per request.`
    );
  }
  if (plan.take === 'all' && plan.isCut) {
    return (
      `Movie has been cut at the maximum of ${MOST_JPX_FRAMES} frames per request: it has every image from ${start} ` +
      `through ${formatDateTime(lastFrameMs)}.`
    );
  }
  return null;
}
