/** What wrangler.toml and `wrangler secret` bind. Further settings are text variables, which src/config reads by name. */
export interface Env {
  readonly DB: D1Database;
  readonly ARCHIVE: R2Bucket;
  readonly JOBS: Queue;
  readonly RENDER_LIMIT: RateLimit;
  readonly JPIP_LIMIT: RateLimit;
  /** What JPIP channels have sent. */
  readonly JPIP_CHANNELS: DurableObjectNamespace;
  /** Containers that build movies; off where MOVIE_WORKER_URL is set. */
  readonly MOVIE_WORKERS?: DurableObjectNamespace;
  /** The pages of src/web. */
  readonly ASSETS: Fetcher;
  readonly SHARD_DATABASES: string;
  /** Secret of the admin operations; unset closes them. */
  readonly ADMIN_TOKEN?: string;
  /** Secret between the service and its movie workers; unset, no movies are made. */
  readonly MOVIE_TOKEN?: string;
  /** Secret that seals sessions with the video host; unset, nothing is shared. */
  readonly SESSION_KEY?: string;
  /** How JPX files are written: `standard` or `2016`. */
  readonly JPX_STYLE?: string;
  /** How far from its time an image may be before a picture says so, in seconds. */
  readonly FAR_IMAGE_SECONDS?: string;
}
