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

/** @throws RequestError also when the main source of events did not respond */
async function eventSeries<Item>(
  pins: readonly string[],
  { startMs, endMs }: Range,
  signal: AbortSignal,
): Promise<readonly { readonly data: readonly Item[] }[]> {
  const eventLayers = pins.map((pin) => `[${pin},all,1]`).join(',');
  const path = `/v2/getDataCoverage/?${queryOf({ eventLayers, startDate: startMs, endDate: endMs })}`;
  const { body, headers } = await requestJson<readonly { readonly data: readonly Item[] }[]>(path, { signal });
  if (HEK_FAILED.test(headers.get('X-Events-Sources') ?? '')) throw new RequestError(texts.failures.events);
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
/** Longest range that is asked for with its own length on both sides, into which the user may drag the timeline. */
const MARGINS_UP_TO_MS = 10 * DAY_MS;

/** The range whose answer covers this one: the service adds its length on both sides, and loads at most 40 days of events. */
function asked({ startMs, endMs }: Range): Range {
  const third = endMs - startMs <= MARGINS_UP_TO_MS ? 0 : (endMs - startMs) / 3;
  return { startMs: Math.round(startMs + third), endMs: Math.round(endMs - third) };
}

/** Numbers of events by bin. @throws RequestError as `eventSeries` */
async function eventBins(pins: readonly string[], range: Range, signal: AbortSignal): Promise<EventMarker[]> {
  const series = await eventSeries<Series['data'][number]>(pins, asked(range), signal);
  const counts = new Map<number, number>();
  for (const { data } of series) for (const [at, count] of data) counts.set(at, (counts.get(at) ?? 0) + count);
  const [first = 0, second = 0] = counts.keys();
  const most = Math.max(...counts.values(), 1);
  const filled = [...counts].filter(([, count]) => count > 0);
  return filled.map(([at, count]) => {
    return { id: String(at), startMs: at, endMs: at + (second - first), peakMs: null, weight: count / most };
  });
}

/** Content of the row of events: single events, or bins for a range of a day and more. */
export async function eventMarkers(pins: readonly string[], range: Range, signal: AbortSignal): Promise<EventMarker[]> {
  if (range.endMs - range.startMs >= BINNED_FROM_MS) return eventBins(pins, range, signal);
  return (await eventsOf(pins, range, signal)).map((event) => ({ ...event, weight: 1 }));
}
