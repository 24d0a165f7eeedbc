// What single things use, of which costs are computed.
import { RATES, type Usage } from '../../src/platform/limits/admission.ts';

/**
 * Counted usage of single things: reads and rows by test/worker/request-costs.test.ts, images/cron-costs.test.ts and clients/jpip-costs.test.ts, processor time by `npm run
 * bench -- tile` and `-- jpx`. A request passes the gateway, and with caching on the call behind the cache is billed as well.
 */
export const COUNTED = {
  cachedTile: RATES.GATEWAY_LIMIT.usage,
  drawnTile: { ...RATES.RENDER_LIMIT.usage, read: 3 },
  asset: { request: 1 },
  jpip: { request: 1, cpuMs: 2, read: 2, call: 2, rowRead: 2, rowWritten: 2 },
  /** An image of a hundred that are indexed at once, within minutes of being taken. */
  indexed: { read: 1, rowRead: 24, rowWritten: 5, cpuMs: 2 },
} as const satisfies Readonly<Record<string, Usage>>;

/**
 * A movie of 300 frames with an image each, which takes a container a minute: requests of its client and of its worker, and what each of them
 * takes, by test/unit/movie-worker/program.test.ts and images/cron-costs.test.ts. Those of the worker pass the proxy of its container.
 */
export const MOVIE: Readonly<Record<string, Usage & { readonly count: number }>> = {
  queue: { count: 1, request: 1, cpuMs: 20, rowRead: 1563, rowWritten: 22, read: 0, write: 1 },
  status: { count: 12, request: 1, cpuMs: 2, rowRead: 1, rowWritten: 0, read: 0, write: 0 },
  claim: { count: 1, request: 2, cpuMs: 10, rowRead: 324, rowWritten: 7, read: 1, write: 0 },
  object: { count: 1200, request: 2, cpuMs: 1, rowRead: 0, rowWritten: 0, read: 1, write: 0 },
  progress: { count: 12, request: 2, cpuMs: 2, rowRead: 1, rowWritten: 1, read: 0, write: 0 },
  markers: { count: 6, request: 2, cpuMs: 2, rowRead: 6, rowWritten: 1, read: 1, write: 0 },
  file: { count: 15, request: 2, cpuMs: 5, rowRead: 49, rowWritten: 5, read: 0, write: 1 },
  finish: { count: 1, request: 2, cpuMs: 5, rowRead: 10, rowWritten: 5, read: 0, write: 0 },
};
