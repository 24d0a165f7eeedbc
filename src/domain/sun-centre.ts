import type { ImageGeometry } from './image.ts';

/** The Sun's centre in image coordinates: pixels from the top left corner, y downward, pixel 0 covers [0, 1). */
export function sunCentre({ refPixelX, refPixelY, height }: Pick<ImageGeometry, 'refPixelX' | 'refPixelY' | 'height'>): {
  x: number;
  y: number;
} {
  return { x: refPixelX - 0.5, y: height - refPixelY + 0.5 };
}
