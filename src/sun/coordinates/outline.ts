// Outlines of events, rotated with the Sun and clipped at the limb.
import type { MeasuredPosition } from '../events/solar-event.ts';
import { earthObserver, type Observer, pictureObserver, RADIANS_PER_DEGREE, wrap180 } from './observer.ts';
import type { EventPosition, Helioprojective, Stonyhurst, SunVector } from './sphere.ts';
import { rotation, scaledToAu, seenAt, stonyhurstOf, surfacePoint, vectorOf } from './sphere.ts';

/** Vertices in arcseconds, x to the west, y to the NORTH, or in degrees of longitude and latitude. The last one connects to the first. */
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

function turned(point: SunVector, from: Observer, to: Observer, turn: (location: Stonyhurst) => Stonyhurst): SunVector {
  const location = turn(stonyhurstOf(point, from));
  return scaled(vectorOf(location, to), Math.hypot(point.x, point.y, point.z));
}

export type Side = 'near' | 'far';

const isBehind = (point: SunVector, observer: Observer): boolean =>
  point.z < 1 / observer.distanceRadii && surfacePoint(seenAt(point, observer), observer) !== null;

const isHidden = (point: SunVector, observer: Observer, side: Side): boolean => isBehind(point, observer) === (side === 'near');

/** Polar angle at which the edge from a visible to a hidden vertex crosses the limb. */
function crossing(visible: SunVector, hidden: SunVector, observer: Observer, side: Side): number {
  let [from, to] = [0, 1];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (from + to) / 2;
    if (isHidden(between(visible, hidden, middle), observer, side)) to = middle;
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

/** The part of a ring on a side, closed along the limb. `points` starts with a vertex on it. */
function cutAtLimb(points: readonly SunVector[], observer: Observer, side: Side): SunVector[] {
  const cut: SunVector[] = [];
  let [last, angles]: [SunVector, number[]] = [points[0]!, []];
  for (const point of [...points, points[0]!]) {
    if (isHidden(point, observer, side)) {
      if (angles.length === 0) angles.push(crossing(last, point, observer, side));
      angles.push(angleOf(point));
    } else {
      if (angles.length > 0) cut.push(...limbAlong([...angles, crossing(point, last, observer, side)], observer));
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

/** Coordinates of the vertices of an outline, and their time. */
type OutlineFrame = Pick<MeasuredPosition, 'kind' | 'atMs'>;

/** Vertices on the Sun after rotation; null for outlines beside the Sun, or far above it, which do not rotate. */
function turnedPoints(outline: Outline, position: OutlineFrame, to: Observer, atMs: number): SunVector[] | null {
  const turn = rotation(position.atMs, atMs);
  if (position.kind === 'stonyhurst') return outline.map(([longitude, latitude]) => vectorOf(turn({ longitude, latitude }), to));
  const from = earthObserver(position.atMs);
  return isOnDisk(outline, from) ? outline.map(([x, y]) => turned(pointOn({ x, y }, from), from, to, turn)) : null;
}

const besideSun = ([x, y]: Outline[number], { atMs }: OutlineFrame) => scaledToAu({ x, y }, atMs);

/**
 * An outline at another time, for an observer at exactly 1 au in the direction of the Earth. Hidden parts are replaced by the limb.
 * @param outline In the coordinates of `position`
 * @param side `far`: what is behind the limb, of outlines in heliographic coordinates, which are measured all around
 * @returns Null when all vertices are hidden
 */
export function outlineAt(outline: Outline, position: OutlineFrame, atMs: number, side: Side = 'near'): Outline | null {
  if (side === 'far' && position.kind !== 'stonyhurst') return null;
  const to = pictureObserver(atMs);
  const points = turnedPoints(outline, position, to, atMs);
  if (!points) return outline.map((vertex) => besideSun(vertex, position)).map(({ x, y }) => [x, y]);
  const first = points.findIndex((point) => !isHidden(point, to, side));
  if (first < 0) return null;
  const ring = cutAtLimb([...points.slice(first), ...points.slice(0, first)], to, side);
  return ring.map((point) => seenAt(point, to)).map(({ x, y }) => [x, y]);
}

/** As outlineAt, with all vertices, of which those behind the limb are marked. */
export function contourAt(outline: Outline, position: OutlineFrame, atMs: number): EventPosition[] {
  const to = pictureObserver(atMs);
  const points = turnedPoints(outline, position, to, atMs);
  if (!points) return outline.map((vertex) => ({ ...besideSun(vertex, position), isVisible: true }));
  return points.map((point) => ({ ...seenAt(point, to), isVisible: !isBehind(point, to) }));
}
