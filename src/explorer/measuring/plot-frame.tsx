// The frame of a plot with its axes and width, and what is read out of it: by the pointer, or by keys from row to row.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Axis, along, timeAxis } from '../../picture/plots/axes.ts';
import { frame, type PlotArea } from '../../picture/plots/frame.ts';
import { isoDay } from '../../sun/time.ts';
import { nearestRow } from '../model/series.ts';
import { onKeys } from '../page/controls.tsx';
import { change } from '../store/open.ts';
import { shown } from '../store/state.ts';
import { measuring } from '../texts/more.ts';
import { fill } from '../texts.ts';
import type { CurveRun, MapRun } from './run.ts';

const PAGE = 10;

/** Margins of a plot, pixels. */
export const MARGIN = { left: 66, right: 40, top: 8, bottom: 46, between: 14 } as const;
/** Pixels of a label along an axis of times. */
const LABEL_PX = 76;

/**
 * The width of a plot, its axis of times, and the row that is read out of it. The axis has all that was asked for until the measurement is
 * finished, then the time from its first row to its last.
 * @param right Pixels right of the axis
 * @param more What other keys do
 */
export function usePlot(
  { series, rows, state }: Pick<CurveRun | MapRun, 'series' | 'rows' | 'state'>,
  right: number,
  more: Readonly<Record<string, () => void>> = {},
) {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  const times = rows.map(({ date }) => Date.parse(date));
  const inner = Math.max(width - MARGIN.left - right, 1);
  const isAll = state === 'running' || times.length < 2;
  const [startMs, endMs] = isAll ? [series.startMs, series.endMs] : [times[0]!, times.at(-1)!];
  const room = Math.max((endMs - startMs) * 0.01, 1000);
  const axis = timeAxis(startMs, endMs, room, Math.max(2, Math.floor(inner / LABEL_PX)));
  const [first, last] = [isoDay(startMs), isoDay(endMs)];
  const x: Axis = { ...axis, title: fill(measuring.timeAxis, { day: first === last ? first : `${first} – ${last}` }) };
  const row = useSignal<number | null>(null);
  const timeAt = ({ clientX }: MouseEvent) =>
    x.from + ((clientX - element.current!.getBoundingClientRect().left - MARGIN.left) / inner) * (x.to - x.from);
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
  const handlers = {
    onKeyDown: onKeys(times.length === 0 ? {} : keys, (act) => act()),
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
  };
  return { element, width, inner, times, x, row, handlers };
}

interface FrameProps {
  readonly area: PlotArea;
  readonly x: Axis;
  readonly y: Axis;
  readonly hasTimes?: boolean;
  /** The time that is read out; undefined for none. */
  readonly readMs: number | undefined;
  readonly children?: ComponentChildren;
}

/** A plot with its frame, and lines at the shown time and the one that is read out. */
export function PlotFrame({ area, x, y, hasTimes = true, readMs, children }: FrameProps) {
  const line = (name: string, atMs = Number.NaN) => {
    const left = (area.left + along(x, atMs, area.width)).toFixed(1);
    return atMs >= x.from && atMs <= x.to && <path class={name} d={`M${left} ${area.top}v${area.height}`} />;
  };
  return (
    <>
      {children}
      {line('plot-now', shown.value?.view.atMs)}
      {line('plot-read', readMs)}
      <g class="plot-frame" dangerouslySetInnerHTML={{ __html: frame(area, x, y, hasTimes) }} />
    </>
  );
}

interface PlotProps {
  readonly name: 'curve' | 'map';
  readonly keys: string;
  readonly plot: Pick<ReturnType<typeof usePlot>, 'element' | 'width' | 'times' | 'row' | 'handlers'>;
  readonly height: number;
  readonly reading: string;
  /** What is under its drawing. */
  readonly under?: ComponentChildren;
  readonly children: ComponentChildren;
  /** What is below the reading. */
  readonly more: ComponentChildren;
}

/** A plot whose rows are read out by a pointer and keys. */
export const Plot = ({ name, keys, plot, height, reading, under, children, more }: PlotProps) => (
  <div class="plot">
    <div
      ref={plot.element}
      id={name}
      class="plot-body"
      role="slider"
      tabIndex={0}
      aria-label={`${measuring[name]}. ${keys}`}
      aria-valuemin={0}
      aria-valuemax={Math.max(plot.times.length - 1, 0)}
      aria-valuenow={plot.row.value ?? 0}
      aria-valuetext={reading || measuring.nothingRead}
      style={{ height: `${height}px` }}
      {...plot.handlers}
    >
      {under}
      {plot.width > 0 && (
        <svg width={plot.width} height={height} aria-hidden="true">
          {children}
        </svg>
      )}
    </div>
    <p id={`${name}-reading`} class="plot-reading quiet" aria-live="polite">
      {reading || measuring.plotHint}
    </p>
    {more}
  </div>
);
