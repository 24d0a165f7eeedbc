// Reports of the Events API of Helioviewer: regions, statistics and failures, of the last days where that service counts all events.
import type { SourceState } from '../../events/event-days.ts';
import { apiRecord, changedAtMs, REGION_ORGANISATIONS, regionsOf } from '../../events/records/api-record.ts';
import { pathOf } from '../../events/records/shapes.ts';
import { notation } from '../../platform/http/parameters.ts';
import { EVENTS_API } from '../../platform/limits/events.ts';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import { Failure, shown } from '../../platform/util/errors.ts';
import { binStart } from '../../sun/bins.ts';
import { EVENT_SOURCES, type EventSource } from '../../sun/events/event-types.ts';
import { eventUuid } from '../../sun/events/event-uuid.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { dayStart, formatDateTime, formatIso, isoDay } from '../../sun/time.ts';
import { type Context, resource, serviceOrigin } from '../services.ts';
import { apiReply } from './events-api.ts';

/** Events of so many whole days before today, up to now. */
async function reported<T>(
  days: number,
  sources: readonly EventSource[],
  pick: (event: SolarEvent) => T | null,
  context: Context,
) {
  const { services, waitUntil } = context;
  const nowMs = services.clock();
  const range = { startMs: dayStart(nowMs) - days * DAY_MS, endMs: nowMs };
  return { nowMs, ...(await services.events.eventsBetween(range, sources, pick, { waitUntil })) };
}

/** Sources whose events name regions. */
const OF_REGIONS = ['HEK', 'CCMC'] as const;

const dateOrNull = (ms: number) => (Number.isFinite(ms) ? formatDateTime(ms) : null);
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

const regions = resource({
  name: 'events-api-regions',
  path: /^\/api\/v[12]\/regions$/,
  key: () => ({}),
  handle: async (_, context) => {
    const pick = (event: SolarEvent) => {
      const named = regionsOf(event);
      const { startMs } = event;
      return named.length === 0 ? null : { named, startMs, changedMs: changedAtMs(event) ?? startMs };
    };
    const { events, states, nowMs } = await reported(EVENTS_API.regionDays, OF_REGIONS, pick, context);
    const keyed = events.flatMap(({ named, ...event }) => named.map((region) => ({ ...event, region })));
    const found = [...Map.groupBy(keyed, ({ region }) => `${region.organization}-${region.external_id}`)].map(([id, all]) => ({
      id,
      ...all[0]!.region,
      event_count: all.length,
      first_seen: dateOrNull(least(all.map(({ startMs }) => startMs))),
      last_updated: dateOrNull(most(all.map(({ changedMs }) => changedMs))),
      latest_event_start: dateOrNull(most(all.map(({ startMs }) => startMs))),
    }));
    const ordered = found.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
    return apiReply({ regions: ordered, total_count: ordered.length }, nowMs, states, context);
  },
});

const region = resource({
  name: 'events-api-region',
  path: /^\/api\/v[12]\/regions\/(?<organization>[^/]+)\/(?<id>[^/]+)$/,
  parameters: {
    organization: notation('Who numbers the regions, in any letter case.', {
      what: 'NOAA, HARP, CATANIA or MODEL',
      example: 'NOAA',
    }),
    id: notation('Number of the region.', { what: 'a number', example: '13664' }),
  },
  canonical: ({ organization, id }) => ({ organization: organization.toUpperCase(), id }),
  handle: async ({ organization, id }, context) => {
    const origin = serviceOrigin(context);
    const pick = (event: SolarEvent) =>
      regionsOf(event).some((one) => one.organization === organization && one.external_id === id)
        ? { startMs: event.startMs, record: apiRecord(event, null, origin) }
        : null;
    const isKnown = (REGION_ORGANISATIONS as readonly string[]).includes(organization);
    const { events, states, nowMs } = await reported(EVENTS_API.regionDays, isKnown ? OF_REGIONS : [], pick, context);
    if (events.length === 0) {
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

const datesOf = (events: readonly { readonly startMs: number }[]) => {
  const starts = events.map(({ startMs }) => startMs);
  return starts.length === 0 ? { oldest: null, newest: null } : { oldest: isoDay(least(starts)), newest: isoDay(most(starts)) };
};

const stats = resource({
  name: 'events-api-stats',
  path: /^\/api\/v[12]\/stats$/,
  key: () => ({}),
  handle: async (_, context) => {
    const pick = (event: SolarEvent) => {
      const { source, label, startMs, endMs } = event;
      const of = regionsOf(event).map((one) => `${one.organization} ${one.external_id}`);
      return {
        id: eventUuid(event),
        source,
        path: pathOf(event),
        label,
        startMs,
        endMs,
        of,
        changedMs: changedAtMs(event) ?? startMs,
      };
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

export const eventsApiReports = [regions, region, stats, failures];
