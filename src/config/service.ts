// Every limit and setting of the service: name, unit, default and reason. Settings come from the environment; limits are
// constants, because changing one without measuring changes what the service can promise.
import { Failure } from '../domain/errors.ts';
import { JPX_STYLES, type JpxStyle } from '../domain/jpx/style.ts';

export const SERVICE_NAME = 'helioedge';
export const SERVICE_VERSION = '0.1.0';

/** Limits on what a request may carry. */
export const REQUEST_LIMITS = {
  /** Bytes of a POST body: the largest event state that the web client sends is below 300 kB. */
  bodyBytes: 1 << 20,
  /** Characters of one parameter: 360 timestamps take 4 kB, and proxies cut URLs at 16 kB. */
  parameterCharacters: 16_384,
  /** Sources in one getClosestImageDatesForSources: each is a query, and the client shows at most a dozen layers. */
  sourcesPerRequest: 32,
  /** Tiles from the centre, either way: 16 times the tiles of a 4096 image at 1/64 of its scale. */
  tileNumber: 100_000,
  /** Arcseconds per pixel of a tile. Coarser than the largest, every image is below one pixel. */
  imageScaleArcsecPerPixel: { min: 0.001, max: 100_000 },
  /** Largest source id: XRT groups end at 10013, and the rest of the range is room for new ones. */
  sourceId: 1_000_000,
} as const;

/** Limits on what an upload may carry. */
export const UPLOAD = {
  /**
   * Bytes of a JP2 file. A 4096x4096 image of 8 bits has 16 MiB even if nothing of it compresses, and real ones 1 to 3;
   * four of the largest at once, which is what the ingest command sends, leave the 128 MB of an isolate room to work.
   */
  bodyBytes: 20 << 20,
  /** Characters of a file name: real ones have up to 80, and the key around it must stay below the 1024 bytes of R2. */
  fileNameCharacters: 200,
} as const;

/** How long answers may be kept, in seconds. */
export const LIFETIMES = {
  /** What an id or a content hash names never changes; a year is the longest life that caches honour. */
  immutable: 31_536_000,
  /** A nearest image whose successor is known and old: only a late delivery could change it. */
  settled: 86_400,
  /** What may change with the next image ingested. */
  recent: 60,
  /** How long a stale catalogue or status may be shown while a new one is fetched. */
  staleCatalogue: 600,
} as const;

/** Age in milliseconds of the following image from which a nearest image counts as settled: late deliveries take days. */
export const SETTLED_AFTER_MS = 7 * 86_400_000;

/** Milliseconds that a request waits for the same tile being drawn for another one before it draws for itself. */
export const SHARED_RENDER_WAIT_MS = 5_000;

/** What an isolate keeps of the images that it draws. Of its 128 MB, a decode takes up to 24 and the bundle some 10. */
export const IMAGE_CACHES = {
  /** Bytes of sidecars as they stand in R2, about a third of their size in memory: 4 to 40 kB each. */
  sidecarBytes: 8 << 20,
  /** Bytes of low-resolution planes: 1 MiB for an image of 4096 pixels a side. */
  basePlaneBytes: 24 << 20,
  /**
   * Longest side of a low-resolution plane in samples. 512 covers a whole Sun in one tile, takes 12 ms to decode once, and
   * saves every finer tile of the image the half of its work that the low resolutions are.
   */
  basePlaneSide: 512,
} as const;

/**
 * Samples of a layer that are decoded for one strip of a picture: 2 Mi take 20 MiB in the core, which an isolate has beside its
 * caches. A screenshot of 1920 x 1200 has one or two strips, one of 4096 x 4096 has eight to thirty.
 */
export const STRIP_SAMPLES = 2 << 20;

/** Rows of a strip at least: thinner ones would decode the code-blocks at their edges over and over. */
export const LEAST_STRIP_ROWS = 64;

/**
 * Pictures that an isolate draws at once, screenshots and whole images together. Each has its strip, its half-written file and
 * what the decoder keeps; one of the largest leaves room for no other.
 */
export const DRAWING = {
  /** Pixels of the pictures under way: one of 4096 x 4096, or seven of 1920 x 1200. */
  pixelsAtOnce: 4096 * 4096,
  /** Milliseconds that a request waits for its turn: longer, and clients that gave up would be in line. */
  waitMs: 5_000,
  /** Milliseconds after which a turn is over in any case: the platform may end a request without a word. */
  leaseMs: 60_000,
  /** Seconds after which a client that was turned away may try again. */
  retryAfterSeconds: 10,
} as const;

