// PNG files of pictures that are whole in memory, as tiles are; encode/png.ts takes larger ones in strips.
import { COLOUR, paletteChunks } from './encode/png-chunks.ts';
import { PngWriter } from './encode/png-writer.ts';

export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** One palette index a pixel. */
  readonly indexes: Uint8Array;
  /** R, G, B of each index. */
  readonly palette: Uint8Array;
  /** The index that is wholly transparent; its colour is written as black. */
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
