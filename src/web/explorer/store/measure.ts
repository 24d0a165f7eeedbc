// The state of measurements: the pointer, and the two ends of the ruler.
import { signal } from '@preact/signals';
import type { Point } from '../picture/geometry.ts';

/** Pixels from the upper left corner of the picture; null while it is elsewhere. */
export const pointer = signal<Point | null>(null);
/** Whether a drag measures instead of moving the picture. */
export const isMeasuring = signal(false);
/** Ends of the ruler, in arcseconds from the Sun's centre as seen from 1 au, y down. */
export const ruler = signal<{ readonly from: Point; readonly to: Point } | null>(null);
/** Whether the read-out follows a cross-hair in the middle of the picture, for touch screens and keyboards. */
export const hasCrosshair = signal(false);
