// Hand-placed features of 2024-05-10, the day of the default archive.
import { DAY_MS, HOUR_MS } from '../../src/util/durations.ts';
import { type ActiveRegion, type Flare, flareOf } from './feature-types.ts';
import { observerAt } from './observer.ts';

/** Reference instant of the positions below. */
const SHOWCASE_MS = Date.UTC(2024, 4, 10, 12);

/** [number, latitude, degrees west of the Earth's meridian, size in degrees, tilt] */
const REGIONS: readonly [number, number, number, number, number][] = [
  [99_101, -17, 22, 11, 9],
  [99_102, 19, -34, 8, 7],
  [99_103, 14, 86, 9, 6],
  [99_104, -14, -97, 8.5, 5],
  [99_105, 24, 8, 5, 12],
];

/** [region number, hours after midnight, soft X-ray peak in W/m2] */
const FLARES: readonly [number, number, number][] = [
  [99_103, 3.4, 2.3e-5],
  [99_101, 6.6, 2.1e-4],
  [99_102, 10.2, 7.5e-6],
  [99_104, 13.1, 4.4e-5],
  [99_101, 18.3, 6.2e-5],
];

let regions: ActiveRegion[] | undefined;

export function showcaseRegions(): ActiveRegion[] {
  regions ??= REGIONS.map(([number, latitudeDeg, westDeg, sizeDeg, tiltDeg]) => ({
    kind: 'activeRegion',
    number,
    id: `sample-ar-${number}`,
    startMs: SHOWCASE_MS - 6 * DAY_MS,
    endMs: SHOWCASE_MS + 16 * DAY_MS,
    referenceMs: SHOWCASE_MS,
    latitudeDeg,
    longitudeDeg: observerAt('earth', SHOWCASE_MS).longitudeDeg + westDeg,
    sizeDeg,
    tiltDeg,
    leadingPolarity: latitudeDeg > 0 ? 1 : -1,
  }));
  return regions;
}

export function showcaseFlares(): Flare[] {
  const midnightMs = SHOWCASE_MS - DAY_MS / 2;
  return FLARES.flatMap(([number, hours, peakFlux]) => {
    const region = showcaseRegions().find((candidate) => candidate.number === number);
    return region ? [flareOf(region, `sample-fl-${number}-${hours * 10}`, midnightMs + hours * HOUR_MS, peakFlux)] : [];
  });
}
