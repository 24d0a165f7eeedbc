// The features of the sample Sun as a pure function of time. Positions are heliographic, longitudes Carrington.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { SOLAR_RADIUS_M } from '../../src/sun/geometry.ts';
import { hash, randomStream } from './noise.ts';
import { driftDegPerDay, observerAt } from './observer.ts';

export interface Lasting {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly latitudeDeg: number;
  /** Carrington longitude at `referenceMs`; it drifts with the rotation of its latitude. */
  readonly longitudeDeg: number;
  readonly referenceMs: number;
}

/** A bipolar region. `sizeDeg` is the distance between the polarities at its height; `tiltDeg` leans the leading part to the equator. */
export interface ActiveRegion extends Lasting {
  readonly number: number;
  readonly sizeDeg: number;
  readonly tiltDeg: number;
  readonly leadingPolarity: 1 | -1;
}

export type CoronalHole = Lasting & { readonly radiusDeg: number };

/** A filament on the disk, a prominence at the limb; `angleDeg` is measured from east-west towards north. */
export interface Filament extends Lasting {
  readonly lengthDeg: number;
  readonly angleDeg: number;
  /** Top above the surface, solar radii. */
  readonly height: number;
}

export interface Flare extends Lasting {
  readonly peakMs: number;
  /** Soft X-ray peak, W/m2: 1e-6 is C1, 1e-5 M1, 1e-4 X1. */
  readonly peakFlux: number;
  readonly regionNumber: number;
}

/** A mass ejection leaving the surface at `startMs` in the direction of its position. */
export interface Cme extends Lasting {
  readonly speedKmPerS: number;
  /** Half of the opening angle, degrees. */
  readonly halfWidthDeg: number;
  readonly regionNumber: number;
}

/** Carrington longitude at an instant, degrees, 0 to 360. */
export function longitudeAt(feature: Lasting, timeMs: number): number {
  const drifted = feature.longitudeDeg + (driftDegPerDay(feature.latitudeDeg) * (timeMs - feature.referenceMs)) / DAY_MS;
  return ((drifted % 360) + 360) % 360;
}

/** -180 to 180. */
export const wrap180 = (degrees: number): number => degrees - 360 * Math.round(degrees / 360);

/** A flare of a region that starts at `startMs`. Larger flares last longer. */
function flareOf(
  { referenceMs, latitudeDeg, longitudeDeg, number }: ActiveRegion,
  id: string,
  startMs: number,
  peakFlux: number,
): Flare {
  const riseMs = (5 + 4 * Math.log10(peakFlux / 1e-7)) * MINUTE_MS;
  const times = { startMs, peakMs: startMs + riseMs, endMs: startMs + 4.5 * riseMs };
  return { id, ...times, referenceMs, latitudeDeg, longitudeDeg, peakFlux, regionNumber: number };
}

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

const showcaseRegions = REGIONS.map(
  ([number, latitudeDeg, westDeg, sizeDeg, tiltDeg]): ActiveRegion => ({
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
  }),
);
const showcaseFlares = FLARES.map(([number, hours, peakFlux]) => {
  const region = showcaseRegions.find((candidate) => candidate.number === number)!;
  const startMs = SHOWCASE_MS - DAY_MS / 2 + hours * HOUR_MS;
  return flareOf(region, `sample-fl-${number}-${hours * 10}`, startMs, peakFlux);
});

/** Number of the sunspot cycle and its phase, 0 to 1. Minima: 1986.7, 1996.6, 2008.9, 2019.9, 2030.9. */
function cycleAt(timeMs: number): { cycle: number; phase: number; activity: number } {
  const year = 1970 + timeMs / (365.2425 * DAY_MS);
  const minima = [1975.8, 1986.7, 1996.6, 2008.9, 2019.9, 2030.9, 2041.9];
  const last = minima.findLastIndex((minimum) => year >= minimum);
  const index = Math.max(0, Math.min(minima.length - 2, last));
  const [from, to] = [minima[index]!, minima[index + 1]!];
  const phase = Math.max(0, Math.min(1, (year - from) / (to - from)));
  return { cycle: 21 + index, phase, activity: 0.08 + 0.92 * Math.sin(Math.PI * phase ** 0.75) ** 2 };
}

const lasting = (id: string, startMs: number, days: number) => ({
  ...{ id, startMs, endMs: startMs + days * DAY_MS, referenceMs: startMs },
});

