// Limits of a feed, and the query parameters of its requests.
import type { RequestLimits } from '../http/json-session.ts';

export interface FeedLimits extends RequestLimits {
  /** Concurrent requests. */
  readonly parallel: number;
  /** Pages of one day. */
  readonly pages: number;
  /** Records of one day. */
  readonly records: number;
}

export function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** `2024-05-10T12:00:00` */
export function timeParameter(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** `2024-05-10` */
export function dayParameter(ms: number): string {
  return timeParameter(ms).slice(0, 10);
}
