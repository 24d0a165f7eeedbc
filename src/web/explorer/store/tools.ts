// The state of the tools on the picture: pointer, ruler, and the region of screenshots and movies.
import { signal } from '@preact/signals';
import type { Box, Point } from '../picture/geometry.ts';
import type { Frame } from '../picture/picture.ts';

/** Pixels from the upper left corner of the picture; null while it is elsewhere. */
export const pointer = signal<Point | null>(null);
export const isMeasuring = signal(false);
/** Ends of the ruler, in arcseconds from the Sun's centre as seen from 1 au, y down. */
export const ruler = signal<{ readonly from: Point; readonly to: Point } | null>(null);
/** Whether the read-out follows a cross-hair in the middle of the picture, for touch screens and keyboards. */
export const hasCrosshair = signal(false);

/**
 * What the left side of the picture shows while two things are compared, and where the sides meet, in parts of the width. `held`: the picture
 * of another time with its caption; null: the layers below the top one.
 */
export const comparison = signal<{
  readonly held: { readonly frame: Frame; readonly caption: string } | null;
  readonly share: number;
} | null>(null);

export const hasChannels = signal(false);
export const hasCredit = signal(true);

export type Part = 'view' | 'square' | 'region';

export const part = signal<Part>('view');
/** Arcseconds from the Sun's centre as seen from 1 au, y down: the region stays on the Sun when the view moves. */
export const region = signal<Box | null>(null);
export const isDrawing = signal(false);
