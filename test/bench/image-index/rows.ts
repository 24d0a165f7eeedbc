// The image index with ten thousand, one million and five million rows: its searches in local D1 (Miniflare), alternated with the
// same statements in plain SQLite on the same file, and the size of a row.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { SECOND_MS } from '../../../src/platform/util/durations.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import type { Bench, BenchResult } from '../run.ts';
import { benchRows, type LocalIndex, quantilesOf, withLocalIndex } from './local-index.ts';

/** `BENCH_ROWS` chooses others, because five million take some minutes. */
const SIZES = benchRows([10_000, 1_000_000, 5_000_000]);
/** Channels of AIA with an image each every 12 seconds. */
const SOURCES = [8, 9, 10, 11, 12, 13, 14, 15, 16, 18];
const CADENCE_MS = 12 * SECOND_MS;
const START = Date.UTC(2011, 0, 1);
const JPX_FRAMES = 1000;

interface Search {
  readonly name: string;
  readonly rounds: number;
  readonly run: (index: D1ImageIndex, archive: Archive, random: () => number) => Promise<unknown>;
}

interface Archive {
  readonly rows: number;
  /** Time of the last image of a source. */
  readonly endMs: number;
}

const timeIn = ({ endMs }: Archive, random: () => number) => START + Math.floor(random() * (endMs - START));

const SEARCHES: readonly Search[] = [
  {
    name: 'closest image',
    rounds: 400,
    run: async (index, archive, random) => {
      const { before } = await index.neighbours(10, timeIn(archive, random));
      await index.adjacentTimes(10, before?.takenAtMs ?? START);
    },
  },
  {
    name: 'tile',
    rounds: 400,
    run: (index, { rows }, random) => {
      const row = Math.floor(random() * rows);
      return index.byId(Math.floor(row / SOURCES.length) * 16 + SOURCES[row % SOURCES.length]!);
    },
  },
  {
    name: `JPX of ${JPX_FRAMES} frames`,
    rounds: 30,
    run: (index, archive) => {
      const stepMs = (archive.endMs - START) / JPX_FRAMES;
      return index.neighboursOfTimes(
        10,
        Array.from({ length: JPX_FRAMES }, (_, i) => Math.round(START + i * stepMs)),
      );
    },
  },
  { name: 'status and catalogue', rounds: 100, run: (index) => index.extents() },
];

/** Adds rows in the order in which images arrive: all sources each 12 seconds. Values differ as those of real headers do. */
function fill(file: string, rows: number): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA synchronous = OFF;
    WITH RECURSIVE
      sources(position, id) AS (SELECT key, value FROM json_each('${JSON.stringify(SOURCES)}')),
      steps(step) AS (SELECT 0 UNION ALL SELECT step + 1 FROM steps WHERE step + 1 < ${rows / SOURCES.length})
    INSERT INTO images
    SELECT step * 16 + id % 16, id, ${START} + step * ${CADENCE_MS} + position * 37, NULL, NULL, 1000000 + step % 90000, randomblob(32),
      0.6083466737 + step * 1e-9, 0.9862797742 - step * 1e-9, 4096, 4096, 2048.5 + step * 1e-5, 2047.25 - step * 1e-5, 0, 0,
      0.057 + step * 1e-8, 1577.5 + step * 1e-5, 151700000000.125 + step * 10, 1, NULL
    FROM steps CROSS JOIN sources;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
}

async function measure({ name, rounds, run }: Search, archive: Archive, { d1, sqlite }: LocalIndex): Promise<BenchResult[]> {
  const random = randomNumbers(1);
  const times = { d1: [] as number[], sqlite: [] as number[] };
  for (let i = -5; i < rounds; i += 1) {
    for (const [side, index] of [['d1', d1] as const, ['sqlite', sqlite] as const]) {
      const from = performance.now();
      await run(index, archive, random);
      if (i >= 0) times[side].push(performance.now() - from);
    }
  }
  return quantilesOf(`${name}, ${archive.rows.toLocaleString('en-GB')} rows`, times.d1, times.sqlite);
}

function measureSize(rows: number, log: (line: string) => void): Promise<BenchResult[]> {
  log(`filling ${rows} rows`);
  const archive = { rows, endMs: START + (rows / SOURCES.length) * CADENCE_MS };
  return withLocalIndex(
    (file) => fill(file, rows),
    async (index) => {
      const results: BenchResult[] = [];
      for (const search of SEARCHES) results.push(...(await measure(search, archive, index)));
      const size = { case: `a row of ${rows.toLocaleString('en-GB')}, with its indexes`, metric: 'file', unit: 'bytes' };
      return [...results, { ...size, value: statSync(index.file).size / rows }];
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
