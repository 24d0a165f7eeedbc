// Rasterises SVG with resvg, which has no font but the embedded one and loads no external resources.

import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { font, resvg } from '#overlay-assets';
import { Failure } from '../../domain/errors.ts';
import { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { FONT_FAMILY } from './font.ts';

/** Bytes of cached rasters without a budget. All markers, an Earth and the logo take less than 100 kB; labels and regions of a frame 1 to 3 MB. */
const OWN_BYTES = 6 << 20;

/** Milliseconds to draw one again. */
const WORTH_MS = 3;

const OPTIONS = { font: { fontBuffers: [font], loadSystemFonts: false, defaultFontFamily: FONT_FAMILY } };

interface Raster {
  readonly pixels: Uint8Array;
  readonly svg: string;
}

const cacheIn = (memory: MemoryBudget): MemoryCache<string, Raster> =>
  memory.cache({ bytesOf: ({ pixels, svg }) => pixels.length + 2 * svg.length, worthMs: WORTH_MS });

let rasters = cacheIn(new MemoryBudget({ bytes: OWN_BYTES, jobBytes: 0, leaseMs: 0 }));

/** Has rasters cached within this budget from now on. */
export function keepRastersIn(memory: MemoryBudget): void {
  rasters = cacheIn(memory);
}

let isReady = false;

/** Instantiates the renderer, which WebAssembly does asynchronously. Must be awaited once before `rasterise`. */
export async function prepareRasteriser(): Promise<void> {
  // The promise is not shared, because a Worker may cancel the request that started it, even before `isReady` is set.
  if (!isReady) await initWasm(resvg).catch(ignoreRepetition);
  isReady = true;
}

/** @throws the error, unless the renderer has been instantiated already */
function ignoreRepetition(error: unknown): void {
  if (!String(error).includes('Already initialized')) throw error;
}

/**
 * Pixels of an SVG document of that width and height: R, G, B, A with colours premultiplied by alpha, row by row,
 * `width * height * 4` bytes. The result is cached and must not be written to.
 *
 * @throws Failure (internal) when the document cannot be rendered, since overlays are generated markup around escaped text
 */
export function rasterise(svg: string, width: number, height: number): Uint8Array {
  const known = rasters.get(svg);
  if (known) return known.pixels;
  const raster = draw(svg);
  if (raster.length !== width * height * 4) {
    throw new Failure('internal', `Expected ${width * height * 4} bytes of an overlay, got ${raster.length}.`);
  }
  rasters.set(svg, { pixels: raster, svg });
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
    throw new Failure('internal', 'An overlay could not be rendered.', { cause });
  } finally {
    document?.free();
  }
}
