// WSA: forecasts of coronal holes and of magnetic connections by the dashboard of CCMC.
import { JsonSession, UpstreamError, withQuery } from '../../platform/http/bounded-fetch.ts';
import { WSA } from '../../platform/limits/events.ts';
import { isJsonObject } from '../../platform/util/bytes.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { isoDay } from '../../sun/time.ts';
import type { EventFeed } from '../ports.ts';
import { type RawRecord, recordsOf } from '../records/record.ts';
import { wsaEvent, wsaFootpoints, wsaHoles } from '../records/wsa.ts';
import { type FeedLimits, gathered } from './feed-request.ts';

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
    isRemote: true,
    daysKept: WSA.daysKept,
    read: wsaEvent,
    async load(dayMs, days = 1, room) {
      // The dashboard refuses programs whose names do not begin as those of browsers.
      const session = new JsonSession(
        { ...limits, firstRetryMs: WSA.retryMs },
        { headers: { 'User-Agent': `Mozilla/5.0 (compatible; ${SERVICE_NAME})` }, room },
      );
      // Windows may begin on the day before; the end is exclusive.
      const dates = { start_date: isoDay(dayMs - DAY_MS), end_date: isoDay(dayMs + days * DAY_MS) };
      const all = await queries((part) => session.get(new URL(`${address}/${part}`)));
      const asked = all.slice(0, WSA.requests);
      const load = async (query: Query) =>
        records(await session.get(withQuery(`${address}/${path}`, { ...dates, ...query })), query);
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

export const wsaFeeds = (address: string, limits: FeedLimits): EventFeed[] =>
  [HOLE_TABLE, FOOTPOINT_TABLE].map((table) => wsaFeed(table, address, limits));
