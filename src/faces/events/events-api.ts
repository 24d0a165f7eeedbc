// The Events API of Helioviewer (events.helioviewer.org) by our own records, as far as other servers and the next web client read it.
import { countedKinds } from '../../events/counts/event-counts.ts';
import { coverageEvent, seriesOf } from '../../events/counts/event-series.ts';
import type { SourceState } from '../../events/event-days.ts';
import { checkDelivered } from '../../events/event-service.ts';
import { apiAddresses, apiRecord, changedAtMs, framesOf, REGION_SOURCES, regionsOf } from '../../events/records/api-record.ts';
import { eventTree, pathOf } from '../../events/records/shapes.ts';
import { parseSelections, selectionEntries } from '../../picture/events/paths.ts';
import { selectedBy } from '../../picture/events/selection.ts';
import { addressText, choice, integer, suggestedNumber, textList } from '../../platform/http/parameters.ts';
import { MEDIA_TYPES } from '../../platform/http/response.ts';
import { EVENT_RANGE, EVENTS_API } from '../../platform/limits/events.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure, shown } from '../../platform/util/errors.ts';
import { type BinnedResolution, binStart, binStarts, isOfDays } from '../../sun/bins.ts';
import { eventPositionAt } from '../../sun/coordinates/sphere.ts';
import { EVENT_SOURCES, type EventSource } from '../../sun/events/event-types.ts';
import { eventUuid, placeOfUuid } from '../../sun/events/event-uuid.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { dayStart, formatDateTime, formatIso, isoDay, parseRequestDate } from '../../sun/time.ts';
import { type Context, documentReply, resource, serviceOrigin } from '../services.ts';
import { eventFacts, eventsAt } from './events.ts';

const ROOT = String.raw`\/api\/v[12]\/events`;

/** @throws Failure naming `source` */
function sourceOf(text: string): EventSource {
  const source = EVENT_SOURCES.find((one) => one === text.toUpperCase());
  if (source) return source;
  throw badParameter('source', `one of ${EVENT_SOURCES.join(', ')}`, text);
}

/** @throws Failure naming `parameter` */
function timeOf(text: string, parameter: string): number {
  const ms = /^-?\d{1,11}$/.test(text) ? Number(text) * 1000 : parseRequestDate(text.replace(/(\d) (\d)/, '$1T$2'));
  if (ms !== null) return ms;
  throw badParameter(parameter, 'unix seconds or a time like 2024-05-10T12:00:00', text);
}

const apiReply = (body: object, atMs: number, states: readonly SourceState[], context: Context) =>
  documentReply(MEDIA_TYPES.json, body, eventFacts(atMs, states, context), context);

/** Events of a source at an instant. `name` and `path` of the resource; `bodyOf` makes the response. */
const observation = (
  name: string,
  path: RegExp,
  bodyOf: (events: readonly SolarEvent[], source: EventSource, atMs: number, context: Context) => object,
) =>
  resource({
    name,
    path,
    parameters: { source: addressText('a source of events'), time: addressText('a time') },
    canonical: ({ source, time }) => ({ source: sourceOf(source), time: time === 'now' ? null : timeOf(time, 'time') }),
    handle: async ({ source, time }, context) => {
      const atMs = time ?? context.services.clock();
      const { events, states } = await eventsAt(atMs, [source], context);
      return apiReply(bodyOf(events, source, atMs, context), atMs, states, context);
    },
  });

const recents = resource({
  name: 'events-api-recents',
  path: new RegExp(`^${ROOT}\\/recents$`),
  parameters: { limit: integer('Most records.', { min: 1, max: EVENTS_API.recents }).default(EVENTS_API.recents) },
  handle: async ({ limit }, context) => {
    const pick = (event: SolarEvent) => ({ changedMs: lastChangeMs(event), record: recordOf(event, context) });
    const { events, states, nowMs } = await reported(EVENTS_API.recentDays, EVENT_SOURCES, pick, context);
    const newest = events.toSorted((a, b) => b.changedMs - a.changedMs).slice(0, limit);
    const records = newest.map(({ record }) => record);
    return apiReply(records, nowMs, states, context);
  },
});

