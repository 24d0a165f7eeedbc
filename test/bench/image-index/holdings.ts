// Holdings of the archive, from the counts of the image databases: timelines, gaps and the manifest by days of ten years of AIA, in local D1
// (Miniflare) and in plain SQLite on the same file, against a count of the rows.
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gapsOf } from '../../../src/archive/image-gaps.ts';
import type { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { heldDayPages, listedTimes } from '../../../src/archive/image-list.ts';
import { imageCoverage } from '../../../src/faces/images/image-coverage.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import type { TimeRange } from '../../../src/sun/bins.ts';
import { median } from '../measure.ts';
import type { Bench, BenchResult } from '../run.ts';
import { benchRows, type LocalIndex, quantilesOf, withLocalIndex } from './local-index.ts';

const SIZES = benchRows([1_000_000]);
/** The channels of AIA. */
const SOURCES = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
export const START = Date.UTC(2011, 0, 1);
const YEARS_MS = 3652 * DAY_MS;
const END = START + YEARS_MS;
const ROUNDS = 30;

interface Case {
  readonly name: string;
  /** Unset: ROUNDS. */
  readonly rounds?: number;
  readonly run: (index: D1ImageIndex) => Promise<unknown>;
  /** The same from the rows, in SQLite; absent where that is no question. */
  readonly fromRows?: (database: DatabaseSync) => unknown;
}

const layers = SOURCES.map((sourceId) => ({ sourceId, name: String(sourceId) }));
const coverage = (range: TimeRange) => (index: D1ImageIndex) => imageCoverage(index, layers, range);
/** Numbers of images by day, as the timelines of months are made of them. */
const countedRows = (database: DatabaseSync) =>
  database
    .prepare(
      `SELECT source_id, CAST(taken_at_ms / ${DAY_MS} AS INTEGER) AS day, count(*) FROM images
       WHERE source_id IN (SELECT value FROM json_each(?)) GROUP BY source_id, day`,
    )
    .all(JSON.stringify(SOURCES));

async function drained(pages: AsyncGenerator<unknown>): Promise<void> {
  for await (const _page of pages);
}

const CASES: readonly Case[] = [
  { name: 'timeline of ten years, ten channels', run: coverage({ startMs: START, endMs: END }), fromRows: countedRows },
  { name: 'timeline of a year, ten channels', run: coverage({ startMs: END - 1000 * DAY_MS, endMs: END - 635 * DAY_MS }) },
  { name: 'timeline of five days, ten channels', run: coverage({ startMs: END - 100 * DAY_MS, endMs: END - 95 * DAY_MS }) },
  { name: 'timeline of six hours, ten channels', run: coverage({ startMs: END - 100 * DAY_MS, endMs: END - 99.75 * DAY_MS }) },
  { name: 'gaps of ten years, one channel', run: (index) => gapsOf(index, 10, { startMs: START, endMs: END }) },
  {
    name: 'gaps of 30 days, one channel',
    run: (index) => gapsOf(index, 10, { startMs: END - 60 * DAY_MS, endMs: END - 30 * DAY_MS }),
  },
  { name: 'status and catalogue', run: (index) => index.extents() },
  {
    name: 'manifest by days, ten channels',
    rounds: 5,
    run: (index) => drained(heldDayPages(index, { sourceIds: SOURCES, times: listedTimes({}), after: null }, 1_000_000)),
  },
];

const TRIGGERS = readFileSync('migrations/images/0000_baseline.sql', 'utf8')
  .split('--> statement-breakpoint\n')
  .filter((statement) => statement.startsWith('CREATE TRIGGER'));
const DROP = 'DROP TRIGGER images_counted; DROP TRIGGER images_discounted;';

/** Rows that are added with and without the triggers, after the others. */
const ADDED = 50_000;

/** Steps of an archive, at each of which all channels have an image. */
interface Steps {
  readonly first: number;
  readonly count: number;
  readonly cadenceMs: number;
}

/** Adds the rows of some steps from `START` on, with a gap of two days in each year. */
export function addRows(database: DatabaseSync, { first, count, cadenceMs }: Steps, sources = SOURCES): void {
  database.exec(`BEGIN;
    WITH RECURSIVE
      sources(position, id) AS (SELECT key, value FROM json_each('${JSON.stringify(sources)}')),
      steps(step) AS (SELECT ${first} UNION ALL SELECT step + 1 FROM steps WHERE step + 1 < ${first + count})
    INSERT INTO images
    SELECT step * 16 + id % 16, id, CAST(${START} + step * ${cadenceMs} + position * 37 AS INTEGER), NULL, NULL, 1000000 + step % 90000,
      randomblob(32), 0.6083466737 + step * 1e-9, 0.9862797742 - step * 1e-9, 4096, 4096, 2048.5, 2047.25, 0, 0, 0.057, 1577.5,
      151700000000.125, 1, NULL
    FROM steps CROSS JOIN sources WHERE (step * ${cadenceMs}) % ${365 * DAY_MS} > ${2 * DAY_MS};
    COMMIT`);
}

function took(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** Fills a database that has no rows, and measures the cost of the triggers. */
function fill(file: string, rows: number): BenchResult[] {
  const database = new DatabaseSync(file);
  const steps = rows / SOURCES.length;
  const cadenceMs = YEARS_MS / steps;
  const more = ADDED / SOURCES.length;
  database.exec('PRAGMA synchronous = OFF');
  addRows(database, { first: 0, count: steps, cadenceMs });
  const withTriggers = took(() => addRows(database, { first: steps, count: more, cadenceMs }));
  database.exec(DROP);
  const without = took(() => addRows(database, { first: steps + more, count: more, cadenceMs }));
  // Uncounted rows would falsify the rest.
  database.prepare('DELETE FROM images WHERE taken_at_ms >= ?').run(START + (steps + more) * cadenceMs);
  database.exec(TRIGGERS.join('\n'));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const perRow = (ms: number) => (1000 * ms) / ADDED;
  return [
    {
      case: 'adding a row, with and without its counts',
      metric: 'mean',
      unit: 'µs',
      value: perRow(withTriggers),
      against: perRow(without),
      ratio: without / withTriggers,
    },
  ];
}

/** Milliseconds of each round, after two that do not count. */
export async function times(rounds: number, run: () => unknown): Promise<number[]> {
  const found: number[] = [];
  for (let i = -2; i < rounds; i += 1) {
    const from = performance.now();
    await run();
    if (i >= 0) found.push(performance.now() - from);
  }
  return found;
}

async function measure({ d1, sqlite, file }: LocalIndex, rows: number): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  const database = new DatabaseSync(file, { readOnly: true });
  const label = (name: string) => `${name}, ${rows.toLocaleString('en-GB')} rows`;
  const sqliteMedians = new Map<string, number>();
  for (const { name, rounds = ROUNDS, run } of CASES) {
    const [d1Times, sqliteTimes] = [await times(rounds, () => run(d1)), await times(rounds, () => run(sqlite))];
    results.push(...quantilesOf(label(name), d1Times, sqliteTimes));
    sqliteMedians.set(name, median(sqliteTimes));
  }
  // After all calls of D1, whose connection would time out while SQLite blocks this process.
  for (const { name, fromRows } of CASES) {
    if (!fromRows) continue;
    const counted = median(await times(1, () => fromRows(database)));
    const counts = sqliteMedians.get(name)!;
    results.push({
      case: label(`${name}: rows against counts`),
      metric: 'p50',
      unit: 'ms',
      value: counts,
      against: counted,
      ratio: counted / counts,
    });
  }
  database.close();
  return results;
}

async function measureSize(rows: number, log: (line: string) => void): Promise<BenchResult[]> {
  log(`filling ${rows} rows`);
  const filled: BenchResult[] = [];
  return withLocalIndex(
    (file) => filled.push(...fill(file, rows)),
    async (index) => {
      const results = await measure(index, rows);
      const size = { case: 'a row with its indexes and counts', metric: 'file', unit: 'bytes' };
      return [...filled, ...results, { ...size, value: statSync(index.file).size / rows }];
    },
  );
}

export const bench: Bench = {
  async run(log) {
    const results: BenchResult[] = [];
    for (const rows of SIZES) results.push(...(await measureSize(rows, log)));
    return results;
  },
};
