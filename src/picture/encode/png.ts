// PNG (ISO/IEC 15948): pictures in strips, and small pictures that are in memory as a whole, such as tiles. Rows have filter Average, which
// gives the smallest files of all fixed filters on levels and is the fastest except for Up; rows of RGB have Paeth, which keeps colours of a table
// apart: up to 10 % fewer bytes.
import { crc32 } from 'node:zlib';
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import { drainChunks } from '../../platform/util/bytes.ts';
import { GREY_PALETTE } from '../colours.ts';
import type { Coverage } from '../grids/pixel-grid.ts';
import type { LayerPixels } from '../raster/compose.ts';
import { checkSides, type StripEncoder, stripEncoder } from './encoder.ts';
import { noteChunk, chunk as pngChunk } from './notes.ts';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Colour types of IHDR (table 11.1), used with 8 bits a sample only. */
const COLOUR = { grey: 0, rgb: 2, indexed: 3, rgba: 6 } as const;

type ColourType = (typeof COLOUR)[keyof typeof COLOUR];

const BYTES_PER_PIXEL: Readonly<Record<ColourType, number>> = { 0: 1, 2: 3, 3: 1, 6: 4 };

const chunk = (type: string, data: Uint8Array): Uint8Array => pngChunk(type, data, crc32);

function header(width: number, height: number, colourType: ColourType): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data.set([8, colourType], 8);
  return chunk('IHDR', data);
}

/** PLTE and, with a transparent index, tRNS; its colour is written as black. `palette`: R, G, B of each index. */
function paletteChunks(palette: Uint8Array, transparentIndex?: number): Uint8Array[] {
  if (transparentIndex === undefined) return [chunk('PLTE', palette)];
  const colours = palette.slice();
  colours.fill(0, transparentIndex * 3, transparentIndex * 3 + 3);
  const alpha = new Uint8Array(transparentIndex + 1).fill(255);
  alpha[transparentIndex] = 0;
  return [chunk('PLTE', colours), chunk('tRNS', alpha)];
}

const PIXEL_COST = { oneChannel: 0.4, severalChannels: 1.2 } as const;

/** Bytes of rows per IDAT chunk at least, but in the last: a deflate block without history, the same whatever the strips. */
const BLOCK_BYTES = 1 << 17;

/** Header of a zlib stream (RFC 1950): deflate, window of 32 KiB, fastest algorithm. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

/** The last deflate block, which is empty. */
const LAST_BLOCK = [0x03, 0x00];

/** Largest side that PNG can express (7.1). */
const MAX_SIDE = 2 ** 31 - 1;

/** An encoder that holds the file so far. `chunks`: chunks between header and image data, such as the palette. */
function png(width: number, height: number, colourType: ColourType, chunks: readonly Uint8Array[] = []): StripEncoder {
  checkSides(width, height, MAX_SIDE);
  const bytesPerPixel = BYTES_PER_PIXEL[colourType];
  const rowBytes = width * bytesPerPixel;
  const pixelCost = bytesPerPixel === 1 ? PIXEL_COST.oneChannel : PIXEL_COST.severalChannels;
  const blockRows = Math.ceil(BLOCK_BYTES / (rowBytes + 1));
  const file = [SIGNATURE, header(width, height, colourType), ...chunks, chunk('IDAT', ZLIB_HEADER)];
  /** The row above the next ones, and the Adler-32 of the filtered bytes (RFC 1950) as a signed number. */
  let [above, adler] = [new Uint8Array(rowBytes), 1];
  const add = (pixels: Uint8Array, rows: number) => {
    const bytes = rows * (rowBytes + 1);
    withCore((core) => {
      const [before, from] = [copyIn(core, above), copyIn(core, pixels)];
      const [filtered, scratch] = [allocate(core, bytes), allocate(core, 2 * bytes)];
      const out = allocate(core, 2 * bytes + 1024);
      core.filterRows(before, from, rowBytes, rows, bytesPerPixel, filtered);
      adler = core.adler32(adler, filtered, bytes);
      file.push(chunk('IDAT', bytesAt(core, out, core.deflate(filtered, bytes, scratch, out))));
    });
    above = pixels.slice(-rowBytes);
  };
  const end = (note?: string) => {
    // Behind signature and header.
    if (note !== undefined) file.splice(2, 0, noteChunk(note));
    const last = Uint8Array.of(...LAST_BLOCK, 0, 0, 0, 0);
    new DataView(last.buffer).setInt32(LAST_BLOCK.length, adler);
    file.push(chunk('IDAT', last), chunk('IEND', new Uint8Array(0)));
    return drainChunks(file);
  };
  return stripEncoder({ width, height, bytesPerPixel, pixelCost, blockRows }, { add, end });
}

