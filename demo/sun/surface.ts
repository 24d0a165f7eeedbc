// The state of the surface at one instant: large-scale fields on a one-degree grid, and fine texture that rotates with it.
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { MAGNETIC_ROTATION } from '../../src/sun/coordinates/sphere.ts';
import * as features from './features.ts';
import { bilinear, hash, sampleGrain } from './noise.ts';
import { degPerDay, driftDegPerDay } from './observer.ts';
import { MAP_HEIGHT, MAP_WIDTH, sampleMaps, sphereMaps } from './sphere-maps.ts';
import type { View } from './view.ts';

/** Longest time for which differential rotation shears a texture before the next replaces it. */
const TEXTURE_DAYS = 8;
const FADE_DAYS = 2;

export type RegionNow = { readonly region: features.ActiveRegion; readonly longitudeDeg: number; readonly strength: number };

export interface Surface {
  readonly timeMs: number;
  readonly regions: RegionNow[];
  readonly filaments: { readonly filament: features.Filament; readonly longitudeDeg: number }[];
  /** 0 in the quiet Sun, about 1 in the middle of a large region; 360 x 180 degrees. */
  readonly heat: Float32Array;
  /** Above 0 inside coronal holes, about 1 in their middle; 360 x 180 degrees. */
  readonly holes: Float32Array;
  readonly texture: Texture;
}

export const regionsNow = (timeMs: number): RegionNow[] =>
  features.regionsAt(timeMs).map((region) => ({
    region,
    longitudeDeg: features.longitudeAt(region, timeMs),
    strength: features.regionStrength(region, timeMs),
  }));

const kept = new Map<number, Surface>();

export function surfaceAt(timeMs: number): Surface {
  const known = kept.get(timeMs);
  if (known) return known;
  const regions = regionsNow(timeMs);
  const filaments = features
    .filamentsAt(timeMs)
    .map((filament) => ({ filament, longitudeDeg: features.longitudeAt(filament, timeMs) }));
  const surface = { timeMs, regions, filaments, heat: heatGrid(regions), holes: holeGrid(timeMs), texture: textureAt(timeMs) };
  if (kept.size > 8) kept.clear();
  kept.set(timeMs, surface);
  return surface;
}

type Texture = ReturnType<typeof textureAt>;

/** Two rotating copies of the noise maps; the second fades in. */
function textureAt(timeMs: number) {
  const epoch = Math.floor(timeMs / (TEXTURE_DAYS * DAY_MS));
  const daysIn = timeMs / DAY_MS - epoch * TEXTURE_DAYS;
  const fade = Math.max(0, (daysIn - (TEXTURE_DAYS - FADE_DAYS)) / FADE_DAYS);
  return {
    fade,
    norm: 1 / Math.hypot(1 - fade, fade),
    columns: [hash(200, epoch) % MAP_WIDTH, hash(200, epoch + 1) % MAP_WIDTH] as const,
    days: [daysIn - TEXTURE_DAYS / 2, daysIn - TEXTURE_DAYS * 1.5] as const,
  };
}

function heatGrid(regions: RegionNow[]): Float32Array {
  const grid = new Float32Array(360 * 180);
  for (const { region, longitudeDeg, strength } of regions)
    paint(
      grid,
      longitudeDeg,
      region.latitudeDeg,
      5 * 0.75 * region.sizeDeg,
      (dx, dy, old) => old + glow(region, strength, dx, dy),
    );
  return grid;
}

/** Glow of a region at degrees west and north of its centre. */
function glow({ sizeDeg }: features.ActiveRegion, strength: number, dx: number, dy: number): number {
  const core = 0.75 * sizeDeg;
  const d2 = (dx * dx) / 1.6 + dy * dy;
  const weight = strength * Math.min(1, sizeDeg / 8);
  return weight * (Math.exp(-d2 / (2 * core * core)) + 0.22 * Math.exp(-d2 / (2 * (2.4 * core) ** 2)));
}

/** The glow of active regions at a place, as in `Surface.heat`. */
export function heatAt(regions: readonly RegionNow[], longitudeDeg: number, latitudeDeg: number): number {
  const narrow = Math.cos(latitudeDeg * RAD);
  return regions.reduce(
    (sum, { region, strength, longitudeDeg: at }) =>
      sum + glow(region, strength, features.wrap180(longitudeDeg - at) * narrow, latitudeDeg - region.latitudeDeg),
    0,
  );
}

function holeGrid(timeMs: number): Float32Array {
  const grid = new Float32Array(360 * 180);
  const edge = features.polarHoleLatitudeDeg(timeMs);
  for (let i = 0; i < grid.length; i++) grid[i] = Math.max(-1, (Math.abs(Math.floor(i / 360) - 89.5) - edge) / 22);
  for (const hole of features.holesAt(timeMs)) paintHole(grid, hole, timeMs);
  return grid;
}

function paintHole(grid: Float32Array, hole: features.CoronalHole, timeMs: number): void {
  const growth = features.holeGrowth(hole, timeMs);
  const edges = Float32Array.from({ length: 65 }, (_, i) => growth * features.holeRadiusDeg(hole, (i / 64) * 2 * Math.PI));
  paint(grid, features.longitudeAt(hole, timeMs), hole.latitudeDeg, 2.2 * hole.radiusDeg, (dx, dy, old) => {
    const bearing = ((Math.atan2(dy, dx) / (2 * Math.PI) + 1) % 1) * 64;
    const k = Math.floor(bearing);
    const edge = edges[k]! + (((edges[k + 1] ?? edges[0]) as number) - edges[k]!) * (bearing - k);
    return Math.max(old, 1 - Math.hypot(dx, dy) / Math.max(0.5, edge));
  });
}

