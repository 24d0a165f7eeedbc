// Data of the timeline and the highlights: events over a range and its own length on both sides, and the X-ray flux.
import { dateOf, pathOf } from '../../../clients/typescript/core.ts';
import type { Schemas } from '../../../clients/typescript/operations.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { findEventType, TYPED_PINS } from '../../sun/events/event-types.ts';
import type { FluxBins } from '../../sun/events/x-ray-flux.ts';
import { formatIso } from '../../sun/time.ts';
import { call, PageError, requestJson } from '../api/request.ts';
import type { DayEvent } from '../model/highlights.ts';
import type { EventMarker, Range } from '../model/timeline.ts';
import { texts } from '../texts.ts';

/** Longest range with X-ray flux; with half of it around, it is in one request. */
const MOST_FLUX_MS = 10 * DAY_MS;

/**
 * The X-ray flux of a range and a quarter of its length on both sides; null for a longer range, and where there is none.
 * @throws PageError also when the source delivered none of it
 */
export async function xrayFlux({ startMs, endMs }: Range, signal: AbortSignal): Promise<FluxBins | null> {
  const aroundMs = (endMs - startMs) / 4;
  if (endMs - startMs > MOST_FLUX_MS) return null;
  const range = { startTime: formatIso(startMs - aroundMs), endTime: formatIso(endMs + aroundMs) };
  const { peaks, missingDays, startTime, binSeconds } = await call('getXrayFlux', range, signal);
  const hasFlux = peaks.some((flux) => flux !== null);
  if (!hasFlux && missingDays.length > 0) throw new PageError(texts.failures.flux);
  return hasFlux ? { startMs: Date.parse(startTime), binMs: binSeconds * 1000, peaks } : null;
}

/** In X-Events-Sources. */
const HEK_FAILED = /HEK=failed/;

/** `known`: the part of each bin that has been counted, from 0 to 1; absent when all have been. */
type EventSeries<Item> = Pick<Schemas['EventSeries'], 'event_type' | 'known'> & { readonly data: readonly Item[] };

/** @throws PageError also when the main source of events did not respond, and nothing is known without it */
async function eventSeries<Item>(pins: readonly string[], { startMs, endMs }: Range, signal: AbortSignal) {
  const eventLayers = pins.map((pin) => `[${pin},all,1]`).join(',');
  const path = pathOf('getDataCoverage', { eventLayers, startDate: startMs, endDate: endMs });
  const { body, headers } = await requestJson<readonly EventSeries<Item>[]>(path, { signal });
  const isKnownInPart = body[0]?.known?.some((known) => known > 0) ?? false;
  if (HEK_FAILED.test(headers.get('X-Events-Sources') ?? '') && !isKnownInPart) throw new PageError(texts.failures.events);
  return body;
}

/** Pins of events whose type is that of another pin in a timeline, by their concept. */
const CONCEPT_PINS = new Map(Object.keys(TYPED_PINS).map((pin) => [findEventType(pin)?.concept, pin]));
/** Pins whose events are unknown ones in a timeline, because the web client knows no more. */
const UNKNOWN_PINS = ['BU', 'EP', 'IC', 'SR'];

const pinOfType = (type: string, pins: readonly string[]): string =>
  pins.includes(type)
    ? type
    : (pins.find((pin) => (type === 'UNK' ? UNKNOWN_PINS.includes(pin) : TYPED_PINS[pin]?.includes(type))) ?? type);

/** Events of some types in a range shorter than a day, one by one. @throws as `eventSeries` */
export async function eventsOf(pins: readonly string[], range: Range, signal: AbortSignal): Promise<DayEvent[]> {
  const series = await eventSeries<Schemas['CoverageEvent']>(pins, range, signal);
  const rows = series.flatMap(({ data }) => data).filter((row) => typeof row === 'object' && 'event_starttime' in row);
  return rows.map((row) => ({
    id: row.kb_archivid,
    pin: CONCEPT_PINS.get(row.concept) ?? pinOfType(row.event_type, pins),
    label: Object.values(row.hv_labels_formatted ?? {}).join(' '),
    startMs: dateOf(row.event_starttime).getTime(),
    endMs: dateOf(row.event_endtime).getTime(),
    peakMs: row.event_peaktime ? dateOf(row.event_peaktime).getTime() : null,
    strength: row.strength ?? null,
  }));
}

/** Ranges of events from this length have bins. */
const BINNED_FROM_MS = DAY_MS;
/** Bins beside each other whose events have not all been counted. */
function unknownOf({ data, known = [] }: EventSeries<readonly [number, number | null]>, binMs: number): Range[] {
  const unknown: { startMs: number; endMs: number }[] = [];
  for (const [i, [startMs]] of data.entries()) {
    if ((known[i] ?? 1) === 1) continue;
    const endMs = data[i + 1]?.[0] ?? startMs + binMs;
    const last = unknown.at(-1);
    if (last?.endMs === startMs) last.endMs = endMs;
    else unknown.push({ startMs, endMs });
  }
  return unknown;
}

/** Numbers of events by type and bin. @throws as `eventSeries` */
async function eventBins(pins: readonly string[], range: Range, signal: AbortSignal) {
  const series = await eventSeries<readonly [number, number | null]>(pins, range, signal);
  const starts = series[0]?.data.map(([at]) => at) ?? [];
  const binMs = (starts[1] ?? 0) - (starts[0] ?? 0);
  const byPin = Map.groupBy(series, ({ event_type: type }) => pinOfType(type, pins));
  const markers = [...byPin].flatMap(([pin, of]) => {
    const counts = new Map<number, number>();
    for (const [at, count] of of.flatMap(({ data }) => data)) counts.set(at, (counts.get(at) ?? 0) + (count ?? 0));
    const most = Math.max(...counts.values(), 1);
    const filled = [...counts].filter(([, count]) => count > 0);
    return filled.map(([at, count]) => ({
      id: `${pin} ${at}`,
      pin,
      label: '',
      startMs: at,
      endMs: at + binMs,
      peakMs: null,
      strength: null,
      count,
      weight: count / most,
    }));
  });
  return { markers, unknown: series[0] ? unknownOf(series[0], binMs) : [] };
}

/**
 * Content of the rows of events: single events, or bins for a range of a day and more. `unknown`: stretches whose events have not all been
 * counted.
 */
export async function eventMarkers(pins: readonly string[], range: Range, signal: AbortSignal) {
  if (range.endMs - range.startMs >= BINNED_FROM_MS) return eventBins(pins, range, signal);
  const events = await eventsOf(pins, range, signal);
  return { markers: events.map((event): EventMarker => ({ ...event, count: null, weight: 1 })), unknown: [] };
}