/** Items that begin in windows of `windowDays`, searched back to the longest lifetime. */
function alive<T extends Lasting>(
  timeMs: number,
  windowDays: number,
  longestDays: number,
  born: (window: number, startMs: number) => T[],
): T[] {
  const count = Math.ceil(longestDays / windowDays) + 1;
  const first = Math.floor(timeMs / (windowDays * DAY_MS)) + 1 - count;
  return Array.from({ length: count }, (_, i) => born(first + i, (first + i) * windowDays * DAY_MS))
    .flat()
    .filter(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs);
}

export function regionsAt(timeMs: number): ActiveRegion[] {
  const born = alive(timeMs, 4, 40, (window, windowMs) => {
    const { cycle, phase, activity } = cycleAt(windowMs);
    const count = Math.floor(activity * 2.9 + (hash(1, window) % 1000) / 1000);
    return Array.from({ length: count }, (_, i): ActiveRegion => {
      const random = randomStream(2, window, i);
      const north = random.between(0, 1) < 0.5 ? 1 : -1;
      const startMs = windowMs + random.between(0, 4 * DAY_MS);
      const sizeDeg = 2.2 + 6.5 * random.between(0, 1) ** 2.2;
      const latitudeDeg = north * Math.max(3, Math.min(42, random.normal(27 - 19 * phase, 5)));
      return {
        number: 90_000 + (hash(3, window, i) % 9000),
        ...lasting(`sample-ar-${window}-${i}`, startMs, 5 + 4 * sizeDeg),
        latitudeDeg,
        longitudeDeg: random.between(0, 360),
        sizeDeg,
        tiltDeg: random.normal(0.5 * Math.abs(latitudeDeg), 7),
        leadingPolarity: (cycle % 2 === 1) === north > 0 ? 1 : -1,
      };
    });
  });
  return [...born, ...showcaseRegions.filter(({ startMs, endMs }) => startMs <= timeMs && timeMs < endMs)];
}

/** Growth and decay of a region, 0 to 1: growth in the first quarter of its life, then slow decay. */
export function regionStrength(region: ActiveRegion, timeMs: number): number {
  const age = (timeMs - region.startMs) / (region.endMs - region.startMs);
  if (age <= 0 || age >= 1) return 0;
  return age < 0.25 ? Math.sin((age / 0.25) * (Math.PI / 2)) : Math.cos(((age - 0.25) / 0.75) * (Math.PI / 2)) ** 0.8;
}

export const holesAt = (timeMs: number): CoronalHole[] =>
  alive(timeMs, 18, 90, (window, windowMs) =>
    [0, 1].map((i): CoronalHole => {
      const random = randomStream(4, window, i);
      const startMs = windowMs + random.between(0, 18 * DAY_MS);
      return {
        ...lasting(`sample-ch-${window}-${i}`, startMs, random.between(40, 90)),
        latitudeDeg: random.normal(0, 26),
        longitudeDeg: random.between(0, 360),
        radiusDeg: random.between(7, 15),
      };
    }),
  );

/** Latitude poleward of which the polar holes lie: near the pole at activity maximum, 60 degrees at minimum. */
export const polarHoleLatitudeDeg = (timeMs: number): number => 61 + 19 * cycleAt(timeMs).activity;

/** Distance of a hole's edge from its centre towards a bearing (radians from west to north), degrees. */
export function holeRadiusDeg(hole: CoronalHole, bearing: number): number {
  const random = randomStream(5, Math.round(hole.longitudeDeg * 1000));
  let shape = 1;
  for (let n = 2; n <= 5; n++)
    shape += (0.5 / n) * random.between(0.4, 1) * Math.cos(n * bearing + random.between(0, 2 * Math.PI));
  return hole.radiusDeg * shape;
}

/** Part of its full size that a hole has as it opens and closes, 0 to 1. */
export function holeGrowth(hole: CoronalHole, timeMs: number): number {
  const age = Math.min(timeMs - hole.startMs, hole.endMs - timeMs) / (6 * DAY_MS);
  return Math.min(1, Math.sqrt(Math.max(0, age)));
}

