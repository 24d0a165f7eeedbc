// PNG encoders: pictures in strips, and small pictures that are in memory as a whole, such as tiles.
import { checkSides, type StripEncoder, stripEncoder } from './encoder.ts';
import { BYTES_PER_PIXEL, COLOUR, type ColourType, chunk, paletteChunks, translucentPaletteChunks } from './png-chunks.ts';
import { PngWriter } from './png-writer.ts';

/** Largest side that PNG can express (7.1). */
const MAX_SIDE = 2 ** 31 - 1;

function png(width: number, height: number, colourType: ColourType, chunks?: readonly Uint8Array[]): StripEncoder {
  checkSides(width, height, MAX_SIDE);
  const bytesPerPixel = BYTES_PER_PIXEL[colourType];
  return stripEncoder({ width, height, bytesPerPixel }, new PngWriter(width, height, colourType, chunks));
}

/** tRNS of a grey picture (11.3.2): the sample in two bytes. */
const greyTransparency = (sample: number): Uint8Array => chunk('tRNS', Uint8Array.of(0, sample));

/**
 * One byte a pixel: an index into `palette` (R, G, B of each, at most 256), or grey when that is null. Pixels of
 * `transparentIndex` are fully transparent.
 *
 * @throws RangeError for sides that PNG cannot express
 */
export function indexedPng(width: number, height: number, palette: Uint8Array | null, transparentIndex?: number): StripEncoder {
  if (palette) return png(width, height, COLOUR.indexed, paletteChunks(palette, transparentIndex));
  return png(width, height, COLOUR.grey, transparentIndex === undefined ? [] : [greyTransparency(transparentIndex)]);
}

/**
 * Three bytes a pixel: R, G, B.
 *
 * @throws RangeError for sides that PNG cannot express
 */
export function rgbPng(width: number, height: number): StripEncoder {
  return png(width, height, COLOUR.rgb);
}

/**
 * One byte a pixel: an index into `colours` (R, G, B, A of each, at most 256, alpha not premultiplied).
 *
 * @throws RangeError for sides that PNG cannot express
 */
export function translucentPng(width: number, height: number, colours: Uint8Array): StripEncoder {
  return png(width, height, COLOUR.indexed, translucentPaletteChunks(colours));
}

export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** One palette index a pixel. */
  readonly indexes: Uint8Array;
  /** R, G, B of each index. */
  readonly palette: Uint8Array;
  /** The index that is fully transparent; its colour is written as black. */
  readonly transparentIndex?: number | undefined;
}

export function encodeIndexedPng({ width, height, indexes, palette, transparentIndex }: IndexedImage): Uint8Array {
  const writer = new PngWriter(width, height, COLOUR.indexed, paletteChunks(palette, transparentIndex));
  writer.add(indexes, height);
  return writer.end();
}

/** `pixels`: R, G, B, A of each pixel, alpha not premultiplied. */
export function encodeRgbaPng(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const writer = new PngWriter(width, height, COLOUR.rgba);
  writer.add(pixels, height);
  return writer.end();
}
