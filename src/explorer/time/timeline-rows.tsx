// The drawing of the timeline, in units of a thousandth of its width, with marks that follow the time on the screen.
import { effect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { formatIso } from '../../sun/time.ts';
import { type LayerCoverage, type MarkerRow, markerRows, type Range } from '../model/timeline.ts';
import { screen } from '../store/state.ts';
import { texts } from '../texts.ts';
import type { TimelineContent } from './readout.tsx';
import type { ShownSpan } from './timeline-range.ts';

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

const WIDTH = 1000;
const ROW = 8;
const ROW_GAP = 3;
/** Height of the rows of events together, and of a single one at most. */
const EVENT_ROWS = 24;
const MOST_EVENT_ROW = 10;
/** Below it, a lane of a row is as high as this. */
const LEAST_LANE = 1;
const TICK_STEPS_MS = [
  ...[0.25, 1, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 30, 91, 365.25, 1826].map((days) => days * DAY_MS),
];
const MOST_TICKS = 7;

type Scale = (ms: number) => number;

type RowProps = { readonly x: Scale; readonly top: number; readonly height: number };

function ticksOf(startMs: number, spanMs: number): { atMs: number; text: string }[] {
  const stepMs = TICK_STEPS_MS.find((step) => spanMs / step <= MOST_TICKS) ?? TICK_STEPS_MS.at(-1)!;
  const ticks: { atMs: number; text: string }[] = [];
  for (let atMs = Math.ceil(startMs / stepMs) * stepMs; atMs < startMs + spanMs; atMs += stepMs) {
    const iso = formatIso(atMs);
    const isDay = iso.slice(11, 16) === '00:00' || stepMs >= DAY_MS;
    const [from, to] = stepMs >= 365 * DAY_MS ? [0, 4] : stepMs >= 28 * DAY_MS ? [0, 7] : isDay ? [5, 10] : [11, 16];
    ticks.push({ atMs, text: iso.slice(from, to) });
  }
  return ticks;
}

/** Distance between images up to which there is no gap, in units of the usual distance. */
const GAP = 2.5;

/** Stretches with images: bins without any are no gap when they are shorter than the usual distance between images. */
function stretchesOf({ bins, binMs }: LayerCoverage): [number, number][] {
  const starts = bins.filter(({ count }) => count > 0).map(({ startMs }) => startMs);
  const distances = starts
    .slice(1)
    .map((startMs, i) => startMs - starts[i]!)
    .sort((a, b) => a - b);
  const usualMs = distances[Math.floor(distances.length / 2)] ?? binMs;
  const stretches: [number, number][] = [];
  for (const startMs of starts) {
    const last = stretches.at(-1);
    if (last && binMs > 0 && startMs - last[1] <= GAP * usualMs - binMs) last[1] = startMs + binMs;
    else stretches.push([startMs, startMs + binMs]);
  }
  return stretches;
}

function Bins({ layer, x, top }: { readonly layer: LayerCoverage; readonly x: Scale; readonly top: number }) {
  const least = layer.binMs === 0 ? 2 : 1;
  const path = stretchesOf(layer)
    .map(([startMs, endMs]) => {
      const width = Math.max(x(endMs) - x(startMs), least);
      return `M${x(startMs).toFixed(1)} ${top}h${width.toFixed(1)}v${ROW}h${(-width).toFixed(1)}z`;
    })
    .join('');
  return <path class="images" d={path} />;
}

type HatchedProps = RowProps & { readonly name: 'gap' | 'unknown'; readonly range: Range };

/** Hatches what has been searched without a result, or has not been counted. */
const Hatched = ({ name, range: { startMs, endMs }, x, top, height }: HatchedProps) => (
  <rect class={name} x={x(startMs)} y={top} width={x(endMs) - x(startMs)} height={height} fill="url(#gap)" />
);

/** The events of a type: those at the same time beside each other. */
function EventRow({ row: { lanes }, x, top, height }: RowProps & { readonly row: MarkerRow }) {
  const laneHeight = Math.max(height / Math.max(lanes.length, 1), LEAST_LANE);
  return lanes.flatMap((lane, i) => {
    const place = { y: top + i * laneHeight, height: laneHeight * 0.85 };
    return lane.map(({ id, pin, startMs, endMs, peakMs, weight }) => (
      <g key={id} class="marker" data-pin={pin} opacity={0.3 + 0.7 * weight}>
        <rect x={x(startMs)} width={Math.max(x(endMs) - x(startMs), 2)} {...place} />
        {peakMs !== null && <rect class="peak" x={x(peakMs) - 1} width={2} {...place} />}
      </g>
    ));
  });
}

function Needle({ startMs, spanMs }: ShownSpan) {
  const mark = useRef<HTMLSpanElement>(null);
  useTimeOnScreen(mark, startMs, spanMs);
  return <span ref={mark} class="needle" />;
}

export function Rows({ startMs, spanMs, layers, pins, markers, unknown }: TimelineContent) {
  const x = (ms: number) => ((ms - startMs) / spanMs) * WIDTH;
  const rows = markerRows(markers, pins);
  const eventRow = Math.min(EVENT_ROWS / rows.length, MOST_EVENT_ROW);
  const rowsTop = eventRow * rows.length + ROW_GAP;
  const height = rowsTop + Math.max(layers.length, 1) * (ROW + ROW_GAP);
  const percent = (ms: number) => `${((ms - startMs) / spanMs) * 100}%`;
  return (
    <>
      <svg class="timeline-rows" viewBox={`0 -1 ${WIDTH} ${height + 1}`} preserveAspectRatio="none" aria-hidden="true">
        <defs>
          <pattern id="gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0v6" />
          </pattern>
        </defs>
        {layers.map((layer, row) => {
          const top = rowsTop + row * (ROW + ROW_GAP);
          return (
            <g key={layer.sourceId} class={`row row-${row}`}>
              {layer.known && <Hatched name="gap" range={layer.known} x={x} top={top} height={ROW} />}
              <Bins layer={layer} x={x} top={top} />
            </g>
          );
        })}
        {unknown.map((range) => (
          <Hatched key={range.startMs} name="unknown" range={range} x={x} top={1} height={rowsTop - ROW_GAP - 1} />
        ))}
        {rows.map((row, i) => (
          <EventRow key={row.pin} row={row} x={x} top={i * eventRow} height={eventRow} />
        ))}
      </svg>
      {ticksOf(startMs, spanMs).map((tick) => (
        <span key={tick.atMs} class="tick" style={{ left: percent(tick.atMs) }}>
          {tick.text}
        </span>
      ))}
      {unknown.length > 0 && <span class="timeline-note">{texts.timeline.uncounted}</span>}
      <Needle startMs={startMs} spanMs={spanMs} />
    </>
  );
}
