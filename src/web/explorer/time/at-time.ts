// Keeps a mark of the timeline at the time on the screen, without a render of the timeline for each frame of play.
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { screen } from '../store/state.ts';

/** Places an element at the time on the screen; beyond the timeline it is hidden. */
export function useTimeOnScreen(mark: RefObject<HTMLElement>, startMs: number, spanMs: number): void {
  useLayoutEffect(
    () =>
      effect(() => {
        const place = ((screen.value?.view.atMs ?? startMs) - startMs) / spanMs;
        const { style } = mark.current!;
        style.left = `${place * 100}%`;
        style.visibility = place < 0 || place > 1 ? 'hidden' : '';
      }),
    [mark, startMs, spanMs],
  );
}