/** Calls `blend` with degrees west and north of the centre for grid points within `reachDeg`. */
function paint(
  grid: Float32Array,
  longitudeDeg: number,
  latitudeDeg: number,
  reachDeg: number,
  blend: (dx: number, dy: number, old: number) => number,
): void {
  for (let row = Math.max(0, Math.floor(latitudeDeg - reachDeg + 90)); row < Math.min(180, latitudeDeg + reachDeg + 90); row++) {
    const latitude = row - 89.5;
    const narrow = Math.cos(latitude * RAD);
    for (let column = 0; column < 360; column++) {
      const dx = features.wrap180(column + 0.5 - longitudeDeg) * narrow;
      if (Math.abs(dx) > reachDeg) continue;
      const at = row * 360 + column;
      grid[at] = blend(dx, latitude - latitudeDeg, grid[at]!);
    }
  }
}

/** Bilinear look-up in a one-degree grid, longitude wrapping. */
export function sampleGrid(grid: Float32Array, longitudeDeg: number, latitudeDeg: number): number {
  const x = longitudeDeg - 0.5 + 360;
  const y = Math.max(0, Math.min(178.999, latitudeDeg + 89.5));
  const fx = Math.floor(x);
  const fy = Math.floor(y);
  // Whole numbers, because the remainder of a float is a call.
  const c0 = (fx | 0) % 360;
  const c1 = (c0 + 1) % 360;
  const tx = x - fx;
  const ty = y - fy;
  const a = fy * 360;
  const b = a + 360;
  return bilinear(grid, a + c0, a + c1, b + c0, b + c1, tx, ty);
}

export type SurfaceRow = ReturnType<typeof surfaceRow>;

/**
 * Surface coordinates of the pixels of an image row. `mu`: cosine of the angle from the local vertical; 0 off the disk, where the others are not
 * valid. `longitude`: Carrington longitude, degrees, 0 to 360. `latitude`: heliographic latitude, degrees.
 */
export function surfaceRow(view: View, { texture }: Surface) {
  sphereMaps();
  const columnsOf = () => new Float32Array(view.width);
  const [mu, longitudes, latitudes, columnA, columnB] = [columnsOf(), columnsOf(), columnsOf(), columnsOf(), columnsOf()];
  const [first, second] = [new Float64Array(4), new Float64Array(4)];
  const { columns, days, fade, norm } = texture;
  return {
    ...{ mu, longitude: longitudes, latitude: latitudes },

    /** Moves to row `y` and computes the columns x0 to x1 (exclusive). */
    go(y: number, x0: number, x1: number): void {
      const { centreX, centreY, limbPixels, distance, sinLatitude, cosLatitude, observer } = view;
      const d2 = distance * distance - 1;
      const rootD2 = Math.sqrt(d2);
      const qy = (centreY - y) / limbPixels;
      const perDegree = MAP_WIDTH / 360;
      for (let x = x0; x < x1; x++) {
        const qx = (x - centreX) / limbPixels;
        const q2 = qx * qx + qy * qy;
        if (q2 >= 1) {
          mu[x] = 0;
          continue;
        }
        const rho2 = q2 / d2;
        const s = (distance - Math.sqrt(1 - q2)) / (1 + rho2);
        const west = (qx * s) / rootD2;
        const up = (qy * s) / rootD2;
        const z = distance - s;
        const north = up * cosLatitude + z * sinLatitude;
        const ahead = z * cosLatitude - up * sinLatitude;
        const longitude = observer.longitudeDeg + Math.atan2(west, ahead) / RAD;
        const s2 = north * north;
        const drift = DRIFT_EQUATOR - (DRIFT_S2 + DRIFT_S4 * s2) * s2;
        mu[x] = Math.max(1e-3, (z * distance - 1) / Math.sqrt(distance * distance - 2 * z * distance + 1));
        latitudes[x] = Math.asin(north) / RAD;
        longitudes[x] = longitude < 0 ? longitude + 360 : longitude >= 360 ? longitude - 360 : longitude;
        columnA[x] = (longitude - drift * days[0] + 720) * perDegree + columns[0];
        if (fade > 0) columnB[x] = (longitude - drift * days[1] + 720) * perDegree + columns[1];
      }
    },

    /** All noise maps at column `x` of the row. @returns the same array at each call: clouds, threads, network, mottles */
    sampleAll(x: number): Float64Array {
      const row = (latitudes[x]! / 180 + 0.5) * MAP_HEIGHT - 0.5;
      sampleMaps(columnA[x]!, row, first);
      if (fade === 0) return first;
      sampleMaps(columnB[x]!, row, second);
      for (let i = 0; i < first.length; i++) first[i] = (first[i]! * (1 - fade) + second[i]! * fade) * norm;
      return first;
    },

    /** Fine grain at column `x` of the row; at zoom 1 its finest detail is 0.18 degrees wide. */
    grain: (x: number, zoom: number): number => sampleGrain(columnA[x]! * zoom, (latitudes[x]! * zoom * MAP_HEIGHT) / 180),
  };
}

const DRIFT_EQUATOR = driftDegPerDay(0);
const DRIFT_S2 = degPerDay(MAGNETIC_ROTATION.sin2);
const DRIFT_S4 = degPerDay(MAGNETIC_ROTATION.sin4);
