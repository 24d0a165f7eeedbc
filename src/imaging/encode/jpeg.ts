// JPEG files from strips of rows.
import { checkSides, type StripEncoder, stripEncoder } from './encoder.ts';
import { JpegWriter } from './jpeg-writer.ts';

/** Largest side that libjpeg reads; the format could say 35 pixels more. */
const LONGEST_SIDE = 65500;

const DEFAULT_QUALITY = 80;

export interface JpegFormat {
  /** One byte a pixel, or three: R, G, B. */
  readonly format: 'grey' | 'rgb';
  /** 1..100 on the scale of the Independent JPEG Group; 80 unless said. */
  readonly quality?: number;
}

/** Throws RangeError for sides that JPEG does not know and for a quality out of range. */
export function jpeg(width: number, height: number, { format, quality = DEFAULT_QUALITY }: JpegFormat): StripEncoder {
  checkSides(width, height, LONGEST_SIDE);
  if (!(quality >= 1 && quality <= 100)) throw new RangeError(`Expected a number from 1 to 100 for quality, got ${quality}.`);
  const isGrey = format === 'grey';
  const bytesPerPixel = isGrey ? 1 : 3;
  return stripEncoder({ width, height, bytesPerPixel }, new JpegWriter(width, height, isGrey, quality));
}
