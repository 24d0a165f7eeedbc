// The application over the event sources of a test.
import {
  EVENT_BREAKER,
  EVENT_CONCURRENCY,
  EVENT_MEMORY,
  EVENT_RATE_LIMIT,
  EVENT_REQUESTS,
  EVENT_TTL_MS,
} from '../../../src/config/limits/events.ts';
import { readEventSettings } from '../../../src/config/settings/events.ts';
import type { RhessiFlare } from '../../../src/domain/events/rhessi.ts';
import type { EventDayStore, RhessiFlares, StoredRecords } from '../../../src/ports/events.ts';
import { type EventLimits, EventService } from '../../../src/services/events/event-service.ts';
import type { FeedLimits } from '../../../src/upstreams/events/feed-request.ts';
import { eventFeeds } from '../../../src/upstreams/events/feeds.ts';
import type { MemoryBudget } from '../../../src/util/memory-budget.ts';
import { testArchive } from '../test-archive.ts';

/** For sources that respond; long enough for a busy machine. */
const PATIENT: FeedLimits = { ...EVENT_REQUESTS, firstRetryMs: 5, responseBytes: 1 << 20 };

/** For a source that stalls. */
const IMPATIENT: Partial<FeedLimits> = { attemptMs: 500, dayMs: 1_000 };

export class MemoryEventDays implements EventDayStore {
  readonly kept = new Map<string, string>();
  isBroken = false;

  async find(feed: string, dayMs: number): Promise<StoredRecords | null> {
    if (this.isBroken) throw new Error('the store is broken');
    const text = this.kept.get(`${feed} ${dayMs}`);
    return text === undefined ? null : (JSON.parse(text) as StoredRecords);
  }

  async keep(feed: string, dayMs: number, records: StoredRecords): Promise<void> {
    if (this.isBroken) throw new Error('the store is broken');
    this.kept.set(`${feed} ${dayMs}`, JSON.stringify(records));
  }
}

export class MemoryRhessiFlares implements RhessiFlares {
  readonly rows = new Map<number, RhessiFlare>();
  isBroken = false;

  async add(flares: readonly RhessiFlare[]): Promise<void> {
    for (const flare of flares) this.rows.set(flare.id, flare);
  }

  async between(fromMs: number, toMs: number, limit: number): Promise<RhessiFlare[]> {
    if (this.isBroken) throw new Error('the database is broken');
    return [...this.rows.values()].filter(({ startMs, endMs }) => startMs <= toMs && endMs >= fromMs).slice(0, limit);
  }

  async count(): Promise<number> {
    return this.rows.size;
  }
}

interface Setup {
  /** Whether the HEK may stall, so that it is not waited for. */
  readonly mayStall?: boolean;
  readonly limits?: Partial<FeedLimits>;
  readonly days?: Partial<EventLimits>;
  readonly store?: MemoryEventDays;
  readonly flares?: MemoryRhessiFlares;
  readonly memory?: MemoryBudget;
}

/** An isolate of the service with all sources at `url`; tests set `clock.nowMs`. */
export function eventsApp(url: string, { mayStall = false, limits = {}, days = {}, ...setup }: Setup = {}) {
  const { store = new MemoryEventDays(), flares = new MemoryRhessiFlares(), memory } = setup;
  const clock = { nowMs: Date.UTC(2024, 0, 31, 12) };
  const settings = readEventSettings({ EVENTS_UPSTREAM: url });
  const logged: Readonly<Record<string, unknown>>[] = [];
  const feedsWith = (more: Partial<FeedLimits>) => eventFeeds(settings, flares, { ...PATIENT, ...more, ...limits });
  const impatient = mayStall ? feedsWith(IMPATIENT) : [];
  const feeds = feedsWith({}).map((feed) => impatient.find(({ source, name }) => source === 'HEK' && name === feed.name) ?? feed);
  const service = new EventService(
    { feeds, store, clock: () => clock.nowMs, log: (record) => logged.push(record), ...(memory ? { memory } : {}) },
    {
      loadMs: 15_000,
      staleWaitMs: 15_000,
      memory: EVENT_MEMORY,
      ttlMs: EVENT_TTL_MS,
      breaker: EVENT_BREAKER,
      rateLimit: EVENT_RATE_LIMIT,
      concurrency: EVENT_CONCURRENCY,
      lookupMs: 15_000,
      ...days,
    },
  );
  const archive = testArchive({ events: service, clock: () => clock.nowMs });
  /** Response of the operation, by default for noon of the test day. */
  const get = async (query = '', startTime = '2014-01-01T12:00:00Z') => {
    archive.edgeCache.kept.clear();
    const response = await archive.get(`/v2/events/?startTime=${startTime}${query}`);
    await archive.settle();
    return {
      status: response.status,
      headers: response.headers,
      sources: response.headers.get('X-Events-Sources'),
      body: await response.json(),
    };
  };
  const records = async (query = '', startTime?: string) =>
    (await get(`&format=flat${query}`, startTime)).body as Record<string, unknown>[];
  return { get, records, service, store, flares, clock, logged, archive };
}
