// Field lines of active regions and thread clouds of filaments, as points in space that are projected into a patch of the image.
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { cross, length, minus, type Vector } from '../../src/sun/bodies/vector.ts';
import { RADIANS_PER_DEGREE as RAD } from '../../src/sun/coordinates/observer.ts';
import { type Filament, type Flare, flareFlux, flaresBetween } from './features.ts';
import { hash, noise3, type RandomStream, randomStream } from './noise.ts';
import { type SplatPatch, splatPatch } from './splat.ts';
import type { RegionNow, Surface } from './surface.ts';
import { boxAround, project, projectVector, type View } from './view.ts';

const hidden = (view: View, x: number, y: number, z: number) =>
  z < 1 / view.distance && Math.hypot(x - view.centreX, y - view.centreY) < view.limbPixels;

/** Unit vector west, north, ahead of the observer's meridian. */
function direction(view: View, longitudeDeg: number, latitudeDeg: number): Vector {
  const longitude = (longitudeDeg - view.observer.longitudeDeg) * RAD;
  const c = Math.cos(latitudeDeg * RAD);
  return [c * Math.sin(longitude), Math.sin(latitudeDeg * RAD), c * Math.cos(longitude)];
}

/** Places of the two polarities: [leading, trailing], each [Carrington longitude, latitude]. */
export function polarities({ region, longitudeDeg }: RegionNow): [[number, number], [number, number]] {
  const tilt = region.tiltDeg * RAD;
  const half = region.sizeDeg / 2;
  const dx = (half * Math.cos(tilt)) / Math.cos(region.latitudeDeg * RAD);
  const dy = -Math.sign(region.latitudeDeg) * half * Math.sin(tilt);
  return [
    [longitudeDeg + dx, region.latitudeDeg + dy],
    [longitudeDeg - dx, region.latitudeDeg - dy],
  ];
}

/** Whether a region is visible, on the disk or as loops over the limb. */
export const inSight = (view: View, longitudeDeg: number, latitudeDeg: number): boolean =>
  project(view, longitudeDeg, latitudeDeg).z > -0.3;

/** Flares with at least `least` times the flux of X1, and the regions in which they are. */
export const shining = (surface: Surface, least: number): { flare: Flare; power: number; now: RegionNow }[] =>
  flaresBetween(surface.timeMs - 4 * HOUR_MS, surface.timeMs + 1).flatMap((flare) => {
    const power = flareFlux(flare, surface.timeMs) / 1e-4;
    const now = surface.regions.find(({ region }) => region.number === flare.regionNumber);
    return now && power >= least ? [{ flare, power, now }] : [];
  });

interface LoopStyle {
  /** 0: even light along the loop; 1: light at the feet, and open fans. */
  readonly feet: number;
  readonly blurDeg: number;
  /** 1 for quiescent loops; a flare's arcade is low, narrow and many. */
  readonly spread: number;
  readonly count: number;
  readonly timeMs: number;
}

/** Loops of a region, as light per pixel. */
export function loopPatch(view: View, now: RegionNow, style: LoopStyle): SplatPatch {
  const { region } = now;
  const middle = project(view, now.longitudeDeg, region.latitudeDeg);
  const pixelsPerDeg = view.limbPixels * RAD;
  const cell = Math.max(1, Math.floor((style.blurDeg * pixelsPerDeg) / 2));
  const patch = splatPatch(boxAround(view, middle.x, middle.y, (region.sizeDeg * 2.4 + 4 * style.blurDeg) * pixelsPerDeg), cell);
  const feet = polarities(now);
  const canvas = { view, patch, pixelsPerDeg, sizeDeg: region.sizeDeg };
  for (let i = 0; i < style.count; i++) {
    const random = randomStream(300, region.number, i);
    const flicker = 1 + 0.45 * Math.sin(style.timeMs / (random.between(0.6, 4) * HOUR_MS) + random.between(0, 7));
    const light = flicker * random.between(0.2, 1) ** 3;
    if (style.feet > 0 && i % 3 === 0) fan(canvas, random, feet[i % 2]!, light * style.feet);
    else arch(canvas, random, feet, light, style);
  }
  patch.blur(style.blurDeg * pixelsPerDeg);
  return patch;
}

type Canvas = Readonly<{ view: View; patch: SplatPatch } & Record<'pixelsPerDeg' | 'sizeDeg', number>>;
type Place = readonly [longitudeDeg: number, latitudeDeg: number];

