// The timeline of events in the form of the web client: counts in bins, or single events in lanes.
import type { Bin, BinnedResolution, Resolution, TimeRange } from '../../sun/bins.ts';
import { binStart, binStarts, extended } from '../../sun/bins.ts';
import { archiveId, findEventType, PATH_SEPARATOR, TYPED_PINS } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatIso } from '../../sun/time.ts';
import { hekLabelParts } from '../records/hek.ts';
import { textOf } from '../records/record.ts';
import { eventStrength } from '../records/strength.ts';

/** Types for which the client has a colour; it fails on others. */
const SERIES_TYPES = new Set(
  'AR CE CME CD CH CW FI FE FA FL FP LP MC OS SS EF CJ PG OT NR SG SP CR CC ER TO HY BO EE PB PT UNK'.split(' '),
);

/** A bin none of whose days has been counted. */
type UnknownBin = readonly [startMs: number, count: null];

export interface EventSeries {
  readonly data: readonly (Bin | UnknownBin | Readonly<Record<string, unknown>>)[];
  readonly event_type: string;
  readonly res: Resolution;
  readonly showInLegend: boolean;
  /** The part of each bin whose days have been counted, from 0 to 1. Absent when all have been. */
  readonly known?: readonly number[];
}

export function seriesOf({ pin, type }: Pick<SolarEvent, 'pin' | 'type'>): string {
  const own = pin in TYPED_PINS ? type : pin;
  return SERIES_TYPES.has(own) ? own : 'UNK';
}

/** Without a zone, because the client appends one. */
const clientTime = (ms: number) => formatIso(ms).slice(0, -1);

function labelsOf({ source, raw, label }: SolarEvent, concept: string): Record<string, string> {
  if (source === 'HEK') return Object.fromEntries(hekLabelParts(raw, concept));
  return label === '' ? {} : { [concept]: label.replaceAll('\n', ' ') };
}

/** The event as the timeline shows it. All texts are set, because the client reads them in every point. */
export function coverageEvent(event: SolarEvent) {
  const { id, startMs, endMs, peakMs, group, raw } = event;
  const concept = findEventType(event.pin)?.concept ?? 'Event';
  const series = seriesOf(event);
  const labels = labelsOf(event, concept);
  const strength = eventStrength(event);
  const fields = {
    id,
    kb_archivid: archiveId(id),
    concept,
    event_type: series,
    frm_name: group.name.replaceAll(PATH_SEPARATOR, ' '),
    frm_specificid: textOf(raw, 'frm_specificid'),
    event_starttime: clientTime(startMs),
    event_peaktime: peakMs === null ? null : clientTime(peakMs),
    event_endtime: clientTime(endMs),
    ...(Object.keys(labels).length > 0 ? { hv_labels_formatted: labels } : {}),
    ...(strength ? { strength } : {}),
    modifier: 0,
  };
  return { series, startMs, endMs, fields };
}

/** An event of the timeline without the rest of its record, of which a range has thousands. */
type CoverageEvent = ReturnType<typeof coverageEvent>;

const overlaps = ({ startMs, endMs }: TimeRange, range: TimeRange) => startMs <= range.endMs && endMs >= range.startMs;

/** Counts of the events in progress in each bin of the range and of its own length on both sides. */
function binned(events: readonly CoverageEvent[], resolution: BinnedResolution, shown: TimeRange): EventSeries[] {
  const starts = binStarts(resolution, shown);
  const indexes = new Map(starts.map((startMs, i) => [startMs, i]));
  const series = new Map<string, number[]>();
  for (const event of events) {
    const counts = series.get(event.series) ?? starts.map(() => 0);
    series.set(event.series, counts);
    const first = indexes.get(binStart(resolution, event.startMs)) ?? 0;
    for (let i = first; i < starts.length && starts[i]! <= event.endMs; i += 1) counts[i] = counts[i]! + 1;
  }
  return sortedSeries(series, resolution, (count, i) => [starts[i]!, count]);
}

const sortedSeries = (
  series: ReadonlyMap<string, number[]>,
  res: Resolution,
  binOf: (count: number, i: number) => Bin | UnknownBin,
) =>
  [...series]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([event_type, counts]): EventSeries => ({ data: counts.map(binOf), event_type, res, showInLegend: true }));

/** Single events, each in the lowest lane that is free at its start. All series share the lanes. */
function single(events: readonly CoverageEvent[], range: TimeRange, shown: TimeRange): EventSeries[] {
  const laneEnds: number[] = [];
  return [...Map.groupBy(events, ({ series }) => series)].map(([type, members]) => {
    const data = members.map(({ fields, startMs, endMs }) => {
      const x = Math.max(startMs, shown.startMs);
      const x2 = Math.min(endMs, shown.endMs);
      const free = laneEnds.findIndex((laneEnd) => laneEnd <= x);
      const lane = free === -1 ? laneEnds.length : free;
      laneEnds[lane] = x2;
      return { ...fields, x, x2, y: lane + 1 };
    });
    return { data, event_type: type, res: 'm', showInLegend: members.some((event) => overlaps(event, range)) };
  });
}

/** The series of events that overlap the range and its own length on both sides; events in the order of their starts. */
export function eventSeries(events: readonly CoverageEvent[], resolution: Resolution, range: TimeRange): EventSeries[] {
  const shown = extended(range);
  const inRange = events.filter((event) => overlaps(event, shown)).sort((a, b) => a.startMs - b.startMs);
  return resolution === 'm' ? single(inRange, range, shown) : binned(inRange, resolution, shown);
}

/** Numbers of events in bins of days and longer, with what is known of each bin. */
export interface CountedBins {
  readonly resolution: BinnedResolution;
  readonly starts: readonly number[];
  /** From 0 to 1. */
  readonly known: readonly number[];
  readonly counts: readonly (Pick<SolarEvent, 'pin' | 'type'> & { readonly startMs: number; readonly events: number })[];
}

const DIGITS = 1_000;
/** Rounded, but 0 and 1 only for nothing and everything. */
const part = (known: number) =>
  known > 0 && known < 1 ? Math.min(Math.max(Math.round(known * DIGITS), 1), DIGITS - 1) / DIGITS : known;

/** Series of counted events. While bins are unknown, each chosen type has one, so that none without a number looks empty. */
export function countedSeries(pins: readonly string[], { resolution, starts, known, counts }: CountedBins): EventSeries[] {
  const indexes = new Map(starts.map((startMs, i) => [startMs, i]));
  const isKnown = known.every((ofBin) => ofBin === 1);
  const series = new Map<string, number[]>();
  const sums = (name: string) => {
    const found = series.get(name) ?? starts.map(() => 0);
    series.set(name, found);
    return found;
  };
  if (!isKnown) for (const pin of pins) for (const type of TYPED_PINS[pin] ?? [pin]) sums(seriesOf({ pin, type }));
  for (const { startMs, events, ...kind } of counts) {
    const ofKind = sums(seriesOf(kind));
    const i = indexes.get(startMs)!;
    ofKind[i] = ofKind[i]! + events;
  }
  const all = sortedSeries(series, resolution, (count, i) => [starts[i]!, known[i] === 0 ? null : count]);
  return isKnown ? all : all.map((each) => ({ ...each, known: known.map(part) }));
}
