import { placeLabels } from './event-labels.ts';
import type { EventMark } from './event-mark.ts';
import { eventMarker, isPlaced, markerBox } from './event-markers.ts';
import { eventRegions } from './event-regions.ts';
import { type Box, type FrameSize, type Overlay, overlap } from './svg.ts';

/** Frames below this in either direction are too small for pins. */
const LEAST_SIDE_PX = 200;

const anchorY = ({ anchor, y }: EventMark) => anchor?.[1] ?? y;

/**
 * Regions, then pins from the upper to the lower ones, then labels; nothing on small frames.
 * @param taken Boxes of the frame that labels keep clear of
 */
export function eventOverlays(marks: readonly EventMark[], frame: FrameSize, taken: readonly Box[] = []): Overlay[] {
  if (frame.width < LEAST_SIDE_PX || frame.height < LEAST_SIDE_PX) return [];
  const whole = { x: 0, y: 0, ...frame };
  const regions = eventRegions(marks).filter((region) => overlap(region, whole));
  const seen = marks.filter((mark) => isPlaced(mark) && overlap(markerBox(mark), whole));
  const fromTheTop = seen.toSorted((a, b) => anchorY(a) - anchorY(b));
  const { leaders, labels } = placeLabels(fromTheTop, frame, taken);
  return [...regions, ...leaders, ...fromTheTop.map(eventMarker), ...labels];
}
