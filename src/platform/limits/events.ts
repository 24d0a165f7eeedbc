import { DAY_MS } from '../util/durations.ts';
export const EVENT_REQUESTS = {
  /** Milliseconds for one response: the HEK takes 1 to 4 seconds for a page of a busy day. */
  attemptMs: 6_000,
  /** Milliseconds for one day of a source, retries and pages included: the longest wait of a user. */
  dayMs: 10_000,
  /** Milliseconds to wait for fresh records where stale ones are available. */
  staleWaitMs: 2_500,
  /** Milliseconds that a picture waits for its events. The records of a slower source appear in the next picture. */
  pictureWaitMs: 5_000,
  /** Attempts at one request; only transient failures are retried (no response, 429, 5xx, truncated response). */
  attempts: 2,
  /** Milliseconds before the second attempt; doubled before each further one. */
  firstRetryMs: 250,
  /** Concurrent requests to one source. A Worker has six open connections at most. */
  parallel: 4,
  /** Redirects within one host: http to https, with and without a slash. */
  redirects: 2,
  /** Bytes of one response, decompressed. A page of a thousand HEK records takes 6 MB. */
  responseBytes: 12 << 20,
  /** Bytes of all responses of one day of one feed. */
  dayBytes: 24 << 20,
  /** Pages of a HEK day, a thousand records each. Days of solar maximum have up to two. */
  pages: 5,
  /** Records of one day of one feed; the list is truncated there and marked so. */
  records: 4_000,
} as const;

/** Limits of the requests of one feed: lower ones for a source that throttles. */
export type FeedLimits = Readonly<Record<keyof typeof EVENT_REQUESTS, number>>;

/** Milliseconds for which the records of a day are fresh. */
export const EVENT_TTL_MS = {
  /** A day that was over when it was loaded: records may still be corrected. */
  past: DAY_MS,
  today: 300_000,
  /** A day that failed to load, or loaded in part, and every day of a source that failed: time until the next attempt. */
  failed: 30_000,
} as const;

/** Days for which sources are queried: the HEK begins with the flares of 1975, predictions reach three days ahead. */
export const EVENT_DAYS = { first: Date.UTC(1975, 0, 1), daysAhead: 4 } as const;

/** Bytes of memory for events, of the 128 MB of an isolate. A HEK record takes 8 kB. */
export const EVENT_MEMORY = {
  /** One day of one feed; the list is truncated there and marked so. Days of solar maximum have 2000 HEK records. */
  dayBytes: 24 << 20,
  /** A day of the HEK while it is loaded or read: its longest page with the parsed records. */
  loadBytes: 24 << 20,
  otherLoadBytes: 6 << 20,
  /** The events of one instant: 600 HEK records, where solar maximum has 300. A response holds each record three times. */
  instantBytes: 5 << 20,
} as const;

/** The WSA dashboard, which throttles programs that ask quickly. */
export const WSA = {
  /** Days for which it holds forecasts; stored ones of earlier days stay. */
  daysKept: 90,
  /** Requests of a day of a feed: observers of footpoints by the days in advance. Further ones are left out, and the day is marked so. */
  requests: 12,
  parallel: 2,
  /** Milliseconds before the second attempt. */
  retryMs: 1_500,
} as const;

/** Lists of events of a range, and the timeline of events below ten days, which loads the events themselves. */
export const EVENT_RANGE = {
  /** Days of one request, of which the timeline shows a third. A day of solar maximum takes 50 ms to parse. */
  days: 40,
  /** Days of an id at which its event is looked for. */
  daysOfId: 3,
  /** Events of one response; the list is truncated there and marked so. */
  events: 10_000,
  /** Days of a feed that are loaded at the same time; the others wait. */
  parallelDays: 2,
  /** Milliseconds for all days. Days that are not loaded by then count as missing, and a later request finds them loaded. */
  lookupMs: 20_000,
} as const;

export const EVENTS_API = {
  /** Records of `recents`, and whole days before today among which they are. */
  recents: 100,
  recentDays: 1,
  /** Whole days before today of which regions are listed, which cross the disk in as many, and of which statistics are made: a week. */
  regionDays: 14,
  statsDays: 6,
  /** Events of a region, and most frequent paths and labels of statistics. */
  regionEvents: 2_000,
  top: 20,
  /** Times of one request for frames, each of which places every event. */
  timestamps: 150,
  /** Days of a distribution by the length of its buckets: about a thousand buckets. */
  bins: { D: 1_000, W: 7_000, M: 31_000, Y: 100_000 },
} as const;

export const EVENT_FEED = {
  /** Whole days before today: sources report most events within a day. */
  daysBack: 2,
  /** As many as a feed of images has. */
  events: 40,
} as const;

export const XRAY_FLUX = {
  /** The first whole day of the dataset. Earlier days have no flux, and are not asked for. */
  first: Date.UTC(2010, 3, 14),
  /** Days of one request: the longest range of the explorer's timeline that has a curve, with half of it around. */
  days: 16,
  bins: 1_500,
} as const;

/** Pictures of outlines, whose addresses have the vertices. */
export const OUTLINE = {
  /** Characters of the rings, because proxies refuse addresses of 8 kB. An outline of 600 vertices takes about 2400. */
  characters: 4_000,
  /** Longest side of a picture; a larger outline is drawn at half the scale, a quarter, and so on. */
  sidePixels: 2048,
} as const;

/** Counts of events by day, for the timeline of events from ten days on. */
export const EVENT_COUNTS = {
  /** Types with a method that a day of a feed counts apart; 60 have been seen. Further methods are counted without their names. */
  kindsOfDay: 100,
  methodCharacters: 80,
  /** Most days of one load. Where a source is slow or has many events, a load has fewer: at most the records of a day (`EVENT_REQUESTS.records`). */
  windowDays: 31,
  firstWindowDays: 7,
  /** Milliseconds that a load should take at most, half of the time that a response has. */
  windowMs: 3_000,
  /** Loads of a feed by a timeline that shows days without counts, those near its middle first, and milliseconds for all of them. */
  timeline: { loads: 12, ms: 8_000 },
  /** Loads of a feed by the clock in a minute, the newest days first, and milliseconds for all of them. */
  clock: { loads: 4, ms: 25_000 },
  rowBytes: 60,
} as const;

/** Seconds for which clients and the edge cache event responses. */
export const EVENT_MAX_AGE_SECONDS = { past: 86_400, today: 300, incomplete: 60 } as const;

export const RHESSI_IMPORT = {
  /** Bytes of one batch: 2000 lines of the list take 250 kB. */
  batchBytes: 1 << 20,
  /** Lines of one batch, header included. */
  batchLines: 5_000,
  /** Rejected lines that a response describes. */
  shownProblems: 20,
} as const;
