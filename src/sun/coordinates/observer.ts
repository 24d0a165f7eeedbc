// Observers of the Sun: the Earth (Meeus, Astronomical Algorithms, 2nd edition, chapters 25 and 29), and that of an image.
import { DAY_MS, JULIAN_DAY_OF_1970 } from '../../platform/util/durations.ts';
import { ASTRONOMICAL_UNIT_M, firstNumberIn, numberIn, SOLAR_RADIUS_M } from '../geometry.ts';

export const RADIANS_PER_DEGREE = Math.PI / 180;
export const RADIANS_PER_ARCSEC = RADIANS_PER_DEGREE / 3600;

/** The equivalent angle in [-180, 180), degrees. */
export const wrap180 = (degrees: number): number => degrees - 360 * Math.floor((degrees + 180) / 360);

const J2000 = 2_451_545;
const DAYS_PER_CENTURY = 36_525;

const INCLINATION = 7.25 * RADIANS_PER_DEGREE;
const ABERRATION_DEGREES = 0.00569;
/** The Sun's prime meridian: distance from the node of its equator on the celestial one at J2000, and sidereal rotation (IAU 2009). */
const PRIME_MERIDIAN = { degrees: 84.176, degreesPerDay: 14.1844 };
/** Arc on the solar equator from that node to the one on the ecliptic, from the pole of the same report and the obliquity of J2000. */
const NODES_DEGREES = 61.1006;
/** Dynamical time less UTC since 2017. */
const DYNAMICAL_DAYS = 69.2 / 86_400;
const LIGHT_DAYS_PER_AU = 499.005 / 86_400;
/** Rotation of the Sun while its light travels one astronomical unit: a nearer observer sees a lower Carrington longitude. */
const LIGHT_DEGREES_PER_AU = PRIME_MERIDIAN.degreesPerDay * LIGHT_DAYS_PER_AU;

const sin = (degrees: number) => Math.sin(degrees * RADIANS_PER_DEGREE);
const cos = (degrees: number) => Math.cos(degrees * RADIANS_PER_DEGREE);

/**
 * Perturbations of the Sun's longitude, degrees, and distance, 1e-8 au, by Venus (two terms), Jupiter and the Moon: Meeus,
 * Astronomical Formulae for Calculators, chapter 18.
 * @param t Centuries from 1900
 */
function perturbations(t: number): { longitude: number; distance: number } {
  const venus = 153.23 + 22_518.7541 * t;
  const venusTwice = 216.57 + 45_037.5082 * t;
  const jupiter = 312.69 + 32_964.3577 * t;
  const moon = 350.74 + 445_267.1142 * t;
  return {
    longitude: 0.00134 * cos(venus) + 0.00154 * cos(venusTwice) + 0.002 * cos(jupiter) + 0.00179 * sin(moon),
    distance: 543 * sin(venus) + 1575 * sin(venusTwice) + 1627 * sin(jupiter) + 3076 * cos(moon),
  };
}

/** True longitude of the Sun in degrees, mean equinox of date, and its distance in astronomical units (chapter 25). */
function sunAt(julianDay: number): { longitude: number; distance: number } {
  const t = (julianDay - J2000) / DAYS_PER_CENTURY;
  const mean = 280.46646 + t * (36_000.76983 + t * 0.0003032);
  const anomaly = 357.52911 + t * (35_999.05029 - t * 0.0001537);
  const eccentricity = 0.016708634 - t * (0.000042037 + t * 0.0000001267);
  const centre =
    (1.914602 - t * (0.004817 + t * 0.000014)) * sin(anomaly) +
    (0.019993 - t * 0.000101) * sin(2 * anomaly) +
    0.000289 * sin(3 * anomaly);
  const distance = (1.000001018 * (1 - eccentricity ** 2)) / (1 + eccentricity * cos(anomaly + centre));
  const others = perturbations(t + 1);
  return { longitude: mean + centre + others.longitude, distance: distance + others.distance * 1e-8 };
}

/**
 * Heliocentric position of the Earth (chapter 29), with the prime meridian of the IAU, because the rounded period of chapter 29 is
 * 0.05 degrees off by now. UTC stands in for dynamical time in the orbit. Errors against VSOP87 and the IAU rotation model, 1990 to
 * 2050: distance 2e-5 au; B0 and L0 0.01 degrees; change of `longitudeDegrees` in a month 0.002 degrees.
 */
