// Data of the timeline and the highlights: numbers of images by layer, and events, over a range and its own length on both sides.
import type { DayEvent } from '../../../domain/explorer/highlights.ts';
import { DAY_MS } from '../../../util/durations.ts';
import { queryOf, RequestError, requestJson } from '../api/request.ts';
import { texts } from '../texts.ts';

export interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Bin {
  readonly startMs: number;
  readonly count: number;
}

export interface LayerCoverage {
  readonly sourceId: number;
  readonly name: string;
  /** Ascending, without gaps between them; single images for short ranges. */
  readonly bins: readonly Bin[];
  /** Milliseconds; 0 for single images. */
  readonly binMs: number;
}

/** A stretch of the row of events. */
export interface EventMarker {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly peakMs: number | null;
  /** From 0 to 1: the number of events of a bin against the fullest one; 1 for single events. */
  readonly weight: number;
}

/** Events of a range. */
export interface EventMarkers {
  readonly markers: readonly EventMarker[];
  /** Stretches whose events have not all been counted. */
  readonly unknown: readonly Range[];
}

interface Series {
  readonly sourceId: number;
  readonly name: string;
  readonly data: readonly (readonly [number, number])[];
}

/** Ranges up to this have single images instead of bins. */
const SINGLE_MS = 105 * 60_000;

export async function imageCoverage(
  sourceIds: readonly number[],
  { startMs, endMs }: Range,
  signal: AbortSignal,
): Promise<LayerCoverage[]> {
  const imageLayers = sourceIds.map((id) => `[${id},1,100]`).join(',');
  const path = `/v2/getDataCoverage/?${queryOf({ imageLayers, startDate: startMs, endDate: endMs })}`;
  const { body } = await requestJson<readonly Series[]>(path, { signal });
  const isSingle = endMs - startMs <= SINGLE_MS;
  return body.map(({ sourceId, name, data }) => {
    const bins = data.map(([at, count]) => ({ startMs: at, count }));
    return { sourceId, name, bins, binMs: isSingle || data.length < 2 ? 0 : data[1]![0] - data[0]![0] };
  });
}

interface EventRow {
  readonly kb_archivid: string;
  readonly concept: string;
  readonly event_type: string;
  readonly event_starttime: string;
  readonly event_peaktime?: string | null;
  readonly event_endtime: string;
  readonly hv_labels_formatted: Readonly<Record<string, string>>;
}

/** In X-Events-Sources. */
const HEK_FAILED = /HEK=failed/;

interface EventSeries<Item> {
  readonly data: readonly Item[];
  /** The part of each bin that has been counted, from 0 to 1; absent when all have been. */
  readonly known?: readonly number[];
}

/** @throws RequestError also when the main source of events did not respond, and nothing is known without it */
async function eventSeries<Item>(
  pins: readonly string[],
  { startMs, endMs }: Range,
  signal: AbortSignal,
): Promise<readonly EventSeries<Item>[]> {
  const eventLayers = pins.map((pin) => `[${pin},all,1]`).join(',');
  const path = `/v2/getDataCoverage/?${queryOf({ eventLayers, startDate: startMs, endDate: endMs })}`;
  const { body, headers } = await requestJson<readonly EventSeries<Item>[]>(path, { signal });
  const isKnownInPart = body[0]?.known?.some((known) => known > 0) ?? false;
  if (HEK_FAILED.test(headers.get('X-Events-Sources') ?? '') && !isKnownInPart) throw new RequestError(texts.failures.events);
  return body;
}

const utcMs = (text: string) => Date.parse(`${text.replace(' ', 'T').replace(/Z$/, '')}Z`);

/** Events of some types in a range shorter than a day, one by one. @throws RequestError as `eventSeries` */
export async function eventsOf(pins: readonly string[], range: Range, signal: AbortSignal): Promise<DayEvent[]> {
  const series = await eventSeries<EventRow>(pins, range, signal);
  const rows = series.flatMap(({ data }) => data).filter((row) => typeof row === 'object' && 'event_starttime' in row);
  return rows.map((row) => ({
    id: row.kb_archivid,
    // Ejections of DONKI are among those of HEK here, and have a pin of their own in the tree of events.
    pin: row.concept === 'DONKI' ? 'C3' : row.event_type,
    label: Object.values(row.hv_labels_formatted ?? {}).join(' '),
    startMs: utcMs(row.event_starttime),
    endMs: utcMs(row.event_endtime),
    peakMs: row.event_peaktime ? utcMs(row.event_peaktime) : null,
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

/** Numbers of events by bin. @throws RequestError as `eventSeries` */
async function eventBins(pins: readonly string[], range: Range, signal: AbortSignal): Promise<EventMarkers> {
  const series = await eventSeries<readonly [number, number | null]>(pins, range, signal);
  const counts = new Map<number, number>();
  for (const { data } of series) for (const [at, count] of data) counts.set(at, (counts.get(at) ?? 0) + (count ?? 0));
  const starts = [...counts.keys()];
  const binMs = (starts[1] ?? 0) - (starts[0] ?? 0);
  const most = Math.max(...counts.values(), 1);
  const filled = [...counts.entries()].filter(([, count]) => count > 0);
  const markers = filled.map(([at, count]) => {
    return { id: String(at), startMs: at, endMs: at + binMs, peakMs: null, weight: count / most };
  });
  return { markers, unknown: series[0] ? unknownOf(series[0], binMs) : [] };
}

/** Content of the row of events: single events, or bins for a range of a day and more. */
export async function eventMarkers(pins: readonly string[], range: Range, signal: AbortSignal): Promise<EventMarkers> {
  if (range.endMs - range.startMs >= BINNED_FROM_MS) return eventBins(pins, range, signal);
  return { markers: (await eventsOf(pins, range, signal)).map((event) => ({ ...event, weight: 1 })), unknown: [] };
}
