// What single things use, of which costs are computed.
import type { PRICES } from '../../src/config/limits/prices.ts';

/** Amounts of things that are billed. */
export type Usage = Partial<Record<keyof typeof PRICES, number>>;

/**
 * Counted usage of single things: reads and rows by test/worker/request-costs.test.ts, images/cron-costs.test.ts and clients/jpip-costs.test.ts, processor time by `npm run
 * bench -- tile` and `-- jpx`. A request passes the gateway, and with caching on the call behind the cache is billed as well.
 */
export const COUNTED = {
  cachedTile: { request: 2, cpuMs: 1 },
  drawnTile: { request: 2, cpuMs: 23, read: 3 },
  asset: { request: 1 },
  jpip: { request: 1, cpuMs: 2, read: 2, call: 2, rowRead: 2, rowWritten: 2 },
  /** An image of a hundred that are indexed at once, within minutes of being taken. */
  indexed: { read: 1, rowRead: 24, rowWritten: 5, cpuMs: 2 },
  /** A movie of a minute: polls, a claim, heartbeats and parts, each through the container's proxy and the Worker. */
  movie: { request: 80, cpuMs: 400, read: 300, write: 8, rowRead: 200, rowWritten: 40 },
} as const satisfies Readonly<Record<string, Usage>>;
