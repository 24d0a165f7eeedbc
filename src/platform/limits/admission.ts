// The limits of a client: what it may request, draw, read and store, and its turns. docs/limits.md is made of them.
import { DAY_MS } from '../util/durations.ts';
import { LISTS } from './images.ts';
import { JPIP, JPX_COST } from './jpx.ts';
import type { PRICES } from './prices.ts';
import { PICTURE_COST } from './rendering.ts';

/** What something uses at most, by the price list. */
export type Usage = Partial<Record<keyof typeof PRICES, number>>;

interface Rate {
  /** In the RateLimit headers. */
  readonly name: string;
  readonly counts: string;
  /** Units of an address in a minute. `npm run docs` writes them into wrangler.toml. */
  readonly units: number;
  /** What a request uses; `COSTS` has that of a unit of cost. */
  readonly usage?: Usage;
}

/** Rate limits by the binding of the platform that counts their units for each client. */
export const RATES = {
  GATEWAY_LIMIT: { name: 'all', counts: 'requests that pass the edge cache', units: 12_000, usage: { request: 2, cpuMs: 1 } },
  RENDER_LIMIT: {
    name: 'uncached',
    counts: 'requests that the edge cache does not answer',
    units: 1200,
    usage: { request: 2, cpuMs: 23, read: 4 },
  },
  JPIP_LIMIT: { name: 'jpip', counts: 'requests of JPIP', units: 12_000, usage: { request: 1, cpuMs: 2 } },
  PICTURE_LIMIT: { name: 'heavy', counts: 'units of the cost of pictures, long lists, planned movies and JPX files', units: 60 },
} as const satisfies Readonly<Record<string, Rate>>;

export type RateName = keyof typeof RATES;

interface Cost {
  readonly rate: RateName;
  /** Begins the keys of what is counted apart. */
  readonly apart: string;
  readonly unit: string;
  /** Amount and usage of a unit of the rate. */
  readonly perUnit: number;
  readonly usage?: Usage;
  /** Units of an amount: rounded up, or down; or kept: a client buys whole units, and uses them up with its next requests. */
  readonly rounds: 'up' | 'down' | 'kept';
  /** Words of the refusal. */
  readonly many: string;
  readonly instead?: string;
}

const heavy = { rate: 'PICTURE_LIMIT', rounds: 'up' } as const;
const pixels = { ...heavy, apart: '', perUnit: PICTURE_COST.unitPixels, instead: 'request smaller ones' } as const;

/** What operations cost. What has no prefix of its own is counted together. */
export const COSTS = {
  requests: { rate: 'RENDER_LIMIT', apart: '', unit: 'requests', perUnit: 1, rounds: 'up', many: 'requests' },
  pictures: { ...pixels, unit: 'pixels of layers and files', usage: { cpuMs: 300, read: 12 }, many: 'or too large pictures' },
  regions: { ...pixels, unit: 'measured pixels, together with these', many: 'or too large regions' },
  lists: {
    ...{ ...heavy, apart: 'lists ', perUnit: LISTS.unitRecords, rounds: 'down' },
    ...{ unit: 'records of lists and of planned movies', usage: { cpuMs: 300, rowRead: LISTS.unitRecords } },
    ...{ many: 'long lists or planned movies', instead: 'request shorter ones' },
  },
  jpx: {
    ...{ ...heavy, apart: 'jpx ', unit: 'frames of JPX files', perUnit: JPX_COST.unitFrames },
    usage: { read: 2 * JPX_COST.unitFrames, cpuMs: JPX_COST.frameMs * JPX_COST.unitFrames },
    ...{ many: 'or too long JPX files', instead: 'request fewer frames' },
  },
  channels: { ...heavy, apart: 'channels ', unit: 'new JPIP channels', perUnit: 1, many: 'new channels' },
  reads: {
    ...{ ...heavy, apart: 'frames ', unit: 'reads of JPIP', perUnit: JPIP.readsPerUnit, rounds: 'kept' },
    ...{ usage: { read: JPIP.readsPerUnit }, many: 'frames of JPX movies', instead: 'request fewer' },
  },
} as const satisfies Readonly<Record<string, Cost>>;

export type CostName = keyof typeof COSTS;

/** The sentence of a client that has used up the units of a cost. */
export function tooMuch(cost: CostName): string {
  const { many, instead }: Cost = COSTS[cost];
  return `Too many ${many} from this address. Try again in a minute${instead === undefined ? '' : `, or ${instead}`}.`;
}

/**
 * Budget of what visitors store: for a client in an hour and in a day, and for all clients together in a day. With the lifetimes of the
 * rows, those for all keep the visitors' database below 9 GB of the 10 GB that D1 allows: see "Growth" in docs/security.md.
 */
export interface Budget {
  readonly clientHour: number;
  readonly clientDay: number;
  readonly allDay: number;
  /** Name of the stored things in the sentence of a refusal. */
  readonly subject: string;
}

