// Conjunctions: periods during which a body is near the Sun as an observer sees it, and trajectories through them.
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import { type BodyView, type LineOfSight, viewOf } from './view.ts';

/** Elongation up to which a body is in view: the corners of LASCO C3 images are 11.3 degrees from the Sun. */
const IN_VIEW_DEGREES = 12;

/** Least step of a search: a shorter conjunction may be missed, and the shortest of a planet is a week. */
const LEAST_STEP_MS = 6 * HOUR_MS;
/** Steps of one search. A planet takes up to 80 from one conjunction to the next; a probe near its observer takes one for each least step. */
const MAX_STEPS = 2000;

/** A period in milliseconds since 1970, both ends included and whole seconds. */
export type Conjunction = { readonly startMs: number; readonly endMs: number };

/** Times of a search, inclusive. */
type Period = Readonly<Record<'firstMs' | 'lastMs', number>>;

type Direction = 1 | -1;

const isNear = (view: BodyView | null): view is BodyView => view !== null && view.elongationDegrees <= IN_VIEW_DEGREES;

/** The body as its observer sees it, or null when it is not in view. */
export function inView(line: LineOfSight, atMs: number): BodyView | null {
  const view = viewOf(line, atMs);
  return isNear(view) ? view : null;
}

/** The whole seconds within the bounds at which both orbits are known. */
function boundsOf({ body, observer }: LineOfSight, { firstMs, lastMs }: Period): Period {
  const first = Math.max(body.firstMs, observer.firstMs, firstMs);
  const last = Math.min(body.lastMs, observer.lastMs, lastMs);
  return { firstMs: Math.ceil(first / SECOND_MS) * SECOND_MS, lastMs: Math.floor(last / SECOND_MS) * SECOND_MS };
}

/**
 * Time in which a body cannot enter or leave the view: its angle from the limit, over a bound of its angular speed. Motion across the
 * line of sight turns that line by at most pi/2 of its ratio to the distance; motion of the observer turns the direction of the Sun.
 */
function safeStepMs({ body, observer }: LineOfSight, view: BodyView | null): number {
  if (!view) return LEAST_STEP_MS;
  const radiansPerDay =
    ((Math.PI / 2) * (body.maxSpeed + observer.maxSpeed)) / view.distanceAu + observer.maxSpeed / view.observerAu;
  const radians = Math.abs(view.elongationDegrees - IN_VIEW_DEGREES) * RADIANS_PER_DEGREE;
  return Math.max(LEAST_STEP_MS, Math.floor((radians / radiansPerDay) * (DAY_MS / SECOND_MS)) * SECOND_MS);
}

/** The last whole second on the near side of the change between two times, and the first on its far side. */
function bisected(line: LineOfSight, nearMs: number, farMs: number): { nearMs: number; farMs: number } {
  const isInView = inView(line, nearMs) !== null;
  let [near, far] = [nearMs, farMs];
  while (Math.abs(far - near) > SECOND_MS) {
    const middle = Math.round((near + far) / 2 / SECOND_MS) * SECOND_MS;
    if ((inView(line, middle) !== null) === isInView) near = middle;
    else far = middle;
  }
  return { nearMs: near, farMs: far };
}

/** The next change between in view and out of view. Null when there is none within the bounds, or within the steps of a search. */
function nextChange(line: LineOfSight, fromMs: number, direction: Direction, bounds: Period) {
  let [atMs, view] = [fromMs, viewOf(line, fromMs)];
  const isInView = isNear(view);
  for (let step = 0; step < MAX_STEPS; step++) {
    const beyond = atMs + direction * safeStepMs(line, view);
    const nextMs = Math.min(Math.max(beyond, bounds.firstMs), bounds.lastMs);
    if (nextMs === atMs) return null;
    view = viewOf(line, nextMs);
    if (isNear(view) !== isInView) return bisected(line, atMs, nextMs);
    atMs = nextMs;
  }
  return null;
}

/** The conjunction at a time, cut at the bounds; null when the body is not in view. @param atMs A whole second within the bounds */
export function conjunctionAt(line: LineOfSight, atMs: number, within: Period): Conjunction | null {
  const bounds = boundsOf(line, within);
  if (!inView(line, atMs) || atMs < bounds.firstMs || atMs > bounds.lastMs) return null;
  return {
    startMs: nextChange(line, atMs, -1, bounds)?.nearMs ?? bounds.firstMs,
    endMs: nextChange(line, atMs, 1, bounds)?.nearMs ?? bounds.lastMs,
  };
}

/**
 * Start of the first conjunction that begins after a time, or in the other direction the end of the last one that ended before it: milliseconds
 * since 1970 and a whole second; null without one.
 */
export function adjacentConjunctionMs(line: LineOfSight, atMs: number, within: Period, direction: Direction): number | null {
  const bounds = boundsOf(line, within);
  const { firstMs, lastMs } = bounds;
  const [nearMs, farMs] = direction === 1 ? [firstMs, lastMs] : [lastMs, firstMs];
  if (firstMs > lastMs || direction * (atMs - farMs) > 0) return null;
  const isBefore = direction * (nearMs - atMs) > 0;
  const fromMs = isBefore ? nearMs : atMs;
  const isIn = inView(line, fromMs) !== null;
  if (isBefore && isIn) return nearMs;
  const outsideMs = isIn ? nextChange(line, fromMs, direction, bounds)?.farMs : fromMs;
  return outsideMs === undefined ? null : (nextChange(line, outsideMs, direction, bounds)?.farMs ?? null);
}

/** Views along a conjunction at equal steps from its start (`cadenceMs`, doubled until there are at most `maxPoints`), and at its end. */
export function trajectory(
  line: LineOfSight,
  { startMs, endMs }: Conjunction,
  { cadenceMs, maxPoints }: { cadenceMs: number; maxPoints: number },
): readonly (readonly [atMs: number, view: BodyView])[] {
  let stepMs = cadenceMs;
  while ((endMs - startMs) / stepMs + 2 > maxPoints) stepMs *= 2;
  const times = Array.from({ length: Math.ceil((endMs - startMs) / stepMs) }, (_, i) => startMs + i * stepMs);
  return [...times, endMs].flatMap((atMs) => {
    const view = viewOf(line, atMs);
    return view ? [[atMs, view] as const] : [];
  });
}
