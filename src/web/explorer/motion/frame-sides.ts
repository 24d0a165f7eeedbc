// The sides of frames, and whole images as frames.
import { frameGrid, type Tiles } from '../../../picture/moving-frame.ts';
import type { ImageRecord } from '../api/image-record.ts';
import { levelScale, type Size } from '../picture/geometry.ts';

export const sidesOf = ({ width, height, scale }: ImageRecord, address: Tiles): Size =>
  frameGrid({ width, height, scaleArcsecPerPixel: scale }, address);

export const fits = ({ width, height }: Size, side: number) => Math.max(width, height) <= side;

/** All of an image at the first level from `level` on at which its sides are at most `side` pixels. */
export function wholeFrom(image: ImageRecord, level: number, side: number): Tiles {
  const whole = { imageScale: levelScale(level) };
  return fits(sidesOf(image, whole), side) ? whole : wholeFrom(image, level + 1, side);
}
