import { DAY_MS, HOUR_MS, MINUTE_MS } from '../util/durations.ts';
export const SHARING = {
  /** Milliseconds that a browser session lives after its last grant: a working day. After it, the host requests consent. */
  sessionMs: DAY_MS,
  /** Milliseconds that a session lives without a grant: starting one needs no authorisation, and each is a row. */
  newSessionMs: HOUR_MS,
  /** Milliseconds between the redirect to the host and its callback. */
  authorisationMs: 10 * MINUTE_MS,
  /** Milliseconds before its expiry at which an access token counts as expired, because a request with it must still arrive. */
  tokenMarginMs: MINUTE_MS,
  /** Bytes sent in one request: the host requires multiples of 256 KiB, and an isolate has room for a few of these. */
  chunkBytes: 8 << 20,
  /** Milliseconds of an upload's lease, renewed with each chunk; longer than one chunk may take. */
  leaseMs: 3 * MINUTE_MS,
  /** Milliseconds after which a run starts no further chunk: a queue consumer may run for fifteen minutes. */
  runMs: 8 * MINUTE_MS,
  /** Subrequests of a run, after which it starts neither an upload nor a chunk; with 4 MB/s for the whole time it sends 240 chunks. */
  runCalls: 1_500,
  /** Subrequests of an upload, of which D1, R2 and the host have a part each, and of each of its chunks. */
  callsPerUpload: 14,
  callsPerChunk: 4,
  /** Consecutive attempts without a byte of progress. */
  attempts: 6,
  /** Milliseconds before the second attempt; doubled for each further one. */
  firstRetryMs: 15_000,
  /** Milliseconds after which an unfinished upload is abandoned: the host keeps its bytes for a week at most. */
  giveUpMs: DAY_MS,
  /** Milliseconds between checks of a shared video: its removal by the owner shows within a day. */
  checkMs: 12 * HOUR_MS,
  /** Milliseconds after publication for which a missing video is still checked, because it may only be hidden. */
  goneCheckMs: 30 * DAY_MS,
  /** Videos checked in one scheduled run: each is a subrequest. At 1440 runs a day that is 72000 videos. */
  checksPerRun: 50,
  /** Milliseconds that the host has for a short response. */
  responseMs: 20_000,
  /** Milliseconds that the host has to accept a chunk. */
  chunkMs: 120_000,
  /** Bytes of a response of the host: a video resource has 3 kB. */
  responseBytes: 256 << 10,
} as const;

export const USER_VIDEOS = {
  /** Videos in one response: the client shows ten. */
  defaultCount: 10,
  maxCount: 100,
  maxSkip: 100_000,
  /** Seconds for which a response is cached, as in the original service. */
  lifetimeSeconds: 90,
  /** Shared videos marked on one picture: more would hide it. */
  markersPerPicture: 50,
} as const;

export const LINKS = {
  /** Characters of a shortened address: a view of the client with five layers and its events takes 3000. */
  addressCharacters: 8_000,
  /** Milliseconds after its last use when a link is deleted: links are published, so that time is long. */
  unusedMs: 2 * 365 * DAY_MS,
  /** Milliseconds after which the built-in shortener takes over from the external one. */
  shortenerMs: 4_000,
  /** Milliseconds without requests to the external shortener after a failure. */
  shortenerCooldownMs: MINUTE_MS,
  /** Bytes of its response: one link with its history takes 2 kB. */
  shortenerBytes: 64 << 10,
  /** Characters of the links that it makes. */
  shortAddressCharacters: 300,
} as const;

/** Views of the web client that users share. */
export const CLIENT_STATES = {
  /** Bytes of a view: one with five layers and its events takes 4 kB, one with hundreds of single events 60 kB. */
  stateBytes: 64 << 10,
  /** Bytes that the smallest view is charged: a day then has at most 4400 rows. */
  leastBytes: 2_000,
  /** Nested objects and lists: views of the client have four. */
  depth: 16,
  /** Milliseconds after its last use when a view is deleted: links to views are published, so that time is long. */
  unusedMs: 2 * 365 * DAY_MS,
} as const;

/** The news feed and the blog from which it is read. */
export const NEWS = {
  ttlMs: 30 * MINUTE_MS,
  /** Milliseconds after a failure until the next request to the blog. */
  cooldownMs: MINUTE_MS,
  /** Milliseconds that the blog may take to respond. */
  fetchMs: 6_000,
  feedBytes: 1 << 20,
  /** Redirects within the blog's own host. */
  redirects: 3,
} as const;

/** Details of a shared movie: limits of YouTube Data API v3 (resource `videos`, `snippet`). */
export const DETAIL_LIMITS = {
  titleCharacters: 100,
  /** UTF-8. */
  descriptionBytes: 5000,
  tagCharacters: 30,
  /** Sum over all tags as the host counts them: with separating commas, and quotes around tags with spaces. */
  tagsCharacters: 500,
} as const;
