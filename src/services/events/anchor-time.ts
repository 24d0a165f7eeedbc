// The instant by which pictures of about the same time agree on where the labels of events stand.
import { DAY_MS, HOUR_MS } from '../../util/durations.ts';

/** What rotates fastest: the middle of the disk, as seen from 1 au. */
const FASTEST_ARCSEC_PER_HOUR = 9.2;
/** How far an event may be from where it is at the anchor: less than the room that a label keeps from its own pin. */
const FARTHEST_PX = 8;

/**
 * The middle of the span of time that holds `atMs`: a UTC day, or the longest half, quarter, eighth and so on of one in which
 * nothing moves further than 8 pixels from where it is in its middle. Milliseconds since 1970.
 */
export function anchorTime(atMs: number, scaleArcsecPerPixel: number): number {
  const longestMs = ((2 * FARTHEST_PX * scaleArcsecPerPixel) / FASTEST_ARCSEC_PER_HOUR) * HOUR_MS;
  let spanMs = DAY_MS;
  while (spanMs > longestMs) spanMs /= 2;
  return (Math.floor(atMs / spanMs) + 0.5) * spanMs;
}
