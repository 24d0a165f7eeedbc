// Coordinates of a point of a picture. Images are gnomonic (TAN) projections around the Sun's centre: Calabretta and Greisen 2002,
// section 5.1.3; Thompson 2006, section 4.
import { RADIANS_PER_ARCSEC, wrap180 } from '../coordinates/angles.ts';
import { earthAt, LIGHT_DEGREES_PER_AU } from '../coordinates/ephemeris.ts';
import { type Helioprojective, seenAt, surfacePoint } from '../coordinates/helioprojective.ts';
import { SOLAR_RADIUS_M, type Stonyhurst, stonyhurstOf, vectorOf } from '../coordinates/stonyhurst.ts';
import { ASTRONOMICAL_UNIT_M } from '../geometry.ts';
import type { ViewPoint } from './view.ts';

/** Arcseconds that the Earth's diameter spans at 1 au. */
export const EARTH_DIAMETER_ARCSEC = (2 * 6_371_000) / ASTRONOMICAL_UNIT_M / RADIANS_PER_ARCSEC;
/** Megametres of an arcsecond at 1 au. */
export const MM_PER_ARCSEC = (ASTRONOMICAL_UNIT_M * RADIANS_PER_ARCSEC) / 1e6;

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

export interface Readout {
  /** Arcseconds as the observer sees them, x to the west, y to the north. */
  readonly helioprojective: Helioprojective;
  /** Least distance of the line of sight from the Sun's centre, solar radii. */
  readonly radius: number;
  /** Null beside the disk. */
  readonly stonyhurst: Stonyhurst | null;
  /** Degrees in [0, 360); null beside the disk. */
  readonly carringtonLongitude: number | null;
}

/** The line of sight of a point of the image plane, and its inverse. Arcseconds as the observer sees them. */
function unprojected({ x, y }: ViewPoint): Helioprojective {
  const [right, up] = [x * RADIANS_PER_ARCSEC, -y * RADIANS_PER_ARCSEC];
  return { x: Math.atan(right) / RADIANS_PER_ARCSEC, y: Math.atan2(up, Math.hypot(1, right)) / RADIANS_PER_ARCSEC };
}

function projected({ x, y }: Helioprojective): ViewPoint {
  const [tx, ty] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
  return { x: Math.tan(tx) / RADIANS_PER_ARCSEC, y: -Math.tan(ty) / Math.cos(tx) / RADIANS_PER_ARCSEC };
}

const RADII_PER_AU = ASTRONOMICAL_UNIT_M / SOLAR_RADIUS_M;

/** Arcseconds that an observer sees per arcsecond as seen from 1 au. */
export const apparentScale = ({ distance }: Pick<ViewObserver, 'distance'>): number => RADII_PER_AU / distance;

/** Coordinates of a point of the picture, in arcseconds as seen from 1 au. */
export function readoutAt({ x, y }: ViewPoint, observer: ViewObserver): Readout {
  const apparent = apparentScale(observer);
  const seen = unprojected({ x: x * apparent, y: y * apparent });
  const [tx, ty] = [seen.x * RADIANS_PER_ARCSEC, seen.y * RADIANS_PER_ARCSEC];
  const radius = observer.distance * Math.sin(Math.acos(Math.cos(tx) * Math.cos(ty)));
  const point = surfacePoint(seen, observer);
  if (!point) return { helioprojective: seen, radius, stonyhurst: null, carringtonLongitude: null };
  const { latitude, longitude } = stonyhurstOf(point, observer.b0Degrees);
  const stonyhurst = { latitude, longitude: wrap180(longitude + observer.longitudeDegrees) };
  return {
    helioprojective: seen,
    radius,
    stonyhurst,
    carringtonLongitude: (stonyhurst.longitude + observer.l0Degrees + 720) % 360,
  };
}

/** A location of the Sun in the picture, arcseconds as seen from 1 au; null behind the limb. */
export function placeOf({ latitude, longitude }: Stonyhurst, observer: ViewObserver): ViewPoint | null {
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

const GRID_STEP_DEGREES = 15;
const SAMPLE_DEGREES = 3;

/** Lines of equal latitude and of equal Stonyhurst longitude on the visible hemisphere, as runs of points. */
export function gridLines(observer: ViewObserver): ViewPoint[][] {
  const lines: ViewPoint[][] = [];
  const trace = (from: number, to: number, at: (degrees: number) => Stonyhurst) => {
    let run: ViewPoint[] = [];
    for (let degrees = from; degrees <= to; degrees += SAMPLE_DEGREES) {
      const place = placeOf(at(degrees), observer);
      if (place) run.push(place);
      else if (run.length > 0) {
        lines.push(run);
        run = [];
      }
    }
    if (run.length > 1) lines.push(run);
  };
  for (let latitude = -75; latitude <= 75; latitude += GRID_STEP_DEGREES)
    trace(-180, 180, (longitude) => ({ latitude, longitude }));
  for (let longitude = -180; longitude < 180; longitude += GRID_STEP_DEGREES)
    trace(-90, 90, (latitude) => ({ latitude, longitude }));
  return lines;
}

/** Carrington's rotations: Meeus, Astronomical Algorithms, chapter 29. Each begins where the longitude of disk centre is 360 degrees. */
export function carringtonRotation(atMs: number): { readonly rotation: number; readonly longitude: number } {
  const { l0Degrees } = earthAt(atMs);
  const turns = (atMs / 86_400_000 + 2_440_587.5 - 2_398_140.227) / 27.2752316;
  // The mean rotation may differ by some hours from the true one, so that the longitude decides.
  const rotation = Math.round(turns - (1 - l0Degrees / 360));
  return { rotation, longitude: l0Degrees };
}
