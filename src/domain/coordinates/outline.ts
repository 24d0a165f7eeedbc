// Outlines of events, turned with the Sun and cut at its limb.
import { RADIANS_PER_DEGREE, wrap180 } from './angles.ts';
import { scaledToAu } from './event-place.ts';
import { earthObserver, type Helioprojective, type Observer, pictureObserver, seenAt, surfacePoint } from './helioprojective.ts';
import { rotation } from './rotation.ts';
import { type Stonyhurst, type SunVector, stonyhurstOf, vectorOf } from './stonyhurst.ts';

/** Arcseconds, x to the west, y to the NORTH; closed from the last vertex to the first. */
export type Outline = readonly (readonly [x: number, y: number])[];

/**
 * Solar radii up to which vertices beside the Sun belong to what is on it. An outline that reaches further is one of a thing in the
 * corona, which does not rotate.
 */
const HIGHEST_ON_THE_SUN = 1.25;
/** Degrees between the points of an outline that runs along the limb: chords stay within 0.2 arcseconds of it. */
const LIMB_STEP_DEGREES = 2;
/** Halvings of the edge between a visible and a hidden vertex: to a millionth of its length. */
const HALVINGS = 20;

const scaled = (vector: SunVector, by: number): SunVector => ({ x: vector.x * by, y: vector.y * by, z: vector.z * by });

const between = (a: SunVector, b: SunVector, part: number): SunVector => ({
  x: a.x + (b.x - a.x) * part,
  y: a.y + (b.y - a.y) * part,
  z: a.z + (b.z - a.z) * part,
});

/** Position angle on the disk, degrees from west to north. */
const angleOf = ({ x, y }: SunVector): number => Math.atan2(y, x) / RADIANS_PER_DEGREE;

/** The point of the limb at a position angle. */
function limbPoint(angleDegrees: number, { distance }: Observer): SunVector {
  const radius = Math.sqrt(1 - distance ** -2);
  const angle = angleDegrees * RADIANS_PER_DEGREE;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), z: 1 / distance };
}

/** A point that is seen on the Sun, or above the point of the limb that is next to its direction. */
function pointOn(seen: Helioprojective, observer: Observer): SunVector {
  const surface = surfacePoint(seen, observer);
  if (surface) return surface;
  const foot = limbPoint(angleOf({ ...seen, z: 0 }), observer);
  const limb = seenAt(foot, observer);
  return scaled(foot, Math.hypot(seen.x, seen.y) / Math.hypot(limb.x, limb.y));
}

/** A point with the Sun turned below it. */
function turned(point: SunVector, from: Observer, to: Observer, turn: (place: Stonyhurst) => Stonyhurst): SunVector {
  const place = turn(stonyhurstOf(point, from.b0Degrees));
  return scaled(vectorOf(place, to.b0Degrees), Math.hypot(point.x, point.y, point.z));
}

/** Whether the Sun stands before a point. */
function isBehind(point: SunVector, observer: Observer): boolean {
  return point.z < 1 / observer.distance && surfacePoint(seenAt(point, observer), observer) !== null;
}

/** Position angle at which the edge from a visible vertex to a hidden one goes below the limb. */
function crossing(visible: SunVector, hidden: SunVector, observer: Observer): number {
  let [from, to] = [0, 1];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (from + to) / 2;
    if (isBehind(between(visible, hidden, middle), observer)) to = middle;
    else from = middle;
  }
  return angleOf(between(visible, hidden, from));
}

/** The limb from the first of these position angles to the last, on the side that the ones between them go. */
function limbAlong(angles: readonly number[], observer: Observer): SunVector[] {
  const sweep = angles.slice(1).reduce((sum, angle, i) => sum + wrap180(angle - (angles[i] as number)), 0);
  const steps = Math.max(1, Math.ceil(Math.abs(sweep) / LIMB_STEP_DEGREES));
  return Array.from({ length: steps + 1 }, (_, i) => limbPoint((angles[0] as number) + (sweep * i) / steps, observer));
}

/** The part of a ring that the Sun does not hide, with the limb in place of the rest; `points` begins with a visible vertex. */
function cutAtLimb(points: readonly SunVector[], observer: Observer): SunVector[] {
  const cut: SunVector[] = [];
  let [last, angles]: [SunVector, number[]] = [points[0] as SunVector, []];
  for (const point of [...points, points[0] as SunVector]) {
    if (isBehind(point, observer)) {
      if (angles.length === 0) angles.push(crossing(last, point, observer));
      angles.push(angleOf(point));
    } else {
      if (angles.length > 0) cut.push(...limbAlong([...angles, crossing(point, last, observer)], observer));
      angles = [];
      cut.push(point);
    }
    last = point;
  }
  return cut.slice(0, -1);
}

function belongsToTheSun(outline: Outline, observer: Observer): boolean {
  const seen = outline.map(([x, y]) => ({ x, y }));
  const limb = seenAt(limbPoint(0, observer), observer).x;
  const isLow = seen.every(({ x, y }) => Math.hypot(x, y) <= HIGHEST_ON_THE_SUN * limb);
  return isLow && seen.some((vertex) => surfacePoint(vertex, observer) !== null);
}

/**
 * An outline at another time, for an observer at exactly 1 au in the direction of the Earth. What of it went behind the Sun is
 * replaced by the limb. Outlines beside the Sun, or far above it, do not rotate.
 * @param outline As seen from the Earth at `fromMs`
 * @returns Null where none of its vertices is in front
 */
export function outlineAt(outline: Outline, fromMs: number, atMs: number): Outline | null {
  const [from, to] = [earthObserver(fromMs), pictureObserver(atMs)];
  if (!belongsToTheSun(outline, from)) {
    return outline.map(([x, y]) => {
      const place = scaledToAu({ x, y }, fromMs);
      return [place.x, place.y];
    });
  }
  const turn = rotation(fromMs, atMs);
  const points = outline.map(([x, y]) => turned(pointOn({ x, y }, from), from, to, turn));
  const first = points.findIndex((point) => !isBehind(point, to));
  if (first < 0) return null;
  const ring = cutAtLimb([...points.slice(first), ...points.slice(0, first)], to);
  return ring.map((point) => {
    const { x, y } = seenAt(point, to);
    return [x, y];
  });
}
