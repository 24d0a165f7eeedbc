// An overlay is a box in the frame, and SVG markup in the coordinates of that box.

/** Size of the frame in pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in whole pixels of the frame; it may extend beyond the frame. */
export interface Box extends FrameSize {
  readonly x: number;
  readonly y: number;
}

export interface Overlay extends Box {
  /** SVG elements without the root; the origin is the box's upper left corner, the unit a pixel of the frame. */
  readonly svg: string;
}

/**
 * A number for markup, with at most two decimals.
 *
 * @throws RangeError for numbers that are not finite
 */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`Expected a finite number in an overlay, got ${value}.`);
  return String(Math.round(value * 100) / 100 + 0);
}

export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

const COLOUR = /^#?([0-9a-f]{6})$/i;

/** `#rrggbb` from six hexadecimal digits with or without `#`; the grey of unknown event types otherwise. */
export function colour(text: string): string {
  return `#${COLOUR.exec(text)?.[1]?.toLowerCase() ?? 'd4d4d4'}`;
}
