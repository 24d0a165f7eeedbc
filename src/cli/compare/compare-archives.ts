// Compares the manifests of two archives: the days first, then the files of the days that differ.
import type { HeldDayLine, HeldFile } from '../../faces/images/lists.ts';
import { parsedJson } from '../../platform/util/bytes.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { retry } from '../../platform/util/retry.ts';
import { RefusedRequest } from '../ingest/admin-client.ts';

export interface ManifestRange {
  readonly sources?: readonly number[];
  /** ISO dates; the end is included. */
  readonly startTime?: string;
  readonly endTime?: string;
}

interface ManifestClient {
  /** Source by source, in the order of time. @throws Error when the service fails or the list breaks off */
  files(range: ManifestRange): AsyncGenerator<HeldFile>;
  days(range: ManifestRange): AsyncGenerator<HeldDayLine>;
}

type End = { readonly next: string | null };

const isEnd = (line: object): line is End => 'next' in line;

/** @param serviceUrl without a slash at the end */
export function manifestClient(serviceUrl: string): ManifestClient {
  async function* lines<Line extends object>(detail: 'files' | 'days', range: ManifestRange): AsyncGenerator<Line> {
    for (let after: string | null = ''; after !== null; ) {
      const address = addressOf(serviceUrl, detail, range, after);
      const response = await retry(() => listResponse(address), {
        firstMs: MINUTE_MS,
        longestMs: MINUTE_MS,
        isTransient: (error) => error instanceof RefusedRequest,
      }).catch((error: Error) => {
        throw new Error(`${serviceUrl} does not respond: ${error.cause instanceof Error ? error.cause.message : error.message}`);
      });
      if (!response.ok) throw new Error(`${serviceUrl} answered with status ${response.status}: ${await sentenceOf(response)}`);
      let end: End | null = null;
      for await (const line of jsonLines(response)) {
        if (isEnd(line)) end = line;
        else yield line as Line;
      }
      if (!end) throw new Error(`The list of ${serviceUrl} broke off before its end.`);
      after = end.next;
    }
  }
  return { files: (range) => lines('files', range), days: (range) => lines('days', range) };
}

/** @throws RefusedRequest where there are too many lists of a client in a minute */
async function listResponse(address: string): Promise<Response> {
  const response = await fetch(address);
  if (response.status !== 429) return response;
  await response.body?.cancel();
  throw new RefusedRequest('Too many lists.', response);
}

function addressOf(serviceUrl: string, detail: string, range: ManifestRange, after: string): string {
  const query = new URLSearchParams({ detail, format: 'jsonl' });
  for (const [name, value] of Object.entries(range)) if (value !== undefined) query.set(name, String(value));
  if (after !== '') query.set('after', after);
  return `${serviceUrl}/v2/getHoldings/?${query}`;
}

async function sentenceOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { error?: string };
  return body.error ?? 'it is no helioedge, or an older one';
}

async function* jsonLines(response: Response): AsyncGenerator<object> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const part of parts) {
      const line = parsedJson(part);
      if (typeof line !== 'object' || line === null) throw new Error(`${response.url} sends no list: it is no helioedge.`);
      yield line;
    }
  }
  if (rest !== '') throw new Error(`The list of ${response.url} broke off within a line.`);
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

type Period = { readonly sourceId: number; readonly first: string; last: string };

/** Files of both archives by source. */
export type Totals = Map<number, { here: number; there: number }>;

/** All differences, by source and day. `totals` gets the numbers of files. */
export async function* differences(
  here: ManifestClient,
  there: ManifestClient,
  { range, allFiles }: { readonly range: ManifestRange; readonly allFiles: boolean },
  totals: Totals,
): AsyncGenerator<Difference> {
  const [ours, theirs] = await Promise.all([daysOf(here, range), daysOf(there, range)]);
  count(totals, ours, 'here');
  count(totals, theirs, 'there');
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])];
  const different = allFiles ? keys : keys.filter((key) => !isSame(ours.get(key), theirs.get(key)));
  for (const period of periods(different)) yield* filesThatDiffer(here, there, within(range, period));
}

