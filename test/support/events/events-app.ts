// The application over the event sources of a test.
import { D1EventCounts } from '../../../src/events/d1-event-counts.ts';
import { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { type EventLimits, R2EventDays } from '../../../src/events/event-days.ts';
import { EventService } from '../../../src/events/event-service.ts';
import { eventFeeds, xrayFeed } from '../../../src/events/feeds/feeds.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/events/records/rhessi.ts';
import { XrayFlux } from '../../../src/events/x-ray-flux.ts';
import { EVENT_MEMORY, EVENT_REQUESTS, EVENT_TTL_MS, type FeedLimits } from '../../../src/platform/limits/events.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { readEventSettings } from '../../../src/platform/settings/events.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import { testArchive } from '../test-archive.ts';
import { rhessiLine } from './event-records.ts';

/** For sources that respond; long enough for a busy machine. */
const PATIENT: FeedLimits = { ...EVENT_REQUESTS, firstRetryMs: 5, responseBytes: 1 << 20 };

/** For a source that stalls. */
const IMPATIENT: Partial<FeedLimits> = { attemptMs: 500, dayMs: 1_000 };

export const emptyStore = () => new R2EventDays(new MemoryObjectStore());

export const flareList = () => new D1RhessiFlares(databasesIn(migrated()));

/** The list with the flare of `rhessiLine()`. */
export async function oneFlare(): Promise<D1RhessiFlares> {
  const flares = flareList();
  await flares.add([parseRhessiLine(rhessiLine()) as RhessiFlare]);
  return flares;
}

interface Setup {
  /** Whether the HEK may stall, so that it is not waited for. */
  readonly mayStall?: boolean;
  readonly limits?: Partial<FeedLimits>;
  readonly days?: Partial<EventLimits>;
  readonly objects?: MemoryObjectStore;
  readonly store?: R2EventDays;
  readonly counts?: D1EventCounts;
  readonly flares?: Pick<D1RhessiFlares, 'between'>;
  readonly memory?: MemoryBudget;
}

/** An isolate of the service with all sources at `url`; tests set `clock.nowMs`. */
export function eventsApp(url: string, { mayStall = false, limits = {}, days = {}, ...setup }: Setup = {}) {
  const { objects = new MemoryObjectStore(), flares = flareList(), memory = new MemoryBudget(memoryLimits()) } = setup;
  const counts = setup.counts ?? new D1EventCounts(databasesIn(migrated()));
  const store = setup.store ?? new R2EventDays(objects);
  const clock = { nowMs: Date.UTC(2024, 0, 31, 12) };
  const settings = readEventSettings({ EVENTS_UPSTREAM: url });
  const logged: Readonly<Record<string, unknown>>[] = [];
  const feedsWith = (more: Partial<FeedLimits>) => eventFeeds(settings, flares, { ...PATIENT, ...more, ...limits });
  const impatient = mayStall ? feedsWith(IMPATIENT) : [];
  const feeds = feedsWith({}).map((feed) => impatient.find(({ source, name }) => source === 'HEK' && name === feed.name) ?? feed);
  const log = (record: Readonly<Record<string, unknown>>) => logged.push(record);
  const dayLimits = { dayMs: 15_000, staleWaitMs: 15_000, memory: EVENT_MEMORY, ttlMs: EVENT_TTL_MS, ...days };
  const service = new EventService({ feeds, store, counts, clock: () => clock.nowMs, log, memory, limits: dayLimits });
  const feed = xrayFeed(settings.xray, { ...PATIENT, ...limits });
  const xrayFlux = new XrayFlux({ feed, store, clock: () => clock.nowMs, log, memory });
  const archive = testArchive({ events: service, xrayFlux, clock: () => clock.nowMs });
  /** Response of the operation, by default for noon of the test day. */
  const get = async (query = '', startTime = '2014-01-01T12:00:00Z') => {
    archive.cache.entries.clear();
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
  return { get, records, service, store, counts, objects, clock, logged, archive };
}
