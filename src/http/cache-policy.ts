// How long an answer lives in browsers and at the edge, by what it is: values of Cache-Control.
import { LIFETIMES } from '../config/limits/http.ts';

/** A value of Cache-Control, one of those below. The edge cache keeps answers for the life that it states. */
export type CachePolicy = string;

/** Named by an id or a content hash: tile, JP2, header. */
export const IMMUTABLE: CachePolicy = `public, max-age=${LIFETIMES.immutable}, immutable`;

/** A nearest image that only a late delivery could change. */
export const SETTLED: CachePolicy = `public, max-age=${LIFETIMES.settled}`;

/** A nearest image that the next ingest may change. */
export const RECENT: CachePolicy = `public, max-age=${LIFETIMES.recent}`;

/** The catalogue and the ingestion status: a stale one is better than waiting. */
export const CATALOGUE: CachePolicy = `${RECENT}, stale-while-revalidate=${LIFETIMES.staleCatalogue}`;

/** Answers that name the host they were asked at: kept by the client, not shared. */
export const PRIVATE_COPY: CachePolicy = `private, max-age=${LIFETIMES.recent}`;

/** Answers about this very moment. */
export const NO_STORE: CachePolicy = 'no-store';
