import type { WorkerVariables } from '../platform/settings/schema.ts';

/** Bindings of wrangler.toml, and the variables and secrets of the schema. */
export interface Env extends WorkerVariables {
  readonly DB: D1Database;
  readonly OPERATIONS: D1Database;
  /** The image database of the local service. Others are named in SHARD_DATABASES. */
  readonly IMAGES: D1Database;
  readonly ARCHIVE: R2Bucket;
  /** Nudges of movies. */
  readonly JOBS: Queue;
  /** Work that may take minutes: jobs of the clock, files of the mirror, uploads to the video host. */
  readonly LONG_JOBS: Queue;
  /** Notifications of the bucket, which the service sends again for objects that are busy. */
  readonly OBJECTS: Queue;
  readonly WEBHOOKS: Queue;
  /** Rate limits; absent on this machine, whose one isolate counts itself. */
  readonly RENDER_LIMIT?: RateLimit;
  readonly JPIP_LIMIT?: RateLimit;
  readonly PICTURE_LIMIT?: RateLimit;
  /** Counts the requests that pass the edge cache. */
  readonly GATEWAY_LIMIT?: RateLimit;
  /** Cache models of the JPIP channels. */
  readonly JPIP_CHANNELS: DurableObjectNamespace;
  /** High-water marks of the ids of images. */
  readonly ID_SEQUENCES: DurableObjectNamespace;
  /** Containers of the movie workers; unused where MOVIE_WORKER_URL is set. */
  readonly MOVIE_WORKERS?: DurableObjectNamespace;
  /** Time series of the status (Workers Analytics Engine); optional. */
  readonly STATUS_POINTS?: AnalyticsEngineDataset;
  /** A point for each request, by operation (Workers Analytics Engine); optional. */
  readonly REQUEST_POINTS?: AnalyticsEngineDataset;
  /** Pages, built from src/explorer. */
  readonly ASSETS: Fetcher;
}
