// An image with one Gaussian spot at a known place, in an object store, for tests of where things are drawn.
import { encodeSamples } from '../../../demo/jp2/openjpeg.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { archivedImage } from '../memory/archived-images.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';

/** Centre in image pixels from the top left corner, where the centre of pixel 0 is at 0.5, and standard deviation. */
export type Spot = Readonly<Record<'x' | 'y' | 'sigma', number>>;

const encoded = new Map<string, { jp2: Uint8Array; sidecar: Uint8Array }>();

/** The file of an image and its sidecar, encoded once. */
function encodeSpot(side: number, spot: Spot, levels: number): { jp2: Uint8Array; sidecar: Uint8Array } {
  const key = JSON.stringify([side, spot, levels]);
  const known = encoded.get(key);
  if (known) return known;
  const plane = new Int32Array(side * side);
  for (let i = 0; i < plane.length; i++) {
    const dx = (i % side) + 0.5 - spot.x;
    const dy = Math.floor(i / side) + 0.5 - spot.y;
    plane[i] = Math.round(240 * Math.exp(-(dx * dx + dy * dy) / (2 * spot.sigma ** 2)));
  }
  const raster = { width: side, height: side, precision: 8, signed: false, components: [plane] };
  const jp2 = encodeSamples(raster, { lossless: true, levels, order: 2 });
  const files = { jp2, sidecar: encodeSidecar(indexJp2(jp2)) };
  encoded.set(key, files);
  return files;
}

/** A square image of `side` pixels at `scale` arcseconds per pixel, black but for the spot. `levels`: that can be discarded. */
export async function spotImage(side: number, scale: number, spot: Spot, levels = 6) {
  const { jp2, sidecar } = encodeSpot(side, spot, levels);
  const base = archivedImage(42, 94, '2024-01-01T00:00:00Z');
  const image: ArchivedImage = {
    ...base,
    byteLength: jp2.length,
    geometry: { ...base.geometry, width: side, height: side, scaleArcsecPerPixel: scale },
  };
  const objects = new MemoryObjectStore();
  await objects.put(image.key, jp2);
  await objects.put(sidecarKey(image.key, SIDECAR_VERSION), sidecar);
  return { image, objects };
}

/** Mean place of the light of a picture in its pixels. */
export function centroid(width: number, count: number, light: (i: number) => number): { x: number; y: number } {
  let [sum, x, y] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    sum += light(i);
    x += light(i) * ((i % width) + 0.5);
    y += light(i) * (Math.floor(i / width) + 0.5);
  }
  return { x: x / sum, y: y / sum };
}