const singleEvent = (name: string, path: string, made: (event: SolarEvent, context: Context) => object) =>
  resource({
    name,
    path: new RegExp(`^${ROOT}\\/(?<uuid>[^/]+)${path}$`),
    parameters: { uuid: addressText('a UUID') },
    handle: async ({ uuid }, context) => {
      const found = placeOfUuid(uuid);
      if (found) {
        const { source, dayMs } = found;
        const pick = (event: SolarEvent) => (eventUuid(event) === uuid.toLowerCase() ? made(event, context) : null);
        const day = { startMs: dayMs, endMs: dayMs + DAY_MS - 1 };
        const { events, states } = await context.services.events.eventsBetween(day, [source], pick, context);
        if (events[0]) return apiReply(events[0], dayMs, states, context);
        checkDelivered(states);
      }
      throw new Failure('unknown-id', `No event has the UUID ${shown(uuid)}.`, { parameter: 'uuid' });
    },
  });

const SECONDS = { min: 0, max: 7_258_118_400 };
const BETWEEN = {
  paths: textList('Paths of the events.', ['HEK>>Flare']),
  from: integer('Start, unix seconds.', SECONDS, suggestedNumber(SECOND_MS)),
  to: integer('End, unix seconds.', SECONDS, suggestedNumber(SECOND_MS)),
};

/** @throws Failure naming `paths` or `to`, also for a range of more than `most` days */
function between({ paths, from, to }: { paths?: unknown; from: number; to: number }, most: number = EVENT_RANGE.days - 1) {
  if (from >= to) throw badParameter('to', 'a time after from', to);
  const entries = selectionEntries(paths, 'paths');
  const { selection: chosen } = parseSelections(entries, undefined, false, 'paths');
  if (to - from > most * (DAY_MS / SECOND_MS)) throw badParameter('to', `a time within ${most} days of from`, to);
  return { paths: entries, chosen, range: { startMs: from * SECOND_MS, endMs: to * SECOND_MS } };
}

type Between = ReturnType<typeof between>;

/** Chosen events that overlap a range, which both ends are outside of. */
function eventsIn<T>({ chosen, range }: Pick<Between, 'chosen' | 'range'>, made: (event: SolarEvent) => T, context: Context) {
  const isIn = (event: SolarEvent) => event.startMs < range.endMs && event.endMs > range.startMs;
  const pick = (event: SolarEvent) => (isIn(event) && selectedBy(chosen, event) ? made(event) : null);
  const sources = chosen.map(({ source }) => source);
  return context.services.events.eventsBetween(range, sources, pick, context);
}

const eventsBetween = resource({
  name: 'events-api-between',
  path: /^\/helioviewer\/events\/from\/(?<from>[^/]+)\/to\/(?<to>[^/]+)$/,
  parameters: BETWEEN,
  takesPost: true,
  canonical: (values) => between(values),
  handle: async (asked, context) => {
    const { startMs, endMs } = asked.range;
    const made = (event: SolarEvent) => {
      const { fields } = coverageEvent(event);
      const { x, y } = eventPositionAt(event.position, event.position.atMs);
      return {
        ...fields,
        id: eventUuid(event),
        x: event.startMs,
        x2: event.endMs,
        y: 1,
        hv_hpc_x: x,
        hv_hpc_y: y,
        hv_labels_formatted: fields.hv_labels_formatted ?? {},
        ...apiAddresses(serviceOrigin(context), event),
      };
    };
    const { events, states } = await eventsIn(asked, made, context);
    const found = events.toSorted((a, b) => a.x - b.x);
    const body = { paths: asked.paths, from: startMs / 1000, to: endMs / 1000, count: found.length, events: found };
    return apiReply(body, endMs, states, context);
  },
});

const SIZES = ['30m', 'h', 'D', 'W', 'M', 'Y'] as const satisfies readonly BinnedResolution[];

/** Numbers by bin and type. */
async function countsOf(asked: Between, size: (typeof SIZES)[number], context: Context) {
  const { startMs, endMs } = asked.range;
  if (isOfDays(size)) {
    const range = { startMs: binStart(size, startMs), endMs: endMs - 1 };
    const { counting } = context.services.events;
    const { bins, states } = await counting.timeline(countedKinds(asked.chosen), { range, resolution: size }, context.waitUntil);
    const tallies = bins.counts.map(({ startMs: start, events, ...kind }) => ({ start, type: seriesOf(kind), events }));
    return { tallies, states };
  }
  const starts = binStarts(size, { startMs, endMs: endMs - 1 });
  const { events, states } = await eventsIn({ ...asked, range: { startMs: starts[0]!, endMs } }, coverageEvent, context);
  const tallies = events.flatMap(({ series: type, ...event }) => {
    const own = starts.filter((start, i) => event.startMs < (starts[i + 1] ?? endMs) && event.endMs >= start);
    return own.map((start) => ({ start, type, events: 1 }));
  });
  return { tallies, states };
}

