// PNG files from strips of rows: one index, one grey, R G B, or R G B A a pixel.
import { checkSides, type StripEncoder, stripEncoder } from './encoder.ts';
import { BYTES_PER_PIXEL, COLOUR, type ColourType, chunk, paletteChunks } from './png-chunks.ts';
import { PngWriter } from './png-writer.ts';

/** Largest side that PNG can say (7.1). */
const LONGEST_SIDE = 2 ** 31 - 1;

function png(width: number, height: number, colourType: ColourType, chunks?: readonly Uint8Array[]): StripEncoder {
  checkSides(width, height, LONGEST_SIDE);
  const bytesPerPixel = BYTES_PER_PIXEL[colourType];
  return stripEncoder({ width, height, bytesPerPixel }, new PngWriter(width, height, colourType, chunks));
}

/** tRNS of a grey picture (11.3.2): the sample in two bytes. */
const greyTransparency = (sample: number): Uint8Array => chunk('tRNS', Uint8Array.of(0, sample));

/**
 * One byte a pixel: an index into `palette` (R, G, B of each, at most 256), or grey when that is null. Pixels of
 * `transparentIndex` are wholly transparent. Throws RangeError for sides that PNG does not know.
 */
export function indexedPng(width: number, height: number, palette: Uint8Array | null, transparentIndex?: number): StripEncoder {
  if (palette) return png(width, height, COLOUR.indexed, paletteChunks(palette, transparentIndex));
  return png(width, height, COLOUR.grey, transparentIndex === undefined ? [] : [greyTransparency(transparentIndex)]);
}

/** Three bytes a pixel: R, G, B. Throws as `indexedPng`. */
export function rgbPng(width: number, height: number): StripEncoder {
  return png(width, height, COLOUR.rgb);
}

/** Four bytes a pixel: R, G, B, A, alpha not premultiplied. Throws as `indexedPng`. */
export function rgbaPng(width: number, height: number): StripEncoder {
  return png(width, height, COLOUR.rgba);
}
