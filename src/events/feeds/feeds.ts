// The feeds of all event sources: the HEK, CCMC, WSA and RHESSI, and the X-ray flux of GOES.
import { type JsonSession, jsonSession, UpstreamError, withQuery } from '../../platform/http/bounded-fetch.ts';
import { EVENT_REQUESTS, type FeedLimits, WSA } from '../../platform/limits/events.ts';
import type { EventSettings } from '../../platform/settings/events.ts';
import { isJsonObject, sha256Hex } from '../../platform/util/bytes.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { DAY_MINUTES, type XrayDay } from '../../sun/events/x-ray-flux.ts';
import { isoDay, isoSeconds, parseEventDate } from '../../sun/time.ts';
import type { D1RhessiFlares } from '../d1-events-rhessi.ts';
import type { DayFeed, EventFeed, LoadedRecords, Room } from '../ports.ts';
import { donkiCme, donkiFlare, LONGEST_CME_DAYS, LONGEST_FLARE_DAYS } from '../records/donki.ts';
import type { PredictionModel } from '../records/flare-prediction.ts';
import { flarePrediction, LONGEST_PREDICTION_DAYS, PREDICTION_MODELS } from '../records/flare-prediction.ts';
import { hekEvent } from '../records/hek.ts';
import { numberOf, type RawRecord, recordOf, recordsOf, textOf, withoutNulls } from '../records/record.ts';
import { RHESSI_FEED, type RhessiFlare, rhessiEvent } from '../records/rhessi.ts';
import { wsaEvent, wsaFootpoints, wsaHoles } from '../records/wsa.ts';

/** The rows of a HAPI response by column name. Fill values become null. */
export function hapiRows(table: RawRecord, limit: number): RawRecord[] {
  const parameters = recordsOf(table, 'parameters').map((parameter) => ({
    name: textOf(parameter, 'name'),
    fill: textOf(parameter, 'fill'),
  }));
  const rows = Array.isArray(table.data) ? table.data.slice(0, limit).filter((row): row is unknown[] => Array.isArray(row)) : [];
  const isFill = (value: string | number, fill: string) =>
    fill !== '' && (String(value) === fill || Number(value) === Number(fill));
  return rows.map((row) =>
    Object.fromEntries(
      parameters.map(({ name, fill }, i) => {
        const value = row[i];
        const isScalar = typeof value === 'string' || typeof value === 'number';
        return [name, isScalar && !isFill(value, fill) ? value : null];
      }),
    ),
  );
}

/** Above any flare, W/m2. */
const MOST_FLUX = 1;

/** The minutes of a day from a HAPI table. @param column Its column of the flux */
export function xrayDay(table: RawRecord, column: string, dayMs: number): XrayDay {
  const minutes = Array.from({ length: DAY_MINUTES }, (): number | null => null);
  for (const row of hapiRows(table, DAY_MINUTES)) {
    // The first column of a table is its time.
    const [time = ''] = Object.keys(row);
    const [atMs, flux] = [parseEventDate(textOf(row, time)), numberOf(row, column)];
    const minute = atMs === null ? -1 : Math.floor((atMs - dayMs) / MINUTE_MS);
    if (flux !== null && flux > 0 && flux < MOST_FLUX && minute >= 0 && minute < DAY_MINUTES) minutes[minute] = flux;
  }
  return { dayMs, minutes };
}

/** HAPI status of a response with rows and of one without; some servers omit it. */
const GOOD_STATUS: readonly unknown[] = [undefined, 1200, 1201];

/** The table of a response of a HAPI server. @throws UpstreamError that names the server */
export function hapiTable(response: unknown, server: string): RawRecord {
  const table: RawRecord = isJsonObject(response) ? response : {};
  const code = (table.status as { code?: unknown } | undefined)?.code;
  if (!GOOD_STATUS.includes(code))
    throw new UpstreamError(`${server} responded with status ${code} instead of rows.`, { isTransient: false });
  if (!Array.isArray(table.data)) throw new UpstreamError(`${server} sent no rows.`, { isTransient: true });
  return table;
}

