// Guarded loading of days from event sources: concurrency limit, timeout, circuit breaker and rate limit.
import type { EVENT_BREAKER, EVENT_CONCURRENCY, EVENT_MEMORY, EVENT_RATE_LIMIT } from '../../config/limits/events.ts';
import type { EventFeed, LoadedRecords } from '../../ports/events.ts';
import type { Clock } from '../../ports/timing.ts';
import { Cooldown } from '../../util/cooldown.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { TIMED_OUT, withTimeout } from '../../util/timeout.ts';

type Limits<T> = { readonly [K in keyof T]: number };

export type ConcurrencyLimits = Limits<typeof EVENT_CONCURRENCY>;

export interface FeedLoaderLimits {
  /** Milliseconds for loading one day. */
  readonly loadMs: number;
  readonly concurrency: ConcurrencyLimits;
  readonly memory: Pick<Limits<typeof EVENT_MEMORY>, 'loadBytes' | 'otherLoadBytes'>;
  readonly breaker: Limits<typeof EVENT_BREAKER>;
  readonly rateLimit: Limits<typeof EVENT_RATE_LIMIT>;
}

/** Bytes that a day of a feed takes until its events are parsed. */
export function loadBytes({ source }: EventFeed, { loadBytes, otherLoadBytes }: FeedLoaderLimits['memory']): number {
  return source === 'HEK' ? loadBytes : otherLoadBytes;
}

/**
 * Circuit breaker: opens after consecutive failures; after its cool-down, a single failure opens it again. There is no shared
 * trial request as in other breakers, because a Worker may be cancelled with its request and the trial would never settle.
 */
class CircuitBreaker {
  readonly #limits: FeedLoaderLimits['breaker'];
  readonly #cooldown: Cooldown;
  #failures = 0;

  constructor(limits: FeedLoaderLimits['breaker'], clock: Clock) {
    this.#limits = limits;
    this.#cooldown = new Cooldown(clock);
  }

  /** Whether requests may be made. */
  get isClosed(): boolean {
    return !this.#cooldown.isActive;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= this.#limits.failures) this.#cooldown.start(this.#limits.cooldownMs);
  }
}

interface Guards {
  readonly breaker: CircuitBreaker;
  readonly rateLimiter: RateLimiter;
}

export class FeedLoader {
  readonly #limits: FeedLoaderLimits;
  readonly #clock: Clock;
  readonly #memory: MemoryBudget;
  readonly #semaphore: Semaphore;
  readonly #guards = new Map<string, Guards>();

  constructor(limits: FeedLoaderLimits, clock: Clock, memory: MemoryBudget) {
    const { total, perFeed, waitMs, leaseMs } = limits.concurrency;
    this.#memory = memory;
    this.#limits = limits;
    this.#clock = clock;
    this.#semaphore = new Semaphore({ capacity: total, groupCapacity: perFeed, waitMs, leaseMs });
  }

  /** Whether the circuit breaker and the rate limit permit a request; counts it. Recent days and local feeds are not limited. */
  permits(feed: EventFeed, dayMs: number): boolean {
    const { breaker, rateLimiter } = this.#guardsOf(feed);
    const isExempt = !feed.isRemote || dayMs > this.#clock() - this.#limits.rateLimit.exemptDays * DAY_MS;
    return breaker.isClosed && (isExempt || rateLimiter.take());
  }

  /**
   * Loads a day and passes its records to `use`. The leases of the semaphore and of the memory cover both, because the raw records stay in
   * memory for as long; they also cover a source that responds after the timeout.
   * @returns Null when no lease was available in time, or the circuit breaker has opened in the meantime
   * @throws Error of the source or of `use`, or a timeout; counted by the circuit breaker
   */
  async load<T>(feed: EventFeed, dayMs: number, use: (loaded: LoadedRecords) => Promise<T>): Promise<T | null> {
    const { breaker } = this.#guardsOf(feed);
    const lease = feed.isRemote ? await this.#semaphore.acquire({ group: feed.name }) : null;
    const isAdmitted = lease !== null || !feed.isRemote;
    const { memory, concurrency } = this.#limits;
    const room = isAdmitted ? await this.#memory.acquire(loadBytes(feed, memory), concurrency) : null;
    const release = () => {
      if (room) this.#memory.release(room);
      if (lease) this.#semaphore.release(lease);
    };
    if (!room || (feed.isRemote && !breaker.isClosed)) {
      release();
      return null;
    }
    const loading = feed.load(dayMs);
    try {
      const loaded = await withTimeout(loading, this.#limits.loadMs);
      if (loaded === TIMED_OUT)
        throw new Error(`Expected a response of ${feed.name} within ${this.#limits.loadMs} ms, got none.`);
      breaker.succeeded();
      return await use(loaded);
    } catch (error) {
      breaker.failed();
      throw error;
    } finally {
      void loading.catch(() => undefined).finally(release);
    }
  }

  #guardsOf({ name }: EventFeed): Guards {
    const { breaker, rateLimit } = this.#limits;
    const guards = this.#guards.get(name) ?? {
      breaker: new CircuitBreaker(breaker, this.#clock),
      rateLimiter: new RateLimiter(rateLimit.daysPerMinute, this.#clock),
    };
    this.#guards.set(name, guards);
    return guards;
  }
}
