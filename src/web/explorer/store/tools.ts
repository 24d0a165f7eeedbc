// The state of the tools on the picture: pointer, ruler, and the region of screenshots and movies.
import { signal } from '@preact/signals';
import type { Box, Point } from '../picture/geometry.ts';

/** Pixels from the upper left corner of the picture; null while it is elsewhere. */
export const pointer = signal<Point | null>(null);
export const isMeasuring = signal(false);
/** Ends of the ruler, in arcseconds from the Sun's centre as seen from 1 au, y down. */
export const ruler = signal<{ readonly from: Point; readonly to: Point } | null>(null);
/** Whether the read-out follows a cross-hair in the middle of the picture, for touch screens and keyboards. */
export const hasCrosshair = signal(false);

export const hasChannels = signal(false);
export const hasCredit = signal(true);

export type Part = 'view' | 'square' | 'region';

export const part = signal<Part>('view');
/** Arcseconds from the Sun's centre as seen from 1 au, y down: the region stays on the Sun when the view moves. */
export const region = signal<Box | null>(null);
export const isDrawing = signal(false);
