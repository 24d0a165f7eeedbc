// The events of an instant from all sources, with the state of each source.
import {
  EVENT_BREAKER,
  EVENT_CONCURRENCY,
  EVENT_DAYS,
  EVENT_MEMORY,
  EVENT_RATE_LIMIT,
  EVENT_REQUESTS,
  EVENT_TTL_MS,
} from '../../config/limits/events.ts';
import { eventsAtInstant } from '../../domain/events/at-instant.ts';
import { smallestEvents } from '../../domain/events/memory.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { EVENT_SOURCES, type EventSource } from '../../domain/recipe/events/pins.ts';
import type { EventDayStore, EventFeed } from '../../ports/events.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { DAY_MS } from '../../util/durations.ts';
import { TIMED_OUT, withTimeout } from '../../util/timeout.ts';
import { type DayResult, EventDays, type EventDaysLimits, type WaitUntil } from './event-days.ts';

/** State of one source in a lookup. */
export interface SourceState {
  readonly source: EventSource;
  /** `stale`: an earlier response is used; `failed`: the source, or a part of it, is missing. */
  readonly state: 'ok' | 'stale' | 'failed';
  /** Age of the oldest stale part, seconds; null without stale parts. */
  readonly ageSeconds: number | null;
  /** Names of missing parts while others are available. */
  readonly missing: readonly string[];
  /** Number of unusable records of the day. */
  readonly skipped: number;
  /** Whether records were dropped because of a limit. */
  readonly isCut: boolean;
}

export interface EventsAtInstant {
  readonly events: readonly SolarEvent[];
  /** In the order of the requested sources. */
  readonly states: readonly SourceState[];
}

export interface LookupOptions {
  /** Milliseconds after which a source counts as failed. Unset: the service's own limit. */
  readonly timeoutMs?: number;
  /** Keeps loading after the request has ended, so that a slow source is available to the next request. */
  readonly waitUntil?: WaitUntil;
}

interface Ports {
  readonly feeds: readonly EventFeed[];
  readonly store: EventDayStore;
  readonly clock: Clock;
  /** Unset: the console. */
  readonly log?: Log;
}

export interface EventLimits extends EventDaysLimits {
  /** Milliseconds that a lookup waits for its sources, time in the queue included. */
  readonly lookupMs: number;
}

const LIMITS: EventLimits = {
  // Feeds apply EVENT_REQUESTS.dayMs themselves; these limits catch the ones that exceed it.
  lookupMs: EVENT_REQUESTS.dayMs + 500,
  loadMs: EVENT_REQUESTS.dayMs + 500,
  staleWaitMs: EVENT_REQUESTS.staleWaitMs,
  memory: EVENT_MEMORY,
  ttlMs: EVENT_TTL_MS,
  breaker: EVENT_BREAKER,
  rateLimit: EVENT_RATE_LIMIT,
  concurrency: EVENT_CONCURRENCY,
};

const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;

interface FeedResult {
  readonly feed: EventFeed;
  readonly result: DayResult;
}

export class EventService {
  readonly #ports: Ports;
  readonly #days: EventDays;
  readonly #limits: EventLimits;

  constructor(ports: Ports, limits: EventLimits = LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
    const log = ports.log ?? ((record: object) => console.warn(JSON.stringify(record)));
    this.#days = new EventDays({ ...ports, log }, limits);
  }

  /**
   * The events of these sources in progress at a time: start <= time <= end. Never throws: the state of a failed source says so,
   * and its last known events are used.
   */
  async eventsAt(atMs: number, sources: readonly EventSource[], options: LookupOptions = {}): Promise<EventsAtInstant> {
    const feeds = this.#mayHaveEvents(atMs) ? this.#ports.feeds.filter(({ source }) => sources.includes(source)) : [];
    const results = await Promise.all(
      feeds.map(async (feed) => ({ feed, result: await this.#dayOf(feed, dayOf(atMs), options) })),
    );
    const bySource = EVENT_SOURCES.flatMap((source) => results.filter(({ feed }) => feed.source === source));
    const all = eventsAtInstant(
      bySource.flatMap(({ result }) => result?.day.events ?? []),
      atMs,
    );
    const events = smallestEvents(all, this.#limits.memory.instantBytes);
    const countOf = (found: readonly SolarEvent[], source: EventSource) =>
      found.filter((event) => event.source === source).length;
    const states = sources.map((source) => {
      const ofSource = results.filter(({ feed }) => feed.source === source);
      return this.#stateOf(source, ofSource, countOf(events, source) < countOf(all, source));
    });
    return { events, states };
  }

  async #dayOf(feed: EventFeed, dayMs: number, options: LookupOptions): Promise<DayResult> {
    const { timeoutMs = this.#limits.lookupMs, waitUntil } = options;
    const lookup = this.#days.day(feed, dayMs, waitUntil).catch(() => null);
    const result = await withTimeout(lookup, timeoutMs);
    if (result !== TIMED_OUT) return result;
    waitUntil?.(lookup);
    return null;
  }

  /** Excludes days before the first event and far in the future, because each requested day would be stored. */
  #mayHaveEvents(atMs: number): boolean {
    return atMs >= EVENT_DAYS.first && dayOf(atMs) <= dayOf(this.#ports.clock()) + EVENT_DAYS.daysAhead * DAY_MS;
  }

  #stateOf(source: EventSource, results: readonly FeedResult[], isCut: boolean): SourceState {
    const found = results.flatMap(({ result }) => result ?? []);
    const missing = results.flatMap(({ feed, result }) => result?.day.missing ?? [feed.name]);
    const staleAges = found.filter(({ isFresh }) => !isFresh).map(({ day }) => this.#ports.clock() - day.loadedAtMs);
    return {
      source,
      state: missing.length > 0 ? 'failed' : staleAges.length > 0 ? 'stale' : 'ok',
      ageSeconds: staleAges.length > 0 ? Math.round(Math.max(...staleAges) / 1000) : null,
      missing: found.length > 0 ? missing : [],
      skipped: found.reduce((sum, { day }) => sum + day.skipped, 0),
      isCut: isCut || found.some(({ day }) => day.isCut),
    };
  }
}

const EMPTY_STORE: EventDayStore = { find: async () => null, keep: async () => undefined };

/** An event service without sources. */
export function noEvents(clock: Clock): EventService {
  return new EventService({ feeds: [], store: EMPTY_STORE, clock });
}
