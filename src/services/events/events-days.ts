// Days of events: parsed ones of this isolate, kept ones of all isolates, and the sources themselves, in this order.
import { LRUCache } from 'lru-cache';
import type {
  EVENT_BREAKER,
  EVENT_CONCURRENCY,
  EVENT_MEMORY,
  EVENT_RATE_LIMIT,
  EVENT_TTL_MS,
} from '../../config/limits/events.ts';
import { eventMemory } from '../../domain/events/record-bounds.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import type { EventDayStore, EventFeed, KeptRecords, LoadedRecords } from '../../ports/events.ts';
import type { Clock } from '../../ports/timing.ts';
import { DAY_MS } from '../../util/durations.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../../util/timeout.ts';
import { Breaker } from './events-breaker.ts';

/** Bytes of a day without events. */
const EMPTY_DAY_BYTES = 1_000;

/** Failures that are remembered. */
const KEPT_FAILURES = 500;

export type ConcurrencyLimits = { readonly [K in keyof typeof EVENT_CONCURRENCY]: number };

export interface EventDaysLimits {
  /** Milliseconds that a source has for a day. */
  readonly waitMs: number;
  /** Milliseconds that it has where there is an answer of before. */
  readonly staleWaitMs: number;
  /** Bytes of one day, and of all days that stay parsed. */
  readonly memory: { readonly [K in keyof typeof EVENT_MEMORY]: number };
  /** Those of asking sources, and as many of reading what was kept. */
  readonly concurrency: ConcurrencyLimits;
  readonly ttlMs: { readonly [K in keyof typeof EVENT_TTL_MS]: number };
  readonly breaker: { readonly [K in keyof typeof EVENT_BREAKER]: number };
  readonly rateLimit: { readonly [K in keyof typeof EVENT_RATE_LIMIT]: number };
}

interface Ports {
  readonly store: EventDayStore;
  readonly clock: Clock;
  /** Takes what went wrong with a source. */
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

export interface EventDay extends Omit<LoadedRecords, 'records'> {
  readonly events: readonly SolarEvent[];
  /** Records that could not be used: tests, and those without time or place. */
  readonly skipped: number;
  readonly loadedAtMs: number;
  /** Of memory that its events take, about. */
  readonly bytes: number;
}

/** `isFresh`: not older than it may be. Null: the source failed, and never gave this day before. */
export type DayAnswer = { readonly day: EventDay; readonly isFresh: boolean } | null;

/** Keeps work going when its own request ends. */
export type KeepGoing = (work: Promise<unknown>) => void;

/** The events of a day, as many as there is room for. */
function readDay(feed: EventFeed, { records, ...rest }: KeptRecords, mostBytes: number): EventDay {
  const events = new Map<string, SolarEvent>();
  let [skipped, bytes] = [0, 0];
  for (const record of records) {
    const event = feed.read(record);
    if (!event) {
      skipped += 1;
      continue;
    }
    const more = eventMemory(event);
    if (bytes + more > mostBytes) return { ...rest, events: [...events.values()], skipped, bytes, isCut: true };
    bytes += more;
    // Of records of one id, the last one is the newest.
    events.set(`${event.pin} ${event.id}`, event);
  }
  return { ...rest, events: [...events.values()], skipped, bytes };
}

const asOld = (day: EventDay | null): DayAnswer => day && { day, isFresh: false };

/** The whole one of two, else the one that was loaded later. */
function newer(a: EventDay | null, b: EventDay | null): EventDay | null {
  if (!a || !b) return a ?? b;
  if (a.missing.length > 0 !== b.missing.length > 0) return a.missing.length > 0 ? b : a;
  return a.loadedAtMs >= b.loadedAtMs ? a : b;
}

export class EventDays {
  readonly #ports: Ports;
  readonly #limits: EventDaysLimits;
  readonly #parsed: LRUCache<string, EventDay>;
  /** When a day did not load, and whether there is an answer of before. */
  readonly #failures = new LRUCache<string, { readonly atMs: number; readonly isKnown: boolean }>({ max: KEPT_FAILURES });
  readonly #breakers = new Map<string, Breaker>();
  readonly #rateLimiters = new Map<string, RateLimiter>();
  readonly #asking: Semaphore;
  readonly #reading: Semaphore;
  readonly #loading: SingleFlight<DayAnswer>;

  constructor(ports: Ports, limits: EventDaysLimits) {
    this.#ports = ports;
    this.#limits = limits;
    const { total, perFeed, waitMs, leaseMs } = limits.concurrency;
    const turns = { capacity: total, groupCapacity: perFeed, waitMs, leaseMs };
    this.#asking = new Semaphore(turns);
    this.#reading = new Semaphore(turns);
    this.#loading = new SingleFlight(waitMs + limits.waitMs);
    this.#parsed = new LRUCache({ maxSize: limits.memory.cacheBytes, sizeCalculation: ({ bytes }) => bytes + EMPTY_DAY_BYTES });
  }

  /**
   * A UTC day of a feed. Concurrent requests share one query of the source, for as long as it may take with its turn.
   */
  async day(feed: EventFeed, dayMs: number, keepGoing?: KeepGoing): Promise<DayAnswer> {
    const key = `${feed.name} ${dayMs}`;
    const parsed = this.#parsed.get(key);
    if (parsed && this.#isFresh(parsed, feed, dayMs)) return { day: parsed, isFresh: true };
    return this.#loading.run(key, () => {
      const answer = this.#load(feed, dayMs, key, keepGoing);
      keepGoing?.(answer);
      return answer;
    });
  }

