// Days of events from three levels: parsed days of this isolate, records stored for all isolates, and the sources.
import { LRUCache } from 'lru-cache';
import type { EVENT_MEMORY } from '../../config/limits/events.ts';
import { CACHE_WORTH_MS } from '../../config/limits/memory.ts';
import type { EventDayStore, EventFeed, LoadedRecords, StoredRecords } from '../../ports/events.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import type { MemoryCache } from '../../util/memory-cache.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { SingleFlight } from '../../util/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../../util/timeout.ts';
import { better, type EventDay, type EventTtl, isFresh, isRegression, parseDay } from './event-day.ts';
import { FeedLoader, type FeedLoaderLimits, loadBytes } from './feed-loader.ts';

/** Size of a day without events. */
const EMPTY_DAY_BYTES = 1_000;

/** Number of remembered failures. */
const MAX_FAILURES = 500;

export interface EventDaysLimits extends FeedLoaderLimits {
  /** Milliseconds to wait for a source when a stale day is available. */
  readonly staleWaitMs: number;
  /** Bytes of one day, of the events of an instant, and of days while they are loaded. */
  readonly memory: { readonly [K in keyof typeof EVENT_MEMORY]: number };
  readonly ttlMs: EventTtl;
}

interface Ports {
  readonly store: EventDayStore;
  readonly clock: Clock;
  /** Receives failures of sources and of the store. */
  readonly log: Log;
  readonly memory: MemoryBudget;
}

/** A day and whether it is fresh; null when the source failed and no earlier version is available. */
export type DayResult = { readonly day: EventDay; readonly isFresh: boolean } | null;

/** Keeps work alive after its request has ended. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** The last failure to load a day. `hasStale`: an earlier version of the day is available. */
interface DayFailure {
  readonly atMs: number;
  readonly hasStale: boolean;
}

const stale = (day: EventDay | null): DayResult => day && { day, isFresh: false };

export class EventDays {
  readonly #ports: Ports;
  readonly #limits: EventDaysLimits;
  readonly #cache: MemoryCache<string, EventDay>;
  readonly #failures = new LRUCache<string, DayFailure>({ max: MAX_FAILURES });
  readonly #loader: FeedLoader;
  readonly #storeReads: Semaphore;
  readonly #lookups: SingleFlight<DayResult>;

  constructor(ports: Ports, limits: EventDaysLimits) {
    const { total, perFeed, waitMs, leaseMs } = limits.concurrency;
    this.#ports = ports;
    this.#limits = limits;
    this.#cache = ports.memory.cache({ bytesOf: ({ bytes }) => bytes + EMPTY_DAY_BYTES, worthMs: CACHE_WORTH_MS.eventDay });
    this.#loader = new FeedLoader(limits, ports.clock, ports.memory);
    this.#storeReads = new Semaphore({ capacity: total, groupCapacity: perFeed, waitMs, leaseMs });
    this.#lookups = new SingleFlight(waitMs + limits.loadMs);
  }

  /** A UTC day of a feed. Concurrent lookups share one. */
  async day(feed: EventFeed, dayMs: number, waitUntil?: WaitUntil): Promise<DayResult> {
    const key = `${feed.name} ${dayMs}`;
    const cached = this.#cache.get(key);
    if (cached && this.#isFresh(cached, feed, dayMs)) return { day: cached, isFresh: true };
    return this.#lookups.run(key, () => {
      const result = this.#lookUp(feed, dayMs, key, waitUntil);
      waitUntil?.(result);
      return result;
    });
  }

  async #lookUp(feed: EventFeed, dayMs: number, key: string, waitUntil?: WaitUntil): Promise<DayResult> {
    const cached = this.#cache.get(key) ?? null;
    const failure = this.#failures.get(key);
    const failedRecently = failure !== undefined && this.#ports.clock() - failure.atMs < this.#limits.ttlMs.failed;
    if (failedRecently && (cached || !failure.hasStale)) return stale(cached);
    const known = better(cached, await this.#stored(feed, dayMs));
    if (known) this.#cache.set(key, known);
    if (known && this.#isFresh(known, feed, dayMs)) return { day: known, isFresh: true };
    if (failedRecently || !this.#loader.permits(feed, dayMs)) return stale(known);
    const loading = this.#load(feed, dayMs, key, known);
    if (!known) return loading;
    const loaded = await withTimeout(loading, this.#limits.staleWaitMs);
    if (loaded !== TIMED_OUT) return loaded;
    // Counts as a failure until the source responds, so that further requests get the stale day at once.
    this.#recordFailure(key, known);
    waitUntil?.(loading);
    return stale(known);
  }

  async #load(feed: EventFeed, dayMs: number, key: string, known: EventDay | null): Promise<DayResult> {
    try {
      const result = await this.#loader.load(feed, dayMs, (loaded) => this.#accept(loaded, feed, dayMs, key, known));
      if (result) return result;
      // The source was not requested, so the next lookup may do so at once.
      this.#failures.delete(key);
    } catch (error) {
      this.#recordFailure(key, known);
      this.#ports.log({ events: feed.name, day: new Date(dayMs).toISOString().slice(0, 10), failure: String(error) });
    }
    return stale(known);
  }

  async #accept(loaded: LoadedRecords, feed: EventFeed, dayMs: number, key: string, known: EventDay | null): Promise<DayResult> {
    if (isRegression(loaded, known)) {
      this.#recordFailure(key, known);
      return stale(known);
    }
    const records = { ...loaded, loadedAtMs: this.#ports.clock() };
    const day = parseDay(feed, records, this.#limits.memory.dayBytes);
    this.#cache.set(key, day);
    this.#failures.delete(key);
    if (feed.isRemote && loaded.missing.length === 0) await this.#store(feed, dayMs, records);
    return { day, isFresh: true };
  }

  /** The day from the store; null for a store that fails, or when there is no capacity or memory in time. */
  async #stored(feed: EventFeed, dayMs: number): Promise<EventDay | null> {
    if (!feed.isRemote) return null;
    const { memory, concurrency } = this.#limits;
    const lease = await this.#storeReads.acquire({ group: feed.name });
    const room = lease && (await this.#ports.memory.acquire(loadBytes(feed, memory), concurrency));
    try {
      const records = room && (await this.#ports.store.find(feed.name, dayMs));
      return records && parseDay(feed, records, memory.dayBytes);
    } catch (error) {
      this.#ports.log({ events: feed.name, store: String(error) });
      return null;
    } finally {
      if (room) this.#ports.memory.release(room);
      if (lease) this.#storeReads.release(lease);
    }
  }

  async #store(feed: EventFeed, dayMs: number, records: StoredRecords): Promise<void> {
    try {
      await this.#ports.store.keep(feed.name, dayMs, records);
    } catch (error) {
      this.#ports.log({ events: feed.name, store: String(error) });
    }
  }

  #recordFailure(key: string, known: EventDay | null): void {
    this.#failures.set(key, { atMs: this.#ports.clock(), hasStale: known !== null });
  }

  #isFresh(day: EventDay, feed: EventFeed, dayMs: number): boolean {
    return isFresh(day, feed, dayMs, { ttlMs: this.#limits.ttlMs, nowMs: this.#ports.clock() });
  }
}
