// A field of view that follows solar rotation.
import { DAY_MS } from '../../util/durations.ts';
import { pictureObserver } from './observer.ts';
import { isInFront, rotation, type Stonyhurst, seenAt, stonyhurstOf, surfacePoint, vectorOf } from './sphere.ts';

/** Sampling interval of visibility: about a quarter of the shortest time that most locations stay behind the Sun. */
const STEP_MS = DAY_MS;
/** Most samples, for movies that span years. */
const MAX_STEPS = 400;
/** Precision of the time of a limb passage. */
const LIMB_TIME_MS = 1000;

/** Projection of a location at a time; null while it is behind the Sun. */
function project(location: Stonyhurst, fromMs: number, atMs: number): { x: number; y: number } | null {
  const observer = pictureObserver(atMs);
  const point = vectorOf(rotation(fromMs, atMs)(location), observer.b0Degrees);
  return isInFront(point, observer) ? seenAt(point, observer) : null;
}

/** The time nearest to `toMs` such that the location is continuously visible between `fromMs` and that time. */
function lastInFront(location: Stonyhurst, fromMs: number, toMs: number): number {
  const steps = Math.min(Math.max(1, Math.ceil(Math.abs(toMs - fromMs) / STEP_MS)), MAX_STEPS);
  const isSeen = (atMs: number) => project(location, fromMs, atMs) !== null;
  const times = Array.from({ length: steps }, (_, i) => fromMs + ((toMs - fromMs) * (i + 1)) / steps);
  const gone = times.findIndex((atMs) => !isSeen(atMs));
  if (gone < 0) return toMs;
  let [seenMs, goneMs] = [times[gone - 1] ?? fromMs, times[gone]!];
  while (Math.abs(goneMs - seenMs) > LIMB_TIME_MS) {
    const middleMs = (seenMs + goneMs) / 2;
    if (isSeen(middleMs)) seenMs = middleMs;
    else goneMs = middleMs;
  }
  return seenMs;
}

/**
 * Shift that keeps the centre of a field of view, chosen at `fromMs`, on the same solar location at `toMs`, which may be earlier.
 * The shift stops when the location passes the limb, and is zero for a centre beside the Sun.
 * @param centre Region coordinates: arcseconds as seen from 1 au, x to the west, y DOWN, to the south
 * @returns Arcseconds in region coordinates
 */
export function viewportShift(
  centre: { readonly x: number; readonly y: number },
  fromMs: number,
  toMs: number,
): { dx: number; dy: number } {
  const observer = pictureObserver(fromMs);
  const point = surfacePoint({ x: centre.x, y: -centre.y }, observer);
  if (!point) return { dx: 0, dy: 0 };
  const location = stonyhurstOf(point, observer.b0Degrees);
  const seen = project(location, fromMs, lastInFront(location, fromMs, toMs));
  return seen ? { dx: seen.x - centre.x, dy: -seen.y - centre.y } : { dx: 0, dy: 0 };
}
