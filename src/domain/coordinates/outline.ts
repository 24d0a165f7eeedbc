// Outlines of events, rotated with the Sun and clipped at the limb.
import { earthObserver, type Observer, pictureObserver, RADIANS_PER_DEGREE, wrap180 } from './observer.ts';
import {
  type Helioprojective,
  rotation,
  type Stonyhurst,
  type SunVector,
  scaledToAu,
  seenAt,
  stonyhurstOf,
  surfacePoint,
  vectorOf,
} from './sphere.ts';

/** Vertices in arcseconds, x to the west, y to the NORTH. The last one connects to the first. */
export type Outline = readonly (readonly [x: number, y: number])[];

/** Height up to which an outline counts as on the Sun. Outlines that reach further describe coronal features, which do not rotate. */
const HIGHEST_RADII = 1.25;
/** Spacing of vertices along the limb, which keeps chords within 0.2 arcseconds of it. */
const LIMB_STEP_DEGREES = 2;
/** Bisection steps of an edge at the limb: to a millionth of its length. */
const BISECTIONS = 20;

const scaled = (vector: SunVector, by: number): SunVector => ({ x: vector.x * by, y: vector.y * by, z: vector.z * by });

const between = (a: SunVector, b: SunVector, part: number): SunVector => ({
  x: a.x + (b.x - a.x) * part,
  y: a.y + (b.y - a.y) * part,
  z: a.z + (b.z - a.z) * part,
});

/** Polar angle on the disk, degrees from west to north. */
const angleOf = ({ x, y }: SunVector): number => Math.atan2(y, x) / RADIANS_PER_DEGREE;

/** The point of the limb at a polar angle. */
function limbPoint(angleDegrees: number, { distanceRadii: distance }: Observer): SunVector {
  const radius = Math.sqrt(1 - distance ** -2);
  const angle = angleDegrees * RADIANS_PER_DEGREE;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle), z: 1 / distance };
}

/** The point on the solar surface in a direction; for a direction off the disk, the point radially above the nearest limb. */
function pointOn(seen: Helioprojective, observer: Observer): SunVector {
  const surface = surfacePoint(seen, observer);
  if (surface) return surface;
  const foot = limbPoint(angleOf({ ...seen, z: 0 }), observer);
  const limb = seenAt(foot, observer);
  return scaled(foot, Math.hypot(seen.x, seen.y) / Math.hypot(limb.x, limb.y));
}

/** A point after solar rotation, at constant height. */
function turned(point: SunVector, from: Observer, to: Observer, turn: (location: Stonyhurst) => Stonyhurst): SunVector {
  const location = turn(stonyhurstOf(point, from.b0Degrees));
  return scaled(vectorOf(location, to.b0Degrees), Math.hypot(point.x, point.y, point.z));
}

function isHidden(point: SunVector, observer: Observer): boolean {
  return point.z < 1 / observer.distanceRadii && surfacePoint(seenAt(point, observer), observer) !== null;
}

/** Polar angle at which the edge from a visible to a hidden vertex crosses the limb. */
function crossing(visible: SunVector, hidden: SunVector, observer: Observer): number {
  let [from, to] = [0, 1];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (from + to) / 2;
    if (isHidden(between(visible, hidden, middle), observer)) to = middle;
    else from = middle;
  }
  return angleOf(between(visible, hidden, from));
}

/** Points of the limb from the first polar angle to the last, in the direction that the intermediate ones indicate. */
function limbAlong(angles: readonly number[], observer: Observer): SunVector[] {
  const sweep = angles.slice(1).reduce((sum, angle, i) => sum + wrap180(angle - angles[i]!), 0);
  const steps = Math.max(1, Math.ceil(Math.abs(sweep) / LIMB_STEP_DEGREES));
  return Array.from({ length: steps + 1 }, (_, i) => limbPoint(angles[0]! + (sweep * i) / steps, observer));
}

/** The visible part of a ring, closed along the limb. `points` starts with a visible vertex. */
function cutAtLimb(points: readonly SunVector[], observer: Observer): SunVector[] {
  const cut: SunVector[] = [];
  let [last, angles]: [SunVector, number[]] = [points[0]!, []];
  for (const point of [...points, points[0]!]) {
    if (isHidden(point, observer)) {
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

function isOnDisk(outline: Outline, observer: Observer): boolean {
  const seen = outline.map(([x, y]) => ({ x, y }));
  const limb = seenAt(limbPoint(0, observer), observer).x;
  const isLow = seen.every(({ x, y }) => Math.hypot(x, y) <= HIGHEST_RADII * limb);
  return isLow && seen.some((vertex) => surfacePoint(vertex, observer) !== null);
}

/**
 * An outline at another time, for an observer at exactly 1 au in the direction of the Earth. Hidden parts are replaced by the limb.
 * Outlines beside the Sun, or far above it, do not rotate.
 * @param outline As seen from the Earth at `fromMs`
 * @returns Null when all vertices are hidden
 */
export function outlineAt(outline: Outline, fromMs: number, atMs: number): Outline | null {
  const [from, to] = [earthObserver(fromMs), pictureObserver(atMs)];
  if (!isOnDisk(outline, from)) {
    return outline.map(([x, y]) => {
      const scaledUp = scaledToAu({ x, y }, fromMs);
      return [scaledUp.x, scaledUp.y];
    });
  }
  const turn = rotation(fromMs, atMs);
  const points = outline.map(([x, y]) => turned(pointOn({ x, y }, from), from, to, turn));
  const first = points.findIndex((point) => !isHidden(point, to));
  if (first < 0) return null;
  const ring = cutAtLimb([...points.slice(first), ...points.slice(0, first)], to);
  return ring.map((point) => {
    const { x, y } = seenAt(point, to);
    return [x, y];
  });
}
