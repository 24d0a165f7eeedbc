// Drags on the picture, in arcseconds from the Sun's centre as seen from 1 au, y down.
import { useRef } from 'preact/hooks';
import { onKeys } from '../page/controls.tsx';
import { type Point, pointIn } from './geometry.ts';
import { pointAt } from './screen.ts';

const STEP_PIXELS = 10;

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -STEP_PIXELS, y: 0 },
  ArrowRight: { x: STEP_PIXELS, y: 0 },
  ArrowUp: { x: 0, y: -STEP_PIXELS },
  ArrowDown: { x: 0, y: STEP_PIXELS },
};

/** A listener for arrow keys, which move what lies on the picture or, with the shift key, resize it. @param pixel Arcseconds */
export const arrowKeys = (pixel: number, act: (by: Point, isResized: boolean) => void) =>
  onKeys(ARROWS, ({ x, y }, { shiftKey }) => act({ x: x * pixel, y: y * pixel }, shiftKey));

/** The point of the picture below a pointer; null where the projection shows none of it. */
export const pointedAt = (event: MouseEvent): Point | null => pointAt(pointIn(document.getElementById('view')!, event));

interface Drag<T> {
  /** The place of a pointer; unset, that on the picture. Null where a drag finds none. */
  readonly at?: (event: PointerEvent) => Point | null;
  /** What is dragged, as it is when the drag begins; unset, nothing. */
  readonly of?: () => T;
  readonly onMove: (from: Point, to: Point, start: T) => void;
  readonly onEnd?: (start: T, event: PointerEvent) => void;
}

/** Follows a drag: `onMove` gets its start, its present point, and what it has begun with. */
export function useDrag<T = null>({ at = pointedAt, of = () => null as T, onMove, onEnd }: Drag<T>) {
  const start = useRef<{ readonly from: Point; readonly what: T } | null>(null);
  const end = (event: PointerEvent) => {
    if (start.current) onEnd?.(start.current.what, event);
    start.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      const from = at(event);
      if (event.button !== 0 || !from) return;
      event.stopPropagation();
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      start.current = { from, what: of() };
    },
    onPointerMove: (event: PointerEvent) => {
      const to = start.current && at(event);
      if (start.current && to) onMove(start.current.from, to, start.current.what);
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
