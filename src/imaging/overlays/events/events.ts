import { type Box, type FrameSize, type Overlay, overlap } from '../svg.ts';
import type { EventMarker } from './event-marker.ts';
import { placeLabels } from './labels.ts';
import { eventPin, isPlaced, pinBox } from './pins.ts';
import { eventRegions } from './regions.ts';

/** Frames below this in either direction are too small for pins. */
const LEAST_SIDE_PX = 200;

const anchorY = ({ anchor, y }: EventMarker) => anchor?.[1] ?? y;

/** Of pins that lie below the time, the logo or the scale: letters over their letters could not be read. */
const COVERED_OPACITY = 0.35;

function pinBelow(marker: EventMarker, taken: readonly Box[]): Overlay {
  const pin = eventPin(marker);
  const isCovered = taken.some((box) => overlap(pin, box));
  return isCovered ? { ...pin, svg: `<g opacity="${COVERED_OPACITY}">${pin.svg}</g>` } : pin;
}

/**
 * Regions, then pins from the upper to the lower ones, then labels; nothing on small frames.
 * @param taken Boxes of the frame of what will be drawn over the pins: labels keep clear of them
 */
export function eventOverlays(markers: readonly EventMarker[], frame: FrameSize, taken: readonly Box[] = []): Overlay[] {
  if (frame.width < LEAST_SIDE_PX || frame.height < LEAST_SIDE_PX) return [];
  const whole = { x: 0, y: 0, ...frame };
  const regions = eventRegions(markers).filter((region) => overlap(region, whole));
  const seen = markers.filter((marker) => isPlaced(marker) && overlap(pinBox(marker), whole));
  const fromTheTop = seen.toSorted((a, b) => anchorY(a) - anchorY(b));
  const { leaders, labels } = placeLabels(fromTheTop, frame, taken);
  return [...regions, ...leaders, ...fromTheTop.map((marker) => pinBelow(marker, taken)), ...labels];
}
