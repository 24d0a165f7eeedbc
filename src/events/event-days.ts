// Days of events, or of other items of a source, from three levels: parsed days of this isolate, records stored for all isolates, and the sources.
import { gunzipSync, gzipSync } from 'node:zlib';
import { eventDayKey } from '../archive/keys.ts';
import { EVENT_MEMORY, EVENT_RANGE, EVENT_REQUESTS, EVENT_TTL_MS } from '../platform/limits/events.ts';
import { CACHE_WORTH_MS } from '../platform/limits/memory.ts';
import type { Clock, Log, WaitUntil } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { when } from '../platform/util/errors.ts';
import { boundedMap, MemoryBudget, type MemoryLease, NoMemory } from '../platform/util/memory-budget.ts';
import { Cooldown, TIMED_OUT, withTimeout } from '../platform/util/retry.ts';
import { Service } from '../platform/util/service.ts';
import { SingleFlight } from '../platform/util/single-flight.ts';
import type { EventSource } from '../sun/events/event-types.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import { isoDay } from '../sun/time.ts';
import type { DayWindow } from './counts/event-counts.ts';
import type { DayFeed, LoadedRecords, Room } from './ports.ts';
import { eventMemory } from './records/record.ts';

const EMPTY_DAY_BYTES = 1_000;

const MAX_FAILURES = 500;

interface StoredRecords extends LoadedRecords {
  readonly loadedAtMs: number;
}

/** Changes with the shape of StoredRecords, so that objects of an older shape are not read. */
const STORED_VERSION = 1;

/** Stores the last complete response of each feed and UTC day, as JSON in gzip: a day of a thousand HEK records takes 300 kB instead of 5 MB. */
export class R2EventDays extends Service<Pick<ObjectStore, 'readAll' | 'put'>> {
  async find(feed: string, dayMs: number): Promise<StoredRecords | null> {
    const bytes = await this.ports.readAll(eventDayKey(STORED_VERSION, feed, dayMs));
    return bytes && JSON.parse(gunzipSync(bytes).toString());
  }

  async keep(feed: string, dayMs: number, records: StoredRecords): Promise<void> {
    await this.ports.put(eventDayKey(STORED_VERSION, feed, dayMs), gzipSync(JSON.stringify(records)), 'application/gzip');
  }
}

interface EventDay<T> extends Omit<LoadedRecords, 'records'> {
  readonly events: readonly T[];
  /** Number of unusable records: tests, and those without time or position. */
  readonly skipped: number;
  readonly loadedAtMs: number;
  readonly bytes: number;
}

/** `dayMs` is the time that a lookup waits for memory and for a day, for which feeds keep it as well. */
export interface EventLimits extends Readonly<Record<'dayMs' | 'staleWaitMs', number>> {
  readonly memory: Readonly<Record<keyof typeof EVENT_MEMORY, number>>;
  readonly ttlMs: Readonly<Record<keyof typeof EVENT_TTL_MS, number>>;
}

export const EVENT_LIMITS: EventLimits = { ...EVENT_REQUESTS, memory: EVENT_MEMORY, ttlMs: EVENT_TTL_MS };

export interface DayPorts {
  readonly store: R2EventDays;
  readonly clock: Clock;
  /** Receives failures of sources and of the store. */
  readonly log: Log;
  readonly memory: MemoryBudget;
  /** EVENT_LIMITS unless given. */
  readonly limits?: EventLimits;
}

export interface SourceState {
  readonly source: EventSource;
  /** `stale`: an earlier response is used; `partial`: not all days are counted; `failed`: the source, or a part of it, is missing. */
  readonly state: 'ok' | 'stale' | 'partial' | 'failed';
  /** Age of the oldest stale part, seconds; null without stale parts. */
  readonly ageSeconds: number | null;
  /** Loading time of its oldest part, milliseconds since 1970; null when nothing of it is there. */
  readonly loadedAtMs: number | null;
  /** Names of missing parts while others are available. */
  readonly missing: readonly string[];
  readonly skipped: number;
  readonly isCut: boolean;
  /** Days of the range, and those that have been counted; in counts alone. */
  readonly days?: { readonly counted: number; readonly all: number };
}