/** The results of the requests of a day, and the names of those that failed, but for what the server does not have. @throws where all fail */
export async function gathered<Query, Result>(
  queries: readonly Query[],
  { parallel, nameOf }: { parallel: number; nameOf: (query: Query) => string },
  load: (query: Query) => Promise<Result>,
) {
  const [found, missing, failures]: [Result[], string[], unknown[]] = [[], [], []];
  const attempt = async (query: Query) => {
    try {
      return [await load(query)];
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.isTransient) missing.push(nameOf(query));
      failures.push(error);
      return [];
    }
  };
  for await (const results of inOrder(queries, parallel, attempt)) found.push(...results);
  if (queries.length > 0 && failures.length === queries.length) throw failures[0];
  return { found, missing };
}

const PAGE_RECORDS = 1000;

/** Arcseconds; covers the whole corona. */
const FULL_FIELD = { x1: '-30000', x2: '30000', y1: '-30000', y2: '30000' };

const SEARCH = {
  cosec: '2',
  cmd: 'search',
  type: 'column',
  event_type: '**',
  event_coordsys: 'helioprojective',
  ...FULL_FIELD,
  showtests: 'hide',
  result_limit: String(PAGE_RECORDS),
  requestfrom: SERVICE_NAME,
};

/** The columns from which `hekEvent` takes type, method, times and place: a tenth of a record. */
const COUNTED_COLUMNS = 'kb_archivid,event_type,event_starttime,event_endtime,event_testflag,frm_name,hpc_x,hpc_y,hgs_x,hgs_y';

function pageOf(response: unknown): { readonly result: readonly unknown[]; readonly hasMore: boolean } {
  const { result, overmax } = (response ?? {}) as { result?: unknown; overmax?: unknown };
  if (!Array.isArray(result)) throw new UpstreamError('The HEK sent no list of results.', { isTransient: true });
  return { result, hasMore: result.length > 0 && (overmax === true || overmax === 'true' || overmax === 1) };
}

const hekFeed = (address: string, limits: FeedLimits): EventFeed => ({
  name: 'hek',
  source: 'HEK',
  read: hekEvent,
  async load(dayMs, days, room) {
    const get = jsonSession(limits, { room });
    const times = { event_starttime: isoSeconds(dayMs), event_endtime: isoSeconds(dayMs + (days ?? 1) * DAY_MS) };
    const wanted = { ...SEARCH, ...times, ...(days === undefined ? {} : { return: COUNTED_COLUMNS }) };
    const records: RawRecord[] = [];
    for (let page = 1; ; page += 1) {
      const { result, hasMore } = pageOf(await get(withQuery(address, { ...wanted, page: String(page) })));
      const taken = result.slice(0, limits.records - records.length);
      const read = taken.map(recordOf).filter((record) => record !== null);
      records.push(...read.map(withoutNulls));
      if (!hasMore || records.length >= limits.records || page >= limits.pages)
        return { records, isCut: hasMore || taken.length < result.length, missing: [] };
    }
  },
});

interface DonkiTable {
  readonly name: string;
  readonly path: string;
  /** Days before the requested day in which an event still in progress may have begun. */
  readonly lookBackDays: number;
  read(record: RawRecord): SolarEvent | null;
}

function donkiFeed({ name, path, lookBackDays, read }: DonkiTable, address: string, limits: FeedLimits): EventFeed {
  return {
    name,
    source: 'CCMC',
    pin: 'C3',
    read,
    async load(dayMs, count = 1, room) {
      const days = { startDate: isoDay(dayMs - lookBackDays * DAY_MS), endDate: isoDay(dayMs + (count - 1) * DAY_MS) };
      // DONKI responds with null instead of an empty list.
      const list = (await jsonSession(limits, { room })(withQuery(`${address}/${path}`, days))) ?? [];
      if (!Array.isArray(list)) throw new UpstreamError('DONKI sent a value that is not a list.', { isTransient: true });
      const records = list.slice(0, limits.records).map(recordOf);
      return { records: records.filter((record) => record !== null), isCut: list.length > limits.records, missing: [] };
    },
  };
}

type ModelRows = { readonly model: PredictionModel; readonly rows: readonly RawRecord[] };

