// Projections of pictures by their notation, as `sphere,20,-5`. What each of them shows where is in projections/, which the page loads later.
import { badParameter } from '../platform/util/errors.ts';
import { wrap180 } from '../sun/coordinates/observer.ts';
import { type Stonyhurst, stonyhurstOf, type Viewpoint, vectorOf } from '../sun/coordinates/sphere.ts';

export type Projection =
  | { readonly kind: 'plane' }
  /** The Sun as an observer above this place sees it, north up. `to`: where a movie has turned it in its last frame. */
  | ({ readonly kind: 'sphere'; readonly to?: Viewpoint } & Viewpoint)
  /** To the right the position angle from north by east, upward the distance from the centre of the Sun. */
  | { readonly kind: 'unwrapped' }
  /** Azimuthal equidistant around a pole, to the equator; the meridian of the Earth points down from the north pole, up from the south pole. */
  | { readonly kind: 'polar'; readonly pole: 'north' | 'south' }
  /** Linear to the limb; beyond it the distance grows by a Box-Cox transform: 1 linear, 0 logarithmic. */
  | { readonly kind: 'radial'; readonly power: number }
  /** To the right the Carrington longitude, upward the latitude, or its sine. */
  | { readonly kind: 'carrington' }
  | { readonly kind: 'cea' }
  /** The plane as another observer sees it. `from`: its place at the time, null before an ephemeris has been read. */
  | { readonly kind: 'observer'; readonly body: string; readonly from: Viewpoint | null };

export type ProjectionKind = Projection['kind'];
export type Sphere = Extract<Projection, { readonly kind: 'sphere' }>;

export const PLANE: Projection = { kind: 'plane' };

/** An argument of a notation: a number in a range, or a word. */
type Argument = { readonly name: string; readonly isOptional?: true } & (
  | { readonly least: number; readonly most: number }
  | { readonly words: RegExp; readonly what: string }
);

/** Distances from which a sphere may be seen, au. */
const DISTANCE = { name: 'distanceAu', least: 0.01, most: 100, isOptional: true } as const;

const ARGUMENTS: Readonly<Record<ProjectionKind, readonly Argument[]>> = {
  plane: [],
  sphere: [{ name: 'longitude', least: -360, most: 360 }, { name: 'latitude', least: -90, most: 90 }, DISTANCE],
  unwrapped: [],
  polar: [{ name: 'pole', words: /^(north|south)$/, what: 'north or south' }],
  radial: [{ name: 'power', least: -2, most: 1 }],
  carrington: [],
  cea: [],
  observer: [{ name: 'body', words: /^[a-z]\w{1,19}$/, what: 'the name of an observer' }],
};

const NOTATIONS = 'plane, sphere,20,-5, unwrapped, polar,north, radial,0, carrington, cea or observer,stereo_a';
const PARAMETER = 'projection';

/** Decimals of the numbers of a projection. */
const DIGITS = 4;
const rounded = (value: number, digits: number) => Number(value.toFixed(digits)) + 0;

function argumentOf(argument: Argument, text: string | undefined): unknown {
  if ('words' in argument) {
    if (text !== undefined && argument.words.test(text)) return text;
    throw badParameter(PARAMETER, `${argument.what} after the comma`, text ?? '');
  }
  const value = rounded(text ? Number(text) : Number.NaN, DIGITS);
  const { name, least, most } = argument;
  if (value >= least && value <= most) return name === 'longitude' ? rounded(wrap180(value), DIGITS) : value;
  throw badParameter(PARAMETER, `a ${name.replace('Au', ' in au')} from ${least} to ${most}`, text ?? '');
}

function parseOne(text: string): Projection {
  const [kind = '', ...given] = text.split(',').map((part) => part.trim());
  const known = Object.hasOwn(ARGUMENTS, kind) ? ARGUMENTS[kind as ProjectionKind] : null;
  if (!known || given.length > known.length) throw badParameter(PARAMETER, NOTATIONS, text);
  const values = known.flatMap((argument, i) =>
    argument.isOptional && given[i] === undefined ? [] : [[argument.name, argumentOf(argument, given[i])] as const],
  );
  return { kind, ...(kind === 'observer' ? { from: null } : {}), ...Object.fromEntries(values) } as Projection;
}

/**
 * The projection of a request. Two spheres joined by a semicolon are that of a movie that turns from the one to the other.
 * @throws Failure with what is possible
 */
export function parseProjection(text: string, isMovie = false): Projection {
  const parts = isMovie ? text.toLowerCase().split(';') : [text.toLowerCase()];
  const [first, last] = parts.map(parseOne);
  if (parts.length === 1) return first!;
  if (parts.length > 2 || first?.kind !== 'sphere' || last?.kind !== 'sphere')
    throw badParameter(PARAMETER, 'two spheres between which a movie turns, like sphere,0,0;sphere,120,20', text);
  const { kind: _, ...to } = last;
  return { ...first, to };
}

/**
 * The notation of a projection; undefined for the plane.
 * @param digits Decimals of its numbers
 */
export function printProjection(projection: Projection = PLANE, digits = DIGITS): string | undefined {
  const { kind } = projection;
  if (kind === 'plane') return undefined;
  const values = projection as unknown as Readonly<Record<string, string | number | undefined>>;
  const printed = ARGUMENTS[kind].flatMap(({ name }) => values[name] ?? []);
  const one = [kind, ...printed.map((value) => (typeof value === 'number' ? rounded(value, digits) : value))].join();
  return kind === 'sphere' && projection.to ? `${one};${printProjection({ kind, ...projection.to }, digits)}` : one;
}

/** The place that is a part of the way from one place to another, along the great circle. */
function onTheWay(from: Stonyhurst, to: Stonyhurst, part: number): Stonyhurst {
  const [a, b] = [vectorOf(from), vectorOf(to)];
  const angle = Math.atan2(
    Math.hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x),
    a.x * b.x + a.y * b.y + a.z * b.z,
  );
  // Opposite places have no shortest way: the meridian of the first is as good as any.
  if (Math.sin(angle) < 1e-6) return part < 0.5 ? from : to;
  const [start, end] = [Math.sin((1 - part) * angle) / Math.sin(angle), Math.sin(part * angle) / Math.sin(angle)];
  return stonyhurstOf({ x: start * a.x + end * b.x, y: start * a.y + end * b.y, z: start * a.z + end * b.z });
}

/** The projection of a frame of a movie, a part of the way from its first to its last. */
export function projectionAt(projection: Projection, part: number): Projection {
  if (projection.kind !== 'sphere' || !projection.to) return projection;
  const { to, ...from } = projection;
  const [a, b] = [from.distanceAu, to.distanceAu];
  const distance = a === undefined || b === undefined ? (a ?? b) : a + (b - a) * part;
  return { kind: 'sphere', ...onTheWay(from, to, part), ...(distance === undefined ? {} : { distanceAu: distance }) };
}

/** The sphere turned by degrees to the west and to the north of its view. */
export function turned(sphere: Sphere, west: number, north: number): Sphere {
  const latitude = Math.min(Math.max(sphere.latitude + north, -90), 90);
  return { ...sphere, longitude: wrap180(sphere.longitude + west), latitude };
}
