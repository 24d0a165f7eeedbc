/** US dollars for a million, as the platform published them in August 2026. */
export const PRICES = {
  /** Requests of the Worker, and milliseconds of its processor. */
  request: 0.3,
  cpuMs: 0.02,
  /** Writes and lists of R2 (class A), and its reads (class B). */
  write: 4.5,
  read: 0.36,
  /** Rows of D1 and of Durable Objects, and calls of the latter, alarms included. */
  rowRead: 0.001,
  rowWritten: 1,
  call: 0.15,
} as const;

/** Reads of R2 that cost as much as one of another thing. */
export const readsFor = (what: keyof typeof PRICES): number => PRICES[what] / PRICES.read;
