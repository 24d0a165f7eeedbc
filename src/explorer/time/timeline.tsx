// The timeline: images of each layer, gaps hatched, events of the shown types or else flares with the X-ray flux, and the mark of the shown time.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { FLUX_CLASSES, type FluxBins } from '../../sun/events/x-ray-flux.ts';
import { closestImage, imageCoverage } from '../api/images.ts';
import { flareMarks, fluxHeight, fluxPath, nextMoment, type Range, withShownImages } from '../model/timeline.ts';
import { IconButton, listened, onKeys, setter, toggle } from '../page/controls.tsx';
import { Failure, useLoaded } from '../page/loading.tsx';
import { useDrag } from '../picture/drag.ts';
import { change, open, present } from '../store/open.ts';
import { baseImage, baseSourceId, busy, clockMs, isMoving, screen, shown, sourceName, timeAsked } from '../store/state.ts';
import { durationText, fill, texts, typeName, utc } from '../texts.ts';
import { eventMarkers, xrayFlux } from './coverage.ts';
import { LoopBand, onTimeline, Slider } from './loop-band.tsx';
import { centreMs, loop } from './range.ts';
import { Readout, sentencesAt, type TimelineContent } from './readout.tsx';
import { endScrub, scrubTo } from './scrub.ts';
import { canZoom, middleAround, placeRange, type ShownSpan, spanMs, zoomAround, zoomTimeline } from './timeline-range.ts';
import { Rows, useTimeOnScreen } from './timeline-rows.tsx';

/** Frames that a key moves by. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -1000,
  End: 1000,
};

function Playhead({ startMs, spanMs }: ShownSpan) {
  const mark = useRef<HTMLDivElement>(null);
  useTimeOnScreen(mark, startMs, spanMs);
  const { atMs } = shown.value!.view;
  const range = { startMs, endMs: startMs + spanMs };
  const { startMs: firstMs, endMs: lastMs } = loop.value ?? range;
  const drag = useDrag({
    at: onTimeline,
    // The timeline moves while the pointer drags.
    of: () => startMs,
    onMove: (_, { x }, fromMs) => scrubTo({ atMs: fromMs + x * spanMs }, range),
    onEnd: endScrub,
  });
  return (
    <Slider
      mark={mark}
      class="playhead"
      id="playhead"
      label={texts.timeline.playhead}
      atMs={atMs}
      within={{ startMs: Math.min(firstMs, atMs), endMs: Math.max(lastMs, atMs) }}
      title={texts.timeline.playhead}
      {...drag}
      onKeyDown={onKeys(KEYS, (by) => scrubTo({ by }, range))}
      onKeyUp={(event) => {
        if (KEYS[event.key] !== undefined) endScrub();
      }}
      onBlur={endScrub}
    />
  );
}

const WIDTH = 1000;
const HEIGHT = 100;
/** Weakest flare with a label, and the least distance of labels, in parts of the timeline. */
const LABELLED_FROM = 1e-5;
const LABEL_DISTANCE = 0.08;

const y = (flux: number) => (1 - fluxHeight(flux)) * HEIGHT;

/** The strong flares whose labels have room beside those of stronger ones. */
function labelled(marks: ReturnType<typeof flareMarks>, spanMs: number) {
  const chosen: typeof marks = [];
  for (const mark of marks) {
    const isFree = chosen.every(({ atMs }) => Math.abs(atMs - mark.atMs) > LABEL_DISTANCE * spanMs);
    if (mark.flux >= LABELLED_FROM && isFree) chosen.push(mark);
  }
  return chosen;
}

function FluxCurve({ flux, markers, startMs, spanMs }: TimelineContent & { readonly flux: FluxBins }) {
  const x = (ms: number) => ((ms - startMs) / spanMs) * WIDTH;
  const marks = flareMarks(markers, { startMs, endMs: startMs + spanMs });
  return (
    <div class="timeline-flux" aria-hidden="true">
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        {FLUX_CLASSES.map(([letter, from]) => (
          <path key={letter} class="flux-class" d={`M0 ${y(from)}H${WIDTH}`} />
        ))}
        <path class="flux" d={fluxPath(flux, (ms, peak) => `${x(ms).toFixed(1)} ${y(peak).toFixed(1)}`)} />
        {marks.map(({ id, atMs, flux: peak }) => (
          <path key={id} class="flare-mark" d={`M${x(atMs).toFixed(1)} ${y(peak).toFixed(1)}h0`} />
        ))}
      </svg>
      {FLUX_CLASSES.map(([letter, from]) => (
        <span key={letter} class="flux-letter" style={{ bottom: `${fluxHeight(from) * 100}%` }}>
          {letter}
        </span>
      ))}
      {labelled(marks, spanMs).map(({ id, atMs, text, flux: peak }) => (
        <span key={id} class="flare-label" style={{ left: `${x(atMs) / 10}%`, top: `${y(peak)}%` }}>
          {text}
        </span>
      ))}
    </div>
  );
}

