// The plane of a picture, where its observer is, and the places of the Sun in it. Images are gnomonic (TAN) projections around the Sun's
// centre: Calabretta and Greisen 2002, section 5.1.3; Thompson 2006, section 4.
import { ASTRONOMICAL_UNIT_M } from '../geometry.ts';
import { RADIANS_PER_ARCSEC } from './angles.ts';
import { earthAt, LIGHT_DEGREES_PER_AU } from './ephemeris.ts';
import { type Helioprojective, seenAt } from './helioprojective.ts';
import { SOLAR_RADIUS_M, type Stonyhurst, vectorOf } from './stonyhurst.ts';

/** Arcseconds from the Sun's centre as seen from 1 au: x to the west, y DOWN, to the south, as in regions of interest. */
export interface PlanePoint {
  readonly x: number;
  readonly y: number;
}

/** Where a picture was taken from. */
export interface ViewObserver {
  /** Distance from the centre of the Sun, solar radii. */
  readonly distance: number;
  /** Heliographic latitude. */
  readonly b0Degrees: number;
  /** Stonyhurst longitude: 0 on the meridian of the Earth. */
  readonly longitudeDegrees: number;
  /** Carrington longitude of the meridian of the Earth when the light that the observer sees left the Sun. */
  readonly l0Degrees: number;
}

/** The observer of an image. Keywords of its FITS header place it; without them it is on the line from the Sun to the Earth. */
export function observerOf(atMs: number, dsunMetres: number, header: ReadonlyMap<string, string>): ViewObserver {
  const earth = earthAt(atMs);
  const value = (...keywords: string[]) => {
    const text = keywords.map((keyword) => header.get(keyword)).find((one) => one !== undefined && one.trim() !== '');
    return text === undefined || !Number.isFinite(Number(text)) ? null : Number(text);
  };
  return {
    distance: dsunMetres / SOLAR_RADIUS_M,
    b0Degrees: value('HGLT_OBS', 'CRLT_OBS', 'SOLAR_B0') ?? earth.b0Degrees,
    longitudeDegrees: value('HGLN_OBS') ?? 0,
    l0Degrees: earth.l0Degrees + (dsunMetres / ASTRONOMICAL_UNIT_M - earth.distanceAu) * LIGHT_DEGREES_PER_AU,
  };
}

/** The line of sight of a point of the image plane, and its inverse. Arcseconds as the observer sees them. */
export function unprojected({ x, y }: PlanePoint): Helioprojective {
  const [right, up] = [x * RADIANS_PER_ARCSEC, -y * RADIANS_PER_ARCSEC];
  return { x: Math.atan(right) / RADIANS_PER_ARCSEC, y: Math.atan2(up, Math.hypot(1, right)) / RADIANS_PER_ARCSEC };
}

function projected({ x, y }: Helioprojective): PlanePoint {
  const [tx, ty] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
  return { x: Math.tan(tx) / RADIANS_PER_ARCSEC, y: -Math.tan(ty) / Math.cos(tx) / RADIANS_PER_ARCSEC };
}

const RADII_PER_AU = ASTRONOMICAL_UNIT_M / SOLAR_RADIUS_M;

/** Arcseconds that an observer sees per arcsecond as seen from 1 au. */
export const apparentScale = ({ distance }: Pick<ViewObserver, 'distance'>): number => RADII_PER_AU / distance;

/** A location of the Sun in the picture, arcseconds as seen from 1 au; null behind the limb. */
export function placeOf({ latitude, longitude }: Stonyhurst, observer: ViewObserver): PlanePoint | null {
  const vector = vectorOf({ latitude, longitude: longitude - observer.longitudeDegrees }, observer.b0Degrees);
  if (vector.z < 1 / observer.distance) return null;
  const plane = projected(seenAt(vector, observer));
  const normal = observer.distance / RADII_PER_AU;
  return { x: plane.x * normal, y: plane.y * normal };
}

/** Radius of the visible limb in the picture, arcseconds as seen from 1 au. */
export function limbRadius({ distance }: Pick<ViewObserver, 'distance'>): number {
  const apparent = Math.tan(Math.asin(1 / distance)) / RADIANS_PER_ARCSEC;
  return (apparent * distance) / RADII_PER_AU;
}
