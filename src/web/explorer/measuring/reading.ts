// What is read out of a plot: by the pointer, or by keys from row to row; a click or Enter goes to its time.
import { useSignal } from '@preact/signals';
import { nearestRow } from '../model/series.ts';
import { change } from '../store/open.ts';
import { shown } from '../store/state.ts';

const PAGE = 10;

/**
 * @param times Of the rows
 * @param timeAt The time at a place of the page
 * @param more What other keys do
 */
export function useReading(
  times: readonly number[],
  timeAt: (event: MouseEvent) => number,
  more: Readonly<Record<string, () => void>> = {},
) {
  const row = useSignal<number | null>(null);
  const present = () => row.peek() ?? nearestRow(times, shown.value?.view.atMs ?? times[0]!);
  const to = (index: number) => {
    row.value = Math.min(Math.max(index, 0), times.length - 1);
  };
  const go = () => void change({ atMs: Math.round(times[present()]!) });
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => to(present() - 1),
    ArrowRight: () => to(present() + 1),
    PageDown: () => to(present() - PAGE),
    PageUp: () => to(present() + PAGE),
    Home: () => to(0),
    End: () => to(times.length - 1),
    Enter: go,
    ...more,
  };
  return {
    row,
    handlers: {
      onKeyDown: (event: KeyboardEvent) => {
        const act = event.ctrlKey || event.metaKey || event.altKey || times.length === 0 ? undefined : keys[event.key];
        if (!act) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      },
      onPointerMove: (event: PointerEvent) => {
        if (times.length > 0) to(nearestRow(times, timeAt(event)));
      },
      // A finger leaves with each tap, after which the reading stays.
      onPointerLeave: (event: PointerEvent) => {
        if (event.pointerType === 'mouse') row.value = null;
      },
      onClick: (event: MouseEvent) => {
        if (times.length === 0) return;
        to(nearestRow(times, timeAt(event)));
        go();
      },
    },
  };
}

export type Reading = ReturnType<typeof useReading>;