const sign = (name: string, text: string, attributes = {}, pin?: string) => (
  <li {...attributes}>
    <span class={`sign sign-${name}`} data-pin={pin} />
    {text}
  </li>
);

function Legend({ layers, pins, flux }: TimelineContent) {
  const words = texts.timeline.signs;
  const isOpen = useSignal(false);
  useEffect(() => {
    const close = onKeys({ Escape: false }, setter(isOpen));
    return isOpen.value ? listened(window, { keydown: close }, true) : undefined;
  }, [isOpen.value]);
  return (
    <>
      <IconButton
        id="timeline-legend"
        icon="legend"
        label={texts.timeline.legend}
        aria-expanded={isOpen.value}
        act={toggle(isOpen)}
      />
      {isOpen.value && (
        <section class="timeline-legend" aria-label={texts.timeline.legend}>
          <ul>
            {flux && sign('flux', words.flux, { class: 'with-flux' })}
            {pins.map((pin) => sign('marker', typeName(pin), { key: pin }, pin))}
            {layers.map(({ sourceId }, row) =>
              sign('images', fill(words.imagesOf, { name: sourceName(sourceId) }), { key: sourceId, class: `row-${row}` }),
            )}
            {sign('gap', words.gap)}
            {sign('needle', words.needle)}
            {loop.value && sign('loop', words.loaded)}
          </ul>
        </section>
      )}
    </>
  );
}

/** Shortest change of the range that is loaded at once. */
const REST_MS = 150;
const FLARES = ['FL'];
/** Parts of the range that an arrow key moves by. */
const KEY_STEPS = 48;
/** Movement up to which a drag is a click. */
const CLICK_PIXELS = 4;

/** With the minute of an answer, a new image is there within 90 s. */
const POLL_MS = 30_000;

/** Shows the newest image where it is newer than the shown one, at the same place, by an answer that all visitors share for a minute. */
async function look(): Promise<void> {
  clockMs.value = Date.now();
  const [state, image, sourceId] = [screen.value, baseImage.value, baseSourceId.value];
  const isIdle = !document.hidden && !isMoving.value && busy.value === null;
  if (!state?.isNewest || !isIdle || !image || sourceId === null) return;
  const newest = await closestImage(sourceId, Math.floor(clockMs.value / MINUTE_MS) * MINUTE_MS).catch(() => null);
  const isNewer = newest && Date.parse(newest.takenAt) > Date.parse(image.takenAt);
  const view = present()?.view;
  if (isNewer && view && screen.value?.isNewest && busy.value === null)
    await open({ ...view, atMs: null }, { history: 'replace' });
}

function useCoverage(range: Range, sourceIds: readonly number[], pins: readonly string[]) {
  const key = [range.startMs, range.endMs].join();
  const images = useLoaded([key, ...sourceIds].join(), (signal) => imageCoverage(sourceIds, range, signal), REST_MS);
  const markers = useLoaded([key, ...pins].join(), (signal) => eventMarkers(pins, range, signal), REST_MS);
  const flux = useLoaded(key, (signal) => xrayFlux(range, signal), REST_MS);
  return { images, markers, flux };
}

function CoverageFailures({ images, markers, flux }: ReturnType<typeof useCoverage>) {
  const failed = [
    { ...images, what: texts.timeline.noImages },
    { ...markers, what: texts.timeline.noEvents },
    { ...flux, what: texts.timeline.noFlux },
  ].filter(({ failure }) => failure);
  if (failed.length === 0) return null;
  return (
    <div class="timeline-failure">
      <Failure
        sentences={[
          failed.length > 1 ? texts.timeline.failed : failed[0]!.what,
          failed[0]!.failure,
          images.last && texts.timeline.kept,
        ]}
        retry={() => {
          for (const { retry } of failed) retry();
        }}
      />
    </div>
  );
}

/** The coverage of each source of the view with its shown images: what has loaded, if only for another range or other sources. */
function shownLayers(sourceIds: readonly number[], loaded: TimelineContent['layers']): TimelineContent['layers'] {
  const { view, images } = shown.value!;
  return sourceIds.map((sourceId) => {
    const layer = loaded.find((one) => one.sourceId === sourceId) ?? { sourceId, bins: [], binMs: 0, known: null };
    const ofSource = images.filter((_, i) => view.layers[i]!.sourceId === sourceId);
    const takenAtMs = ofSource.flatMap((image) => (image ? Date.parse(image.takenAt) : []));
    return withShownImages(layer, takenAtMs);
  });
}

