// The search of the Heliophysics Event Knowledgebase over the sample Sun.
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../src/util/durations.ts';
import { ejections } from './hek-ejections.ts';
import { filaments } from './hek-filaments.ts';
import { flares } from './hek-flares.ts';
import { coronalHoles } from './hek-holes.ts';
import type { HekRecord } from './hek-record.ts';
import { leadingSpots, noaaRegions, outlinedRegions } from './hek-regions.ts';
import { queryTime } from './record-text.ts';

const PAGE_LENGTH = { usual: 200, most: 1000 };
/** Upper bound of the window; longer ones are cut to bound the work of a request. */
const LONGEST_WINDOW_MS = 31 * DAY_MS;

const FINDERS: readonly ((fromMs: number, toMs: number) => HekRecord[])[] = [
  noaaRegions,
  outlinedRegions,
  ejections,
  coronalHoles,
  filaments,
  flares,
  leadingSpots,
];

interface HekResult {
  readonly result: readonly HekRecord[];
  /** Whether there are more pages. */
  readonly overmax: boolean;
}

/** A page of the records that overlap the window of a query, sorted by time and id. Null for an invalid window. */
export function searchHek(query: URLSearchParams): HekResult | null {
  const [fromMs, toMs] = [queryTime(query.get('event_starttime')), queryTime(query.get('event_endtime'))];
  if (fromMs === null || toMs === null || toMs < fromMs) return null;
  const wanted = (query.get('event_type') ?? '**').toUpperCase().split(',');
  const length = Math.min(PAGE_LENGTH.most, positive(query.get('result_limit')) ?? PAGE_LENGTH.usual);
  const skipped = ((positive(query.get('page')) ?? 1) - 1) * length;
  const window = [fromMs, Math.min(toMs, fromMs + LONGEST_WINDOW_MS)] as const;
  const found = recordsOfWindows
    .memo(window.join(), { context: window })
    .filter((record) => wanted.includes('**') || wanted.includes(String(record.event_type)));
  const columns = query.get('return')?.split(',');
  const page = found.slice(skipped, skipped + length);
  return { result: columns ? page.map((record) => chosen(record, columns)) : page, overmax: found.length > skipped + length };
}

const chosen = (record: HekRecord, columns: readonly string[]): HekRecord =>
  Object.fromEntries(columns.filter((name) => name in record).map((name) => [name, record[name]]));

const sortKey = (record: HekRecord) => `${record.event_starttime} ${record.kb_archivid}`;

/** Windows whose records are kept for their further pages. */
const recordsOfWindows = new LRUCache<string, readonly HekRecord[], readonly [fromMs: number, toMs: number]>({
  max: 2,
  memoMethod: (_window, _stale, { context }) => recordsBetween(...context),
});

function recordsBetween(fromMs: number, toMs: number): readonly HekRecord[] {
  const records = FINDERS.flatMap((find) => find(fromMs, toMs));
  return records
    .filter((record) => queryTime(String(record.event_endtime))! >= fromMs)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function positive(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : null;
}
