// The search of the Heliophysics Event Knowledgebase: all events that overlap a day, page by page.
import { JsonSession, UpstreamError, withQuery } from '../../platform/http/bounded-fetch.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { isoSeconds } from '../../sun/time.ts';
import type { EventFeed } from '../ports.ts';
import { hekEvent } from '../records/hek.ts';
import { type RawRecord, recordOf } from '../records/record.ts';
import type { FeedLimits } from './feed-request.ts';

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

/** The record without null columns, which are half of its 186. */
const withoutNulls = (record: RawRecord): RawRecord =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

const isRecord = (record: RawRecord | null): record is RawRecord => record !== null;

export const hekFeed = (address: string, limits: FeedLimits): EventFeed => ({
  name: 'hek',
  source: 'HEK',
  isRemote: true,
  read: hekEvent,
  async load(dayMs, days, room) {
    const session = new JsonSession(limits, { room });
    const times = { event_starttime: isoSeconds(dayMs), event_endtime: isoSeconds(dayMs + (days ?? 1) * DAY_MS) };
    const wanted = { ...SEARCH, ...times, ...(days === undefined ? {} : { return: COUNTED_COLUMNS }) };
    const records: RawRecord[] = [];
    for (let page = 1; ; page += 1) {
      const { result, hasMore } = pageOf(await session.get(withQuery(address, { ...wanted, page: String(page) })));
      const taken = result.slice(0, limits.records - records.length);
      records.push(...taken.map(recordOf).filter(isRecord).map(withoutNulls));
      if (!hasMore || records.length >= limits.records || page >= limits.pages)
        return { records, isCut: hasMore || taken.length < result.length, missing: [] };
    }
  },
});
