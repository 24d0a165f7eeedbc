// Line-of-sight magnetograms: bipolar regions, network of mixed polarity, noise growing towards the limb.
import { RADIANS_PER_DEGREE as RAD } from '../../src/domain/coordinates/observer.ts';
import type { MagnetogramLook } from './looks.ts';
import { noise3 } from './noise.ts';
import { hash } from './random.ts';
import { sphereMap } from './sphere-maps.ts';
import { type FluxPatch, fluxOf } from './spots.ts';
import { type Surface, SurfaceRow, sampleGrid } from './surface.ts';
import { boxAround, project, type View } from './view.ts';

const ZERO_GREY = 128;

/** Grey levels, not yet rounded; 0 off the disk, 128 where there is no field. */
export function renderMagnetogram(view: View, surface: Surface, look: MagnetogramLook): Float32Array {
  const image = new Float32Array(view.width * view.height);
  const row = new SurfaceRow(view, surface);
  drawQuietSun(image, view, surface, look, row);
  for (const now of surface.regions) for (const patch of fluxOf(now)) drawFlux(image, view, look, row, patch);
  return image;
}

function drawQuietSun(image: Float32Array, view: View, surface: Surface, look: MagnetogramLook, row: SurfaceRow): void {
  const [network, clouds] = [sphereMap('network'), sphereMap('clouds')];
  const { x0, x1, y0, y1 } = boxAround(view, view.centreX, view.centreY, view.limbPixels);
  const seed = hash(600, Math.floor(surface.timeMs / 1000));
  for (let y = y0; y < y1; y++) {
    row.go(y, x0, x1);
    for (let x = x0; x < x1; x++) {
      const mu = row.mu[x] as number;
      if (mu === 0) continue;
      const heat = sampleGrid(surface.heat, row.longitude[x] as number, row.latitude[x] as number);
      const net = row.sample(network, x) - 0.75 + 0.6 * heat;
      const grain = row.grain(x, 3);
      const polarity = grain + 0.5 * row.sample(clouds, x);
      const field = net > 0 ? 260 * net * polarity * (0.4 + 2.4 * heat) : 0;
      const at = y * view.width + x;
      const dice = Math.imul(at ^ seed, 0x9e3779b1);
      const noise = (((dice >>> 8) & 255) + ((dice >>> 16) & 255) + (dice >>> 24) - 382.5) / 128;
      image[at] = ZERO_GREY + look.greyPerGauss * field * mu + look.noise * noise * (0.55 + 0.6 * (1 - mu));
    }
  }
}

/** One concentration: the radial field seen along the line of sight. */
function drawFlux(image: Float32Array, view: View, look: MagnetogramLook, row: SurfaceRow, patch: FluxPatch): void {
  const centre = project(view, patch.longitudeDeg, patch.latitudeDeg);
  if (centre.z < 0.02) return;
  const { x0, x1, y0, y1 } = boxAround(view, centre.x, centre.y, patch.radiusDeg * 3.4 * RAD * view.limbPixels + 2);
  const narrow = Math.cos(patch.latitudeDeg * RAD);
  for (let y = y0; y < y1; y++) {
    row.go(y, x0, x1);
    for (let x = x0; x < x1; x++) {
      const mu = row.mu[x] as number;
      if (mu === 0) continue;
      const dx = ((row.longitude[x]! - patch.longitudeDeg + 540) % 360) - 180;
      const east = (dx * narrow) / patch.radiusDeg;
      const north = (row.latitude[x]! - patch.latitudeDeg) / patch.radiusDeg;
      const d =
        Math.hypot(east, north) *
        (1 + 0.35 * noise3(east * 1.7 + patch.seed, north * 1.7, 5.5) + 0.25 * noise3(east * 5 + patch.seed, north * 5, 6.5));
      if (d > 3) continue;
      const at = y * view.width + x;
      image[at]! += look.greyPerGauss * patch.fieldGauss * mu * Math.exp(-d * d);
    }
  }
}