/**
 * One byte a pixel: an index into `palette` (R, G, B of each, at most 256), or grey when that is null. Pixels of `transparentIndex` are
 * fully transparent. @throws RangeError for sides that PNG cannot express
 */
export function indexedPng(width: number, height: number, palette: Uint8Array | null, transparentIndex?: number): StripEncoder {
  if (palette) return png(width, height, COLOUR.indexed, paletteChunks(palette, transparentIndex));
  // tRNS of a grey picture (11.3.2) is the sample in two bytes.
  const chunks = transparentIndex === undefined ? [] : [chunk('tRNS', Uint8Array.of(0, transparentIndex))];
  return png(width, height, COLOUR.grey, chunks);
}

/** Three bytes a pixel: R, G, B. @throws RangeError for sides that PNG cannot express */
export const rgbPng = (width: number, height: number): StripEncoder => png(width, height, COLOUR.rgb);

/** R, G, B of each pixel as a PNG file. */
export async function pixelsPng(rgb: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  const encoder = rgbPng(width, height);
  await encoder.write(rgb, height);
  return encoder.finish();
}

/** Four bytes a pixel: R, G, B, A, alpha not premultiplied. @throws RangeError for sides that PNG cannot express */
export const rgbaPng = (width: number, height: number): StripEncoder => png(width, height, COLOUR.rgba);

/** One byte a pixel: an index into `colours` (R, G, B, A, alpha not premultiplied). @throws RangeError for sides that PNG cannot express */
export function translucentPng(width: number, height: number, colours: Uint8Array): StripEncoder {
  const [rgb, alpha] = [colours.filter((_, i) => i % 4 < 3), colours.filter((_, i) => i % 4 === 3)];
  return png(width, height, COLOUR.indexed, [chunk('PLTE', rgb), chunk('tRNS', alpha)]);
}

function unusedValue(samples: Uint8Array): number | undefined {
  const used = new Uint8Array(256);
  for (let i = 0; i < samples.length; i++) used[samples[i]!] = 1;
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
  const words = Uint8Array.from({ length: 4 * 256 }, (_, i) => (i % 4 < 3 ? colours[3 * (i >> 2) + (i % 4)]! : 0));
  const count = width * height;
  const pixels = withCore((core) => {
    const [from, table] = [copyIn(core, samples), copyIn(core, words)];
    const mask = alpha ? copyIn(core, alpha) : 0;
    const out = allocate(core, 4 * count);
    core.colourPixels(from, mask, table, count, out);
    return bytesAt(core, out, 4 * count).slice();
  });
  fillOutside(pixels, width, height, covered, 0, 4);
  return pixels;
}

/** Encoders of rows without loss. */
export interface LosslessEncoders {
  /** Palette indexes: 256 times R, G, B, or grey for null. */
  readonly indexed: (width: number, height: number, palette: Uint8Array | null, transparentIndex?: number) => StripEncoder;
  /** R, G, B, A of each pixel, alpha not premultiplied. */
  readonly rgba: (width: number, height: number) => StripEncoder;
}

/**
 * The pixels of a layer, over its samples, and the encoder that makes the smallest file of them: indexed when all is covered or an index is free for
 * transparency, else RGBA.
 */
export function wholeLayer(
  { width, height, samples, covered, palette, alpha }: LayerPixels,
  { indexed, rgba }: LosslessEncoders,
) {
  const colours = palette ?? GREY_PALETTE;
  const isCovered = covered.x0 === 0 && covered.y0 === 0 && covered.x1 === width && covered.y1 === height;
  // Uncovered pixels are still 0, so 0 counts as used, which costs one palette index at most.
  const transparentIndex = alpha || isCovered ? undefined : unusedValue(samples);
  if (alpha || (!isCovered && transparentIndex === undefined))
    return { encoder: rgba(width, height), pixels: colouredPixels(samples, width, height, covered, colours, alpha) };
  if (transparentIndex !== undefined) fillOutside(samples, width, height, covered, transparentIndex, 1);
  return { encoder: indexed(width, height, colours, transparentIndex), pixels: samples };
}
