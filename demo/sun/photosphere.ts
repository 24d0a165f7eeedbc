// The photosphere: spots and flux of active regions, magnetograms, and continuum, ultraviolet and chromospheric lines with limb darkening.
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { filamentPatches, inSight, polarities, shining } from './lines.ts';
import type { MagnetogramLook, PhotosphereLook } from './looks.ts';
import { hash, noise3, randomStream } from './noise.ts';
import { type RegionNow, type Surface, type SurfaceRow, sampleGrid, surfaceRow } from './surface.ts';
import { boxAround, discOf, eachPixel, type PixelBox, project, type View } from './view.ts';

const ZERO_GREY = 128;

/** Grey levels, not yet rounded; 0 off the disk, 128 where there is no field. */
export function renderMagnetogram(view: View, surface: Surface, look: MagnetogramLook): Float32Array {
  const image = new Float32Array(view.width * view.height);
  const row = surfaceRow(view, surface);
  drawQuietSun(image, view, surface, look, row);
  for (const now of surface.regions) for (const patch of fluxOf(now)) drawFlux(image, view, look, row, patch);
  return image;
}

function drawQuietSun(image: Float32Array, view: View, surface: Surface, look: MagnetogramLook, row: SurfaceRow): void {
  const seed = hash(600, Math.floor(surface.timeMs / 1000));
  onDisk(view, row, discOf(view), (x, at, mu) => {
    const heat = sampleGrid(surface.heat, row.longitude[x]!, row.latitude[x]!);
    const maps = row.sampleAll(x);
    const net = maps[2]! - 0.75 + 0.6 * heat;
    const grain = row.grain(x, 3);
    const polarity = grain + 0.5 * maps[0]!;
    const field = net > 0 ? 260 * net * polarity * (0.4 + 2.4 * heat) : 0;
    const dice = Math.imul(at ^ seed, 0x9e3779b1);
    const noise = (((dice >>> 8) & 255) + ((dice >>> 16) & 255) + (dice >>> 24) - 382.5) / 128;
    image[at] = ZERO_GREY + look.greyPerGauss * field * mu + look.noise * noise * (0.55 + 0.6 * (1 - mu));
  });
}

export function onDisk(
  view: View,
  row: SurfaceRow,
  { x0, x1, y0, y1 }: PixelBox,
  draw: (x: number, at: number, mu: number) => void,
): void {
  for (let y = y0; y < y1; y++) {
    row.go(y, x0, x1);
    for (let x = x0; x < x1; x++) {
      const mu = row.mu[x]!;
      if (mu !== 0) draw(x, y * view.width + x, mu);
    }
  }
}

/** The irregular edge of a patch: radii that its box has and that it reaches, and the noise. */
type Edge = readonly [box: number, most: number, ...Record<'share' | 'times' | 'depth', number>[]];

const FLUX_EDGE: Edge = [3.4, 3, { share: 0.35, times: 1.7, depth: 5.5 }, { share: 0.25, times: 5, depth: 6.5 }];
const SPOT_EDGE: Edge = [1.8, 1.25, { share: 0.22, times: 2, depth: 1.5 }, { share: 0.13, times: 6, depth: 2.5 }];

/** Draws the pixels of a patch by their distance from its centre, to the east and to the north, in radii. */
function onPatch(
  view: View,
  row: SurfaceRow,
  { longitudeDeg, latitudeDeg, radiusDeg, seed }: Spot,
  [box, most, ...noises]: Edge,
  draw: (at: number, d: number, mu: number, east: number, north: number) => void,
): void {
  const centre = project(view, longitudeDeg, latitudeDeg);
  if (centre.z < 0.02) return;
  const narrow = Math.cos(latitudeDeg * RAD);
  onDisk(view, row, boxAround(view, centre.x, centre.y, radiusDeg * box * RAD * view.limbPixels + 2), (x, at, mu) => {
    const dx = ((row.longitude[x]! - longitudeDeg + 540) % 360) - 180;
    const [east, north] = [(dx * narrow) / radiusDeg, (row.latitude[x]! - latitudeDeg) / radiusDeg];
    const ragged = noises.reduce(
      (sum, { share, times, depth }) => sum + share * noise3(east * times + seed, north * times, depth),
      1,
    );
    const d = Math.hypot(east, north) * ragged;
    if (d <= most) draw(at, d, mu, east, north);
  });
}

/** One concentration: the radial field seen along the line of sight. */
const drawFlux = (image: Float32Array, view: View, look: MagnetogramLook, row: SurfaceRow, patch: FluxPatch) =>
  onPatch(view, row, patch, FLUX_EDGE, (at, d, mu) => {
    image[at]! += look.greyPerGauss * patch.fieldGauss * mu * Math.exp(-d * d);
  });

export type Spot = Readonly<Record<'longitudeDeg' | 'latitudeDeg' | 'radiusDeg' | 'seed', number>>;

/** `fieldGauss`: the radial field at the centre, signed. */
type FluxPatch = Spot & { readonly fieldGauss: number };

