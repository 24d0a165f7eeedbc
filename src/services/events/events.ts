// The events of an instant from all sources, and what is to be said of each source.
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
import { lightestEvents } from '../../domain/events/lightest.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { EVENT_SOURCES, type EventSource } from '../../domain/recipe/events/pins.ts';
import type { EventAnswer, EventLookup, SourceState, Waiting } from '../../ports/event-lookup.ts';
import type { EventDayStore, EventFeed } from '../../ports/events.ts';
import type { Clock } from '../../ports/timing.ts';
import { DAY_MS } from '../../util/durations.ts';
import { TIMED_OUT, withTimeout } from '../../util/timeout.ts';
import { type DayAnswer, EventDays, type EventDaysLimits } from './events-days.ts';

interface Ports {
  readonly feeds: readonly EventFeed[];
  readonly store: EventDayStore;
  readonly clock: Clock;
  /** Unset: the console. */
  readonly log?: (record: Readonly<Record<string, unknown>>) => void;
}

export interface EventLimits extends EventDaysLimits {
  /** Milliseconds that an answer waits for its sources, their turns included, unless it waits less. */
  readonly responseMs: number;
}

const LIMITS: EventLimits = {
  responseMs: EVENT_REQUESTS.dayMs + 500,
  // The requests have the deadline themselves; this one is for those that do not keep it.
  waitMs: EVENT_REQUESTS.dayMs + 500,
  staleWaitMs: EVENT_REQUESTS.staleWaitMs,
  memory: EVENT_MEMORY,
  ttlMs: EVENT_TTL_MS,
  breaker: EVENT_BREAKER,
  rateLimit: EVENT_RATE_LIMIT,
  concurrency: EVENT_CONCURRENCY,
};
const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;

interface FeedAnswer {
  readonly feed: EventFeed;
  readonly answer: DayAnswer;
}

export class EventService implements EventLookup {
  readonly #ports: Ports;
  readonly #days: EventDays;
  readonly #responseMs: number;
  readonly #instantBytes: number;

  constructor(ports: Ports, limits: EventLimits = LIMITS) {
    this.#ports = ports;
    const log = ports.log ?? ((record: object) => console.warn(JSON.stringify(record)));
    this.#days = new EventDays({ ...ports, log }, limits);
    this.#responseMs = limits.responseMs;
    this.#instantBytes = limits.memory.instantBytes;
  }

  async answer(atMs: number, sources: readonly EventSource[], waiting: Waiting = {}): Promise<EventAnswer> {
    const feeds = this.#mayHaveEvents(atMs) ? this.#ports.feeds.filter(({ source }) => sources.includes(source)) : [];
    const answers = await Promise.all(
      feeds.map(async (feed) => ({ feed, answer: await this.#dayOf(feed, dayOf(atMs), waiting) })),
    );
    const bySource = EVENT_SOURCES.flatMap((source) => answers.filter(({ feed }) => feed.source === source));
    const all = eventsAtInstant(
      bySource.flatMap(({ answer }) => answer?.day.events ?? []),
      atMs,
    );
    const events = lightestEvents(all, this.#instantBytes);
    const countOf = (found: readonly SolarEvent[], source: EventSource) =>
      found.filter((event) => event.source === source).length;
    const states = sources.map((source) => {
      const given = answers.filter(({ feed }) => feed.source === source);
      return this.#stateOf(source, given, countOf(events, source) < countOf(all, source));
    });
    return { events, states };
  }

  async #dayOf(feed: EventFeed, dayMs: number, { waitMs = this.#responseMs, keepGoing }: Waiting): Promise<DayAnswer> {
    const asked = this.#days.day(feed, dayMs, keepGoing).catch(() => null);
    const answer = await withTimeout(asked, waitMs);
    if (answer !== TIMED_OUT) return answer;
    keepGoing?.(asked);
    return null;
  }

  /** Days before all events, and those far ahead, are not asked for: each would be kept. */
  #mayHaveEvents(atMs: number): boolean {
    return atMs >= EVENT_DAYS.first && dayOf(atMs) <= dayOf(this.#ports.clock()) + EVENT_DAYS.daysAhead * DAY_MS;
  }

  #stateOf(source: EventSource, answers: readonly FeedAnswer[], isCut: boolean): SourceState {
    const given = answers.flatMap(({ answer }) => answer ?? []);
    const missing = answers.flatMap(({ feed, answer }) => answer?.day.missing ?? [feed.name]);
    const stale = given.filter(({ isFresh }) => !isFresh).map(({ day }) => this.#ports.clock() - day.loadedAtMs);
    return {
      source,
      state: missing.length > 0 ? 'failed' : stale.length > 0 ? 'stale' : 'ok',
      ageSeconds: stale.length > 0 ? Math.round(Math.max(...stale) / 1000) : null,
      missing: given.length > 0 ? missing : [],
      skipped: given.reduce((sum, { day }) => sum + day.skipped, 0),
      isCut: isCut || given.some(({ day }) => day.isCut),
    };
  }
}

const NOTHING_KEPT: EventDayStore = { find: async () => null, keep: async () => undefined };

/** For an archive without events. */
export function noEvents(clock: Clock): EventService {
  return new EventService({ feeds: [], store: NOTHING_KEPT, clock });
}
