import type { Size } from '../../sun/image.ts';

export interface DownloadSize extends Size {
  /** Image pixels per picture pixel, at least 1. */
  readonly step: number;
}

/** Longest side of a picture in pixels: the size of AIA and HMI images. */
const LONGEST_SIDE = 4096;

/** Number of picture pixels whose centre lies inside the image. */
const pixels = (side: number, step: number) => Math.max(1, Math.ceil(side / step - 0.5));

/** The size for a width in pixels, else a reduction factor (2 for half the width), within the image and LONGEST_SIDE, in its proportions. */
export function downloadSize(image: Size, requested: { width?: number | undefined; scale?: number | undefined }): DownloadSize {
  const width = requested.width ?? Math.trunc(image.width / Math.max(requested.scale ?? 1, 1));
  const step = Math.max(image.width / Math.max(width, 1), 1, Math.max(image.width, image.height) / LONGEST_SIDE);
  return { step, width: pixels(image.width, step), height: pixels(image.height, step) };
}

/** Widths of the pictures that viewers show by themselves: the cards of the explorer. */
const SHOWN_WIDTHS: readonly number[] = [160];

const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value));

/** Whether the picture is stored. Other widths are drawn on each request, so that no client stores thousands of sizes of an image. */
export const isStoredSize = ({ width, step }: DownloadSize): boolean =>
  isPowerOfTwo(width) || isPowerOfTwo(step) || SHOWN_WIDTHS.includes(width);
