// The timeline: images of each layer, gaps hatched, and events of the shown types or else flares, over a range from hours to decades.
import '../core.ts';
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import { Icon } from '../shell/icons.tsx';
import { durationText } from '../shell/numbers.ts';
import { change } from '../store/open.ts';
import { isPlaying, shown } from '../store/state.ts';
import { texts } from '../texts.ts';
import { type EventMarker, eventMarkers, imageCoverage, type LayerCoverage } from './coverage.ts';
import { Rows } from './timeline-rows.tsx';

const SPANS_MS = [
  2 * HOUR_MS,
  6 * HOUR_MS,
  23 * HOUR_MS,
  3 * DAY_MS,
  10 * DAY_MS,
  30 * DAY_MS,
  180 * DAY_MS,
  730 * DAY_MS,
  3650 * DAY_MS,
  10_950 * DAY_MS,
];
const DAY_INDEX = 2;
/** Longest range with events. */
const EVENTS_MS = 10 * DAY_MS;
/** Types of events without a choice of the user. */
const FLARES = ['FL'];
/** The range moves with the time that is shown when that leaves its middle half. */
const MIDDLE = 0.25;
/** Parts of the range that an arrow key moves by. */
const KEY_STEPS = 48;

const spanIndex = signal(DAY_INDEX);
const centreMs = signal<number | null>(null);

interface Data {
  readonly layers: readonly LayerCoverage[];
  readonly markers: readonly EventMarker[] | null;
  readonly hasFailed: boolean;
}

export function zoomTimeline(by: -1 | 1): void {
  spanIndex.value = Math.min(Math.max(spanIndex.value + by, 0), SPANS_MS.length - 1);
}

/** Loads coverage and events of a range whenever it changes. */
function useCoverage(startMs: number, spanMs: number, sourceKey: string, pinKey: string): Data | null {
  const data = useSignal<Data | null>(null);
  useEffect(() => {
    const loading = new AbortController();
    const range = { startMs, endMs: startMs + spanMs };
    const wait = setTimeout(async () => {
      try {
        const layers = await imageCoverage(sourceKey.split(',').map(Number), range, loading.signal);
        data.value = { layers, markers: data.value?.markers ?? null, hasFailed: false };
        const markers = spanMs <= EVENTS_MS ? await eventMarkers(pinKey.split(','), range, loading.signal) : null;
        data.value = { layers, markers, hasFailed: false };
      } catch {
        if (!loading.signal.aborted)
          data.value = { layers: data.value?.layers ?? [], markers: data.value?.markers ?? null, hasFailed: data.value === null };
      }
    }, 150);
    return () => {
      clearTimeout(wait);
      loading.abort();
    };
  }, [startMs, spanMs, sourceKey, pinKey, data]);
  return data.value;
}

/** The middle of the range: it stays while the time is in its middle half. */
function followed(atMs: number, spanMs: number): number {
  const present = centreMs.peek();
  if (present !== null && Math.abs(present - atMs) <= spanMs * MIDDLE) return present;
  centreMs.value = atMs;
  return atMs;
}

export function Timeline() {
  const spanMs = SPANS_MS[spanIndex.value]!;
  const atMs = shown.value!.view.atMs;
  const pins = shown.value!.view.events.length > 0 ? shown.value!.view.events : FLARES;
  const sources = [...new Set(shown.value!.view.layers.map(({ sourceId }) => sourceId))];
  centreMs.value;
  const middle = followed(atMs, spanMs);
  // Whole parts of the range, so that small moves use the same request.
  const grain = spanMs / 12;
  const data = useCoverage(Math.round((middle - spanMs / 2) / grain) * grain, spanMs, sources.join(), pins.join());
  const startMs = middle - spanMs / 2;
  const element = useRef<HTMLDivElement>(null);
  const drag = useRef<{ x: number; centre: number; hasMoved: boolean } | null>(null);

  const timeAt = (clientX: number) => {
    const box = element.current!.getBoundingClientRect();
    return startMs + ((clientX - box.x) / box.width) * spanMs;
  };
  const go = (toMs: number) => void change({ atMs: Math.round(toMs / 1000) * 1000 });
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => go(atMs - spanMs / KEY_STEPS),
    ArrowRight: () => go(atMs + spanMs / KEY_STEPS),
    PageDown: () => go(atMs - spanMs / 4),
    PageUp: () => go(atMs + spanMs / 4),
    '+': () => zoomTimeline(-1),
    '=': () => zoomTimeline(-1),
    '-': () => zoomTimeline(1),
  };
  return (
    <div class="timeline">
      <div
        ref={element}
        class="timeline-body"
        role="slider"
        tabIndex={0}
        aria-label={`${texts.timeline.label}. ${texts.timeline.hint}`}
        aria-valuemin={Math.round(startMs / 1000)}
        aria-valuemax={Math.round((startMs + spanMs) / 1000)}
        aria-valuenow={Math.round(atMs / 1000)}
        aria-valuetext={texts.timeline.value(atMs, durationText(spanMs / 1000))}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (!act) return;
          event.preventDefault();
          event.stopPropagation();
          act();
        }}
        onWheel={(event) => {
          event.preventDefault();
          zoomTimeline(event.deltaY > 0 ? 1 : -1);
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, centre: middle, hasMoved: false };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from) return;
          const moved = event.clientX - from.x;
          if (Math.abs(moved) > 4) from.hasMoved = true;
          if (!from.hasMoved) return;
          const limit = spanMs * MIDDLE;
          const wanted = from.centre - (moved / element.current!.clientWidth) * spanMs;
          centreMs.value = Math.min(Math.max(wanted, atMs - limit), atMs + limit);
        }}
        onPointerUp={(event) => {
          const from = drag.current;
          drag.current = null;
          if (from && !from.hasMoved && !isPlaying.value) go(timeAt(event.clientX));
        }}
      >
        <Rows
          startMs={startMs}
          spanMs={spanMs}
          atMs={atMs}
          layers={data?.layers ?? []}
          markers={spanMs <= EVENTS_MS ? (data?.markers ?? null) : null}
          isTooLong={spanMs > EVENTS_MS}
        />
        {data?.hasFailed && <p class="timeline-note">{texts.timeline.failed}</p>}
      </div>
      <fieldset class="timeline-zoom" aria-label={texts.timeline.label}>
        <button
          type="button"
          class="round"
          aria-label={texts.timeline.zoomIn}
          title={texts.timeline.zoomIn}
          disabled={spanIndex.value === 0}
          onClick={() => zoomTimeline(-1)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="round"
          aria-label={texts.timeline.zoomOut}
          title={texts.timeline.zoomOut}
          disabled={spanIndex.value === SPANS_MS.length - 1}
          onClick={() => zoomTimeline(1)}
        >
          <Icon name="minus" />
        </button>
      </fieldset>
    </div>
  );
}
