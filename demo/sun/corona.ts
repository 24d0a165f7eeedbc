// The corona and the chromosphere in emission: EUV and X-ray channels.
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { filamentPatches, inSight, loopPatch, shining } from './lines.ts';
import type { CoronaLook } from './looks.ts';
import { noise3 } from './noise.ts';
import { onDisk } from './photosphere.ts';
import type { SplatPatch } from './splat.ts';
import { type RegionNow, type Surface, sampleGrid, surfaceRow } from './surface.ts';
import { boxAround, discOf, eachPixel, project, type View } from './view.ts';

const PROFILE_STEPS = 720;
const HEIGHT_STEPS = 96;
const HOLE_EDGE = 0.26;

/** Grey levels of the intensity, of which the quiet Sun at disk centre has about 1. */
export function renderCorona(view: View, surface: Surface, look: CoronaLook): Float32Array {
  const image = new Float32Array(view.width * view.height);
  drawDisk(image, view, surface, look);
  drawOffLimb(image, view, surface, look);
  for (const now of surface.regions)
    if (now.strength > 0.02 && inSight(view, now.longitudeDeg, now.region.latitudeDeg))
      drawLoops(image, view, surface, look, now);
  if (look.filament > 0) for (const patch of filamentPatches(view, surface)) drawFilament(image, view, look, patch);
  drawFlares(image, view, surface, look);
  const greyOf = look.gamma === 0.5 ? Math.sqrt : (value: number) => value ** look.gamma;
  return image.map((value) => look.quietGrey * greyOf(Math.max(0, value)));
}

