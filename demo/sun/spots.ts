// Sunspots and magnetic flux of an active region.
import { polarities } from './lines.ts';
import { randomStream } from './random.ts';
import type { RegionNow } from './surface.ts';

export interface Spot {
  readonly longitudeDeg: number;
  readonly latitudeDeg: number;
  readonly radiusDeg: number;
  readonly seed: number;
}

export interface FluxPatch extends Spot {
  /** Radial field at the centre, gauss, signed. */
  readonly fieldGauss: number;
}

/** One large leading spot, smaller ones behind; none in weak or small regions. */
export function spotsOf(now: RegionNow): Spot[] {
  return fluxOf(now)
    .filter((patch) => Math.abs(patch.fieldGauss) > 1250 && patch.radiusDeg > 0.25)
    .map((patch) => ({ ...patch, radiusDeg: patch.radiusDeg * 0.9 }));
}

/** Concentrations of both polarities: the leading ones compact, the trailing ones scattered. */
export function fluxOf(now: RegionNow): FluxPatch[] {
  const { region, strength } = now;
  const size = region.sizeDeg * Math.sqrt(strength);
  const random = randomStream(500, region.number);
  const [leading, trailing] = polarities(now);
  const count = Math.round(8 + 5 * region.sizeDeg);
  const patches: FluxPatch[] = [];
  for (let i = 0; i < count; i++) {
    const leads = i % 2 === 0;
    const [longitude, latitude] = leads ? leading : trailing;
    const main = i < 2;
    const scatter = main ? 0.03 : leads ? 0.16 : 0.24;
    const shrink = main ? (leads ? 1 : 0.62) : 0.14 + 0.42 * random.between(0, 1) ** 3.5;
    patches.push({
      longitudeDeg: longitude + random.normal(0, scatter * region.sizeDeg),
      latitudeDeg: latitude + random.normal(0, scatter * 0.7 * region.sizeDeg),
      radiusDeg: 0.17 * size * shrink,
      seed: Math.floor(random.between(0, 200)),
      fieldGauss: (leads ? 1 : -1) * region.leadingPolarity * Math.min(2400, 500 + 2300 * strength * shrink),
    });
  }
  return patches;
}