/** A day and whether it is fresh; null when the source failed and no earlier version is available. */
export type DayResult<T = SolarEvent> = { readonly day: EventDay<T>; readonly isFresh: boolean } | null;

/** Identity of the items of days, and their size in memory. */
export type ItemKind<T> = { keyOf(item: T): string; bytesOf(item: T): number };

export const EVENT_KIND: ItemKind<SolarEvent> = { keyOf: ({ pin, id }) => `${pin} ${id}`, bytesOf: eventMemory };

function parseDay<T>(feed: DayFeed<T>, { records, ...rest }: StoredRecords, { keyOf, bytesOf }: ItemKind<T>, maxBytes: number) {
  const events = new Map<string, T>();
  let [skipped, bytes] = [0, 0];
  for (const record of records) {
    const event = feed.read(record);
    if (!event) {
      skipped += 1;
      continue;
    }
    const size = bytesOf(event);
    if (bytes + size > maxBytes) return { ...rest, events: [...events.values()], skipped, bytes, isCut: true };
    bytes += size;
    // The last of several records with one id is the newest version.
    events.set(keyOf(event), event);
  }
  return { ...rest, events: [...events.values()], skipped, bytes };
}

const isComplete = ({ missing }: Pick<LoadedRecords, 'missing'>): boolean => missing.length === 0;

/** The complete one of two days, else the one loaded later. */
function better<T>(a: EventDay<T> | null, b: EventDay<T> | null): EventDay<T> | null {
  if (!a || !b) return a ?? b;
  if (isComplete(a) !== isComplete(b)) return isComplete(a) ? a : b;
  return a.loadedAtMs >= b.loadedAtMs ? a : b;
}

const stale = <T>(day: EventDay<T> | null): DayResult<T> => day && { day, isFresh: false };

