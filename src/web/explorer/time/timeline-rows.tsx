// The drawing of the timeline, in units of a thousandth of its width.
import { formatIso } from '../../../domain/time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../util/durations.ts';
import { texts } from '../texts.ts';
import type { EventMarkers, LayerCoverage } from './coverage.ts';

const WIDTH = 1000;
const ROW = 8;
const ROW_GAP = 3;
const FLARE_ROW = 10;
const TICK_STEPS_MS = [
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
  91 * DAY_MS,
  365.25 * DAY_MS,
  1826 * DAY_MS,
];
const MOST_TICKS = 7;

interface RowsProps {
  readonly startMs: number;
  readonly spanMs: number;
  readonly atMs: number;
  readonly layers: readonly LayerCoverage[];
  /** Events or bins of them. */
  readonly events: EventMarkers | null;
}

function ticksOf(startMs: number, spanMs: number): { atMs: number; text: string }[] {
  const stepMs = TICK_STEPS_MS.find((step) => spanMs / step <= MOST_TICKS) ?? TICK_STEPS_MS.at(-1)!;
  const ticks: { atMs: number; text: string }[] = [];
  for (let atMs = Math.ceil(startMs / stepMs) * stepMs; atMs < startMs + spanMs; atMs += stepMs) {
    const iso = formatIso(atMs);
    const isMidnight = iso.slice(11, 16) === '00:00';
    ticks.push({
      atMs,
      text:
        stepMs >= 365 * DAY_MS
          ? iso.slice(0, 4)
          : stepMs >= 28 * DAY_MS
            ? iso.slice(0, 7)
            : isMidnight || stepMs >= DAY_MS
              ? iso.slice(5, 10)
              : iso.slice(11, 16),
    });
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

/** Stretches with images as a path of boxes over the hatched row. */
function Bins({ layer, x, top }: { readonly layer: LayerCoverage; readonly x: (ms: number) => number; readonly top: number }) {
  const least = layer.binMs === 0 ? 2 : 1;
  const path = stretchesOf(layer)
    .map(([startMs, endMs]) => {
      const width = Math.max(x(endMs) - x(startMs), least);
      return `M${x(startMs).toFixed(1)} ${top}h${width.toFixed(1)}v${ROW}h${(-width).toFixed(1)}z`;
    })
    .join('');
  return <path class="images" d={path} />;
}

export function Rows({ startMs, spanMs, atMs, layers, events }: RowsProps) {
  const x = (ms: number) => ((ms - startMs) / spanMs) * WIDTH;
  const rowsTop = FLARE_ROW + 3;
  const height = rowsTop + Math.max(layers.length, 1) * (ROW + ROW_GAP);
  const percent = (ms: number) => `${((ms - startMs) / spanMs) * 100}%`;
  return (
    <>
      <svg class="timeline-rows" viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <defs>
          <pattern id="gap" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0v6" />
          </pattern>
        </defs>
        {layers.map((layer, row) => {
          const top = rowsTop + row * (ROW + ROW_GAP);
          return (
            <g key={layer.sourceId} class={`row row-${row}`}>
              <rect class="gap" x="0" y={top} width={WIDTH} height={ROW} fill="url(#gap)" />
              <Bins layer={layer} x={x} top={top} />
            </g>
          );
        })}
        {events?.unknown.map(({ startMs: from, endMs }) => (
          <rect key={from} class="unknown" x={x(from)} y={1} width={x(endMs) - x(from)} height={FLARE_ROW - 2} fill="url(#gap)" />
        ))}
        {events?.markers.map(({ id, startMs: from, endMs, peakMs, weight }) => (
          <g key={id} class="flare" opacity={0.3 + 0.7 * weight}>
            <rect x={x(from)} y={2} width={Math.max(x(endMs) - x(from), 2)} height={FLARE_ROW - 4} />
            {peakMs !== null && <rect class="peak" x={x(peakMs) - 1} y={0} width={2} height={FLARE_ROW} />}
          </g>
        ))}
      </svg>
      {ticksOf(startMs, spanMs).map((tick) => (
        <span key={tick.atMs} class="tick" style={{ left: percent(tick.atMs) }}>
          {tick.text}
        </span>
      ))}
      {events !== null && events.unknown.length > 0 && <span class="timeline-note">{texts.timeline.uncounted}</span>}
      <span class="needle" style={{ left: percent(atMs) }} />
    </>
  );
}