function arch(
  canvas: Canvas,
  random: RandomStream,
  [leading, trailing]: readonly [Place, Place],
  light: number,
  style: LoopStyle,
): void {
  const { view, patch, pixelsPerDeg, sizeDeg } = canvas;
  const across = random.between(-1.15, 1.15) * style.spread;
  const nest = random.between(-0.34, 0.42) * style.spread - (1 - style.spread) * 0.3;
  const axis = Math.atan2(leading[1] - trailing[1], leading[0] - trailing[0]);
  const [ca, sa] = [Math.cos(axis), Math.sin(axis)];
  const foot = ([longitude, latitude]: Place, outward: number) => {
    const along = sizeDeg * (outward * nest + random.normal(0, 0.035));
    const aside = sizeDeg * (0.22 * across + random.normal(0, 0.035));
    return direction(view, longitude + along * ca - aside * sa, latitude + along * sa + aside * ca);
  };
  const [a, b] = [foot(leading, 1), foot(trailing, -1)];
  const chord = length(minus(a, b));
  const height = chord * random.between(0.42, 0.56) * Math.sqrt(style.spread);
  const lean = chord * (0.75 * across + random.normal(0, 0.06));
  const side = cross(a, b);
  const sideLength = Math.max(1e-6, length(side));
  const perPixel = 1.1 / patch.cell;
  const steps = Math.ceil((chord + 2 * height) * view.limbPixels * perPixel) + 4;
  const perStep = (light * pixelsPerDeg) / 7 / perPixel;
  for (let k = 0; k <= steps; k++) {
    const t = k / steps;
    const rise = Math.sin(Math.PI * t);
    const [x, y, z] = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
    const r = (1 + height * rise) / Math.hypot(x, y, z);
    const shift = (lean * rise) / sideLength;
    const at = projectVector(view, x * r + side[0] * shift, y * r + side[1] * shift, z * r + side[2] * shift);
    if (hidden(view, at.x, at.y, at.z)) continue;
    patch.add(at.x, at.y, perStep * (1 - style.feet + style.feet * 1.6 * (1 - rise) ** 1.5 + 0.25));
  }
}

/** Open lines from one polarity, fading outward. */
function fan({ view, patch, pixelsPerDeg, sizeDeg }: Canvas, random: RandomStream, [longitude, latitude]: Place, light: number) {
  const bearing = random.between(0, 2 * Math.PI);
  const reach = sizeDeg * random.between(0.4, 1.4);
  const [lon0, lat0] = [longitude + random.normal(0, sizeDeg * 0.08), latitude + random.normal(0, sizeDeg * 0.08)];
  const steps = Math.ceil(reach * pixelsPerDeg * 1.3) + 4;
  for (let k = 0; k <= steps; k++) {
    const t = k / steps;
    const out = reach * t;
    const radius = 1 + 0.9 * out * RAD * (0.4 + t);
    const at = project(view, lon0 + (out * Math.cos(bearing)) / Math.cos(lat0 * RAD), lat0 + out * Math.sin(bearing), radius);
    if (!hidden(view, at.x, at.y, at.z)) patch.add(at.x, at.y, ((light * pixelsPerDeg) / 7) * 1.6 * (1 - t) ** 1.6);
  }
}

export const filamentPatches = (view: View, surface: Surface): SplatPatch[] =>
  surface.filaments
    .filter(({ filament, longitudeDeg }) => inSight(view, longitudeDeg, filament.latitudeDeg))
    .map(({ filament, longitudeDeg }) => filamentPatch(view, filament, longitudeDeg));

/** The dense thread cloud of a filament, as column density per pixel. */
function filamentPatch(view: View, filament: Filament, longitudeDeg: number): SplatPatch {
  const middle = project(view, longitudeDeg, filament.latitudeDeg);
  const pixelsPerDeg = view.limbPixels * RAD;
  const patch = splatPatch(boxAround(view, middle.x, middle.y, (filament.lengthDeg * 0.75 + 6) * pixelsPerDeg));
  const seed = hash(400, Math.round(filament.longitudeDeg * 1000)) % 997;
  const angle = filament.angleDeg * RAD;
  const along = Math.ceil(filament.lengthDeg * pixelsPerDeg * 1.2) + 8;
  const layers = Math.max(6, Math.ceil(filament.height * view.limbPixels));
  const narrow = Math.cos(filament.latitudeDeg * RAD);
  for (let i = 0; i <= along; i++) {
    const t = i / along - 0.5;
    const wander = 1.6 * noise3(t * 5 + seed, 0.5, seed) * (1 - 3 * t * t);
    const body = Math.max(0, 0.35 + noise3(t * 14, seed, 3.5)) * (1 - (2 * t) ** 6);
    const top = filament.height * (0.55 + 0.45 * noise3(t * 9, seed, 7.5)) * Math.sqrt(Math.max(0, 1 - (2 * t) ** 4));
    for (let k = 0; k < layers; k++) {
      const h = (k + 0.5) / layers;
      const thread = 0.35 + Math.max(0, noise3(t * 60, h * 3, seed + 0.5) + 0.35);
      const sway = 0.25 * noise3(t * 30, h * 4, seed) + h * 0.5 * noise3(t * 7, h * 2, seed + 20);
      const dx = t * filament.lengthDeg * Math.cos(angle) - (wander + sway) * Math.sin(angle);
      const dy = t * filament.lengthDeg * Math.sin(angle) + (wander + sway) * Math.cos(angle);
      const at = project(view, longitudeDeg + dx / narrow, filament.latitudeDeg + dy, 1 + h * top);
      if (!hidden(view, at.x, at.y, at.z)) patch.add(at.x, at.y, ((body * thread * pixelsPerDeg) / 7 / layers) * (17 - 8 * h));
    }
  }
  patch.blur(0.28 * pixelsPerDeg);
  return patch;
}
