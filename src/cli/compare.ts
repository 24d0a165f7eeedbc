// npm run compare -- URL
import { withoutEndSlash } from '../platform/util/url.ts';
import { findSource } from '../sun/catalogue/sources.ts';
import { command, FLAG, isoInstant, reportFile, serviceUrlFrom, sourceIds, TEXT } from './command.ts';
import { type Difference, differences, manifestClient, type Totals } from './compare/compare-archives.ts';

const HELP = `npm run compare -- URL [options]

Compares the archive of a running service with that of another helioedge at URL: which files are missing on either side, and which have
other content. Both give a checksum for each source and day first; only files of days that differ are listed.

  --sources 10,13   source ids; all unless given
  --from ISO        first instant, such as 2024-05-10T00:00:00Z
  --to ISO          last instant
  --files           compares the files of all days, which also finds equal files with different names
  --report FILE     writes each difference as a line of JSON: kind, sourceId, date, name, here, there
  --json            writes these lines to standard output, in place of the table
  HELIOEDGE_URL     this service (http://127.0.0.1:$PORT, where PORT is 8787 unless set)

Exit status: 0 equal, 1 failed, 2 different.`;

const EXIT = { equal: 0, different: 2 } as const;
/** Names that the table shows of each kind. */
const SHOWN = 5;

type Kind = Difference['kind'];
const KINDS: readonly Kind[] = ['missing-here', 'missing-there', 'differs'];

type Names = Readonly<Record<Kind, string[]>>;

function table(totals: Totals, names: Names): string {
  const columns = ['here', 'there', ...KINDS] as const;
  const head = ['source', ...columns];
  const rows = [...totals]
    .sort(([a], [b]) => a - b)
    .map(([id, total]) => [`${id} ${findSource(id)?.nickname ?? ''}`, ...columns.map((column) => String(total[column]))]);
  const widths = head.map((column, i) => Math.max(column.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  const examples = KINDS.flatMap((kind) => {
    const count = [...totals.values()].reduce((sum, total) => sum + total[kind], 0);
    const more = count > SHOWN ? [`  and ${count - SHOWN} more`] : [];
    return count === 0 ? [] : [`${kind}: ${count}`, ...names[kind].map((name) => `  ${name}`), ...more];
  });
  return [line(head), ...rows.map(line), ...(examples.length > 0 ? examples : ['the archives are equal'])].join('\n');
}

const OPTIONS = { sources: TEXT, from: TEXT, to: TEXT, files: FLAG, report: TEXT, json: FLAG };

await command(
  HELP,
  OPTIONS,
  async ({ values, positionals: [other = ''] }) => {
    if (!/^https?:\/\/[^/]/.test(other))
      throw new Error(`Expected the address of a service such as https://sun.test for URL, got ${other}.`);
    const range = {
      ...(values.sources === undefined ? {} : { sources: sourceIds('sources', values.sources) }),
      ...(values.from === undefined ? {} : { startTime: isoInstant('from', values.from) }),
      ...(values.to === undefined ? {} : { endTime: isoInstant('to', values.to) }),
    };
    const report = reportFile(values.report);
    const totals: Totals = new Map();
    const names: Names = { 'missing-here': [], 'missing-there': [], differs: [] };
    const here = manifestClient(serviceUrlFrom(process.env));
    const there = manifestClient(withoutEndSlash(other));
    for await (const difference of differences(here, there, { range, allFiles: values.files }, totals)) {
      const { kind, sourceId, name } = difference;
      report.write(difference);
      if (values.json) console.log(JSON.stringify(difference));
      totals.get(sourceId)![kind] += 1;
      if (names[kind].length < SHOWN) names[kind].push(name);
    }
    await report.end();
    if (totals.size === 0) throw new Error('Neither archive has images of these sources and times.');
    if (!values.json) console.log(table(totals, names));
    return KINDS.every((kind) => names[kind].length === 0) ? EXIT.equal : EXIT.different;
  },
  ({ positionals }) => positionals.length === 1,
);
