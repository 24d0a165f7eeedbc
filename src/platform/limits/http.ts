// Limits of requests and lifetimes of responses. Limits are constants, because each one was chosen from a measurement.
import { DAY_MS } from '../util/durations.ts';

export const REQUEST_LIMITS = {
  /** Bytes of a POST body: the largest event state that the web client sends is below 300 kB. */
  bodyBytes: 1 << 20,
  /** Bytes of a body that count as a request: as JSON of names they take up to 6 ms to parse. */
  bodyUnitBytes: 64 << 10,
  /** Characters of one parameter: 360 timestamps take 4 kB, and proxies cut URLs at 16 kB. */
  parameterCharacters: 16_384,
  /** Characters of one header: Node and most proxies accept 8 to 16 kB for all of them. */
  headerCharacters: 16_384,
  /** Characters of a Range header that is read: a single range has about fifty. */
  rangeCharacters: 1000,
  /** Unknown names that are compared with those of parameters: a person misspells one or two, and one takes 40 µs for ten names. */
  comparedNames: 20,
  /** Parameters of a query, and of a body: a movie of the web client has thirty. */
  parameters: 200,
  /** Sources in one getClosestImageDatesForSources: each is a query, and the client shows at most a dozen layers. */
  sourcesPerRequest: 32,
  /** Dates in one getImagesAtTimes: two searches each, in one statement, and the explorer plays 96 images. */
  datesPerRequest: 100,
  /** Tiles from the centre in either direction: 16 times the tiles of a 4096-pixel image at 1/64 of its scale. */
  tileNumber: 100_000,
  /** Largest source id: XRT groups end at 10013, and the rest of the range is reserved for new sources. */
  sourceId: 1_000_000,
} as const;

/** Results of the Model Context Protocol, which a model has to read. */
export const MCP = {
  /** Bytes of a message, which names a tool and its arguments, and those that count as a request at the edge. */
  bodyBytes: 64 << 10,
  bodyUnitBytes: 4 << 10,
  /** Pixels: models scale larger pictures down, and a side of 1024 has at most 4 MB in base64. */
  pictureSide: 1024,
  /** Width in pixels of a whole image, one at which the archive stores it. */
  imageWidth: 512,
  /** Characters of JSON: about 30,000 tokens; the datasources of a full archive take 40,000. */
  textCharacters: 100_000,
} as const;

/** The header X-Notice: a person misspells one or two parameters, and a sentence takes up to 190 bytes. */
export const NOTICES = { sentences: 3, bytes: 500 } as const;

/** Seconds for which responses may be cached. */
export const LIFETIMES = {
  /** Responses named by an id or a content hash, which never change; a year is the longest lifetime that caches honour. */
  immutable: 31_536_000,
  /** Pictures in clients, which see those of a new version of the renderer after this time. */
  drawn: 86_400,
  /** A nearest image whose successor is known and old: only a late delivery could change it. */
  settled: 86_400,
  /** Responses that the next ingested image may change. */
  recent: 60,
  /** stale-while-revalidate of the catalogue and the status. */
  staleCatalogue: 600,
  /** The catalogue while the sample archive is being added, whose sources follow within a minute. */
  growingCatalogue: 5,
} as const;

/** The stand-in of the edge cache, on this machine and in tests. */
export const LOCAL_CACHE = {
  /** All responses: 20,000 tiles, of which the least recently used leave. */
  bytes: 64 << 20,
  /** One response, on its way as well: the largest JP2 files. Longer ones pass without being stored. */
  responseBytes: 8 << 20,
  /** Headers of a response, about. */
  entryBytes: 2 << 10,
  /** Milliseconds for which equal requests wait for one run: the slowest picture. */
  shareMs: 30_000,
  /** The platform's limits: tags of a response, characters of a tag, purges at once and in a minute thereafter. */
  tags: 1000,
  tagCharacters: 1024,
  purgesAtOnce: 25,
  purgesPerMinute: 5,
} as const;

/** Seconds in which rate limits count, and of the Retry-After of a refused request. */
export const RATE_LIMIT_PERIOD_SECONDS = 60;

export const AUDIT = {
  lifeMs: 400 * DAY_MS,
  /** Entries that are kept: an ingest adds one for each image, and a million take 150 MB of the operations database. */
  entries: 1_000_000,
  shownEntries: 100,
  maxShownEntries: 1000,
} as const;
