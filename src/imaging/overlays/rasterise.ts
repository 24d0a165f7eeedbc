// SVG to pixels by resvg, which knows no fonts but ours and loads nothing from anywhere.

import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { LRUCache } from 'lru-cache';
import font from '#overlay-font';
import module from '#resvg-module';
import { Failure } from '../../domain/errors.ts';
import { FONT_FAMILY } from './font.ts';

/** Bytes of rasters kept. All markers, an Earth and the logo take below 100 kB; a frame's labels and regions 1 to 3 MB. */
const CACHE_BYTES = 6 << 20;

const OPTIONS = { font: { fontBuffers: [font], loadSystemFonts: false, defaultFontFamily: FONT_FAMILY } };

const rasters = new LRUCache<string, Uint8Array>({
  maxSize: CACHE_BYTES,
  maxEntrySize: CACHE_BYTES / 2,
  sizeCalculation: (raster, svg) => raster.length + 2 * svg.length,
});

let isReady = false;

/** Has to have ended once before `rasterise` is called. Instantiation is the one step that WebAssembly does asynchronously. */
export async function prepareRasteriser(): Promise<void> {
  // No promise is shared: a request must not wait for what another one, perhaps cancelled, has begun.
  if (!isReady) await initWasm(module);
  isReady = true;
}

/**
 * Pixels of a whole SVG document: R, G, B, A with colours premultiplied by alpha, row by row, `width * height * 4` bytes. The
 * document has to have that width and height. The answer is shared, so it must not be written to.
 * @throws Failure of kind internal when the document cannot be drawn: overlays are our own markup around escaped text.
 */
export function rasterise(svg: string, width: number, height: number): Uint8Array {
  const known = rasters.get(svg);
  if (known) return known;
  const raster = draw(svg);
  if (raster.length !== width * height * 4) {
    throw new Failure('internal', `Expected ${width * height * 4} bytes of an overlay, got ${raster.length}.`);
  }
  rasters.set(svg, raster);
  return raster;
}

function draw(svg: string): Uint8Array {
  let document: InstanceType<typeof Resvg> | undefined;
  try {
    document = new Resvg(svg, OPTIONS);
    const image = document.render();
    const { pixels } = image;
    image.free();
    return pixels;
  } catch (cause) {
    throw new Failure('internal', 'Expected an overlay that can be drawn, got one that cannot.', { cause });
  } finally {
    document?.free();
  }
}
