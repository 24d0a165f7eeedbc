// Lossless WebP files from strips of rows.
import { GREY_TABLE } from '../colour/grey-table.ts';
import { checkSides, type StripEncoder, stripEncoder } from './encoder.ts';
import { Vp8lWriter } from './vp8l-writer.ts';

/** Largest side of a WebP file that readers take; the format could say one pixel more. */
const LONGEST_SIDE = 16383;

export type WebpFormat =
  | {
      /** One byte a pixel: an index into `palette`, or grey without one. */
      readonly format: 'indexed';
      /** R, G, B of each index, at most 256. */
      readonly palette?: Uint8Array | null;
      /** The index that is wholly transparent; its colour is written as black. */
      readonly transparentIndex?: number | undefined;
    }
  | {
      /** Three bytes a pixel: R, G, B; or four: R, G, B, A, alpha not premultiplied. */
      readonly format: 'rgb' | 'rgba';
    };

/** Throws RangeError for sides that WebP does not know. */
export function webp(width: number, height: number, frame: WebpFormat): StripEncoder {
  checkSides(width, height, LONGEST_SIDE);
  if (frame.format === 'indexed') {
    const palette = { colours: frame.palette ?? GREY_TABLE, transparentIndex: frame.transparentIndex };
    return stripEncoder({ width, height, bytesPerPixel: 1 }, new Vp8lWriter(width, height, 1, palette));
  }
  const bytesPerPixel = frame.format === 'rgb' ? 3 : 4;
  return stripEncoder({ width, height, bytesPerPixel }, new Vp8lWriter(width, height, bytesPerPixel, null));
}