export class EventDays<T> extends Service<DayPorts & { readonly kind: ItemKind<T> }> {
  readonly #limits = this.ports.limits ?? EVENT_LIMITS;
  readonly #cache = this.ports.memory.cache<string, EventDay<T>>({
    bytesOf: ({ bytes }) => bytes + EMPTY_DAY_BYTES,
    worthMs: CACHE_WORTH_MS.eventDay,
  });
  readonly #failures = boundedMap<{ readonly atMs: number; readonly hasStale: boolean }>(MAX_FAILURES);
  /** Sources by feed. One that has failed is not requested for a while, whatever the day. `loads` has a place for each day that is loaded at once. */
  readonly #sources = new Map<string, { readonly cooldown: Cooldown; readonly loads: MemoryBudget }>();
  readonly #lookups = new SingleFlight<DayResult<T>>(2 * this.#limits.dayMs);

  /** A UTC day of a feed. Concurrent lookups share one. */
  async day(feed: DayFeed<T>, dayMs: number, waitUntil?: WaitUntil): Promise<DayResult<T>> {
    const key = `${feed.name} ${dayMs}`;
    const cached = this.#cache.get(key);
    if (cached && this.#isFresh(cached, feed, dayMs)) return { day: cached, isFresh: true };
    return this.#lookups.run(key, () => {
      const result = this.#lookUp(feed, dayMs, key, waitUntil);
      waitUntil?.(result);
      return result;
    });
  }

  /** A day, or null when it is not there within `timeoutMs`: it goes on loading, and a later request finds it. Never throws. */
  async dayWithin(timeoutMs: number, feed: DayFeed<T>, dayMs: number, waitUntil?: WaitUntil): Promise<DayResult<T>> {
    if (timeoutMs <= 0) return null;
    const lookup = this.day(feed, dayMs, waitUntil).catch(() => null);
    const result = await withTimeout(lookup, timeoutMs);
    if (result !== TIMED_OUT) return result;
    waitUntil?.(lookup);
    return null;
  }

  /** Calls `load` for days, `EVENT_RANGE.parallelDays` at a time, with the milliseconds that each may take: 0 or less when all have taken `allMs`. */
  async inTurn(days: readonly number[], allMs: number, load: (dayMs: number, timeoutMs: number) => Promise<void>): Promise<void> {
    const { clock } = this.ports;
    const deadlineMs = clock() + allMs;
    for (let i = 0; i < days.length; i += EVENT_RANGE.parallelDays) {
      const some = days.slice(i, i + EVENT_RANGE.parallelDays);
      await Promise.all(some.map((dayMs) => load(dayMs, Math.min(this.#limits.dayMs, deadlineMs - clock()))));
    }
  }

  /** The events of several days for their counts, not kept. `failed`: the source did not deliver; null: it rests, or memory is short. */
  async window(feed: DayFeed<T>, { dayMs, days }: DayWindow): Promise<Pick<EventDay<T>, 'events' | 'isCut'> | 'failed' | null> {
    if (this.#isDropped(feed, dayMs + (days - 1) * DAY_MS)) return this.#emptyDay();
    if (this.#sourceOf(feed).cooldown.isActive) return null;
    return this.#loading(feed, null, async (room) => {
      const loaded = await this.#records(feed, room, dayMs, days);
      if (!loaded || !isComplete(loaded)) return 'failed';
      return parseDay(feed, { ...loaded, loadedAtMs: this.ports.clock() }, this.ports.kind, this.#limits.memory.dayBytes);
    });
  }

  /** Records from the source; null when it fails. After it failed for a single day, it is not requested for a while. */
  async #records(feed: DayFeed<T>, room: Room, dayMs: number, days?: number): Promise<LoadedRecords | null> {
    const { cooldown } = this.#sourceOf(feed);
    try {
      const records = await feed.load(dayMs, days, room);
      cooldown.end();
      return records;
    } catch (error) {
      if (error instanceof NoMemory) throw error;
      // A window of several days may have been too much for it.
      if (days === undefined || days === 1) cooldown.start(this.#limits.ttlMs.failed);
      this.ports.log({ events: feed.name, day: isoDay(dayMs), failure: String(error) });
      return null;
    }
  }

  async #lookUp(feed: DayFeed<T>, dayMs: number, key: string, waitUntil?: WaitUntil): Promise<DayResult<T>> {
    const cached = this.#cache.get(key) ?? null;
    const failure = this.#failures.get(key);
    const failedRecently = failure !== undefined && this.ports.clock() - failure.atMs < this.#limits.ttlMs.failed;
    if (failedRecently && (cached || !failure.hasStale)) return stale(cached);
    const known = better(cached, await this.#stored(feed, dayMs, cached));
    if (known) this.#cache.set(key, known);
    if (known && this.#isFresh(known, feed, dayMs)) return { day: known, isFresh: true };
    if (this.#isDropped(feed, dayMs)) return { day: known ?? this.#emptyDay(), isFresh: true };
    if (failedRecently) return stale(known);
    const loading = this.#load(feed, dayMs, key, known);
    if (!known) return loading;
    const loaded = await withTimeout(loading, this.#limits.staleWaitMs);
    if (loaded !== TIMED_OUT) return loaded;
    waitUntil?.(loading);
    // Counts as a failure until the source responds, so that further requests get the stale day at once.
    return this.#failed(key, known);
  }

  async #load(feed: DayFeed<T>, dayMs: number, key: string, known: EventDay<T> | null): Promise<DayResult<T>> {
    const { cooldown } = this.#sourceOf(feed);
    if (cooldown.isActive) return this.#failed(key, known);
    const loaded = await this.#loading(feed, known, async (room) => {
      const records = await this.#records(feed, room, dayMs);
      return records ? this.#accept(records, feed, dayMs, key, known) : this.#failed(key, known);
    });
    // Not requested for want of memory: the next lookup may do so at once.
    if (!loaded && !cooldown.isActive) this.#failures.delete(key);
    return loaded ?? stale(known);
  }

  async #accept(loaded: LoadedRecords, feed: DayFeed<T>, dayMs: number, key: string, known: EventDay<T> | null) {
    if (known && isComplete(known) && !isComplete(loaded)) return this.#failed(key, known);
    const records = { ...loaded, loadedAtMs: this.ports.clock() };
    const day = parseDay(feed, records, this.ports.kind, this.#limits.memory.dayBytes);
    this.#cache.set(key, day);
    this.#failures.delete(key);
    const failed = (error: unknown) => this.ports.log({ events: feed.name, store: String(error) });
    if (!feed.isLocal && isComplete(loaded)) await this.ports.store.keep(feed.name, dayMs, records).catch(failed);
    return { day, isFresh: true };
  }

  /** The day from the store; null for a store that fails, or when there is no memory in time. */
  async #stored(feed: DayFeed<T>, dayMs: number, cached: EventDay<T> | null): Promise<EventDay<T> | null> {
    if (feed.isLocal) return null;
    const { dayMs: longestMs, staleWaitMs, memory } = this.#limits;
    try {
      return await this.ports.memory.run(this.#bytesOf(feed), cached ? staleWaitMs : longestMs, async () => {
        const records = await this.ports.store.find(feed.name, dayMs);
        return records && parseDay(feed, records, this.ports.kind, memory.dayBytes);
      });
    } catch (error) {
      if (!(error instanceof NoMemory)) this.ports.log({ events: feed.name, store: String(error) });
      return null;
    }
  }

  /** The result of `work` as a load of its feed, with the memory of a day from its first call of `room`. Null without a turn or memory. */
  async #loading<R>(feed: DayFeed<T>, known: EventDay<T> | null, work: (room: Room) => Promise<R>): Promise<R | null> {
    const { dayMs, staleWaitMs } = this.#limits;
    const wait = { waitMs: known ? staleWaitMs : dayMs, leaseMs: 2 * dayMs };
    const { cooldown, loads } = this.#sourceOf(feed);
    const turn = await loads.acquire(1, wait);
    if (!turn) return null;
    let lease: Promise<MemoryLease | null> | undefined;
    const room = async () => {
      lease ??= this.ports.memory.acquire(this.#bytesOf(feed), wait);
      if (!(await lease)) throw new NoMemory();
    };
    try {
      // The source may have failed while this day waited.
      return cooldown.isActive ? null : await work(room);
    } catch (error) {
      return when(NoMemory, () => null)(error);
    } finally {
      loads.release(turn);
      const held = await lease;
      if (held) this.ports.memory.release(held);
    }
  }

  #bytesOf({ source }: DayFeed<T>): number {
    const { memory } = this.#limits;
    return source === 'HEK' ? memory.loadBytes : memory.otherLoadBytes;
  }

  #sourceOf({ name }: DayFeed<T>) {
    const days = EVENT_RANGE.parallelDays;
    const source = this.#sources.get(name) ?? {
      cooldown: new Cooldown(this.ports),
      loads: new MemoryBudget({ bytes: days, jobBytes: days, leaseMs: 2 * this.#limits.dayMs }),
    };
    this.#sources.set(name, source);
    return source;
  }

  #isDropped({ daysKept = Number.POSITIVE_INFINITY }: DayFeed<T>, dayMs: number): boolean {
    return this.ports.clock() - dayMs > daysKept * DAY_MS;
  }

  #emptyDay(): EventDay<T> {
    return { events: [], skipped: 0, bytes: 0, isCut: false, missing: [], loadedAtMs: this.ports.clock() };
  }

  /** Notes that the source did not deliver a day, and returns the one that is known. */
  #failed(key: string, known: EventDay<T> | null): DayResult<T> {
    this.#failures.set(key, { atMs: this.ports.clock(), hasStale: known !== null });
    return stale(known);
  }

  /** Whether a day may be served without a new request. Days of a local feed expire like today, because its list may be imported again. */
  #isFresh(day: EventDay<T>, { isLocal }: DayFeed<T>, dayMs: number): boolean {
    const { ttlMs } = this.#limits;
    const wasOver = day.loadedAtMs >= dayMs + DAY_MS;
    const ttl = !isComplete(day) ? ttlMs.failed : wasOver && !isLocal ? ttlMs.past : ttlMs.today;
    return this.ports.clock() - day.loadedAtMs < ttl;
  }
}
