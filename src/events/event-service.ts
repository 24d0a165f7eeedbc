// The events of an instant from all sources, with the state of each source.
import { EVENT_DAYS, EVENT_RANGE } from '../platform/limits/events.ts';
import type { Stopwatch, WaitUntil } from '../platform/ports/timing.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { badParameter, Failure, shown } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { printLocation } from '../sun/coordinates/sphere.ts';
import { archiveId, type EventSource } from '../sun/events/event-types.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import { dayStart } from '../sun/time.ts';
import { type CountingPorts, EventCounting } from './counts/event-counting.ts';
import { type DayPorts, type DayResult, EVENT_KIND, EVENT_LIMITS, EventDays, type SourceState } from './event-days.ts';
import type { EventFeed } from './ports.ts';
import { noaaNumber } from './records/hek.ts';
import { eventMemory } from './records/record.ts';
import { daysInId } from './records/shapes.ts';

const PREDICTION = 'FP';
const NOAA_METHOD = /NOAA/;

function withoutOldPredictions(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const newest = new Map<string, number>();
  for (const { pin, group, startMs } of events)
    if (pin === PREDICTION) newest.set(group.name, Math.max(startMs, newest.get(group.name) ?? startMs));
  return events.filter(({ pin, group, startMs }) => pin !== PREDICTION || startMs === newest.get(group.name));
}

/** Keeps the row of the shortest interval for each NOAA region, because NOAA reports a region several times. */
function withoutRepeatedRegions(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const reported = events.filter(({ pin, group, raw }) => pin === 'AR' && NOAA_METHOD.test(group.name) && noaaNumber(raw));
  const byLength = (a: SolarEvent, b: SolarEvent) => a.endMs - a.startMs - (b.endMs - b.startMs);
  const ofRegions = Map.groupBy(reported, ({ raw }) => noaaNumber(raw)).values();
  const repeated = new Set([...ofRegions].flatMap((rows) => rows.toSorted(byLength).slice(1)));
  return events.filter((event) => !repeated.has(event));
}

/** Coordinates as measured, so that the label does not change with rotation. */
const positionText = ({ position }: SolarEvent): string =>
  position.kind === 'stonyhurst' ? printLocation(position) : `(${Math.round(position.x)}″, ${Math.round(position.y)}″)`;

function withDistinctLabels(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const byLabel = Map.groupBy(events, ({ pin, group, label }) => JSON.stringify([pin, group.name, label]));
  const repeated = new Set([...byLabel.values()].filter((group) => group.length > 1).flat());
  return events.map((event) => {
    if (!repeated.has(event)) return event;
    const position = positionText(event);
    const label = event.label === '' ? position : `${event.label}\n${position}`;
    return { ...event, label, shortLabel: `${event.shortLabel} ${position}`.trim() };
  });
}

/** Events in progress at an instant: start <= t <= end, one for each id of a source. */
export function eventsInProgress(events: readonly SolarEvent[], atMs: number): readonly SolarEvent[] {
  const current = events.filter(({ startMs, endMs }) => startMs <= atMs && atMs <= endMs);
  const distinct = new Map(current.map((event) => [`${event.source} ${event.pin} ${event.id}`, event]));
  return withDistinctLabels(withoutRepeatedRegions(withoutOldPredictions([...distinct.values()])));
}

/** The events that fit into `maxBytes`, in their order. The largest are dropped first: a record far above the others is likely an error. */
function smallestEvents(events: readonly SolarEvent[], maxBytes: number): readonly SolarEvent[] {
  const sized = events.map((event) => ({ event, bytes: eventMemory(event) })).sort((a, b) => a.bytes - b.bytes);
  let sum = 0;
  const kept = new Set<SolarEvent>();
  for (const { event, bytes } of sized) {
    sum += bytes;
    if (sum > maxBytes) break;
    kept.add(event);
  }
  return kept.size === events.length ? events : events.filter((event) => kept.has(event));
}