const distributions = resource({
  name: 'events-api-distributions',
  path: /^\/helioviewer\/distributions\/size\/(?<size>[^/]+)\/from\/(?<from>[^/]+)\/to\/(?<to>[^/]+)$/,
  parameters: { ...BETWEEN, size: choice('Length of the buckets.', SIZES) },
  takesPost: true,
  canonical: ({ size, ...values }) => ({ ...between(values, isOfDays(size) ? EVENTS_API.bins[size] : undefined), size }),
  handle: async ({ size, ...asked }, context) => {
    const { tallies, states } = await countsOf(asked, size, context);
    const buckets = new Map<number, Record<string, number>>();
    for (const { start, type, events } of tallies) {
      const counts = buckets.get(start) ?? {};
      buckets.set(start, { ...counts, [type]: (counts[type] ?? 0) + events });
    }
    const { startMs: from, endMs: to } = asked.range;
    const types = [...new Set(tallies.map(({ type }) => type))].sort();
    const sorted = [...buckets].sort(([a], [b]) => a - b).map(([start, counts]) => ({ start: start / 1000, counts }));
    const body = { paths: asked.paths, size, from: from / 1000, to: to / 1000, event_types: types, buckets: sorted };
    return apiReply(body, context.services.clock(), states, context);
  },
});

const framesWithSelections = resource({
  name: 'events-api-frames',
  path: /^\/helioviewer\/events\/frames_with_selections$/,
  parameters: {
    timestamps: textList('Times of frames.', ['2024-05-10T12:00:00Z']),
    selections: textList('Paths of the events.', ['HEK>>Flare']),
  },
  takesPost: true,
  canonical: ({ timestamps, selections }) => {
    const texts = selectionEntries(timestamps, 'timestamps').map(String);
    const most = EVENTS_API.timestamps;
    if (texts.length === 0 || texts.length > most) throw badParameter('timestamps', `1 to ${most} times`, texts.length);
    const times = texts.map((text) => timeOf(text, 'timestamps'));
    const range = { startMs: Math.min(...times) - 1, endMs: Math.max(...times) + 1 };
    if (range.endMs - range.startMs > (EVENT_RANGE.days - 1) * DAY_MS)
      throw badParameter('timestamps', `times within ${EVENT_RANGE.days - 1} days`, texts.at(-1));
    const entries = selectionEntries(selections, 'selections');
    if (entries.length === 0) throw badParameter('selections', 'at least one path like HEK>>Flare', selections);
    return { texts, times, range, chosen: parseSelections(entries, undefined, false, 'selections').selection };
  },
  handle: async ({ texts, times, ...asked }, context) => {
    const made = (event: SolarEvent) => ({ id: eventUuid(event), ...framesOf(event, times) });
    const { events, states } = await eventsIn(asked, made, context);
    const shownEvents = events.filter(({ frames }) => frames.some((frame) => frame !== null));
    const at = (i: number) => shownEvents.flatMap(({ id, frames }) => (frames[i] ? [[id, frames[i]] as const] : []));
    const body = {
      events: Object.fromEntries(shownEvents.map(({ id, record }) => [id, record])),
      timestamps: Object.fromEntries(texts.map((text, i) => [text, Object.fromEntries(at(i))])),
    };
    return apiReply(shownEvents.length === 0 ? {} : body, asked.range.endMs, states, context);
  },
});

/** Events of so many whole days before today, up to now. */
async function reported<T>(
  days: number,
  sources: readonly EventSource[],
  pick: (event: SolarEvent) => T | null,
  context: Context,
) {
  const { events, clock } = context.services;
  const nowMs = clock();
  const range = { startMs: dayStart(nowMs) - days * DAY_MS, endMs: nowMs };
  return { nowMs, ...(await events.eventsBetween(range, sources, pick, context)) };
}

