import { LRUCache } from 'lru-cache';
import { delay } from './retry.ts';
import { Service } from './service.ts';

type Entry<V> = { readonly value: V; readonly bytes: number; rank: number };

interface MemoryCacheOptions<V> {
  /** Bytes of a value in memory, an estimate. */
  readonly bytesOf: (value: V) => number;
  /** Milliseconds that it takes to make a value again. */
  readonly worthMs: number;
}

/** Bytes of an entry beside its value: the key, the entry and its place in the map. */
const ENTRY_BYTES = 200;

/**
 * Cache whose entries share a memory budget with other caches, ranked as by GreedyDual-Size: the last evicted rank, plus milliseconds to
 * make it again for each byte. Small and expensive entries stay longer, and unused ones age.
 */
export class MemoryCache<K, V> extends Service<MemoryCacheOptions<V> & { readonly budget: MemoryBudget }> {
  /** The least recently used first. */
  readonly #entries = new Map<K, Entry<V>>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, { ...entry, rank: this.#rank(entry.bytes) });
    return entry.value;
  }

  /** Keeps a value, unless the budget has no room for it. */
  set(key: K, value: V): void {
    this.delete(key);
    const bytes = this.ports.bytesOf(value) + ENTRY_BYTES;
    if (this.ports.budget.take(bytes)) this.#entries.set(key, { value, bytes, rank: this.#rank(bytes) });
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.ports.budget.give(entry.bytes);
  }

  /** Rank of the entry that is evicted next; null for an empty cache. */
  get lowestRank(): number | null {
    const [oldest] = this.#entries.values();
    return oldest?.rank ?? null;
  }

  evict(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  #rank(bytes: number): number {
    return this.ports.budget.evictedRank + this.ports.worthMs / bytes;
  }
}

export interface MemoryLimits {
  /** Bytes of all caches and jobs together. */
  readonly bytes: number;
  /** Bytes of all jobs together; a larger job runs alone. The rest is left to the caches. */
  readonly jobBytes: number;
  /** Milliseconds after which the bytes of a job that did not end count as free. */
  readonly leaseMs: number;
  /** Jobs of at most `bytes` have `room` beside larger ones, which may be slow. Unset: none. */
  readonly small?: { readonly bytes: number; readonly room: number };
  /** Milliseconds, monotonic. Unset: of the platform. */
  readonly now?: () => number;
}

interface WaitOptions {
  readonly waitMs: number;
  /** Unset: that of the budget. */
  readonly leaseMs?: number;
  /** Whose job it is: the jobs of an owner have at most `OWNER_SHARE` of the bytes of all jobs together; a larger one is its only one. */
  readonly owner?: string;
}

const OWNER_SHARE = 1 / 2;

/** The bytes of a running job, until released or expired. */
export interface MemoryLease {
  readonly bytes: number;
  /** Number of the job, in the order of their starts. */
  readonly number: number;
  readonly endsAtMs: number;
  readonly owner: string | undefined;
}

export class NoMemory extends Error {
  /** Whether the jobs of the same owner had the memory. */
  readonly isOwnShare: boolean;

  constructor(isOwnShare = false) {
    super('The service has no memory for this work at the moment.');
    this.name = 'NoMemory';
    this.isOwnShare = isOwnShare;
  }
}

interface WaitingJob {
  readonly bytes: number;
  readonly owner: string | undefined;
  seenAtMs: number;
  /** Number of jobs that had started when this one became the first of those waiting; null before. */
  firstSince: number | null;
}

const POLL_MS = 20;
/** Milliseconds without a look at the budget after which a waiting job counts as cancelled with its request. */
const GONE_MS = 2_000;

/**
 * One budget of memory for the caches and the jobs of an isolate, in bytes as their owners estimate them.
 *
 * A job has its bytes before it begins, for which the least valuable entries are evicted. Jobs wait in the order of arrival; one may overtake
 * the first as far as both fit together. Small jobs have room of their own. A job must not acquire more bytes while it has some, since two
 * such jobs could wait for each other. A cancelled job never releases, so leases expire; a waiting one polls, as no other request may wake it.
 */
export class MemoryBudget extends Service<MemoryLimits> {
  readonly #now = this.ports.now ?? (() => performance.now());
  readonly #caches: MemoryCache<never, never>[] = [];
  readonly #leases = new Set<MemoryLease>();
  readonly #waiting = new Set<WaitingJob>();
  #cachedBytes = 0;
  /** Rank of the entry of a cache that was evicted last. */
  evictedRank = 0;
  #started = 0;
  /** Most bytes of caches and jobs together so far. */
  mostBytes = 0;

