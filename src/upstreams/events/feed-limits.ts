// What the feeds have in common.
import type { RequestLimits } from '../http/json-source.ts';

export interface FeedLimits extends RequestLimits {
  /** Requests at once. */
  readonly parallel: number;
  /** Pages of one day. */
  readonly pages: number;
  /** Records of one day. */
  readonly records: number;
}

/** An address of a source with a query. */
export function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** `2024-05-10T12:00:00` */
export function plainTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** `2024-05-10` */
export function plainDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
