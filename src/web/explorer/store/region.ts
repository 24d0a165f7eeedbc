// The part of the picture that screenshots and movies show, when it is a region of its own.
import { signal } from '@preact/signals';
import type { Box } from '../picture/geometry.ts';

export type Part = 'view' | 'square' | 'region';

export const part = signal<Part>('view');
/** Arcseconds from the Sun's centre as seen from 1 au, y down: the region stays on the Sun when the view moves. */
export const region = signal<Box | null>(null);
/** Whether the next drag on the picture draws a region. */
export const isDrawing = signal(false);
