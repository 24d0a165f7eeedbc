// Values of Cache-Control by kind of response.
import { LIFETIMES } from '../config/limits/http.ts';

/** A value of Cache-Control. The edge cache stores responses for the lifetime that it states. */
export type CachePolicy = string;

/** Content addressed by an id or a content hash: tiles, JP2 files, headers. */
export const IMMUTABLE: CachePolicy = `public, max-age=${LIFETIMES.immutable}, immutable`;

/** A nearest image that only a late delivery could change. */
export const SETTLED: CachePolicy = `public, max-age=${LIFETIMES.settled}`;

/** A nearest image that the next ingest may change. */
export const RECENT: CachePolicy = `public, max-age=${LIFETIMES.recent}`;

/** The catalogue and the ingestion status, served stale while they are refreshed. */
export const CATALOGUE: CachePolicy = `${RECENT}, stale-while-revalidate=${LIFETIMES.staleCatalogue}`;

/** The catalogue while the sample archive is being added. */
export const GROWING_CATALOGUE: CachePolicy = `public, max-age=${LIFETIMES.growingCatalogue}`;

/** The health check, which a shared cache spares D1 and R2. */
export const HEALTH: CachePolicy = `public, max-age=${LIFETIMES.health}`;

/** Responses that contain the host of the request: cached by the client only. */
export const PRIVATE_COPY: CachePolicy = `private, max-age=${LIFETIMES.recent}`;

/** Responses that must not be cached. */
export const NO_STORE: CachePolicy = 'no-store';