export interface LookupOptions {
  /** Milliseconds after which a source counts as failed, instead of the time for a day. */
  readonly timeoutMs?: number;
  /** Keeps loading after the request has ended, so that a slow source is available to the next request. */
  readonly waitUntil?: WaitUntil;
  /** The only type of events that is wanted, so that feeds of others are not loaded. */
  readonly pin?: string;
}

/** The UTC days of a range, at most EVENT_RANGE.days of them, those near its middle first. */
function daysOf(startMs: number, endMs: number): number[] {
  const middleMs = (startMs + endMs) / 2;
  const count = (dayStart(endMs) - dayStart(startMs)) / DAY_MS + 1;
  const days = Array.from({ length: count }, (_, i) => dayStart(startMs) + i * DAY_MS);
  const distance = (dayMs: number) => Math.abs(dayMs + DAY_MS / 2 - middleMs);
  return days.sort((a, b) => distance(a) - distance(b)).slice(0, EVENT_RANGE.days);
}

type FeedResult = { readonly feed: EventFeed; readonly result: DayResult };

export class EventService extends Service<Omit<CountingPorts, 'days'> & DayPorts> {
  readonly #days = new EventDays({ ...this.ports, kind: EVENT_KIND });
  readonly counting = new EventCounting({ ...this.ports, days: this.#days });
  readonly #limits = this.ports.limits ?? EVENT_LIMITS;

  /** The events in progress at a time: start <= time <= end. Never throws: a failed source is stated, with its last known events. */
  async eventsAt(atMs: number, sources: readonly EventSource[], options: LookupOptions = {}) {
    const feeds = this.#mayHaveEvents(atMs) ? this.ports.feeds.filter(({ source }) => sources.includes(source)) : [];
    const results = await this.#resultsOf(feeds, dayStart(atMs), options);
    const loaded = results.flatMap(({ result }) => result?.day.events ?? []);
    const all = eventsInProgress(loaded, atMs);
    const events = smallestEvents(all, this.#limits.memory.instantBytes);
    const kept = new Set(events);
    const isCut = (source: EventSource) => all.some((event) => event.source === source && !kept.has(event));
    return { events, states: sources.map((source) => this.#stateOf(source, results, isCut(source))) };
  }

  /** The events that overlap a range, as `pick` makes them or not, days near the middle first. Never throws: days that come late are missing. */
  async eventsBetween<T>(
    { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
    sources: readonly EventSource[],
    pick: (event: SolarEvent) => T | null,
    options: LookupOptions = {},
  ): Promise<{ readonly events: readonly T[]; readonly states: readonly SourceState[] }> {
    const isWanted = (pin: string | undefined) => pin === undefined || options.pin === undefined || pin === options.pin;
    const feeds = this.ports.feeds.filter(({ source, pin }) => sources.includes(source) && isWanted(pin));
    const picked = new Map<string, T>();
    const results: FeedResult[] = [];
    let isCut = false;
    const take = (event: SolarEvent) => {
      if (event.startMs > endMs || event.endMs < startMs) return;
      const key = `${event.source} ${event.pin} ${event.id}`;
      const item = picked.has(key) ? null : pick(event);
      if (item === null) return;
      if (picked.size < EVENT_RANGE.events) picked.set(key, item);
      else isCut = true;
    };
    const loadDay = async (dayMs: number, timeoutMs: number) => {
      const found = await this.#resultsOf(feeds, dayMs, { ...options, timeoutMs });
      for (const { feed, result } of found) {
        for (const event of result?.day.events ?? []) take(event);
        // Without its events, so that the parsed day is freed.
        results.push({ feed, result: result && { ...result, day: { ...result.day, events: [] } } });
      }
    };
    const days = daysOf(startMs, endMs).filter((dayMs) => this.#mayHaveEvents(dayMs));
    await this.#days.inTurn(days, options.timeoutMs ?? EVENT_RANGE.lookupMs, loadDay);
    return { events: [...picked.values()], states: sources.map((source) => this.#stateOf(source, results, isCut)) };
  }

  #resultsOf(feeds: readonly EventFeed[], dayMs: number, options: LookupOptions): Promise<FeedResult[]> {
    const { timeoutMs = this.#limits.dayMs, waitUntil } = options;
    const resultOf = (feed: EventFeed) => this.#days.dayWithin(timeoutMs, feed, dayMs, waitUntil);
    return Promise.all(feeds.map(async (feed) => ({ feed, result: await resultOf(feed) })));
  }

  /** Excludes days before the first event and far in the future, because each requested day would be stored. */
  #mayHaveEvents(atMs: number): boolean {
    return atMs >= EVENT_DAYS.first && dayStart(atMs) <= dayStart(this.ports.clock()) + EVENT_DAYS.daysAhead * DAY_MS;
  }

  #stateOf(source: EventSource, results: readonly FeedResult[], isCut: boolean): SourceState {
    const ofSource = results.filter(({ feed }) => feed.source === source);
    const found = ofSource.flatMap(({ result }) => result ?? []);
    const missing = ofSource.flatMap(({ feed, result }) => result?.day.missing ?? [feed.name]);
    const staleAges = found.filter(({ isFresh }) => !isFresh).map(({ day }) => this.ports.clock() - day.loadedAtMs);
    return {
      source,
      state: missing.length > 0 ? 'failed' : staleAges.length > 0 ? 'stale' : 'ok',
      ageSeconds: staleAges.length > 0 ? Math.round(Math.max(...staleAges) / 1000) : null,
      loadedAtMs: found.length > 0 ? Math.min(...found.map(({ day }) => day.loadedAtMs)) : null,
      missing: found.length > 0 ? [...new Set(missing)] : [],
      skipped: found.reduce((sum, { day }) => sum + day.skipped, 0),
      isCut: isCut || found.some(({ day }) => day.isCut),
    };
  }
}

/** @throws Failure `busy` where a source has failed, because a client would take what is missing for what does not exist */
export function checkDelivered(states: readonly SourceState[]): void {
  if (!states.some(({ state }) => state === 'failed')) return;
  const sentence = 'The source of these events has not delivered all of their days. Try again in a minute.';
  throw new Failure('busy', sentence, { retryAfterSeconds: 60 });
}

interface Lookup {
  readonly services: { readonly events: Pick<EventService, 'eventsBetween'> };
  readonly stopwatch: Stopwatch;
  readonly waitUntil: WaitUntil;
}

/** Ids of the HEK have about a hundred characters. */
const ARCHIVE_ID = /^[\w:/.,()+ -]{1,300}$/;

/** An id without the address of the HEK. @throws Failure `bad-parameter` for text that is no id, or has no day */
export function eventIdOf(text: string, parameter: string): string {
  if (ARCHIVE_ID.test(text) && daysInId(text).length > 0) return archiveId(text.trim());
  throw badParameter(parameter, 'the id of an event, which contains its day,', text);
}

/** The event with an id of `eventIdOf`, as `pick` makes it, of the days in its id. @throws Failure `unknown-id`, or as `checkDelivered` */
export async function hekEvent<T>(
  { services, stopwatch, waitUntil }: Lookup,
  { id, parameter }: { readonly id: string; readonly parameter: string },
  pick: (event: SolarEvent) => T,
): Promise<T> {
  const found = (event: SolarEvent) => (archiveId(event.id) === id ? pick(event) : null);
  const all: SourceState[] = [];
  for (const dayMs of daysInId(id).slice(0, EVENT_RANGE.daysOfId)) {
    const day = { startMs: dayMs, endMs: dayMs + DAY_MS - 1 };
    const lookup = () => services.events.eventsBetween(day, ['HEK'], found, { waitUntil });
    const { events, states } = await stopwatch.measure('read', lookup);
    if (events[0]) return events[0];
    all.push(...states);
  }
  checkDelivered(all);
  throw new Failure('unknown-id', `No event has the id ${shown(id)}. events lists those of a time.`, { parameter });
}