/** Records from rows, with the name of the model, and an id from the content because rows have none. */
const predictionRecords = async ({ model, rows }: ModelRows): Promise<RawRecord[]> =>
  Promise.all(rows.map(async (row) => ({ model: model.name, id: await sha256Hex(JSON.stringify([model.dataset, row])), row })));

function readPrediction({ model, id, row }: RawRecord): SolarEvent | null {
  const record = recordOf(row);
  return record && typeof model === 'string' && typeof id === 'string' ? flarePrediction(record, model, id) : null;
}

function scoreboardFeed(address: string, limits: FeedLimits): EventFeed {
  // The models share the byte budget of a day, because several are requested at once.
  const bytesPerModel = Math.floor(limits.dayBytes / PREDICTION_MODELS.length);
  const modelLimits = { ...limits, responseBytes: Math.min(limits.responseBytes, bytesPerModel) };

  async function rowsOf(get: JsonSession, model: PredictionModel, dayMs: number, days: number): Promise<ModelRows> {
    const query = {
      id: model.dataset,
      // The server rejects a trailing Z.
      'time.min': `${isoSeconds(dayMs - LONGEST_PREDICTION_DAYS * DAY_MS)}.0`,
      'time.max': `${isoSeconds(dayMs + days * DAY_MS)}.0`,
      format: 'json',
      include: 'header',
    };
    const table = hapiTable(await get(withQuery(`${address}/data`, query)), 'The scoreboard');
    return { model, rows: hapiRows(table, limits.records + 1) };
  }

  async function load(dayMs: number, days = 1, room?: Room): Promise<LoadedRecords> {
    const get = jsonSession(modelLimits, { room });
    const naming = { parallel: limits.parallel, nameOf: ({ name }: PredictionModel) => name };
    const { found, missing } = await gathered(PREDICTION_MODELS, naming, (model) => rowsOf(get, model, dayMs, days));
    const records = (await Promise.all(found.map(predictionRecords))).flat();
    return { records: records.slice(0, limits.records), isCut: records.length > limits.records, missing };
  }

  return { name: 'flare-predictions', source: 'CCMC', pin: 'FP', read: readPrediction, load };
}

/** Maps of the holes, with the realizations of a request. Holes do not depend on the satellite. */
const HOLES = [
  { map: 'AGONG', real: 'all' },
  { map: 'GONGZ', real: '0' },
];
const SATELLITE = 'SWPC_REALTIME';
const FOOTPOINTS = 'AGONG';

type Query = Readonly<Record<string, string>>;

interface WsaTable {
  readonly name: string;
  readonly pin: string;
  readonly path: string;
  queries(get: (path: string) => Promise<unknown>): Promise<readonly Query[]>;
  records(response: unknown, query: Query): readonly RawRecord[];
}

function listIn(value: unknown): readonly RawRecord[] {
  if (Array.isArray(value)) return recordsOf({ value }, 'value');
  throw new UpstreamError('The WSA dashboard sent a value that is not a list.', { isTransient: true });
}

const HOLE_TABLE: WsaTable = {
  name: 'wsa-coronal-holes',
  pin: 'CH',
  path: 'load_helioviewer_coronal_holes',
  queries: async () => HOLES.map(({ map, real }) => ({ input_map: map, sat: SATELLITE, real })),
  records(response, { input_map: map = '', real }) {
    const windows = real === 'all' && isJsonObject(response) ? Object.entries(response) : [['0', response] as const];
    return windows.flatMap(([number, list]) => wsaHoles(listIn(list), { satellite: SATELLITE, map }, Number(number)));
  },
};

const CODE = /^[\w.-]{1,40}$/;
const codesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String).filter((code) => CODE.test(code)) : []);

const FOOTPOINT_TABLE: WsaTable = {
  name: 'wsa-footpoints',
  pin: 'MC',
  path: 'load_helioviewer_footpoints',
  async queries(get) {
    const given = await get('load_helioviewer_footpoint_capabilities');
    const { locations, advanced_days: days } = isJsonObject(given) ? given : {};
    return codesIn(days).flatMap((adv) => codesIn(locations).map((sat) => ({ input_map: FOOTPOINTS, sat, adv })));
  },
  records: (response, { sat: satellite = '', adv = '' }) => wsaFootpoints(listIn(response), { satellite, map: FOOTPOINTS }, adv),
};