export const BUDGETS = {
  /** Bytes of rows of screenshots: a thousand of usual selections in an hour, or thirty with the longest ones. */
  screenshots: { clientHour: 500_000, clientDay: 1_000_000, allDay: 10_000_000, unit: 'bytes', subject: 'screenshots' },
  /** Pixels of stored files of screenshots, a byte each at most: 1736 of 1920 x 1200 in an hour. Others are rendered anew at each download. */
  screenshotPixels: { clientHour: 4e9, clientDay: 16e9, allDay: 100e9, unit: 'pixels', subject: 'files of screenshots' },
  /** Bytes of stored maps of the whole Sun: 17 of FITS in an hour, or 200 pictures. Others are made anew. */
  maps: { clientHour: 2 ** 30, clientDay: 4 * 2 ** 30, allDay: 20 * 2 ** 30, unit: 'bytes', subject: 'stored maps' },
  /** Bytes of rows of movies and builds: two hundred in an hour without long selections of events. */
  movies: { clientHour: 500_000, clientDay: 1_000_000, allDay: 8_000_000, unit: 'bytes', subject: 'movies' },
  /** Bytes of records of JPX files: two hundred files of a thousand frames in an hour, or fifty of four thousand. */
  jpx: { clientHour: 64 << 20, clientDay: 256 << 20, allDay: 4e9, unit: 'bytes', subject: 'new JPX files' },
  /** Bytes of metadata of linked JPX files: forty files of a thousand frames in an hour. That of others is read from the images. */
  jpxMetadata: { clientHour: 256 << 20, clientDay: 2 ** 30, allDay: 10e9, unit: 'bytes', subject: 'metadata of JPX files' },
  /** Bytes of rows of short links: a hundred of usual length in an hour. */
  links: { clientHour: 50_000, clientDay: 100_000, allDay: 2_000_000, unit: 'bytes', subject: 'new short links' },
  /** Bytes of shared views and their rows: a hundred of usual length in an hour. */
  views: { clientHour: 512_000, clientDay: 1_000_000, allDay: 10_000_000, unit: 'bytes', subject: 'new shared views' },
  /** JPIP channels, each a Durable Object for half an hour: one for each layer that a desktop client loads, and one for each movie. */
  channels: { clientHour: 1000, clientDay: 4000, allDay: 500_000, unit: 'number', subject: 'new JPIP channels' },
  /** Bytes of rows of authorisations and sessions at the video host, which live for an hour. */
  authorisations: { clientHour: 2e5, clientDay: 4e5, allDay: 50e6, unit: 'bytes', subject: 'authorisations at the video host' },
} as const satisfies Readonly<Record<string, Budget & { readonly unit: string }>>;

export type BudgetName = keyof typeof BUDGETS;

export const BUDGET_RETRY_SECONDS = 600;

/** Time without a use after which something stored is deleted in favour of something new, when the budget for all is used up. */
export const EVICTED_UNUSED_MS = 37 * DAY_MS;

/** Uses are recorded at most once a week: less than `EVICTED_UNUSED_MS`, or what is in use would be evicted. */
export const SAME_USE_MS = 7 * DAY_MS;

/** Bytes that a row is charged beside its texts: its numbers, hashes and indexes. */
export const ROW_BYTES = 300;

/** Rows of the build of a movie: its own, and those of the parts of its files. */
export const BUILD_ROWS = 3;

/** Shares of the clients in the processor time of an isolate. The milliseconds of a request or step are estimates, as in production no clock runs. */
export const TURNS = {
  /** Part of the time that a client has at least, however much others request. */
  share: 1 / 8,
  /** Milliseconds that a client may use at once before it waits for others: a few screenshots, or the forty tiles of a page. */
  burstMs: 1_000,
  /** Milliseconds that a client waits for others before a step at most, and the first of its requests. */
  longestWaitMs: 2_000,
  /** Milliseconds that a request waits behind those of its client at most: 125 wait, and 25 that change what is stored. More are refused. */
  longestLineMs: 10_000,
  /** Milliseconds between looks whether others are served, at first and at most. */
  pollMs: 5,
  longestPollMs: 100,
  /** Milliseconds after the last step of a request for which it counts as served, because the platform may end it without notice. */
  goneMs: 2_000,
  /** Milliseconds after a response for which the client counts as served: its next request would wait for what others began in the meantime. */
  reservedMs: 100,
  /** Milliseconds of a step of longer work, after which other requests go first. */
  stepMs: 8,
  /** Milliseconds of a request without what it draws. */
  requestMs: 10,
  /** Milliseconds of a request that changes what is stored, on top: transactions, and the work that follows from a new movie. */
  changeMs: 50,
  /** Clients that an isolate knows; the longest unseen are forgotten first. */
  clients: 10_000,
} as const;
