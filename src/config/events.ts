// Limits and settings of solar events and their sources.
import { Failure } from '../domain/errors.ts';

/** What is asked of a source, and how long. */
export const EVENT_REQUESTS = {
  /** Milliseconds for one answer of a source: the HEK takes 1 to 4 for a page of a busy day. */
  attemptMs: 6_000,
  /** Milliseconds for all answers that a day of a source needs, retries and pages included: what a user waits at most. */
  dayMs: 10_000,
  /** Milliseconds that a user waits for news where an answer of before can be shown. */
  staleWaitMs: 2_500,
  /** Milliseconds that a picture waits for its events. A source that takes longer has them for the next picture. */
  pictureWaitMs: 5_000,
  /** Tries of one request; only what may pass by itself is tried again (no answer, 429, 5xx, half an answer). */
  attempts: 2,
  /** Milliseconds before the second try; doubled before each further one. */
  firstRetryMs: 250,
  /** Requests to one source at once. Workers have six connections open at a time. */
  parallel: 4,
  /** Redirects on one host: http to https, with and without a slash. */
  redirects: 2,
  /** Bytes of one answer, decompressed. A page of a thousand HEK records takes 6 MB. */
  responseBytes: 12 << 20,
  /** Bytes of all answers of one day of one feed. */
  dayBytes: 24 << 20,
  /** Pages of a HEK day, a thousand records each. Solar maximum has up to two. */
  pages: 5,
  /** Records of one day of one feed; the rest is cut off and the answer says so. */
  records: 4_000,
} as const;

/** After how many failures in a row a feed is left alone, and for how many milliseconds. */
export const EVENT_BREAKER = { failures: 3, cooldownMs: 30_000 } as const;

/** How many days of a feed an isolate asks for in a minute, beyond those kept: as many as two movies of many days take. */
export const EVENT_RATE_LIMIT = {
  daysPerMinute: 120,
  /** Days up to now that are asked for in any case: they are few, and most users look at them. */
  exemptDays: 7,
} as const;

/** Days that an isolate asks for at once, and as many that it reads from the store: each takes up to 40 MB until it is read. */
export const EVENT_CONCURRENCY = {
  /** The questions of one instant: HEK, two of DONKI, predictions. */
  total: 4,
  /** Days of the HEK are the large ones. */
  perFeed: 2,
  /** Milliseconds after which a day that had no turn is missing for now. */
  waitMs: 10_000,
  /** Milliseconds after which a turn counts as over in any case: a day takes 10 seconds, and what is left is to be kept. */
  leaseMs: 15_000,
} as const;

/** How long answers of the sources are good, in milliseconds. */
export const EVENT_TTL_MS = {
  /** A day that was over when it was loaded: records are still corrected for a while. */
  past: 86_400_000,
  /** A day that was not over. */
  today: 300_000,
  /** A day that could not be loaded, or in part only: how long it is not asked for again. */
  failed: 30_000,
} as const;

/** Days that are asked for at all: the HEK begins with the flares of 1975, predictions reach three days ahead. */
export const EVENT_DAYS = { first: Date.UTC(1975, 0, 1), daysAhead: 4 } as const;

/** Memory for events, in bytes of the 128 MB that an isolate has. A record of the HEK takes 8 kB. */
export const EVENT_MEMORY = {
  /** One day of one feed; the rest is cut off and the answer says so. Solar maximum has days of 2000 HEK records. */
  dayBytes: 24 << 20,
  /** All days that stay parsed: the largest one, and some more. */
  cacheBytes: 32 << 20,
  /** The events of one instant: 600 records of the HEK, where solar maximum has 300. Answers have each record three times. */
  instantBytes: 5 << 20,
} as const;

/** Seconds that clients and the edge keep answers. */
export const EVENT_MAX_AGE_SECONDS = { past: 86_400, today: 300, incomplete: 60 } as const;

/** The import of the RHESSI flare list. */
export const RHESSI_IMPORT = {
  /** Bytes of one batch: 2000 lines of the list take 250 kB. */
  batchBytes: 1 << 20,
  /** Lines of one batch, the header among them. */
  batchLines: 5_000,
  /** Bad lines that an answer spells out. */
  shownProblems: 20,
} as const;

/** Where the sources are, without a slash at the end. */
export interface EventSettings {
  /** `EVENTS_HEK_URL`: search of the Heliophysics Event Knowledgebase. */
  readonly hekUrl: string;
  /** `EVENTS_DONKI_URL`: web service of DONKI; CME and FLR are below it. */
  readonly donkiUrl: string;
  /** `EVENTS_SCOREBOARD_URL`: HAPI server of the flare scoreboard; data is below it. */
  readonly scoreboardUrl: string;
}

const REAL: EventSettings = {
  hekUrl: 'https://www.lmsal.com/hek/her',
  donkiUrl: 'https://ccmc.gsfc.nasa.gov/DONKI-API/get',
  scoreboardUrl: 'https://iswa.ccmc.gsfc.nasa.gov/IswaSystemWebApp/flarescoreboard/hapi',
};

const REAL_SOURCES = 'real';

function httpAddress(name: string, value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const url = URL.parse(value.trim());
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) return url.href.replace(/\/+$/, '');
  throw new Failure('internal', `Expected an http address for ${name}, got ${value}.`);
}

/**
 * `EVENTS_UPSTREAM`: `real`, or an address under which all sources are served at /hek, /donki and /scoreboard. Unset: real.
 * The address of a single source counts before it.
 * @throws Failure that names the variable
 */
export function readEventSettings(env: Readonly<Record<string, unknown>>): EventSettings {
  const isReal = env.EVENTS_UPSTREAM === REAL_SOURCES;
  const base = isReal ? null : httpAddress('EVENTS_UPSTREAM', env.EVENTS_UPSTREAM);
  const usual = base ? { hekUrl: `${base}/hek`, donkiUrl: `${base}/donki`, scoreboardUrl: `${base}/scoreboard` } : REAL;
  return {
    hekUrl: httpAddress('EVENTS_HEK_URL', env.EVENTS_HEK_URL) ?? usual.hekUrl,
    donkiUrl: httpAddress('EVENTS_DONKI_URL', env.EVENTS_DONKI_URL) ?? usual.donkiUrl,
    scoreboardUrl: httpAddress('EVENTS_SCOREBOARD_URL', env.EVENTS_SCOREBOARD_URL) ?? usual.scoreboardUrl,
  };
}