  async #load(feed: EventFeed, dayMs: number, key: string, keepGoing?: KeepGoing): Promise<DayAnswer> {
    const parsed = this.#parsed.get(key) ?? null;
    const failure = this.#failures.get(key);
    const failedLately = failure !== undefined && this.#ports.clock() - failure.atMs < this.#limits.ttlMs.failed;
    if (failedLately && (parsed || !failure.isKnown)) return asOld(parsed);
    const known = newer(parsed, await this.#kept(feed, dayMs));
    if (known) this.#parsed.set(key, known);
    if (known && this.#isFresh(known, feed, dayMs)) return { day: known, isFresh: true };
    if (failedLately || !this.#breakerOf(feed).isClosed || !this.#isWithinRate(feed, dayMs)) return asOld(known);
    const refreshing = this.#refresh(feed, dayMs, key, known);
    if (!known) return refreshing;
    const refreshed = await withTimeout(refreshing, this.#limits.staleWaitMs);
    if (refreshed !== TIMED_OUT) return refreshed;
    // What is there is shown now, and to others too, until the source answers or fails.
    this.#noteFailure(key, known);
    keepGoing?.(refreshing);
    return asOld(known);
  }

  /** Asks the source when it is its turn; gives what is known where it fails or no turn comes. */
  async #refresh(feed: EventFeed, dayMs: number, key: string, known: EventDay | null): Promise<DayAnswer> {
    const turn = feed.isRemote ? await this.#asking.acquire({ group: feed.name }) : null;
    if (feed.isRemote && !(turn && this.#breakerOf(feed).isClosed)) {
      if (turn) this.#asking.release(turn);
      // The day may be asked for again at once.
      this.#failures.delete(key);
      return asOld(known);
    }
    const loading = feed.load(dayMs);
    try {
      return await this.#take(loading, feed, dayMs, key, known);
    } finally {
      // A source that is late still takes its memory.
      if (turn) void loading.catch(() => undefined).finally(() => this.#asking.release(turn));
    }
  }

  async #take(
    loading: Promise<LoadedRecords>,
    feed: EventFeed,
    dayMs: number,
    key: string,
    known: EventDay | null,
  ): Promise<DayAnswer> {
    const { clock, log } = this.#ports;
    const breaker = this.#breakerOf(feed);
    try {
      const loaded = await this.#inTime(loading, feed);
      breaker.succeeded();
      // The whole of a while ago says more than a part of now.
      if (loaded.missing.length > 0 && known?.missing.length === 0) {
        this.#noteFailure(key, known);
        return asOld(known);
      }
      const records = { ...loaded, loadedAtMs: clock() };
      const day = readDay(feed, records, this.#limits.memory.dayBytes);
      this.#parsed.set(key, day);
      this.#failures.delete(key);
      if (feed.isRemote && loaded.missing.length === 0) await this.#keep(feed, dayMs, records);
      return { day, isFresh: true };
    } catch (error) {
      breaker.failed();
      this.#noteFailure(key, known);
      log({ events: feed.name, day: new Date(dayMs).toISOString().slice(0, 10), failure: String(error) });
      return asOld(known);
    }
  }

  async #inTime(loading: Promise<LoadedRecords>, feed: EventFeed): Promise<LoadedRecords> {
    const loaded = await withTimeout(loading, this.#limits.waitMs);
    if (loaded === TIMED_OUT) throw new Error(`Expected an answer of ${feed.name} within ${this.#limits.waitMs} ms, got none.`);
    return loaded;
  }

  /** What was kept for all isolates; a store that fails, or is read by too many, has nothing. */
  async #kept(feed: EventFeed, dayMs: number): Promise<EventDay | null> {
    if (!feed.isRemote) return null;
    const turn = await this.#reading.acquire({ group: feed.name });
    if (!turn) return null;
    try {
      const kept = await this.#ports.store.find(feed.name, dayMs);
      return kept && readDay(feed, kept, this.#limits.memory.dayBytes);
    } catch (error) {
      this.#ports.log({ events: feed.name, store: String(error) });
      return null;
    } finally {
      this.#reading.release(turn);
    }
  }

  async #keep(feed: EventFeed, dayMs: number, records: KeptRecords): Promise<void> {
    try {
      await this.#ports.store.keep(feed.name, dayMs, records);
    } catch (error) {
      this.#ports.log({ events: feed.name, store: String(error) });
    }
  }

  #noteFailure(key: string, known: EventDay | null): void {
    this.#failures.set(key, { atMs: this.#ports.clock(), isKnown: known !== null });
  }

  #isFresh({ loadedAtMs, missing }: EventDay, { isRemote }: EventFeed, dayMs: number): boolean {
    const { past, today, failed } = this.#limits.ttlMs;
    const wasOver = loadedAtMs >= dayMs + DAY_MS;
    // A list of our own may be imported anew.
    const life = missing.length > 0 ? failed : wasOver && isRemote ? past : today;
    return this.#ports.clock() - loadedAtMs < life;
  }

  #isWithinRate({ name, isRemote }: EventFeed, dayMs: number): boolean {
    const { daysPerMinute, exemptDays } = this.#limits.rateLimit;
    if (!isRemote || dayMs > this.#ports.clock() - exemptDays * DAY_MS) return true;
    const limiter = this.#rateLimiters.get(name) ?? new RateLimiter(daysPerMinute, this.#ports.clock);
    this.#rateLimiters.set(name, limiter);
    return limiter.take();
  }

  #breakerOf({ name }: EventFeed): Breaker {
    const breaker = this.#breakers.get(name) ?? new Breaker(this.#limits.breaker, this.#ports.clock);
    this.#breakers.set(name, breaker);
    return breaker;
  }
}