const smoothStep = (low: number, high: number, value: number) => {
  const t = Math.max(0, Math.min(1, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
};

/** Brightening of an optically thin layer towards the limb, 0 at the centre, 1 at the limb. */
const limbRise = (mu: number) => (1 / (mu + 0.17) - 1 / 1.17) / (1 / 0.17 - 1 / 1.17);

function drawDisk(image: Float32Array, view: View, surface: Surface, look: CoronaLook): void {
  const row = surfaceRow(view, surface);
  const fine = Math.max(0, Math.log2(view.limbPixels / 400));
  onDisk(view, row, discOf(view), (x, at, mu) => {
    const [longitude, latitude] = [row.longitude[x]!, row.latitude[x]!];
    const heat = sampleGrid(surface.heat, longitude, latitude);
    const maps = row.sampleAll(x);
    const [c, t, n] = [maps[0]!, maps[1]!, maps[2]!];
    let m = maps[3]!;
    if (fine > 0) m += 0.5 * fine * row.grain(x, 3);
    const inHole = smoothStep(
      -HOLE_EDGE,
      HOLE_EDGE,
      sampleGrid(surface.holes, longitude, latitude) + 0.3 * c + 0.08 * t + 0.05 * n - 1.4 * heat,
    );
    const fade = 0.4 + 0.6 * Math.min(1, mu * 2.5);
    let value = Math.exp((look.clouds * c * (1 - 0.5 * inHole) + look.threads * t + look.network * n + look.mottles * m) * fade);
    value *= 1 - look.holeDepth * inHole;
    value *= 1 + look.glow * heat * (0.6 + 0.4 * Math.max(0, 0.5 * t + 0.25 * n + 0.4 * m + 0.3));
    if (m > 1.05) value += look.brightPoints * (m - 1.05) * 3 * Math.max(0, n) * (1 - 0.4 * inHole);
    image[at] = value * (1 + look.limb * limbRise(mu));
  });
}

/** Light and active-region heat along the limb, by position angle. */
function limbProfile(view: View, surface: Surface, look: CoronaLook): { light: Float32Array; heat: Float32Array } {
  const light = new Float32Array(PROFILE_STEPS + 1);
  const heats = new Float32Array(PROFILE_STEPS + 1);
  for (let k = 0; k <= PROFILE_STEPS; k++) {
    const angle = (k / PROFILE_STEPS) * 2 * Math.PI;
    let [sum, heatSum, weights] = [0, 0, 0];
    for (let depth = -32; depth <= 32; depth += 4) {
      const [across, z] = [Math.cos(depth * RAD), Math.sin(depth * RAD)];
      const [west, up] = [across * Math.cos(angle), across * Math.sin(angle)];
      const north = up * view.cosLatitude + z * view.sinLatitude;
      const ahead = z * view.cosLatitude - up * view.sinLatitude;
      const longitude = (Math.atan2(west, ahead) / RAD + view.observer.longitudeDeg + 720) % 360;
      const latitude = Math.asin(Math.max(-1, Math.min(1, north))) / RAD;
      const weight = Math.exp(-((depth / 17) ** 2));
      const heat = sampleGrid(surface.heat, longitude, latitude);
      const inHole = smoothStep(-0.3, 0.3, sampleGrid(surface.holes, longitude, latitude));
      const patchy = 0.25 * noise3(north * 6 + 11, west * 6 + 3, ahead * 6);
      sum += weight * (1 + patchy + 0.35 * look.glow * heat) * (1 - look.holeDepth * inHole);
      heatSum += weight * heat;
      weights += weight;
    }
    light[k] = sum / weights;
    heats[k] = heatSum / weights;
  }
  return { light, heat: heats };
}

/** The corona over the limb, by position angle (rows, counter-clockwise from west) and height up to `reach` (columns). */
function polarCorona(view: View, surface: Surface, look: CoronaLook, reach: number): Float32Array {
  const { light, heat } = limbProfile(view, surface, look);
  const seed = (surface.timeMs / DAY_MS) * 0.15;
  const polar = new Float32Array((PROFILE_STEPS + 1) * (HEIGHT_STEPS + 1));
  for (let k = 0; k <= PROFILE_STEPS; k++) {
    const angle = (k / PROFILE_STEPS) * 2 * Math.PI;
    const ux = Math.cos(angle) + 3;
    const uy = Math.sin(angle) + 3;
    const patchy = 0.95 + 0.35 * noise3(ux * 4, uy * 4, seed);
    const rise = look.scaleHeight * (1 + 0.7 * Math.min(1, heat[k]!)) * patchy;
    for (let i = 0; i < HEIGHT_STEPS; i++) {
      const height = (i / HEIGHT_STEPS) * reach;
      const rays =
        noise3(ux * 17, uy * 17, seed + height * 3) +
        0.8 * noise3(ux * 46, uy * 46, seed + height * 3) +
        0.7 * noise3(ux * 90, uy * 90, seed + height * 4);
      const fall = Math.exp(-height / rise) * (1 - height / reach) ** 2;
      polar[k * (HEIGHT_STEPS + 1) + i] = (1 + look.limb) * light[k]! * fall * Math.exp(rays * Math.min(0.5, 0.06 + 5 * height));
    }
  }
  return polar;
}

function drawOffLimb(image: Float32Array, view: View, surface: Surface, look: CoronaLook): void {
  const reach = look.scaleHeight * 8;
  const polar = polarCorona(view, surface, look, reach);
  const stride = HEIGHT_STEPS + 1;
  eachPixel(view, boxAround(view, view.centreX, view.centreY, view.limbPixels * (1 + reach)), (x, y, pixel) => {
    const [qx, qy] = [(x - view.centreX) / view.limbPixels, (view.centreY - y) / view.limbPixels];
    const h2 = qx * qx + qy * qy;
    if (h2 < 1 || h2 >= (1 + reach) ** 2) return;
    const u = ((Math.sqrt(h2) - 1) / reach) * HEIGHT_STEPS;
    const v = (Math.atan2(qy, qx) / (2 * Math.PI) + (qy < 0 ? 1 : 0)) * PROFILE_STEPS;
    const iu = Math.floor(u);
    const iv = Math.min(PROFILE_STEPS - 1, Math.floor(v));
    const at = iv * stride + iu;
    const low = polar[at]! * (1 - u + iu) + polar[at + 1]! * (u - iu);
    const high = polar[at + stride]! * (1 - u + iu) + polar[at + stride + 1]! * (u - iu);
    image[pixel] = low + (high - low) * (v - iv);
  });
}

function drawLoops(image: Float32Array, view: View, surface: Surface, look: CoronaLook, now: RegionNow): void {
  if (look.loops === 0) return;
  const count = Math.round(26 + 13 * now.region.sizeDeg);
  const patch = loopPatch(view, now, { feet: look.feet, blurDeg: look.loopBlurDeg, spread: 1, count, timeMs: surface.timeMs });
  patch.addTo(image, view.width, 1.5 * look.loops * now.strength);
  const wide = loopPatch(view, now, { feet: 0, blurDeg: 1.1, spread: 1.3, count: Math.round(count / 2), timeMs: surface.timeMs });
  wide.addTo(image, view.width, 1.5 * look.loops * now.strength * (0.3 + 0.04 * look.glow));
}

/** A filament absorbs on the disk and emits off it. */
function drawFilament(image: Float32Array, view: View, look: CoronaLook, patch: SplatPatch): void {
  let i = 0;
  eachPixel(view, patch.box, (x, y, at) => {
    const density = patch.values[i++]!;
    if (density < 1e-3) return;
    const off = smoothStep(0.995, 1.006, Math.hypot(x - view.centreX, y - view.centreY) / view.limbPixels);
    image[at] = image[at]! * Math.exp(-look.filament * Math.min(1.2, density) * (1 - off)) + look.prominence * density * off;
  });
}

function drawFlares(image: Float32Array, view: View, surface: Surface, look: CoronaLook): void {
  for (const { flare, power, now } of shining(surface, 1e-3)) {
    if (!inSight(view, now.longitudeDeg, now.region.latitudeDeg)) continue;
    const light = look.flare * power ** 0.75;
    const late = surface.timeMs > flare.peakMs ? 1 : 0.6;
    const blurDeg = Math.max(0.12, look.loopBlurDeg);
    const arcade = loopPatch(view, now, { feet: 0, blurDeg, spread: 0.45, count: 60, timeMs: surface.timeMs });
    arcade.addTo(image, view.width, light * 0.2 * late);
    const kernel = project(view, now.longitudeDeg, now.region.latitudeDeg, 1.012);
    const behind = kernel.z < 0 && Math.hypot(kernel.x - view.centreX, kernel.y - view.centreY) < view.limbPixels;
    if (!behind) drawKernel(image, view, kernel.x, kernel.y, light, 0.35 + 0.5 * Math.min(1, power));
  }
}

/** A bright kernel with a soft halo, the bleeding of a saturated column and the cross of the filter mesh. */
function drawKernel(image: Float32Array, view: View, cx: number, cy: number, light: number, sizeDeg: number): void {
  const sigma = sizeDeg * RAD * view.limbPixels;
  eachPixel(view, boxAround(view, cx, cy, 30 * sigma), (x, y, at) => {
    const [dx, dy] = [(x - cx) / sigma, (y - cy) / sigma];
    const d2 = dx * dx + dy * dy;
    const [u, v] = [(dx + dy) * Math.SQRT1_2, (dx - dy) * Math.SQRT1_2];
    const cross = Math.exp(-(u * u) / 0.1 - Math.abs(v) / 5) + Math.exp(-(v * v) / 0.1 - Math.abs(u) / 5);
    const bleeding = Math.exp(-(dx * dx) / 0.25 - Math.abs(dy) / 2.2);
    image[at]! += light * (Math.exp(-d2 / 2) + 0.02 / (1 + d2 / 8) ** 1.5 + 0.012 * cross + 0.05 * bleeding);
  });
}
