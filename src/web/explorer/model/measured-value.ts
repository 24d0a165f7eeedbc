// Physical values as the explorer states them.
import type { ViewPoint } from '../../../picture/address/view.ts';
import type { Placed } from '../api/image-record.ts';

/** A value with its interval; ends are null where they are open. */
export interface ValueInterval {
  readonly value: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Digits of the width of an interval that are shown. */
const WIDTH_DIGITS = 2;
/** Significant digits of a value without an interval. */
const VALUE_DIGITS = 3;
const MOST_DECIMALS = 9;

const magnitudeOf = (value: number) => Math.floor(Math.log10(Math.abs(value)));

/** Decimals of the numbers of an interval, so that its width has two digits; below 0: they are rounded to tens, hundreds and so on. */
export function decimalsOf({ value, lower, upper }: ValueInterval): number {
  const width = lower === null || upper === null ? 0 : upper - lower;
  if (!(width > 0)) return value === 0 ? 0 : Math.min(MOST_DECIMALS, Math.max(0, VALUE_DIGITS - 1 - magnitudeOf(value)));
  return Math.min(MOST_DECIMALS, WIDTH_DIGITS - 1 - magnitudeOf(width));
}

/**
 * The pixel of an image that is shown at a point, by FITS: 1, 1 at the lower left; null beside the image.
 * @param point Arcseconds from the Sun's centre as seen from 1 au, y down
 */
export function pixelAt({ width, height, scale, refPixelX, refPixelY }: Placed, point: ViewPoint): ViewPoint | null {
  const [x, y] = [Math.round(refPixelX + point.x / scale), Math.round(refPixelY - point.y / scale)];
  return x >= 1 && y >= 1 && x <= width && y <= height ? { x, y } : null;
}