export function earthAt(atMs: number) {
  const julianDay = atMs / DAY_MS + JULIAN_DAY_OF_1970;
  const { longitude, distance } = sunAt(julianDay);
  const node = 73.6667 + (1.3958333 * (julianDay - 2_396_758)) / DAYS_PER_CENTURY;
  const fromNode = (longitude - ABERRATION_DEGREES - node) * RADIANS_PER_DEGREE;
  const alongEquator = Math.atan2(-Math.sin(fromNode) * Math.cos(INCLINATION), -Math.cos(fromNode)) / RADIANS_PER_DEGREE;
  const turned = PRIME_MERIDIAN.degreesPerDay * (julianDay + DYNAMICAL_DAYS - J2000) - distance * LIGHT_DEGREES_PER_AU;
  const meridian = PRIME_MERIDIAN.degrees + turned - NODES_DEGREES;
  return {
    /** Distance between the centres of Sun and Earth, astronomical units. */
    distanceAu: distance,
    /** Heliographic latitude of disk centre, degrees north. */
    b0Degrees: Math.asin(Math.sin(fromNode) * Math.sin(INCLINATION)) / RADIANS_PER_DEGREE,
    /** Carrington longitude of disk centre as the light shows it, degrees in [0, 360). */
    l0Degrees: (((alongEquator - meridian) % 360) + 360) % 360,
    /** Earth's longitude on the solar equator from the node of that equator on the ecliptic: degrees in [-180, 180], 0.9856 more a day. */
    longitudeDegrees: alongEquator,
  };
}

export const RADII_PER_AU = ASTRONOMICAL_UNIT_M / SOLAR_RADIUS_M;

export interface Observer {
  /** Distance from the centre of the Sun in solar radii. */
  readonly distanceRadii: number;
  readonly b0Degrees: number;
  /** Stonyhurst longitude: 0 on the meridian of the Earth. */
  readonly longitudeDegrees: number;
  /** Carrington longitude of the meridian of the Earth when the light that the observer sees left the Sun. */
  readonly l0Degrees: number;
}

/** Where an observer is above the Sun. */
export type Above = Pick<Observer, 'b0Degrees' | 'longitudeDegrees'>;

/** Angle between two observers at the centre of the Sun, degrees. */
export function separationDegrees(a: Above, b: Above): number {
  const along = cos(a.b0Degrees) * cos(b.b0Degrees) * cos(a.longitudeDegrees - b.longitudeDegrees);
  // Rounding may lead beyond the cosines of one place and of opposite ones.
  return Math.acos(Math.max(-1, Math.min(sin(a.b0Degrees) * sin(b.b0Degrees) + along, 1))) / RADIANS_PER_DEGREE;
}

function onEarthLine(atMs: number, distanceAu?: number): Observer {
  const earth = earthAt(atMs);
  const distance = distanceAu ?? earth.distanceAu;
  return {
    distanceRadii: distance * RADII_PER_AU,
    b0Degrees: earth.b0Degrees,
    longitudeDegrees: 0,
    l0Degrees: earth.l0Degrees + (distance - earth.distanceAu) * LIGHT_DEGREES_PER_AU,
  };
}

export const earthObserver = (atMs: number): Observer => onEarthLine(atMs);

/** The observer of all pictures: at exactly 1 au in the direction of the Earth. */
export const pictureObserver = (atMs: number): Observer => onEarthLine(atMs, 1);

/**
 * The observer of an image, by keywords of its FITS header; without them on the line from the Sun to the Earth. Its longitude is HGLN_OBS, else
 * CRLN_OBS less that of the meridian of the Earth.
 * @param dsunMetres Distance from the centre of the Sun
 */
export function imageObserver(atMs: number, dsunMetres: number, header: ReadonlyMap<string, string>): Observer {
  const observer = onEarthLine(atMs, dsunMetres / ASTRONOMICAL_UNIT_M);
  const carrington = numberIn(header, 'CRLN_OBS');
  return {
    ...observer,
    distanceRadii: dsunMetres / SOLAR_RADIUS_M,
    b0Degrees: firstNumberIn(header, 'HGLT_OBS', 'CRLT_OBS', 'SOLAR_B0') ?? observer.b0Degrees,
    longitudeDegrees: numberIn(header, 'HGLN_OBS') ?? (carrington === null ? 0 : wrap180(carrington - observer.l0Degrees)),
  };
}
