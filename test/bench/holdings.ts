// What the archive has, from the counts of the image databases: timelines, gaps and the manifest by days of ten years of AIA, in local D1
// (Miniflare) and in plain SQLite on the same file, against a count of the rows. One size a run: `ROWS=5000000 npm run bench -- holdings`.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { databaseFile, resourcesIn } from '../../src/cli/local/database-files.ts';
import { applyMigrations, localDatabases } from '../../src/cli/local/migrations.ts';
import type { TimeRange } from '../../src/domain/coverage/bins.ts';
import { imageCoverage } from '../../src/services/images/image-coverage.ts';
import { gapsOf } from '../../src/services/images/image-gaps.ts';
import { heldDayPages, listedTimes } from '../../src/services/images/image-list.ts';
import { D1ImageIndex } from '../../src/storage/images/d1-image-index.ts';
import { DAY_MS } from '../../src/util/durations.ts';
import { sqliteD1 } from '../support/memory/sqlite-d1.ts';
import type { Bench, BenchResult } from './run.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);
/** The channels of AIA. */
const SOURCES = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
const START = Date.UTC(2011, 0, 1);
const YEARS_MS = 3652 * DAY_MS;
const CADENCE_MS = YEARS_MS / (ROWS / SOURCES.length);
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

/** Statements of the migration: the table, three counts of the rows, and the triggers. */
const [, ...STATEMENTS] = readFileSync('migrations/images/0001_image_counts.sql', 'utf8').split('--> statement-breakpoint');
const [COUNTS, TRIGGERS] = [STATEMENTS.slice(0, 3), STATEMENTS.slice(3)];
const DROP = 'DROP TRIGGER images_counted; DROP TRIGGER images_discounted;';

/** Rows that are added with and without the triggers, after the others. */
const ADDED = 50_000;

/** Adds the rows of some steps, all channels at each, with a gap of two days in each year. */
function add(database: DatabaseSync, firstStep: number, steps: number): void {
  database.exec(`BEGIN;
    WITH RECURSIVE
      sources(position, id) AS (SELECT key, value FROM json_each('${JSON.stringify(SOURCES)}')),
      steps(step) AS (SELECT ${firstStep} UNION ALL SELECT step + 1 FROM steps WHERE step + 1 < ${firstStep + steps})
    INSERT INTO images
    SELECT step * 16 + id % 16, id, CAST(${START} + step * ${CADENCE_MS} + position * 37 AS INTEGER), NULL, NULL, 1000000 + step % 90000,
      randomblob(32), 0.6083466737 + step * 1e-9, 0.9862797742 - step * 1e-9, 4096, 4096, 2048.5, 2047.25, 0, 0, 0.057, 1577.5,
      151700000000.125, 1, NULL
    FROM steps CROSS JOIN sources WHERE (step * ${CADENCE_MS}) % ${365 * DAY_MS} > ${2 * DAY_MS};
    COMMIT`);
}

function took(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** Fills a database that has no rows, and measures the migration of its rows and the cost of the triggers. */
function fill(file: string): BenchResult[] {
  const database = new DatabaseSync(file);
  const steps = ROWS / SOURCES.length;
  const more = ADDED / SOURCES.length;
  database.exec(`PRAGMA synchronous = OFF; ${DROP}`);
  add(database, 0, steps);
  const countedMs = took(() => database.exec(COUNTS.join(';')));
  const without = took(() => add(database, steps, more));
  database.exec(TRIGGERS.join('\n'));
  const withTriggers = took(() => add(database, steps + more, more));
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const perRow = (ms: number) => (1000 * ms) / ADDED;
  return [
    { case: 'counting the rows in the migration', metric: 'once', unit: 'ms', value: countedMs },
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

const quantile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;

async function times(rounds: number, run: () => unknown): Promise<number[]> {
  const found: number[] = [];
  for (let i = -2; i < rounds; i += 1) {
    const from = performance.now();
    await run();
    if (i >= 0) found.push(performance.now() - from);
  }
  return found.sort((a, b) => a - b);
}

async function measure(file: string, index: D1ImageIndex, plain: D1ImageIndex): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  const database = new DatabaseSync(file, { readOnly: true });
  const label = (name: string) => `${name}, ${ROWS.toLocaleString('en-GB')} rows`;
  const sqliteMedians = new Map<string, number>();
  for (const { name, rounds = ROUNDS, run } of CASES) {
    const [d1, sqlite] = [await times(rounds, () => run(index)), await times(rounds, () => run(plain))];
    for (const part of [0.5, 0.95]) {
      const [value, against] = [quantile(d1, part), quantile(sqlite, part)];
      results.push({ case: label(name), metric: `p${part * 100}`, unit: 'ms', value, against, ratio: against / value });
    }
    sqliteMedians.set(name, quantile(sqlite, 0.5));
  }
  // After all calls of D1, whose connection would time out while SQLite blocks this process.
  for (const { name, fromRows } of CASES) {
    if (!fromRows) continue;
    const rows = quantile(await times(1, () => fromRows(database)), 0.5);
    const counts = sqliteMedians.get(name)!;
    results.push({
      case: label(`${name}: rows against counts`),
      metric: 'p50',
      unit: 'ms',
      value: counts,
      against: rows,
      ratio: rows / counts,
    });
  }
  database.close();
  return results;
}

export const bench: Bench = {
  async run(log) {
    const stateDir = mkdtempSync(join(tmpdir(), 'helioedge-holdings-'));
    try {
      await applyMigrations(stateDir, () => undefined);
      const { id } = (await localDatabases()).find(({ binding }) => binding === 'IMAGES')!;
      const file = databaseFile(stateDir, id);
      log(`filling ${ROWS} rows`);
      const filled = fill(file);
      const runtime = new Miniflare(
        convertV4MiniflareOptions({
          modules: true,
          script: '',
          cf: false,
          d1Databases: { IMAGES: id },
          resourcePersistencePath: resourcesIn(stateDir),
        }),
      );
      try {
        const indexOn = (database: D1Database) =>
          new D1ImageIndex({ main: database, images: [database], ofShard: () => database }, (sourceId) => [sourceId]);
        const results = await measure(file, indexOn(await runtime.getD1Database('IMAGES')), indexOn(sqliteD1(file)));
        const bytes = {
          case: 'a row with its indexes and counts',
          metric: 'file',
          unit: 'bytes',
          value: statSync(file).size / ROWS,
        };
        return [...filled, ...results, bytes];
      } finally {
        await runtime.dispose();
      }
    } finally {
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
};
