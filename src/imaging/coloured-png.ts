// Encodes grey samples and a colour table as the smallest PNG that represents them exactly.
import { GREY_PALETTE } from './colour/palette.ts';
import { withCore } from './core/core.ts';
import { bytesAt, placed, room } from './core/memory.ts';
import { encodeIndexedPng, encodeRgbaPng } from './encode/png.ts';

/** The part of a picture that has samples; the rest is transparent. x1, y1 exclusive. */
export interface Coverage {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Colours of a table. */
const PALETTE_COLOURS = 256;

function unusedValue(samples: Uint8Array): number | undefined {
  const used = new Uint8Array(256);
  for (let i = 0; i < samples.length; i++) used[samples[i] as number] = 1;
  const unused = used.indexOf(0);
  return unused < 0 ? undefined : unused;
}

/** Sets every pixel outside `covered` to `value`, `size` bytes a pixel. */
function fillOutside(pixels: Uint8Array, width: number, height: number, covered: Coverage, value: number, size: number): void {
  const row = width * size;
  pixels.fill(value, 0, covered.y0 * row);
  pixels.fill(value, covered.y1 * row, height * row);
  for (let y = covered.y0; y < covered.y1; y++) {
    pixels.fill(value, y * row, y * row + covered.x0 * size);
    pixels.fill(value, y * row + covered.x1 * size, (y + 1) * row);
  }
}

/** R, G, B, A of each pixel; fully transparent ones are black. */
export function colouredPixels(
  samples: Uint8Array,
  width: number,
  height: number,
  covered: Coverage,
  colours: Uint8Array,
  alpha: Uint8Array | null,
): Uint8Array {
  const words = Uint8Array.from({ length: 4 * PALETTE_COLOURS }, (_, i) =>
    i % 4 < 3 ? (colours[3 * (i >> 2) + (i % 4)] as number) : 0,
  );
  const count = width * height;
  const pixels = withCore((core) => {
    const [from, table] = [placed(core, samples), placed(core, words)];
    const mask = alpha ? placed(core, alpha) : 0;
    const out = room(core, 4 * count);
    core.colourPixels(from, mask, table, count, out);
    return bytesAt(core, out, 4 * count).slice();
  });
  fillOutside(pixels, width, height, covered, 0, 4);
  return pixels;
}

/**
 * Encodes `samples` (one byte a pixel, overwritten) with `palette` (256 times R, G, B; null for grey). The PNG is indexed when all is
 * covered or an index is free for the transparent rest, else RGBA. `alpha`: of each pixel, from a mask.
 */
export function encodeColouredPng(
  samples: Uint8Array,
  width: number,
  height: number,
  covered: Coverage,
  palette: Uint8Array | null,
  alpha: Uint8Array | null = null,
): Uint8Array {
  const colours = palette ?? GREY_PALETTE;
  if (alpha) return encodeRgbaPng(width, height, colouredPixels(samples, width, height, covered, colours, alpha));
  if (covered.x0 === 0 && covered.y0 === 0 && covered.x1 === width && covered.y1 === height) {
    return encodeIndexedPng({ width, height, indexes: samples, palette: colours });
  }
  // Uncovered pixels are still 0, so 0 counts as used, which costs one palette index at most.
  const transparentIndex = unusedValue(samples);
  if (transparentIndex !== undefined) {
    fillOutside(samples, width, height, covered, transparentIndex, 1);
    return encodeIndexedPng({ width, height, indexes: samples, palette: colours, transparentIndex });
  }
  return encodeRgbaPng(width, height, colouredPixels(samples, width, height, covered, colours, null));
}
