// Draws overlays onto a strip of a frame, box by box, with resvg, which has no font but the embedded one and loads nothing.
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { font, resvg } from '#overlay-assets';
import { Failure } from '../../../platform/util/errors.ts';
import { MemoryBudget, type MemoryCache } from '../../../platform/util/memory-budget.ts';
import type { Size } from '../../../sun/image.ts';
import type { Box, Overlay } from '../overlay.ts';
import { FONT_FAMILY } from './text.ts';

/** Bytes of cached rasters without a budget. All markers, an Earth and the logo take less than 100 kB; labels and regions of a frame 1 to 3 MB. */
const OWN_BYTES = 6 << 20;

/** Milliseconds to draw one again. */
const WORTH_MS = 3;

const OPTIONS = { font: { fontBuffers: [font], loadSystemFonts: false, defaultFontFamily: FONT_FAMILY } };

type Raster = { readonly pixels: Uint8Array; readonly svg: string };

const cacheIn = (memory: MemoryBudget): MemoryCache<string, Raster> =>
  memory.cache({ bytesOf: ({ pixels, svg }) => pixels.length + 2 * svg.length, worthMs: WORTH_MS });

let rasters = cacheIn(new MemoryBudget({ bytes: OWN_BYTES, jobBytes: 0, leaseMs: 0 }));

/** Caches later rasters within this budget. */
export function keepRastersIn(memory: MemoryBudget): void {
  rasters = cacheIn(memory);
}

let isReady = false;

/** Instantiates the renderer, which WebAssembly does asynchronously. Must be awaited once before `rasterise`. */
export async function prepareRasteriser(): Promise<void> {
  const ignoreRepetition = (error: unknown) => {
    if (!String(error).includes('Already initialized')) throw error;
  };
  // The promise is not shared, because a Worker may cancel the request that started it, even before `isReady` is set.
  if (!isReady) await initWasm(resvg).catch(ignoreRepetition);
  isReady = true;
}

/**
 * Pixels of an SVG document of that width and height: R, G, B, A with colours premultiplied by alpha, row by row,
 * `width * height * 4` bytes. The result is cached and must not be written to.
 * @throws Failure (internal) when the document cannot be rendered, since overlays are generated markup around escaped text
 */
export function rasterise(svg: string, width: number, height: number): Uint8Array {
  const known = rasters.get(svg);
  if (known) return known.pixels;
  const pixels = rendered(svg);
  if (pixels.length !== width * height * 4)
    throw new Failure('internal', `The raster of an overlay has ${pixels.length} bytes instead of ${width * height * 4}.`);
  rasters.set(svg, { pixels, svg });
  return pixels;
}

function rendered(svg: string): Uint8Array {
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

export interface FrameStrip {
  /** R, G, B of each pixel, row by row. */
  readonly pixels: Uint8Array;
  readonly width: number;
  /** First row of the strip in the frame. */
  readonly y0: number;
  readonly height: number;
}

/** value / 255 rounded to the nearest integer; exact for 0 to 65535. */
const divideBy255 = (value: number) => (value + 128 + ((value + 128) >> 8)) >> 8;

/** Blends the part of a raster inside the strip: out = source + destination * (255 - alpha) / 255. @param source R, G, B, A, premultiplied */
export function blendOverlay(strip: FrameStrip, raster: Box, source: Uint8Array): void {
  const { pixels, width } = strip;
  const x0 = Math.max(raster.x, 0);
  const x1 = Math.min(raster.x + raster.width, width);
  const y0 = Math.max(raster.y, strip.y0);
  const y1 = Math.min(raster.y + raster.height, strip.y0 + strip.height);
  for (let y = y0; y < y1; y++) {
    let from = ((y - raster.y) * raster.width + x0 - raster.x) * 4;
    let to = ((y - strip.y0) * width + x0) * 3;
    for (let x = x0; x < x1; x++, from += 4, to += 3) {
      const alpha = source[from + 3]!;
      if (alpha === 0) continue;
      for (let channel = 0; channel < 3; channel++)
        pixels[to + channel] = source[from + channel]! + divideBy255(pixels[to + channel]! * (255 - alpha));
    }
  }
}

/** Pixels rasterised at a time: 2 MiB. An event region may cover a whole frame of 4096x4096, which would take 64 MiB. */
const MAX_TILE_PIXELS = 1 << 19;

/** The overlay's box clipped to the frame and split into tiles. Neither tiles nor pixels depend on the strips. */
function tilesOf(overlay: Overlay, frame: Size): Box[] {
  const x0 = Math.max(overlay.x, 0);
  const y0 = Math.max(overlay.y, 0);
  const width = Math.min(overlay.x + overlay.width, frame.width) - x0;
  const y1 = Math.min(overlay.y + overlay.height, frame.height);
  if (width <= 0 || y1 <= y0) return [];
  const rows = Math.max(1, Math.floor(MAX_TILE_PIXELS / width));
  const count = Math.ceil((y1 - y0) / rows);
  return Array.from({ length: count }, (_, i) => {
    const y = y0 + i * rows;
    return { x: x0, y, width, height: Math.min(rows, y1 - y) };
  });
}

/** The SVG document of a tile of an overlay. Equal overlays at different places have equal documents. */
export function svgDocument(overlay: Overlay, tile: Box): string {
  const { width, height } = tile;
  const view = `${tile.x - overlay.x} ${tile.y - overlay.y} ${width} ${height}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${view}">${overlay.svg}</svg>`;
}

/** Draws overlays, the first at the bottom, onto the rows of the frame in the strip. `prepareRasteriser` must have been awaited. */
export function drawPreparedOverlays(strip: FrameStrip, frame: Size, overlays: readonly Overlay[]): void {
  for (const overlay of overlays)
    for (const tile of tilesOf(overlay, frame)) {
      if (tile.y >= strip.y0 + strip.height || tile.y + tile.height <= strip.y0) continue;
      blendOverlay(strip, tile, rasterise(svgDocument(overlay, tile), tile.width, tile.height));
    }
}