/** One large leading spot, smaller ones behind; none in weak or small regions. */
export const spotsOf = (now: RegionNow): Spot[] =>
  fluxOf(now)
    .filter((patch) => Math.abs(patch.fieldGauss) > 1250 && patch.radiusDeg > 0.25)
    .map((patch) => ({ ...patch, radiusDeg: patch.radiusDeg * 0.9 }));

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

/** Grey levels, not yet rounded, `width * height` values; 0 off the disk. */
export function renderPhotosphere(view: View, surface: Surface, look: PhotosphereLook): Float32Array {
  const image = new Float32Array(view.width * view.height);
  const row = surfaceRow(view, surface);
  drawDisk(image, view, surface, look, row);
  for (const now of surface.regions)
    if (inSight(view, now.longitudeDeg, now.region.latitudeDeg))
      for (const spot of spotsOf(now)) drawSpot(image, view, look, row, spot);
  if (look.filament > 0) drawFilaments(image, view, surface, look);
  drawFlares(image, view, surface, look);
  softenLimb(image, view);
  return image;
}

function drawDisk(image: Float32Array, view: View, surface: Surface, look: PhotosphereLook, row: SurfaceRow): void {
  const { darkening: u, darkening2: v } = look;
  const zoom = Math.max(0, Math.min(1.5, Math.log2(view.limbPixels / 500)));
  const withNetwork = look.network > 0 || look.plage > 0 || look.faculae > 0;
  onDisk(view, row, discOf(view), (x, at, mu) => {
    const low = 1 - mu;
    const limb = 1 - u * low - v * low * low;
    const grain = row.grain(x, 4) * look.granulation * (0.35 + 0.65 * mu);
    let value = limb * (1 + grain);
    if (withNetwork) {
      const heat = sampleGrid(surface.heat, row.longitude[x]!, row.latitude[x]!);
      const detail = zoom > 0 ? zoom * row.grain(x, 5) : 0;
      const maps = row.sampleAll(x);
      const net = maps[2]! + 0.45 * detail;
      const plage = heat * Math.max(0, 0.4 + 0.6 * net + 0.4 * maps[3]!);
      value *= 1 + look.network * net * (0.5 + 0.5 * mu) + look.plage * plage + look.faculae * plage * 2.5 * low * low;
    }
    image[at] = look.centreGrey * value;
  });
}

const drawSpot = (image: Float32Array, view: View, look: PhotosphereLook, row: SurfaceRow, spot: Spot) =>
  onPatch(view, row, spot, SPOT_EDGE, (at, d, _, east, north) => {
    const penumbra = 1 / (1 + Math.exp((d - 1) / 0.05));
    const umbra = 1 / (1 + Math.exp((d - 0.45) / 0.05));
    image[at]! *= 1 - look.spots * (0.26 * penumbra * (1 + 0.25 * noise3(east * 14, north * 14, spot.seed)) + 0.55 * umbra);
  });

function drawFilaments(image: Float32Array, view: View, surface: Surface, look: PhotosphereLook): void {
  for (const { values, box } of filamentPatches(view, surface)) {
    let i = 0;
    eachPixel(view, box, (_x, _y, at) => {
      image[at]! *= Math.exp(-look.filament * Math.min(1, values[i++]!));
    });
  }
}

/** Two ribbons along the line between the polarities. */
function drawFlares(image: Float32Array, view: View, surface: Surface, look: PhotosphereLook): void {
  for (const { flare, power, now } of shining(surface, 5e-3)) {
    const tilt = (90 - now.region.tiltDeg * Math.sign(now.region.latitudeDeg)) * RAD;
    for (const side of [-0.12, 0.12])
      for (let t = -1; t <= 1; t += 0.04) {
        const along = t * 0.28 * now.region.sizeDeg;
        const aside = side * now.region.sizeDeg + 0.4 * noise3(t * 3, side * 40, flare.regionNumber % 97);
        const longitude = now.longitudeDeg + along * Math.cos(tilt) + aside * Math.sin(tilt);
        const spark = project(view, longitude, now.region.latitudeDeg + along * Math.sin(tilt) - aside * Math.cos(tilt));
        if (spark.z > 0.02)
          addSpark(image, view, spark.x, spark.y, look.centreGrey * look.flare * power ** 0.6 * 0.5 * (1 - t * t));
      }
  }
}

function addSpark(image: Float32Array, view: View, cx: number, cy: number, light: number): void {
  const sigma = 0.22 * RAD * view.limbPixels;
  eachPixel(view, boxAround(view, cx, cy, 4 * sigma), (x, y, at) => {
    image[at]! += light * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * sigma * sigma));
  });
}

/** Blends the pixels at the limb with the black sky in proportion to their area off the disk. */
function softenLimb(image: Float32Array, view: View): void {
  eachPixel(view, boxAround(view, view.centreX, view.centreY, view.limbPixels + 2), (x, y, at) => {
    const [dx, dy] = [x - view.centreX, y - view.centreY];
    const r = Math.sqrt(dx * dx + dy * dy);
    const covered = view.limbPixels - r + 0.5;
    if (covered >= 1 || covered <= 0) return;
    const shrink = (view.limbPixels - 1) / r;
    const inside = image[Math.round(view.centreY + dy * shrink) * view.width + Math.round(view.centreX + dx * shrink)] ?? 0;
    image[at] = inside * covered;
  });
}
