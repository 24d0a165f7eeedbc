import { MINUTE_MS, SECOND_MS } from '../util/durations.ts';

/** Messages that no consumer could work off: how many are kept, and listed and sent again together. */
export const DEAD_LETTERS = { kept: 10_000, shown: 100 } as const;

/** Statements of `npm run deploy -- --check`: one more than D1 documents for an invocation. */
export const CHECKED_STATEMENTS = 1_001;

export const STATUS = {
  freshMs: 30 * SECOND_MS,
  /** Milliseconds for which an isolate keeps the counts of the charts, which take several searches of every image database. */
  chartsFreshMs: 5 * MINUTE_MS,
  healthFreshMs: 5 * SECOND_MS,
  shareMs: 3 * SECOND_MS,
  /** Milliseconds between two attempts at the sources of events, whose records of today are fresh for as long. */
  beatMs: 5 * MINUTE_MS,
  /** Changes in the feed. */
  changes: 50,
  chartDays: 30,
} as const;