/** The record of an event as it was measured. */
const recordOf = (event: SolarEvent, context: Context) => apiRecord(event, null, serviceOrigin(context));

const lastChangeMs = (event: SolarEvent): number => changedAtMs(event) ?? event.startMs;

/** The first and the last of at least one time, and at most EVENT_RANGE.events. */
const endsOf = (times: readonly number[]) => [Math.min(...times), Math.max(...times)] as const;

const regions = resource({
  name: 'events-api-regions',
  path: /^\/api\/v[12]\/regions$/,
  key: () => ({}),
  handle: async (_, context) => {
    const pick = (event: SolarEvent) => {
      const named = regionsOf(event);
      return named.length === 0 ? null : { named, startMs: event.startMs, changedMs: lastChangeMs(event) };
    };
    const { events, states, nowMs } = await reported(EVENTS_API.regionDays, REGION_SOURCES.NOAA, pick, context);
    const keyed = events.flatMap(({ named, ...event }) => named.map((region) => ({ ...event, region })));
    const found = [...Map.groupBy(keyed, ({ region }) => `${region.organization}-${region.external_id}`)].map(([id, all]) => {
      const [first, latest] = endsOf(all.map(({ startMs }) => startMs)).map(formatDateTime);
      const last_updated = formatDateTime(Math.max(...all.map(({ changedMs }) => changedMs)));
      return { id, ...all[0]!.region, event_count: all.length, first_seen: first, last_updated, latest_event_start: latest };
    });
    const ordered = found.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
    return apiReply({ regions: ordered, total_count: ordered.length }, nowMs, states, context);
  },
});

const region = resource({
  name: 'events-api-region',
  path: /^\/api\/v[12]\/regions\/(?<organization>[^/]+)\/(?<id>[^/]+)$/,
  parameters: { organization: addressText('NOAA, HARP, CATANIA or MODEL'), id: addressText('a number') },
  canonical: ({ organization, id }) => ({ organization: organization.toUpperCase(), id }),
  handle: async ({ organization, id }, context) => {
    const pick = (event: SolarEvent) =>
      regionsOf(event).some((one) => one.organization === organization && one.external_id === id)
        ? { startMs: event.startMs, record: recordOf(event, context) }
        : null;
    const sources = Object.entries(REGION_SOURCES).find(([name]) => name === organization)?.[1] ?? [];
    const { events, states, nowMs } = await reported(EVENTS_API.regionDays, sources, pick, context);
    if (events.length === 0) {
      checkDelivered(states);
      const sentence = `No event since ${isoDay(nowMs - EVENTS_API.regionDays * DAY_MS)} names the region ${shown(`${organization} ${id}`)}.`;
      throw new Failure('unknown-id', sentence, { parameter: 'id' });
    }
    const newest = events.toSorted((a, b) => b.startMs - a.startMs).slice(0, EVENTS_API.regionEvents);
    const named = { organization, external_id: id, event_count: newest.length };
    return apiReply({ region: named, events: newest.map(({ record }) => record) }, nowMs, states, context);
  },
});

const numbersOf = (names: readonly string[]): [name: string, count: number][] =>
  [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]): [string, number] => [name, length])
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));

function datesOf(events: readonly { readonly startMs: number }[]) {
  const [oldest, newest] = endsOf(events.map(({ startMs }) => startMs)).map((ms) => (Number.isFinite(ms) ? isoDay(ms) : null));
  return { oldest, newest };
}

