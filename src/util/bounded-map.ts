// Maps of bounded size.
import { LRUCache } from 'lru-cache';

/**
 * A map of at most `max` entries, which forgets the longest unused first. It takes memory as it fills, while `LRUCache` with its option
 * `max` allocates all of it at once: 1 ms and 0.4 MB for 10,000 entries.
 */
export const boundedMap = <V extends object>(max: number): LRUCache<string, V> =>
  new LRUCache<string, V>({ maxSize: max, sizeCalculation: () => 1 });