/** Edge of a hole as it is drawn: [longitude, latitude] pairs, Carrington degrees. */
export function holeOutline(hole: CoronalHole, timeMs: number): [number, number][] {
  const longitude = longitudeAt(hole, timeMs);
  return Array.from({ length: 36 }, (_, i) => {
    const bearing = (i / 36) * 2 * Math.PI;
    const radius = holeGrowth(hole, timeMs) * holeRadiusDeg(hole, bearing);
    const latitude = Math.max(-89, Math.min(89, hole.latitudeDeg + radius * Math.sin(bearing)));
    return [longitude + (radius * Math.cos(bearing)) / Math.cos(latitude * RAD), latitude];
  });
}

export const filamentsAt = (timeMs: number): Filament[] =>
  alive(timeMs, 4, 28, (window, windowMs) =>
    [0, 1, 2, 3].map((i): Filament => {
      const random = randomStream(6, window, i);
      const startMs = windowMs + random.between(0, 5 * DAY_MS);
      const north = random.between(0, 1) < 0.5 ? 1 : -1;
      return {
        ...lasting(`sample-fi-${window}-${i}`, startMs, random.between(8, 28)),
        latitudeDeg: north * random.between(14, 58),
        longitudeDeg: random.between(0, 360),
        lengthDeg: random.between(6, 26),
        angleDeg: north * -random.between(5, 50),
        height: random.between(0.025, 0.08),
      };
    }),
  );

/** Flares that begin in `fromMs` to `toMs`. */
export function flaresBetween(fromMs: number, toMs: number): Flare[] {
  const found = showcaseFlares.filter((flare) => flare.startMs >= fromMs && flare.startMs < toMs);
  for (let hour = Math.floor(fromMs / HOUR_MS); hour * HOUR_MS < toMs; hour++)
    for (const region of regionsAt(hour * HOUR_MS)) {
      const random = randomStream(7, hour, region.number);
      if (random.between(0, 1) > 0.004 * (region.sizeDeg * regionStrength(region, hour * HOUR_MS)) ** 1.6) continue;
      const startMs = hour * HOUR_MS + Math.round(random.between(0, 3600)) * 1000;
      const peakFlux = Math.min(4e-4, 7e-7 * random.between(0.004, 1) ** -1.05);
      if (startMs >= fromMs && startMs < toMs)
        found.push(flareOf(region, `sample-fl-${hour}-${region.number}`, startMs, peakFlux));
    }
  return found.sort((a, b) => a.startMs - b.startMs);
}

/** Soft X-ray flux of a flare at an instant, W/m2: a quick rise, a slow decay. */
export function flareFlux(flare: Flare, timeMs: number): number {
  const rise = flare.peakMs - flare.startMs;
  const late = (timeMs - flare.peakMs) / rise;
  return timeMs < flare.startMs || timeMs >= flare.endMs
    ? 0
    : flare.peakFlux * (late < 0 ? Math.exp(-((2 * late) ** 2)) : Math.exp(-late / 1.2));
}

/** Ejections that leave the surface in `fromMs` to `toMs`: one for every large flare and for some smaller ones. */
export const cmesBetween = (fromMs: number, toMs: number): Cme[] =>
  flaresBetween(fromMs - HOUR_MS, toMs)
    .filter((flare) => flare.peakMs >= fromMs && flare.peakMs < toMs)
    .flatMap((flare): Cme[] => {
      const random = randomStream(8, Math.round(flare.startMs / 1000));
      const power = Math.log10(flare.peakFlux / 1e-6);
      if (power < 1.2 && random.between(0, 1) > 0.12 + 0.25 * power) return [];
      const speedKmPerS = Math.round(320 + 380 * Math.max(0, power) + random.between(0, 250));
      const { peakMs: startMs, referenceMs, regionNumber } = flare;
      const times = { startMs, endMs: startMs + (33 * SOLAR_RADIUS_M) / speedKmPerS, referenceMs };
      const [latitudeDeg, longitudeDeg] = [flare.latitudeDeg, flare.longitudeDeg].map((degrees) => degrees + random.normal(0, 8));
      const halfWidthDeg = Math.min(48, 16 + 9 * Math.max(0, power) + random.between(0, 12));
      const place = { latitudeDeg: latitudeDeg!, longitudeDeg: longitudeDeg!, halfWidthDeg };
      return [{ id: flare.id.replace('-fl-', '-cme-'), ...times, ...place, speedKmPerS, regionNumber }];
    });

/** Ejections within 33 solar radii. */
export const cmesAt = (timeMs: number): Cme[] => cmesBetween(timeMs - DAY_MS, timeMs + 1).filter((cme) => timeMs < cme.endMs);
