// A body as an observer sees it: helioprojective coordinates, distances, and whether it is behind the Sun.
import { DAY_MS } from '../../platform/util/durations.ts';
import { RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import type { Viewpoint } from '../coordinates/sphere.ts';
import type { Orbit } from './orbit.ts';
import { cross, dot, length, minus, scaled, unit, type Vector } from './vector.ts';

export type LineOfSight = { readonly body: Orbit; readonly observer: Orbit };

export interface BodyView {
  /** Arcseconds from the centre of the Sun, x to solar west, y to solar NORTH. */
  readonly x: number;
  readonly y: number;
  readonly elongationDegrees: number;
  /** Astronomical units: from the observer to the body, from the Sun to the observer, from the Sun to the body. */
  readonly distanceAu: number;
  readonly observerAu: number;
  readonly bodyAu: number;
  /** Whether the body is further away than the plane through the Sun that faces the observer. */
  readonly isBehind: boolean;
  /** Kilometres per second about the Sun; null where the orbit does not give it. */
  readonly speedKmPerS: number | null;
}

const AU_PER_LIGHT_DAY = 173.1446;

/** North pole of solar rotation: right ascension 286.13 degrees, declination 63.87 (IAU). */
const [RA, DEC] = [286.13 * RADIANS_PER_DEGREE, 63.87 * RADIANS_PER_DEGREE];
const SOLAR_NORTH: Vector = [Math.cos(DEC) * Math.cos(RA), Math.cos(DEC) * Math.sin(RA), Math.sin(DEC)];

/** Stonyhurst coordinates of a position about the Sun, by that of the Earth. */
export function heliographic(position: Vector, earth: Vector): Required<Viewpoint> {
  const meridian = unit(minus(earth, scaled(SOLAR_NORTH, dot(SOLAR_NORTH, earth))));
  const north = dot(SOLAR_NORTH, position) / length(position);
  return {
    longitude: Math.atan2(dot(cross(SOLAR_NORTH, meridian), position), dot(meridian, position)) / RADIANS_PER_DEGREE,
    latitude: Math.asin(north) / RADIANS_PER_DEGREE,
    distanceAu: length(position),
  };
}

/** Position of a body when the light left it that arrives at `from`. The second step of the iteration is below a hundredth of an arcsecond. */
function apparentPosition(body: Orbit, from: Vector, atMs: number): Vector | null {
  const now = body.positionAt(atMs);
  return now && body.positionAt(atMs - (length(minus(now, from)) / AU_PER_LIGHT_DAY) * DAY_MS);
}

/** A body as its observer sees it, with light time, without aberration (Thompson 2006, section 4); null at times without an orbit. */
export function viewOf({ body, observer }: LineOfSight, atMs: number): BodyView | null {
  const from = observer.positionAt(atMs);
  const position = from && apparentPosition(body, from, atMs);
  if (!from || !position) return null;
  const towardsSun = unit(scaled(from, -1));
  const north = unit(minus(SOLAR_NORTH, scaled(towardsSun, dot(SOLAR_NORTH, towardsSun))));
  const west = cross(towardsSun, north);
  const toBody = minus(position, from);
  const [ahead, up, right] = [dot(toBody, towardsSun), dot(toBody, north), dot(toBody, west)];
  return {
    x: Math.atan2(right, ahead) / RADIANS_PER_ARCSEC,
    y: Math.atan2(up, Math.hypot(right, ahead)) / RADIANS_PER_ARCSEC,
    elongationDegrees: Math.atan2(Math.hypot(right, up), ahead) / RADIANS_PER_DEGREE,
    distanceAu: length(toBody),
    observerAu: length(from),
    bodyAu: length(position),
    isBehind: ahead > length(from),
    speedKmPerS: body.speedAt?.(atMs) ?? null,
  };
}
