// Compares the manifests of two archives: the days first, then the files of the days that differ.
import type { HeldDayLine, HeldFile } from '../../faces/images/lists.ts';
import { parsedJson } from '../../platform/util/bytes.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { retry } from '../../platform/util/retry.ts';
import { responseOf } from '../command.ts';
import { RefusedRequest } from '../ingest/admin-client.ts';

/** Files of a period whose lists are in memory, of both archives; some 10 MB each. */
const FILES_AT_ONCE = 50_000;

export interface ManifestRange {
  readonly sources?: readonly number[];
  /** ISO dates; the end is included. */
  readonly startTime?: string;
  readonly endTime?: string;
}

type Lines = { readonly files: HeldFile; readonly days: HeldDayLine };

type ManifestClient = ReturnType<typeof manifestClient>;

/**
 * Lists the files or the days of a service, source by source, in the order of time. @param serviceUrl without a slash at the end
 * @throws Error when the service fails or the list breaks off
 */
export const manifestClient = (serviceUrl: string) =>
  async function* lines<Detail extends keyof Lines>(detail: Detail, range: ManifestRange): AsyncGenerator<Lines[Detail]> {
    for (let after: string | null = ''; after !== null; ) {
      const query: Record<string, string> = { detail, format: 'json', after };
      for (const [name, value] of Object.entries(range)) query[name] = String(value);
      const text = await retry(() => listOf(serviceUrl, new URLSearchParams(query)), {
        firstMs: MINUTE_MS,
        longestMs: MINUTE_MS,
        isTransient: (error) => error instanceof RefusedRequest,
      });
      if (!text.startsWith('{')) throw new Error(`${serviceUrl} sends no list: it is no helioedge.`);
      const page = parsedJson(text) as (Record<Detail, Lines[Detail][]> & { readonly next: string | null }) | undefined;
      if (!page?.[detail]) throw new Error(`The list of ${serviceUrl} broke off before its end.`);
      yield* page[detail];
      after = page.next;
    }
  };

/** The JSON of a list. @throws RefusedRequest where there are too many lists of a client in a minute */
async function listOf(serviceUrl: string, query: URLSearchParams): Promise<string> {
  const response = await responseOf(`${serviceUrl}/v2/getHoldings/?${query}`);
  // A connection that is lost leaves the beginning of a list.
  const text = await response.text().catch(() => '{');
  if (response.status === 429) throw new RefusedRequest(response);
  if (response.ok) return text;
  const { error = 'it is no helioedge, or an older one' } = (parsedJson(text) ?? {}) as { readonly error?: string };
  throw new Error(`${serviceUrl} answered with status ${response.status}: ${error}`);
}

/** A file that only one archive has, or that has other content in the other. */
export interface Difference {
  readonly kind: 'missing-here' | 'missing-there' | 'differs';
  readonly sourceId: number;
  readonly date: string;
  readonly name: string;
  readonly here: Pick<HeldFile, 'size' | 'sha256'> | null;
  readonly there: Pick<HeldFile, 'size' | 'sha256'> | null;
}

type Period = { readonly sourceId: number; readonly first: string; last: string; count: number };

/** Files of both archives, and their differences, by source. */
export type Totals = Map<number, Record<'here' | 'there' | Difference['kind'], number>>;

/** All differences, by source and day. `totals` gets the numbers of files. */
export async function* differences(
  here: ManifestClient,
  there: ManifestClient,
  { range, allFiles }: { readonly range: ManifestRange; readonly allFiles: boolean },
  totals: Totals,
): AsyncGenerator<Difference> {
  const [ours, theirs] = await Promise.all([daysOf(here, range, totals, 'here'), daysOf(there, range, totals, 'there')]);
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])];
  const different = allFiles ? keys : keys.filter((key) => !isSame(ours.get(key), theirs.get(key)));
  const countOf = (key: string) => Math.max(ours.get(key)?.count ?? 0, theirs.get(key)?.count ?? 0);
  for (const period of periods(different, countOf)) yield* await filesThatDiffer(here, there, within(range, period));
}

async function daysOf(client: ManifestClient, range: ManifestRange, totals: Totals, side: 'here' | 'there') {
  const days = new Map<string, HeldDayLine>();
  for await (const day of client('days', range)) {
    days.set(keyOf(day), day);
    const total = totals.get(day.sourceId) ?? { here: 0, there: 0, 'missing-here': 0, 'missing-there': 0, differs: 0 };
    total[side] += day.count;
    totals.set(day.sourceId, total);
  }
  return days;
}

/** Sorts by source, then by day. */
const keyOf = ({ sourceId, day }: Pick<HeldDayLine, 'sourceId' | 'day'>) => `${String(sourceId).padStart(7, '0')} ${day}`;

const isSame = (a: HeldDayLine | undefined, b: HeldDayLine | undefined) =>
  a?.count === b?.count && a?.bytes === b?.bytes && a?.checksum === b?.checksum;

/** Joins days that follow each other, so that an archive that lacks years takes a request for each list of a source. */
function periods(keys: readonly string[], countOf: (key: string) => number): Period[] {
  const found: Period[] = [];
  for (const key of keys.toSorted()) {
    const [source, day] = key.split(' ') as [string, string];
    const [last, count] = [found.at(-1), countOf(key)];
    const isNext = last?.sourceId === Number(source) && Date.parse(day) - Date.parse(last.last) === DAY_MS;
    if (isNext && last.count + count <= FILES_AT_ONCE) {
      last.last = day;
      last.count += count;
    } else found.push({ sourceId: Number(source), first: day, last: day, count });
  }
  return found;
}

function within({ startTime, endTime }: ManifestRange, { sourceId, first, last }: Period): ManifestRange {
  const [start, end] = [`${first}T00:00:00Z`, `${last}T23:59:59Z`];
  const later = startTime !== undefined && Date.parse(startTime) > Date.parse(start) ? startTime : start;
  const earlier = endTime !== undefined && Date.parse(endTime) < Date.parse(end) ? endTime : end;
  return { sources: [sourceId], startTime: later, endTime: earlier };
}

const contentOf = ({ size, sha256 }: HeldFile) => ({ size, sha256 });
const orderOf = ({ date, name }: HeldFile) => `${date} ${name}`;

/** Compares the files of a period of a source, by date and name. */
async function filesThatDiffer(here: ManifestClient, there: ManifestClient, range: ManifestRange): Promise<Difference[]> {
  const filesOf = async (client: ManifestClient) => {
    const files = new Map<string, HeldFile>();
    for await (const file of client('files', range)) files.set(file.name, file);
    return files;
  };
  const [ours, theirs] = await Promise.all([filesOf(here), filesOf(there)]);
  const all = [...new Map([...theirs, ...ours]).values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return all.flatMap(({ sourceId, date, name }): Difference[] => {
    const [mine, other] = [ours.get(name), theirs.get(name)];
    if (mine?.sha256 === other?.sha256) return [];
    const kind = !mine ? 'missing-here' : other ? 'differs' : 'missing-there';
    return [{ kind, sourceId, date, name, here: mine ? contentOf(mine) : null, there: other ? contentOf(other) : null }];
  });
}
