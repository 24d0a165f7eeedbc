// Compares the manifests of two archives: the days first, then the files of the days that differ.
import type { HeldDayLine, HeldFile } from '../../faces/images/list-schemas.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import type { ManifestClient, ManifestRange } from './manifest.ts';

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
