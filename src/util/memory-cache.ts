/** A cached value with its place in the order of eviction. */
interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  rank: number;
}

/** The budget as its caches use it. */
interface SharedRoom {
  /** Rank of the entry that was evicted last. */
  readonly evictedRank: number;
  /** Accounts for `bytes` more, and evicts the least valuable entries for them; false when jobs hold the room. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface MemoryCacheOptions<V> {
  /** Bytes of a value in memory, an estimate. */
  readonly bytesOf: (value: V) => number;
  /** Milliseconds that it takes to make a value again. */
  readonly worthMs: number;
}

/** Bytes of an entry beside its value: the key, the entry and its place in the map. */
const ENTRY_BYTES = 200;

/**
 * Cache whose entries share a memory budget with other caches.
 *
 * Entries are ranked as by GreedyDual-Size: the rank of the last evicted one, plus milliseconds to make it again for each byte. What is small
 * and expensive stays longer, and what is not used ages, because the rank of the last evicted one rises.
 */
export class MemoryCache<K, V> {
  readonly #room: SharedRoom;
  readonly #options: MemoryCacheOptions<V>;
  /** The least recently used first. */
  readonly #entries = new Map<K, Entry<V>>();

  constructor(room: SharedRoom, options: MemoryCacheOptions<V>) {
    this.#room = room;
    this.#options = options;
  }

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
    const bytes = this.#options.bytesOf(value) + ENTRY_BYTES;
    if (this.#room.take(bytes)) this.#entries.set(key, { value, bytes, rank: this.#rank(bytes) });
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#room.give(entry.bytes);
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
    return this.#room.evictedRank + this.#options.worthMs / bytes;
  }
}
