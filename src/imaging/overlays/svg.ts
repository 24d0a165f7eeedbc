// What every overlay is: a box in the frame, and markup in the coordinates of that box.

/** Size of the whole picture in pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A rectangle of the frame in whole pixels; it may reach out of the frame. */
export interface Box extends FrameSize {
  readonly x: number;
  readonly y: number;
}

export interface Overlay extends Box {
  /** SVG elements without the root. 0, 0 is the box's top left corner, the unit is a pixel of the frame. */
  readonly svg: string;
}

/** A number in markup: two decimals at most. Throws for what is not finite, which no overlay may let through. */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`Expected a finite number in an overlay, got ${value}.`);
  return String(Math.round(value * 100) / 100 + 0);
}

export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

const COLOUR = /^#?([0-9a-f]{6})$/i;

/** `#rrggbb` of six hexadecimal digits with or without `#`; the grey of unknown event types for anything else. */
export function colour(text: string): string {
  return `#${COLOUR.exec(text)?.[1]?.toLowerCase() ?? 'd4d4d4'}`;
}
