// Physical values as the explorer states them.
import { directionOf, type Edges, type PlanePoint, sidesOfEdges } from '../../sun/coordinates/picture-plane.ts';
import { SOLAR_RADIUS_M } from '../../sun/geometry.ts';
import type { ImageRecord, Placed } from '../api/image-record.ts';

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

/** A place that is measured: arcseconds to the west and north of the Sun's centre, as the observer of an image saw them. */
export type ValuePlace = ReturnType<typeof directionOf>;

/** Parts of a pixel to which places are rounded, and decimals of them. */
const [PARTS, DECIMALS] = [4, 4];

/**
 * The place of an image that is shown at a point, arcseconds from the Sun's centre as seen from 1 au, y down; null beside the image.
 * @param edges Of an image that has been turned to the north
 */
export function placeAt(image: Placed & Pick<ImageRecord, 'dsun'>, point: PlanePoint, edges?: Edges): ValuePlace | null {
  const { width, height, scale, refPixelX, refPixelY, dsun } = image;
  const rounded = (arcsec: number) => Math.round((PARTS * arcsec) / scale) / PARTS;
  const [x, y] = [rounded(point.x), rounded(point.y)];
  const isIn = edges
    ? sidesOfEdges(edges).every(([a, b, constant]) => Math.abs(a * point.x + b * point.y + constant) <= 1)
    : Math.abs(refPixelX + x - (width + 1) / 2) < width / 2 && Math.abs(refPixelY - y - (height + 1) / 2) < height / 2;
  if (!isIn) return null;
  const seen = directionOf({ x: x * scale, y: y * scale }, { distanceRadii: dsun / SOLAR_RADIUS_M });
  return { x: Number(seen.x.toFixed(DECIMALS)), y: Number(seen.y.toFixed(DECIMALS)) };
}
