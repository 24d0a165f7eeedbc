import { type Box, type FrameSize, type Overlay, overlap } from '../svg.ts';
import type { EventMark } from './event-mark.ts';
import { placeLabels } from './labels.ts';
import { eventMarker, isPlaced, markerBox } from './markers.ts';
import { eventRegions } from './regions.ts';

/** Frames below this in either direction are too small for pins. */
const LEAST_SIDE_PX = 200;

const anchorY = ({ anchor, y }: EventMark) => anchor?.[1] ?? y;

/** Of pins that lie below the time, the logo or the scale: letters over their letters could not be read. */
const COVERED_OPACITY = 0.35;

function markerBelow(mark: EventMark, taken: readonly Box[]): Overlay {
  const marker = eventMarker(mark);
  const isCovered = taken.some((box) => overlap(marker, box));
  return isCovered ? { ...marker, svg: `<g opacity="${COVERED_OPACITY}">${marker.svg}</g>` } : marker;
}

/**
 * Regions, then pins from the upper to the lower ones, then labels; nothing on small frames.
 * @param taken Boxes of the frame of what will be drawn over the pins: labels keep clear of them
 */
export function eventOverlays(marks: readonly EventMark[], frame: FrameSize, taken: readonly Box[] = []): Overlay[] {
  if (frame.width < LEAST_SIDE_PX || frame.height < LEAST_SIDE_PX) return [];
  const whole = { x: 0, y: 0, ...frame };
  const regions = eventRegions(marks).filter((region) => overlap(region, whole));
  const seen = marks.filter((mark) => isPlaced(mark) && overlap(markerBox(mark), whole));
  const fromTheTop = seen.toSorted((a, b) => anchorY(a) - anchorY(b));
  const { leaders, labels } = placeLabels(fromTheTop, frame, taken);
  return [...regions, ...leaders, ...fromTheTop.map((mark) => markerBelow(mark, taken)), ...labels];
}
