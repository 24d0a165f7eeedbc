// The kinds of features of the sample Sun.
import { DAY_MS, MINUTE_MS } from '../../src/util/durations.ts';
import { driftDegPerDay } from './observer.ts';

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
  readonly kind: 'activeRegion';
  readonly number: number;
  readonly sizeDeg: number;
  readonly tiltDeg: number;
  readonly leadingPolarity: 1 | -1;
}

export interface CoronalHole extends Lasting {
  readonly kind: 'coronalHole';
  readonly radiusDeg: number;
}

/** A filament on the disk, a prominence at the limb; `angleDeg` is measured from east-west towards north. */
export interface Filament extends Lasting {
  readonly kind: 'filament';
  readonly lengthDeg: number;
  readonly angleDeg: number;
  /** Top above the surface, solar radii. */
  readonly height: number;
}

export interface Flare extends Lasting {
  readonly kind: 'flare';
  readonly peakMs: number;
  /** Soft X-ray peak, W/m2: 1e-6 is C1, 1e-5 M1, 1e-4 X1. */
  readonly peakFlux: number;
  readonly regionNumber: number;
}

/** A mass ejection leaving the surface at `startMs` in the direction of its position. */
export interface Cme extends Lasting {
  readonly kind: 'cme';
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
export function wrap180(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

/** A flare of a region that starts at `startMs`. Larger flares last longer. */
export function flareOf(region: ActiveRegion, id: string, startMs: number, peakFlux: number): Flare {
  const riseMs = (5 + 4 * Math.log10(peakFlux / 1e-7)) * MINUTE_MS;
  return {
    kind: 'flare',
    id,
    startMs,
    peakMs: startMs + riseMs,
    endMs: startMs + 4.5 * riseMs,
    referenceMs: region.referenceMs,
    latitudeDeg: region.latitudeDeg,
    longitudeDeg: region.longitudeDeg,
    peakFlux,
    regionNumber: region.number,
  };
}
