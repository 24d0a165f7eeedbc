// How long an answer lives in browsers and at the edge, by what it is.
import { LIFETIMES } from '../config.ts';

export interface CachePolicy {
  readonly cacheControl: string;
  /** True when the answer is kept in the edge cache for the life that its Cache-Control states. */
  readonly atEdge: boolean;
}

/** Named by an id or a content hash: tile, JP2, header. */
export const IMMUTABLE: CachePolicy = { cacheControl: `public, max-age=${LIFETIMES.immutable}, immutable`, atEdge: true };

/** A nearest image that only a late delivery could change. */
export const SETTLED: CachePolicy = { cacheControl: `public, max-age=${LIFETIMES.settled}`, atEdge: true };

/** A nearest image that the next ingest may change. */
export const RECENT: CachePolicy = { cacheControl: `public, max-age=${LIFETIMES.recent}`, atEdge: true };

/** The catalogue and the ingestion status: a stale one is better than waiting. */
export const CATALOGUE: CachePolicy = {
  cacheControl: `public, max-age=${LIFETIMES.recent}, stale-while-revalidate=${LIFETIMES.staleCatalogue}`,
  atEdge: true,
};

/** Answers that name the host they were asked at: kept by the client, not shared. */
export const PRIVATE_COPY: CachePolicy = { cacheControl: `private, max-age=${LIFETIMES.recent}`, atEdge: false };

/** Answers about this very moment. */
export const NO_STORE: CachePolicy = { cacheControl: 'no-store', atEdge: false };