function wsaFeed({ name, pin, path, queries, records }: WsaTable, address: string, limits: FeedLimits): EventFeed {
  return {
    name,
    source: 'WSA',
    pin,
    daysKept: WSA.daysKept,
    read: wsaEvent,
    async load(dayMs, days = 1, room) {
      // The dashboard refuses programs whose names do not begin as those of browsers.
      const get = jsonSession(
        { ...limits, firstRetryMs: WSA.retryMs },
        { headers: { 'User-Agent': `Mozilla/5.0 (compatible; ${SERVICE_NAME})` }, room },
      );
      // Windows may begin on the day before; the end is exclusive.
      const dates = { start_date: isoDay(dayMs - DAY_MS), end_date: isoDay(dayMs + days * DAY_MS) };
      const all = await queries((part) => get(new URL(`${address}/${part}`)));
      const asked = all.slice(0, WSA.requests);
      const load = async (query: Query) => records(await get(withQuery(`${address}/${path}`, { ...dates, ...query })), query);
      const naming = { parallel: WSA.parallel, nameOf: (query: Query) => Object.values(query).join(' ') };
      const { found: lists, missing } = await gathered(asked, naming, load);
      const found = lists.flat();
      return {
        records: found.slice(0, limits.records),
        isCut: all.length > asked.length || found.length > limits.records,
        missing,
      };
    },
  };
}

const DATASET = 'goesp_xray_flux_P1M';
/** 0.1-0.8 nm, the band of the classes of flares. */
const COLUMN = 'Long_Wave';

export const xrayFeed = (address: string, limits: FeedLimits): DayFeed<XrayDay> => ({
  name: 'goes-xray',
  source: 'GOES',
  read: (record) => record as unknown as XrayDay,
  async load(dayMs, _days, room) {
    const query = {
      id: DATASET,
      parameters: COLUMN,
      'time.min': `${isoSeconds(dayMs)}.0Z`,
      'time.max': `${isoSeconds(dayMs + DAY_MS)}.0Z`,
      format: 'json',
    };
    const response = await jsonSession(limits, { room })(withQuery(`${address}/data`, query));
    const day = xrayDay(hapiTable(response, 'The server of the X-ray flux'), COLUMN, dayMs);
    return { records: [{ ...day }], isCut: false, missing: [] };
  },
});

const rhessiFeed = (flares: Pick<D1RhessiFlares, 'between'>, limits: Pick<FeedLimits, 'records'>): EventFeed => ({
  name: RHESSI_FEED,
  source: 'RHESSI',
  pin: 'F2',
  isLocal: true,
  read: (record) => rhessiEvent(record as unknown as RhessiFlare),
  async load(dayMs, days = 1, room) {
    await room?.();
    const found = await flares.between(dayMs, dayMs + days * DAY_MS - 1, limits.records + 1);
    const records = found.slice(0, limits.records).map((flare) => ({ ...flare }));
    return { records, isCut: found.length > limits.records, missing: [] };
  },
});

/** In the order of `EVENT_SOURCES`. */
export const eventFeeds = (
  { hek, donki, scoreboard, wsa }: EventSettings,
  flares: Pick<D1RhessiFlares, 'between'>,
  limits: FeedLimits = EVENT_REQUESTS,
): EventFeed[] => [
  hekFeed(hek, limits),
  donkiFeed({ name: 'donki-cme', path: 'CME', lookBackDays: LONGEST_CME_DAYS, read: donkiCme }, donki, limits),
  donkiFeed({ name: 'donki-flares', path: 'FLR', lookBackDays: LONGEST_FLARE_DAYS, read: donkiFlare }, donki, limits),
  scoreboardFeed(scoreboard, limits),
  rhessiFeed(flares, limits),
  wsaFeed(HOLE_TABLE, wsa, limits),
  wsaFeed(FOOTPOINT_TABLE, wsa, limits),
];