export function Timeline() {
  const span = spanMs();
  const atMs = shown.value!.view.atMs;
  const chosen = shown.value!.view.events.map(({ pin }) => pin);
  const pins = chosen.length > 0 ? chosen : FLARES;
  const sources = [...new Set(shown.value!.view.layers.map(({ sourceId }) => sourceId))];
  const middle = middleAround(atMs);
  useEffect(() => setter(centreMs)(middle), [middle]);
  useEffect(() => {
    const timer = setInterval(() => void look(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  // Whole parts of the range, so that small moves use the same request.
  const grain = span / 12;
  const loadedMs = Math.round((middle - span / 2) / grain) * grain;
  const coverage = useCoverage({ startMs: loadedMs, endMs: loadedMs + span }, sources, pins);
  const startMs = middle - span / 2;
  const { markers = [], unknown = [] } = coverage.markers.last?.value ?? {};
  const flux = coverage.flux.last?.value ?? null;
  const content: TimelineContent = {
    startMs,
    spanMs: span,
    flux,
    layers: shownLayers(sources, coverage.images.last?.value ?? []),
    pins,
    markers: markers.filter(({ pin }) => pins.includes(pin)),
    unknown,
  };
  /** What is read out: a time under the pointer, or by keys the shown time. */
  const pointedMs = useSignal<number | null>(null);
  const isByKeys = useSignal(false);
  const readMs = pointedMs.value ?? (isByKeys.value ? atMs : null);
  const element = useRef<HTMLDivElement>(null);

  const timeAt = (clientX: number) => {
    const box = element.current!.getBoundingClientRect();
    return startMs + ((clientX - box.x) / box.width) * span;
  };
  const go = (toMs: number) => void change({ atMs: Math.round(toMs / 1000) * 1000 });
  const drag = useDrag({
    at: ({ clientX }) => ({ x: clientX, y: 0 }),
    of: () => ({ centre: middle, hasMoved: false }),
    onMove: (from, to, start) => {
      start.hasMoved ||= Math.abs(to.x - from.x) > CLICK_PIXELS;
      if (start.hasMoved) placeRange(start.centre - ((to.x - from.x) / element.current!.clientWidth) * span, atMs);
    },
    onEnd: ({ hasMoved }, { type, clientX }) => {
      if (type === 'pointerup' && !hasMoved && !isMoving.value) go(timeAt(clientX));
    },
  });
  const goToEvent = (direction: -1 | 1) => {
    const toMs = nextMoment(content.markers, timeAsked.value!, direction);
    if (toMs !== null) go(toMs);
  };
  // Quick presses add up.
  const by = (ms: number) => () => go(timeAsked.value! + ms);
  const keys: Readonly<Record<string, () => void>> = {
    'Shift ArrowLeft': () => goToEvent(-1),
    'Shift ArrowRight': () => goToEvent(1),
    ArrowLeft: by(-span / KEY_STEPS),
    ArrowRight: by(span / KEY_STEPS),
    PageDown: by(-span / 4),
    PageUp: by(span / 4),
    '+': () => zoomTimeline(-1),
    '=': () => zoomTimeline(-1),
    '-': () => zoomTimeline(1),
  };
  return (
    <div class="timeline" aria-busy={coverage.images.isLoading || coverage.markers.isLoading || coverage.flux.isLoading}>
      <div class="timeline-range">
        <Slider
          mark={element}
          class="timeline-body"
          data-flux={flux !== null}
          label={`${texts.timeline.label}. ${texts.timeline.hint}`}
          atMs={atMs}
          within={{ startMs, endMs: startMs + span }}
          aria-valuetext={[
            fill(texts.timeline.value, { time: utc(atMs), span: durationText(span / 1000) }),
            ...sentencesAt(content, atMs),
          ].join('. ')}
          onFocus={(event) => setter(isByKeys)(event.currentTarget.matches(':focus-visible'))}
          onBlur={() => {
            isByKeys.value = false;
            pointedMs.value = null;
          }}
          onKeyDown={onKeys(keys, (act) => {
            isByKeys.value = true;
            pointedMs.value = null;
            act();
          })}
          onWheel={(event) => {
            event.preventDefault();
            zoomAround(event.deltaY > 0 ? 1 : -1, timeAt(event.clientX), atMs);
          }}
          {...drag}
          onPointerDown={(event) => {
            drag.onPointerDown(event);
            isByKeys.value = false;
            pointedMs.value = timeAt(event.clientX);
          }}
          onPointerLeave={(event) => {
            // A finger leaves with each tap, after which the read-out stays until the timeline loses the focus.
            if (event.pointerType === 'mouse') pointedMs.value = null;
          }}
          onPointerMove={(event) => {
            pointedMs.value = timeAt(event.clientX);
            drag.onPointerMove(event);
          }}
        >
          {flux && <FluxCurve {...content} flux={flux} />}
          <Rows {...content} />
        </Slider>
        <LoopBand startMs={startMs} spanMs={span} />
        <Playhead startMs={startMs} spanMs={span} />
        {readMs !== null && <Readout content={content} atMs={readMs} />}
        <CoverageFailures {...coverage} />
      </div>
      <fieldset class="timeline-zoom" aria-label={texts.timeline.label}>
        <IconButton icon="plus" label={texts.timeline.zoomIn} disabled={!canZoom(-1)} act={() => zoomTimeline(-1)} />
        <IconButton icon="minus" label={texts.timeline.zoomOut} disabled={!canZoom(1)} act={() => zoomTimeline(1)} />
        <Legend {...content} />
      </fieldset>
    </div>
  );
}