/** Limits of the JPIP server. */
export const JPIP = {
  /** Milliseconds without a request after which a channel is forgotten; its next request begins an empty one. */
  channelLifetimeMs: 30 * 60_000,
  /** Bytes of one answer, whatever `len` says: more than the largest file that is taken in. */
  answerBytes: 32 << 20,
  /** Codestreams in one request: each is a sidecar to open, and clients ask for one. */
  codestreamsPerRequest: 32,
  /** Bytes that are read and sent in one turn: what an answer keeps in memory, twice. */
  turnBytes: 512 << 10,
  /** Codestreams of the targets that an isolate keeps: 600 bytes each, and a movie has up to a thousand. */
  keptCodestreams: 20_000,
} as const;

/** How JPX files are read together from the parts of their frames. */
export const JPX = {
  /** Reads at once: what a Worker may have open. */
  parallelReads: 6,
  /** Bytes of a part that is read before it is its turn: headers have 6 kB. Longer ones are passed on as they come. */
  readAheadBytes: 64 << 10,
  /** Parts looked at ahead of the one that is being sent. */
  partsAhead: 16,
  /** Bytes of a file of links up to which the edge keeps it; a thousand frames have 6 MB. */
  edgeBytes: 32 << 20,
} as const;

/** Bytes read from the front of a JP2 to find its XML header, and the most that is ever read for it. */
export const HEADER_SEARCH = { firstBytes: 65_536, maxBytes: 1 << 20 } as const;

/** Seconds after which a client that asked too often may try again: the period of the rate limit binding. */
export const RATE_LIMIT_PERIOD_SECONDS = 60;

/** What an operator may set. */
export interface Settings {
  /** `JPIP_ROOT`: what JPIP addresses start with, without a slash at the end. Unset: the host and port of the request. */
  readonly jpipRoot: string | null;
  /** `ADMIN_TOKEN`: the secret of the ingest endpoint, at least 16 characters. Unset: the endpoint is closed. */
  readonly adminToken: string | null;
  /** `FAR_IMAGE_SECONDS`: how far from its time an image may be before a picture says so in X-Layers-Far. Unset: a day. */
  readonly farImageSeconds: number;
  /** `JPX_STYLE`: how JPX files are written, `standard` or `2016`. Unset: standard. */
  readonly jpxStyle: JpxStyle;
}

const JPIP_ROOT = /^jpips?:\/\/[A-Za-z0-9.-]+(:\d{1,5})?(\/[\w./-]*)?$/;
const MIN_TOKEN_CHARACTERS = 16;
const FAR_IMAGE_SECONDS = '86400';

function text(env: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = env[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/**
 * Settings from environment variables.
 * @throws Failure that names the variable and what it has to be; the value of a secret is never in it.
 */
export function readSettings(env: Readonly<Record<string, unknown>>): Settings {
  const jpipRoot = text(env, 'JPIP_ROOT');
  if (jpipRoot !== null && !JPIP_ROOT.test(jpipRoot)) {
    throw new Failure('internal', `Expected jpip://<host>:<port> or jpips://<host>:<port> for JPIP_ROOT, got ${jpipRoot}.`);
  }
  const adminToken = text(env, 'ADMIN_TOKEN');
  if (adminToken !== null && adminToken.length < MIN_TOKEN_CHARACTERS) {
    const sentence = `Expected at least ${MIN_TOKEN_CHARACTERS} characters for ADMIN_TOKEN, got ${adminToken.length}.`;
    throw new Failure('internal', sentence);
  }
  const farImageSeconds = text(env, 'FAR_IMAGE_SECONDS') ?? FAR_IMAGE_SECONDS;
  if (!/^\d{1,12}$/.test(farImageSeconds)) {
    throw new Failure('internal', `Expected a whole number of seconds for FAR_IMAGE_SECONDS, got ${farImageSeconds}.`);
  }
  const style = text(env, 'JPX_STYLE') ?? 'standard';
  const jpxStyle = JPX_STYLES.find((known) => known === style);
  if (!jpxStyle) throw new Failure('internal', `Expected ${JPX_STYLES.join(' or ')} for JPX_STYLE, got ${style}.`);
  return { jpipRoot: jpipRoot?.replace(/\/+$/, '') ?? null, adminToken, farImageSeconds: Number(farImageSeconds), jpxStyle };
}
