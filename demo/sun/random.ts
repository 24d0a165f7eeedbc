// Pseudo-random numbers as pure functions of their keys.

const SEED = 20_240_510;

/** Hash of integers, 0 to 2^32 - 1. */
export function hash(...keys: number[]): number {
  let h = SEED;
  for (const key of keys) {
    h = Math.imul(h ^ (key | 0), 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    h ^= h >>> 13;
  }
  return h >>> 0;
}

export interface RandomStream {
  /** Uniform from `low` to `high`. */
  between(low: number, high: number): number;
  normal(mean: number, deviation: number): number;
}

export function randomStream(...keys: number[]): RandomStream {
  let state = hash(...keys);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + (high - low) * next(),
    normal: (mean, deviation) => mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
