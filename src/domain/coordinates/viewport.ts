// A field of view that stays over its place on the rotating Sun.
import { DAY_MS } from '../../util/durations.ts';
import { isInFront, pictureObserver, seenAt, surfacePoint } from './helioprojective.ts';
import { rotation } from './rotation.ts';
import { type Stonyhurst, stonyhurstOf, vectorOf } from './stonyhurst.ts';

/** Time between looks at whether the place is still in front: a quarter of the shortest time that one is behind, mostly. */
const STEP_MS = DAY_MS;
/** Looks at most, in movies of years too. */
const MAX_STEPS = 400;
/** The instant at which a place passes the limb is found to within this. */
const LIMB_TIME_MS = 1000;

/** How the place of a viewport is seen at a time by those who look at pictures; null while it is behind. */
function lookAt(place: Stonyhurst, fromMs: number, atMs: number): { x: number; y: number } | null {
  const observer = pictureObserver(atMs);
  const point = vectorOf(rotation(fromMs, atMs)(place), observer.b0Degrees);
  return isInFront(point, observer) ? seenAt(point, observer) : null;
}

/** The time nearest to `toMs` until which the place has been in front without a break since `fromMs`, or before it. */
function lastInFront(place: Stonyhurst, fromMs: number, toMs: number): number {
  const steps = Math.min(Math.max(1, Math.ceil(Math.abs(toMs - fromMs) / STEP_MS)), MAX_STEPS);
  const isSeen = (atMs: number) => lookAt(place, fromMs, atMs) !== null;
  const times = Array.from({ length: steps }, (_, i) => fromMs + ((toMs - fromMs) * (i + 1)) / steps);
  const gone = times.findIndex((atMs) => !isSeen(atMs));
  if (gone < 0) return toMs;
  let [seenMs, goneMs] = [times[gone - 1] ?? fromMs, times[gone] as number];
  while (Math.abs(goneMs - seenMs) > LIMB_TIME_MS) {
    const middleMs = (seenMs + goneMs) / 2;
    if (isSeen(middleMs)) seenMs = middleMs;
    else goneMs = middleMs;
  }
  return seenMs;
}

/**
 * How far a field of view has to move to show at `toMs`, before or after `fromMs`, what its centre shows at `fromMs`. It stops
 * where its place passes the limb, and stays where it is when its centre is beside the Sun.
 * @param centre Region coordinates: arcseconds as seen from 1 au, x to the west, y DOWN, to the south
 * @returns Arcseconds, in region coordinates too
 */
export function viewportShift(
  centre: { readonly x: number; readonly y: number },
  fromMs: number,
  toMs: number,
): { dx: number; dy: number } {
  const observer = pictureObserver(fromMs);
  const point = surfacePoint({ x: centre.x, y: -centre.y }, observer);
  if (!point) return { dx: 0, dy: 0 };
  const place = stonyhurstOf(point, observer.b0Degrees);
  const seen = lookAt(place, fromMs, lastInFront(place, fromMs, toMs));
  return seen ? { dx: seen.x - centre.x, dy: -seen.y - centre.y } : { dx: 0, dy: 0 };
}