async function daysOf(client: ManifestClient, range: ManifestRange): Promise<Map<string, HeldDayLine>> {
  const days = new Map<string, HeldDayLine>();
  for await (const day of client.days(range)) days.set(keyOf(day), day);
  return days;
}

/** Sorts by source, then by day. */
const keyOf = ({ sourceId, day }: Pick<HeldDayLine, 'sourceId' | 'day'>) => `${String(sourceId).padStart(7, '0')} ${day}`;

function count(totals: Totals, days: ReadonlyMap<string, HeldDayLine>, side: 'here' | 'there'): void {
  for (const { sourceId, count: files } of days.values()) {
    const total = totals.get(sourceId) ?? { here: 0, there: 0 };
    total[side] += files;
    totals.set(sourceId, total);
  }
}

const isSame = (a: HeldDayLine | undefined, b: HeldDayLine | undefined) =>
  a?.count === b?.count && a?.bytes === b?.bytes && a?.checksum === b?.checksum;

/** Joins days that follow each other, so that an archive that lacks years takes one request for each source. */
function periods(keys: readonly string[]): Period[] {
  const found: Period[] = [];
  for (const key of keys.toSorted()) {
    const [source, day] = key.split(' ') as [string, string];
    const last = found.at(-1);
    if (last?.sourceId === Number(source) && Date.parse(day) - Date.parse(last.last) === DAY_MS) last.last = day;
    else found.push({ sourceId: Number(source), first: day, last: day });
  }
  return found;
}

function within({ startTime, endTime }: ManifestRange, { sourceId, first, last }: Period): ManifestRange {
  const [start, end] = [`${first}T00:00:00Z`, `${last}T23:59:59Z`];
  const later = startTime !== undefined && Date.parse(startTime) > Date.parse(start) ? startTime : start;
  const earlier = endTime !== undefined && Date.parse(endTime) < Date.parse(end) ? endTime : end;
  return { sources: [sourceId], startTime: later, endTime: earlier };
}

type DayOfFiles = { readonly day: string; readonly files: HeldFile[] };

async function* byDay(files: AsyncGenerator<HeldFile>): AsyncGenerator<DayOfFiles> {
  let current: DayOfFiles | undefined;
  for await (const file of files) {
    const day = file.date.slice(0, 10);
    if (current !== undefined && current.day === day) {
      current.files.push(file);
      continue;
    }
    if (current) yield current;
    current = { day, files: [file] };
  }
  if (current) yield current;
}

/** Compares the files of a source, a day of both archives in memory at a time. */
async function* filesThatDiffer(here: ManifestClient, there: ManifestClient, range: ManifestRange): AsyncGenerator<Difference> {
  const [ours, theirs] = [byDay(here.files(range)), byDay(there.files(range))];
  let [a, b] = await Promise.all([ours.next(), theirs.next()]);
  while (!a.done || !b.done) {
    const day = [a.value?.day, b.value?.day].filter((one) => one !== undefined).sort()[0]!;
    const isOurs = !a.done && a.value.day === day;
    const isTheirs = !b.done && b.value.day === day;
    yield* differencesOfDay(isOurs ? a.value!.files : [], isTheirs ? b.value!.files : []);
    [a, b] = await Promise.all([isOurs ? ours.next() : a, isTheirs ? theirs.next() : b]);
  }
}

const contentOf = ({ size, sha256 }: HeldFile) => ({ size, sha256 });

function differencesOfDay(ours: readonly HeldFile[], theirs: readonly HeldFile[]): Difference[] {
  const byName = (files: readonly HeldFile[]) => new Map(files.map((file) => [file.name, file]));
  const [a, b] = [byName(ours), byName(theirs)];
  return [...new Set([...a.keys(), ...b.keys()])].sort().flatMap((name): Difference[] => {
    const [mine, other] = [a.get(name), b.get(name)];
    if (mine?.sha256 === other?.sha256) return [];
    const { sourceId, date } = (mine ?? other)!;
    const kind = !mine ? 'missing-here' : other ? 'differs' : 'missing-there';
    return [{ kind, sourceId, date, name, here: mine ? contentOf(mine) : null, there: other ? contentOf(other) : null }];
  });
}
