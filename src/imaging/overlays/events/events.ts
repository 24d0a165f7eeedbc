import { type Box, type FrameSize, type Overlay, overlap } from '../svg.ts';
import type { EventMarker } from './event-marker.ts';
import { placeLabels } from './labels.ts';
import { eventPin, isPlaced, pinBox } from './pins.ts';
import { eventRegions } from './regions.ts';

/** Frames smaller than this in either direction show no events. */
const MIN_SIDE_PX = 200;

const anchorY = ({ anchor, y }: EventMarker) => anchor?.[1] ?? y;

/** Opacity of pins under the watermark or the scale indicator, whose text would otherwise be unreadable. */
const COVERED_OPACITY = 0.35;

function pinBelow(marker: EventMarker, taken: readonly Box[]): Overlay {
  const pin = eventPin(marker);
  const isCovered = taken.some((box) => overlap(pin, box));
  return isCovered ? { ...pin, svg: `<g opacity="${COVERED_OPACITY}">${pin.svg}</g>` } : pin;
}

/**
 * Regions, then pins from top to bottom, then labels; nothing on small frames.
 *
 * @param taken Boxes of overlays that are drawn over the pins; labels avoid them
 */
export function eventOverlays(markers: readonly EventMarker[], frame: FrameSize, taken: readonly Box[] = []): Overlay[] {
  if (frame.width < MIN_SIDE_PX || frame.height < MIN_SIDE_PX) return [];
  const whole = { x: 0, y: 0, ...frame };
  const regions = eventRegions(markers).filter((region) => overlap(region, whole));
  const seen = markers.filter((marker) => isPlaced(marker) && overlap(pinBox(marker), whole));
  const fromTheTop = seen.toSorted((a, b) => anchorY(a) - anchorY(b));
  const { leaders, labels } = placeLabels(fromTheTop, frame, taken);
  return [...regions, ...leaders, ...fromTheTop.map((marker) => pinBelow(marker, taken)), ...labels];
}
