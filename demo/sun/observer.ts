// Positions of the observatories, and the rotation of the Sun below them.
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { MAGNETIC_ROTATION } from '../../src/sun/coordinates/sphere.ts';
import { ASTRONOMICAL_UNIT_M, SOLAR_RADIUS_M } from '../../src/sun/geometry.ts';

const J2000_MS = Date.UTC(2000, 0, 1, 12);
/** Apparent solar radius at 1 AU, arcseconds. */
const RSUN_AT_AU_ARCSEC = 959.63;
export const APPARENT_RADIUS_M = ASTRONOMICAL_UNIT_M * Math.sin((RSUN_AT_AU_ARCSEC / 3600) * RAD);
export const SOLAR_RADIUS_KM = SOLAR_RADIUS_M / 1000;
const CARRINGTON_DEG_PER_DAY = 14.1844;

export type Viewpoint = 'earth' | 'lagrange1' | 'stereoA' | 'stereoB' | 'solarOrbiter';

export type SunObserver = ReturnType<typeof observerAt>;

export const degPerDay = (microradiansPerSecond: number): number => microradiansPerSecond * 0.0864 * (180 / Math.PI);

/** Rotation of magnetic features relative to the Carrington frame at a heliographic latitude, degrees per day, westward positive. */
export function driftDegPerDay(latitudeDeg: number): number {
  const s2 = Math.sin(latitudeDeg * RAD) ** 2;
  const { equator, sin2, sin4 } = MAGNETIC_ROTATION;
  return degPerDay(equator - sin2 * s2 - sin4 * s2 * s2) - CARRINGTON_DEG_PER_DAY;
}

/** Sub-observer point and distance at an instant. */
export function observerAt(viewpoint: Viewpoint, timeMs: number) {
  const { eclipticDeg, distanceAu } = orbit(viewpoint, timeMs);
  return { ...heliographic(eclipticDeg, timeMs), distanceM: distanceAu * ASTRONOMICAL_UNIT_M };
}

/** Heliocentric ecliptic longitude and distance; latitudes are left out. */
function orbit(viewpoint: Viewpoint, timeMs: number): { eclipticDeg: number; distanceAu: number } {
  const days = (timeMs - J2000_MS) / DAY_MS;
  const g = (357.528 + 0.9856003 * days) * RAD;
  const earthDeg = 180 + 280.46 + 0.9856474 * days + 1.915 * Math.sin(g) + 0.02 * Math.sin(2 * g);
  const yearsOfStereo = (timeMs - Date.UTC(2007, 0, 1)) / (365.25 * DAY_MS);
  switch (viewpoint) {
    case 'earth':
      return { eclipticDeg: earthDeg, distanceAu: 1.00014 - 0.01671 * Math.cos(g) - 0.00014 * Math.cos(2 * g) };
    case 'lagrange1':
      return { eclipticDeg: earthDeg, distanceAu: 0.99 * (1.00014 - 0.01671 * Math.cos(g)) };
    case 'stereoA':
      return { eclipticDeg: earthDeg + 21.67 * yearsOfStereo, distanceAu: 0.9617 };
    case 'stereoB':
      return { eclipticDeg: earthDeg - 21.9 * yearsOfStereo, distanceAu: 1.0431 };
    case 'solarOrbiter':
      return ellipse(timeMs);
  }
}

/** Approximate orbit of Solar Orbiter in 2024: perihelion 0.29 AU on 2024-04-04, 180.5 days. */
function ellipse(timeMs: number): { eclipticDeg: number; distanceAu: number } {
  const [axisAu, eccentricity, perihelionDeg] = [0.625, 0.536, 291];
  const meanAnomaly = ((timeMs - Date.UTC(2024, 3, 4)) / (180.5 * DAY_MS)) * 2 * Math.PI;
  let eccentric = meanAnomaly;
  for (let i = 0; i < 20; i++) eccentric = meanAnomaly + eccentricity * Math.sin(eccentric);
  const anomaly =
    2 * Math.atan2(Math.sqrt(1 + eccentricity) * Math.sin(eccentric / 2), Math.sqrt(1 - eccentricity) * Math.cos(eccentric / 2));
  return { eclipticDeg: perihelionDeg + anomaly / RAD, distanceAu: axisAu * (1 - eccentricity * Math.cos(eccentric)) };
}

/**
 * Carrington longitude, 0 to 360, and heliographic latitude (B0) below an observer, and the angle from solar north to that of the ecliptic, as CROTA
 * gives it to an observer whose north is the latter; degrees. Meeus, Astronomical Algorithms, chapter 29, for any ecliptic longitude.
 */
function heliographic(eclipticDeg: number, timeMs: number) {
  const julian = timeMs / DAY_MS + 2_440_587.5;
  const inclination = 7.25 * RAD;
  const node = 73.6667 + (1.3958333 * (julian - 2_396_758)) / 36_525;
  const fromNode = (eclipticDeg - 180 - node) * RAD;
  const longitude =
    Math.atan2(-Math.sin(fromNode) * Math.cos(inclination), -Math.cos(fromNode)) / RAD - ((julian - 2_398_220) * 360) / 25.38;
  return {
    longitudeDeg: ((longitude % 360) + 360) % 360,
    latitudeDeg: Math.asin(Math.sin(fromNode) * Math.sin(inclination)) / RAD,
    eclipticRollDeg: Math.atan(Math.cos(fromNode) * Math.tan(inclination)) / RAD,
  };
}
