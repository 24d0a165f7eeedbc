import { DAY_MS, MINUTE_MS } from '../util/durations.ts';

/** Times for which positions are computed, inclusive: two centuries around the space age, where the planetary theory is accurate. */
export const BODY_TIMES = { firstMs: Date.UTC(1900, 0, 1), lastMs: Date.UTC(2100, 0, 1) } as const;

export const TRAJECTORY = {
  /** Milliseconds between two points of a planet, which the web client assumes. */
  planetCadenceMs: DAY_MS,
  /** Points of one trajectory, after which their spacing doubles: planets need at most 110, a point takes 200 bytes. */
  points: 400,
} as const;

export const STATE_TABLES = {
  /** Rows of a table: 40 years in steps of 6 hours, 3.4 MB of an isolate's memory. */
  rows: 60_000,
  /** Characters of a line: Horizons writes 330 with all columns. */
  lineCharacters: 1_000,
  /** Bytes of a table as text: 60000 rows of Horizons with position and velocity. */
  textBytes: 14 << 20,
  /** Milliseconds after which an isolate looks for new tables. */
  freshMs: MINUTE_MS,
  ...BODY_TIMES,
} as const;
