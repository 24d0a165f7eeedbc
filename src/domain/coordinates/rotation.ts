// How the Sun turns below the Earth, each latitude at its own pace.
import { DAY_MS } from '../../util/durations.ts';
import { RADIANS_PER_DEGREE, wrap180 } from './angles.ts';
import { earthAt } from './ephemeris.ts';
import type { Stonyhurst } from './stonyhurst.ts';

const SECONDS_PER_DAY = 86_400;

/** Sidereal rotation of magnetic features, degrees per day to the west: Howard, Harvey and Forgach 1990. */
export function siderealDegreesPerDay(latitude: number): number {
  const s2 = Math.sin(latitude * RADIANS_PER_DEGREE) ** 2;
  const microradiansPerSecond = 2.894 - 0.428 * s2 - 0.37 * s2 ** 2;
  return (microradiansPerSecond * 1e-6 * SECONDS_PER_DAY) / RADIANS_PER_DEGREE;
}

/**
 * What takes a place on the Sun to where it is at another time: as far west as it turned meanwhile, less what the Earth went after
 * it.
 */
export function rotation(fromMs: number, toMs: number): (place: Stonyhurst) => Stonyhurst {
  const days = (toMs - fromMs) / DAY_MS;
  const earth = earthAt(toMs).longitudeDegrees - earthAt(fromMs).longitudeDegrees;
  return ({ latitude, longitude }) => {
    return { latitude, longitude: wrap180(longitude + siderealDegreesPerDay(latitude) * days - earth) };
  };
}
