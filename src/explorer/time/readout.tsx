// The read-out of the timeline: what it shows at the pointer or, by keys, at the shown time.
import { type FluxBins, goesClass } from '../../sun/events/x-ray-flux.ts';
import { formatDateTime } from '../../sun/time.ts';
import { eventTitle } from '../model/event-pins.ts';
import { type EventMarker, fluxAt, imagesAt, type LayerCoverage, markersAt, type Range } from '../model/timeline.ts';
import { sourceName } from '../store/state.ts';
import { durationText, fill, numberText, texts, typeName, utc } from '../texts.ts';
import type { ShownSpan } from './timeline-range.ts';

const MOST_EVENTS = 4;
/** Parts of the timeline within which an event or image is meant: some pixels. */
const REACH = 1 / 250;

/** What the timeline shows in its range. */
export interface TimelineContent extends ShownSpan {
  /** Null where there is none. */
  readonly flux: FluxBins | null;
  readonly layers: readonly LayerCoverage[];
  /** Types of events, each with a row. */
  readonly pins: readonly string[];
  readonly markers: readonly EventMarker[];
  /** Stretches whose events have not all been counted. */
  readonly unknown: readonly Range[];
}

/** A time without its day where that is the day of another time. */
function timeBeside(ms: number, besideMs: number): string {
  const [text, beside] = [formatDateTime(ms), formatDateTime(besideMs)];
  return text.slice(0, 10) === beside.slice(0, 10) ? text.slice(11, 16) : text.slice(0, 16);
}

function eventSentence({ pin, label, startMs, endMs, peakMs, count }: EventMarker, atMs: number): string {
  if (count !== null)
    return fill(texts.timeline.countedEvents, { name: typeName(pin), count, span: durationText((endMs - startMs) / 1000) });
  const time = (ms: number) => timeBeside(ms, atMs);
  const name = `${typeName(pin)} ${eventTitle(label)}`.trim();
  const times = { name, start: time(startMs), end: time(endMs) };
  return peakMs === null
    ? fill(texts.timeline.event, times)
    : fill(texts.timeline.eventWithPeak, { ...times, peak: time(peakMs) });
}

function imageSentence(layer: LayerCoverage, atMs: number, reachMs: number): string | null {
  const name = sourceName(layer.sourceId);
  const found = imagesAt(layer, atMs, reachMs);
  if (!found) return null;
  if ('atMs' in found) return fill(texts.timeline.image, { name, time: timeBeside(found.atMs, atMs) });
  return fill(texts.timeline.images, { name, count: found.count, span: durationText(layer.binMs / 1000) });
}

/** Sentences about a time: the flux, events, the strongest flare first, then the images of each layer. */
export function sentencesAt({ spanMs, flux, layers, markers }: TimelineContent, atMs: number): string[] {
  const reachMs = spanMs * REACH;
  const near = markersAt(markers, atMs, reachMs);
  const more = near.length - MOST_EVENTS;
  const strength = flux && fluxAt(flux, atMs);
  return [
    ...(strength ? [fill(texts.timeline.flux, { class: goesClass(strength), value: numberText(strength, 2) })] : []),
    ...near.slice(0, MOST_EVENTS).map((marker) => eventSentence(marker, atMs)),
    ...(more > 0 ? [fill(texts.timeline.moreEvents, { count: more })] : []),
    ...layers.flatMap((layer) => imageSentence(layer, atMs, reachMs) ?? []),
  ];
}

export function Readout({ content, atMs }: { readonly content: TimelineContent; readonly atMs: number }) {
  const part = Math.min(Math.max((atMs - content.startMs) / content.spanMs, 0), 1);
  return (
    <>
      <span class="timeline-pointer" style={{ left: `${part * 100}%` }} />
      <div class="timeline-readout" style={{ '--at': `${part * 100}%` }}>
        <strong>{utc(Math.round(atMs / 1000) * 1000)}</strong>
        {sentencesAt(content, atMs).map((sentence) => (
          <span key={sentence}>{sentence}</span>
        ))}
      </div>
    </>
  );
}
