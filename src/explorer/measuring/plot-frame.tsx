// The frame of a plot with its axes and width, and what is read out of it: by the pointer, or by keys from row to row.
import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Axis, along, timeAxis } from '../../picture/plots/axes.ts';
import { isoDay } from '../../sun/time.ts';
import { nearestRow } from '../model/series.ts';
import type { Box, Size } from '../picture/geometry.ts';
import { change } from '../store/open.ts';
import { shown } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { fill } from '../texts.ts';
import type { CurveRun, MapRun } from './run.ts';

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

type Reading = ReturnType<typeof useReading>;

type AnyRun = Pick<CurveRun | MapRun, 'series' | 'rows' | 'state'>;

export type PlotArea = Pick<Box, 'left' | 'top'> & Size;

/** Margins of a plot, pixels. */
export const MARGIN = { left: 62, right: 40, top: 8, bottom: 40, between: 14 } as const;
/** Pixels of a label along an axis of times. */
const LABEL_PX = 76;
const TICK_PX = 4;
/** From an axis to the middle of its labels. */
const BELOW_PX = 16;

export function useWidth(): [RefObject<HTMLDivElement>, number] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/** The axis of the times of a measurement, so many pixels wide: all that was asked for until it is finished, then from its first row to its last. */
export function measuredTimes({ series, rows, state }: AnyRun, width: number): Axis {
  const times = rows.map(({ date }) => Date.parse(date));
  const isAll = state === 'running' || times.length < 2;
  const [startMs, endMs] = isAll ? [series.startMs, series.endMs] : [times[0]!, times.at(-1)!];
  const room = Math.max((endMs - startMs) * 0.01, 1000);
  const axis = timeAxis(startMs, endMs, room, Math.max(2, Math.floor(width / LABEL_PX)));
  const [first, last] = [isoDay(startMs), isoDay(endMs)];
  return { ...axis, title: fill(measuring.timeAxis, { day: first === last ? first : `${first} – ${last}` }) };
}

export interface FrameProps {
  readonly area: PlotArea;
  readonly x: Axis;
  readonly y: Axis;
  readonly hasTimes?: boolean;
  readonly children?: ComponentChildren;
}

export function PlotFrame({ area, x, y, hasTimes = true, children }: FrameProps) {
  const { left, top, width, height } = area;
  const bottom = top + height;
  const middle = top + height / 2;
  return (
    <g>
      {children}
      <rect class="plot-frame" x={left} y={top} width={width} height={height} />
      {x.ticks.map(({ at, label }) => (
        <g key={at}>
          <path class="plot-frame" d={`M${left + along(x, at, width)} ${bottom}v${TICK_PX}`} />
          {hasTimes && (
            <text x={left + along(x, at, width)} y={bottom + BELOW_PX} text-anchor="middle">
              {label}
            </text>
          )}
        </g>
      ))}
      {y.ticks.map(({ at, label }) => (
        <g key={at}>
          <path class="plot-frame" d={`M${left - TICK_PX} ${bottom - along(y, at, height)}h${TICK_PX}`} />
          <text x={left - TICK_PX - 3} y={bottom - along(y, at, height) + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {hasTimes && (
        <text x={left + width / 2} y={bottom + 2 * BELOW_PX} text-anchor="middle">
          {x.title}
        </text>
      )}
      <text x="11" y={middle} text-anchor="middle" transform={`rotate(-90 11 ${middle})`}>
        {y.title}
      </text>
    </g>
  );
}

export function TimeLine({ area, x, atMs, name }: Omit<FrameProps, 'y'> & { readonly atMs: number; readonly name: string }) {
  if (atMs < x.from || atMs > x.to) return null;
  return <path class={name} d={`M${(area.left + along(x, atMs, area.width)).toFixed(1)} ${area.top}v${area.height}`} />;
}

interface PlotProps {
  readonly name: 'curve' | 'map';
  readonly keys: string;
  readonly element: RefObject<HTMLDivElement>;
  readonly count: number;
  readonly height: number;
  readonly reading: string;
  readonly read: Reading;
  readonly children: ComponentChildren;
  readonly more?: ComponentChildren;
}

/** A plot whose rows are read out by a pointer and keys. `more`: what is below the reading. */
export const Plot = ({ name, keys, element, count, height, reading, read, children, more }: PlotProps) => (
  <div class="plot">
    <div
      ref={element}
      id={name}
      class="plot-body"
      role="slider"
      tabIndex={0}
      aria-label={`${measuring[name]}. ${keys}`}
      aria-valuemin={0}
      aria-valuemax={Math.max(count - 1, 0)}
      aria-valuenow={read.row.value ?? 0}
      aria-valuetext={reading || measuring.nothingRead}
      style={{ height: `${height}px` }}
      {...read.handlers}
    >
      {children}
    </div>
    <p id={`${name}-reading`} class="plot-reading quiet" aria-live="polite">
      {reading || measuring.plotHint}
    </p>
    {more}
  </div>
);