  get used(): { readonly cached: number; readonly jobs: number } {
    return { cached: this.#cachedBytes, jobs: this.#jobBytes() };
  }

  cache<K, V>(options: MemoryCacheOptions<V>): MemoryCache<K, V> {
    const cache = new MemoryCache<K, V>({ ...options, budget: this });
    this.#caches.push(cache as unknown as MemoryCache<never, never>);
    return cache;
  }

  /** The bytes of a job, at most the whole budget; null when there is no room within `waitMs`. */
  async acquire(bytes: number, { waitMs, leaseMs = this.ports.leaseMs, owner }: WaitOptions): Promise<MemoryLease | null> {
    const job: WaitingJob = { bytes: Math.min(bytes, this.ports.bytes), owner, seenAtMs: 0, firstSince: null };
    const stopsAtMs = this.#now() + waitMs;
    try {
      for (;;) {
        job.seenAtMs = this.#now();
        // Again, because a job that looks late counts as cancelled: it then waits as the last one.
        this.#waiting.add(job);
        if (this.#mayStart(job)) return this.#start(job, leaseMs);
        if (this.#now() >= stopsAtMs) return null;
        await delay(POLL_MS);
      }
    } finally {
      this.#waiting.delete(job);
    }
  }

  /** Runs `work`, which must not wait for more, when there are `bytes` for it. @throws NoMemory without room within `waitMs` */
  async run<T>(bytes: number, waitMs: number, work: () => Promise<T>, owner?: string): Promise<T> {
    const lease = await this.acquire(bytes, { waitMs, ...(owner === undefined ? {} : { owner }) });
    if (!lease) throw new NoMemory(this.#isOverShare({ bytes, owner }));
    try {
      return await work();
    } finally {
      this.release(lease);
    }
  }

  release(lease: MemoryLease): void {
    this.#leases.delete(lease);
  }

  #isOverShare({ bytes, owner }: Pick<WaitingJob, 'bytes' | 'owner'>): boolean {
    if (owner === undefined) return false;
    const running = [...this.#leases].filter((lease) => lease.owner === owner).reduce((sum, lease) => sum + lease.bytes, 0);
    return running > 0 && running + bytes > OWNER_SHARE * this.ports.jobBytes;
  }

  #mayStart(job: WaitingJob): boolean {
    if (this.#isOverShare(job)) return false;
    const { jobBytes, small } = this.ports;
    const running = this.#jobBytes();
    if (running > 0 && running + job.bytes > jobBytes) return false;
    if (small && job.bytes > small.bytes) {
      const large = [...this.#leases].filter(({ bytes }) => bytes > small.bytes).reduce((sum, { bytes }) => sum + bytes, 0);
      if (large > 0 && large + job.bytes > jobBytes - small.room) return false;
    }
    const first = this.#firstWaiting();
    if (first === job) return true;
    const overtook = [...this.#leases].filter(({ number }) => number > first.firstSince!);
    return overtook.reduce((sum, { bytes }) => sum + bytes, 0) + job.bytes + first.bytes <= jobBytes;
  }

  /** The first of the waiting jobs whose owner has a share left. */
  #firstWaiting(): WaitingJob & { firstSince: number } {
    for (const job of this.#waiting) {
      if (this.#isOverShare(job)) continue;
      if (this.#now() - job.seenAtMs <= GONE_MS) {
        job.firstSince ??= this.#started;
        return job as WaitingJob & { firstSince: number };
      }
      this.#waiting.delete(job);
      job.firstSince = null;
    }
    throw new Error('No job waits for memory.');
  }

  #start({ bytes, owner }: WaitingJob, leaseMs: number): MemoryLease {
    this.#started += 1;
    this.#evictUntil(this.ports.bytes - this.#jobBytes() - bytes);
    const lease = { bytes, number: this.#started, endsAtMs: this.#now() + leaseMs, owner };
    this.#leases.add(lease);
    this.#recordMost();
    return lease;
  }

  /** Bytes of the running jobs; forgets expired ones. */
  #jobBytes(): number {
    let sum = 0;
    for (const lease of this.#leases) {
      if (lease.endsAtMs <= this.#now()) this.#leases.delete(lease);
      else sum += lease.bytes;
    }
    return sum;
  }

  /** Accounts for `bytes` more of a cache, and evicts the least valuable entries for them; false when jobs hold the room. */
  take(bytes: number): boolean {
    const room = this.ports.bytes - this.#jobBytes();
    if (bytes > room) return false;
    this.#evictUntil(room - bytes);
    this.#cachedBytes += bytes;
    this.#recordMost();
    return true;
  }

  give(bytes: number): void {
    this.#cachedBytes -= bytes;
  }

  /** Evicts the least valuable of the least recently used entries of the caches, until the caches have at most `most` bytes. */
  #evictUntil(most: number): void {
    while (this.#cachedBytes > most) {
      const ranked = this.#caches.map((cache) => ({ cache, rank: cache.lowestRank ?? Number.POSITIVE_INFINITY }));
      const { cache, rank } = ranked.reduce((a, b) => (b.rank < a.rank ? b : a));
      this.evictedRank = Math.max(this.evictedRank, rank);
      cache.evict();
    }
  }

  #recordMost(): void {
    this.mostBytes = Math.max(this.mostBytes, this.#cachedBytes + this.#jobBytes());
  }
}

/** A map of at most `max` entries, which forgets the longest unused first. `LRUCache` with `max` allocates all at once: 0.4 MB for 10,000. */
export const boundedMap = <V extends object>(max: number): LRUCache<string, V> =>
  new LRUCache<string, V>({ maxSize: max, sizeCalculation: () => 1 });