const stats = resource({
  name: 'events-api-stats',
  path: /^\/api\/v[12]\/stats$/,
  key: () => ({}),
  handle: async (_, context) => {
    const pick = (event: SolarEvent) => {
      const { source, label, startMs, endMs } = event;
      const of = regionsOf(event).map((one) => `${one.organization} ${one.external_id}`);
      const made = { id: eventUuid(event), path: pathOf(event), of, changedMs: lastChangeMs(event) };
      return { ...made, source, label, startMs, endMs };
    };
    const { events, states, nowMs } = await reported(EVENTS_API.statsDays, EVENT_SOURCES, pick, context);
    const since = (fromMs: number, some = events) => some.filter(({ startMs }) => startMs >= fromMs).length;
    const [todayMs, weekMs] = [binStart('D', nowMs), binStart('W', nowMs)];
    const bySource = numbersOf(events.map(({ source }) => source)).map(([source, count]) => {
      const own = events.filter((event) => event.source === source);
      return {
        source,
        count,
        today_count: since(todayMs, own),
        week_count: since(weekMs, own),
        month_count: null,
        percentage: Math.round((1000 * count) / events.length) / 10,
        date_range: datesOf(own),
      };
    });
    const sourceOf = new Map(events.map(({ path, source }) => [path, source]));
    const top = (names: readonly string[]) => numbersOf(names.filter((name) => name !== '')).slice(0, EVENTS_API.top);
    const recent = events.toSorted((a, b) => b.changedMs - a.changedMs).slice(0, 10);
    const body = {
      summary: {
        total_events: events.length,
        total_regions: new Set(events.flatMap(({ of }) => of)).size,
        total_distributions: null,
        unique_sources: bySource.length,
        today_events: since(todayMs),
        week_events: since(weekMs),
        date_range: datesOf(events),
      },
      by_source: bySource,
      by_source_path: top(events.map(({ path }) => path)).map(([path, count]) => ({ source: sourceOf.get(path), path, count })),
      by_label: top(events.map(({ label }) => label)).map(([label, count]) => ({ label, count })),
      recent_events: recent.map(({ id, label, path, startMs, endMs }) => {
        return { id, label, path, start: formatDateTime(startMs), end: formatDateTime(endMs) };
      }),
      top_distributions: [],
      generated_at: formatIso(nowMs),
      cached_until: formatIso(nowMs + HOUR_MS),
    };
    return apiReply(body, nowMs, states, context);
  },
});

/** Parts of a source that did not answer, and the number of its records that could not be read. */
function faultsOf({ source, state, missing, skipped }: SourceState): { type: string; part: string; error: string }[] {
  const absent = state === 'failed' && missing.length === 0 ? [source] : missing;
  return [
    ...absent.map((part) => ({ type: 'source', part, error: `${part} did not answer.` })),
    ...(skipped > 0 ? [{ type: 'record', part: source, error: `${skipped} records have no time or place.` }] : []),
  ];
}

const failures = resource({
  name: 'events-api-failures',
  path: /^\/api\/v[12]\/failures$/,
  handle: async (_, context) => {
    const { states, nowMs } = await reported(EVENTS_API.recentDays, EVENT_SOURCES, () => null, context);
    const datetime = formatIso(nowMs);
    const items = states.flatMap((state) =>
      faultsOf(state).map(({ type, part, error }) => ({
        id: `${type}/${part}`,
        type,
        source: part,
        source_family: state.source,
        display_source: `${state.source}>>${part}`,
        timestamp: Math.floor(nowMs / 1000),
        datetime,
        error,
        error_cluster: error.replace(/\d+/g, 'N'),
      })),
    );
    const by = (name: keyof (typeof items)[number]) => numbersOf(items.map((item) => String(item[name])));
    const sampleOf = (key: string) => items.find((item) => item.error_cluster === key)!.error;
    const body = {
      generated_at: datetime,
      total: items.length,
      by_type: Object.fromEntries(by('type')),
      by_source: Object.fromEntries(by('source')),
      by_source_family: Object.fromEntries(by('source_family')),
      by_display_source: Object.fromEntries(by('display_source')),
      by_exception: {},
      error_groups: by('error_cluster').map(([key, count]) => ({ key, count, sample: sampleOf(key) })),
      items,
    };
    return apiReply(body, nowMs, states, context);
  },
});

/** `recents` before the UUIDs. */
export const eventsApiResources = [
  observation(
    'events-api-observation',
    new RegExp(String.raw`^${ROOT}\/(?<source>[^/]+)\/observation\/(?<time>[^/]+)$`),
    (events, _, atMs, context) => events.map((event) => apiRecord(event, atMs, serviceOrigin(context))),
  ),
  observation(
    'events-api-tree',
    /^\/helioviewer\/events\/(?<source>[^/]+)\/observation\/(?<time>[^/]+)$/,
    (events, source, atMs) => eventTree(events, [source], atMs),
  ),
  recents,
  singleEvent('events-api-event', '', recordOf),
  singleEvent('events-api-source', String.raw`\/source`, ({ raw }) => raw),
  eventsBetween,
  distributions,
  framesWithSelections,
  regions,
  region,
  stats,
  failures,
];
