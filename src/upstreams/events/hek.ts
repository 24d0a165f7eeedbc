// The search of the Heliophysics Event Knowledgebase: all events that touch a day, page by page.

import { hekEvent } from '../../domain/events/hek.ts';
import { type RawRecord, recordOf } from '../../domain/events/record.ts';
import type { EventFeed } from '../../ports/events.ts';
import { DAY_MS } from '../../util/durations.ts';
import { JsonQuestion } from '../http/json-source.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { type FeedLimits, plainTime, withQuery } from './feed-limits.ts';

const PAGE_RECORDS = 1000;

/** Arcseconds: everything that the corona has. */
const EVERYWHERE = { x1: '-30000', x2: '30000', y1: '-30000', y2: '30000' };

const SEARCH = {
  cosec: '2',
  cmd: 'search',
  type: 'column',
  event_type: '**',
  event_coordsys: 'helioprojective',
  ...EVERYWHERE,
  showtests: 'hide',
  result_limit: String(PAGE_RECORDS),
  requestfrom: 'helioedge',
};

/** Half of the 186 columns of a record are null. */
function withoutNulls(record: RawRecord): RawRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

const hasMore = (overmax: unknown) => overmax === true || overmax === 'true' || overmax === 1;

export function hekFeed(address: string, limits: FeedLimits): EventFeed {
  return {
    name: 'hek',
    source: 'HEK',
    isRemote: true,
    read: hekEvent,
    async load(dayMs) {
      const question = new JsonQuestion(limits);
      const day = { event_starttime: plainTime(dayMs), event_endtime: plainTime(dayMs + DAY_MS) };
      const records: RawRecord[] = [];
      for (let page = 1; ; page += 1) {
        const answer = recordLike(await question.get(withQuery(address, { ...SEARCH, ...day, page: String(page) })));
        const found = answer.result.slice(0, limits.records - records.length);
        records.push(
          ...found
            .map(recordOf)
            .filter((record) => record !== null)
            .map(withoutNulls),
        );
        const isFull = records.length >= limits.records;
        const isLast = !hasMore(answer.overmax) || answer.result.length === 0;
        if (isLast || isFull || page >= limits.pages) {
          return { records, isCut: !isLast || found.length < answer.result.length, missing: [] };
        }
      }
    },
  };
}

function recordLike(answer: unknown): { readonly result: readonly unknown[]; readonly overmax: unknown } {
  const { result, overmax } = (answer ?? {}) as { result?: unknown; overmax?: unknown };
  if (!Array.isArray(result)) throw new UpstreamError('Expected a list of results of the HEK, got none.', { mayPass: true });
  return { result, overmax };
}
