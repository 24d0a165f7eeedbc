// Values of Cache-Control by kind of response.
import { LIFETIMES } from '../limits/http.ts';

/** A value of Cache-Control. The edge cache stores responses for the lifetime that it states. */
export type CachePolicy = string;

/** Content addressed by an id or a content hash: JP2 files, headers. */
export const IMMUTABLE: CachePolicy = `public, max-age=${LIFETIMES.immutable}, immutable`;

/**
 * Facts of a drawn picture: another version of the renderer may draw it otherwise, at the same address. Clients therefore ask again after a
 * day, with the strong ETag of its bytes alone, because no date changes with the renderer; the edge cache, which begins empty with each
 * deployment, keeps it as long as it can.
 */
export const DRAWN = {
  policy: `public, max-age=${LIFETIMES.drawn}` satisfies CachePolicy,
  edgeSeconds: LIFETIMES.immutable,
  lastModifiedMs: undefined,
} as const;

/** A nearest image that only a late delivery could change. */
export const SETTLED: CachePolicy = `public, max-age=${LIFETIMES.settled}`;

/** A nearest image that the next ingest may change. */
export const RECENT: CachePolicy = `public, max-age=${LIFETIMES.recent}`;

/** The catalogue, served stale while it is refreshed. */
export const CATALOGUE: CachePolicy = `${RECENT}, stale-while-revalidate=${LIFETIMES.staleCatalogue}`;

/** The ingestion status, which the edge cache does not repeat while the service fails, as it does by default without an end. */
export const STATUS: CachePolicy = `${CATALOGUE}, stale-if-error=0`;

/** The catalogue and the ingestion status while the sample archive is being added. */
export const GROWING_CATALOGUE: CachePolicy = `public, max-age=${LIFETIMES.growingCatalogue}`;

/** Responses that contain the host of the request: cached by the client only. */
export const PRIVATE_COPY: CachePolicy = `private, max-age=${LIFETIMES.recent}`;

export const NO_STORE: CachePolicy = 'no-store';
