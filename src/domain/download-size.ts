// How large a whole image is when it is downloaded as a picture.

export interface Sides {
  readonly width: number;
  readonly height: number;
}

export interface DownloadSize extends Sides {
  /** Pixels of the image for each pixel of the picture, at least 1. */
  readonly step: number;
}

/** Longest side of a picture in pixels: that of the largest images which the archive has many of. */
const LONGEST_SIDE = 4096;

/** As many pixels as have their centre inside the image. */
const pixels = (side: number, step: number) => Math.max(1, Math.ceil(side / step - 0.5));

/**
 * The size for a wanted width, or else for a wanted ratio of sizes (2: half). Never larger than the image nor than
 * LONGEST_SIDE; the aspect ratio is that of the image.
 */
export function downloadSize(
  image: Sides,
  wanted: { readonly width?: number | undefined; readonly scale?: number | undefined },
): DownloadSize {
  const width = wanted.width ?? Math.trunc(image.width / Math.max(wanted.scale ?? 1, 1));
  const step = Math.max(image.width / Math.max(width, 1), 1, Math.max(image.width, image.height) / LONGEST_SIDE);
  return { step, width: pixels(image.width, step), height: pixels(image.height, step) };
}
