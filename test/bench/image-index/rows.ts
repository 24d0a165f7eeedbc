// The image index with one million and five million rows of ten years of AIA: its searches, and what is made of its counts, in local D1
// (Miniflare), alternated with the same statements in plain SQLite on the same file, and the size of a row.
import { statSync } from 'node:fs';
import type { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { heldDayPages, listedTimes } from '../../../src/archive/image-list.ts';
import { imageCoverage } from '../../../src/faces/images/data-coverage.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { clockMs, inTurns } from '../measure.ts';
import type { Bench, Run } from '../run.ts';
import { addQuantiles, benchRows, fillRows, type LocalIndex, START, withLocalIndex } from './local-index.ts';

/** `BENCH_ROWS` chooses others, because five million take some minutes. */
const SIZES = benchRows([1_000_000, 5_000_000]);
/** The channels of AIA. */
const SOURCES = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];
const YEARS_MS = 3652 * DAY_MS;
const END = START + YEARS_MS;
const JPX_FRAMES = 1000;

interface Search {
  readonly name: string;
  readonly rounds: number;
  readonly run: (index: D1ImageIndex, random: () => number) => Promise<unknown>;
}

const layers = SOURCES.map((sourceId) => ({ sourceId, name: String(sourceId) }));

const SEARCHES: readonly Search[] = [
  {
    name: 'closest image',
    rounds: 400,
    run: async (index, random) => {
      const { before } = await index.neighbours(10, START + Math.floor(random() * YEARS_MS));
      await index.adjacentTimes(10, before?.takenAtMs ?? START);
    },
  },
  {
    name: `JPX of ${JPX_FRAMES} frames`,
    rounds: 30,
    run: (index) =>
      index.neighboursOfTimes(
        10,
        Array.from({ length: JPX_FRAMES }, (_, i) => Math.round(START + (i * YEARS_MS) / JPX_FRAMES)),
      ),
  },
  { name: 'status and catalogue', rounds: 100, run: (index) => index.extents() },
  {
    name: 'timeline of ten years, ten channels',
    rounds: 30,
    run: (index) => imageCoverage(index, layers, { startMs: START, endMs: END }),
  },
  {
    name: 'manifest by days, ten channels',
    rounds: 5,
    run: async (index) => {
      const times = listedTimes({});
      for await (const _page of heldDayPages(index, { sourceIds: SOURCES, times, after: null }, 1_000_000));
    },
  },
];

async function measure({ name, rounds, run }: Search, rows: string, { d1, sqlite }: LocalIndex, bench: Run): Promise<void> {
  const random = randomNumbers(1);
  const took = (index: D1ImageIndex) => () => clockMs(() => run(index, random));
  const times = await inTurns({ d1: took(d1), sqlite: took(sqlite) }, rounds, 5);
  addQuantiles(bench, `${name}, ${rows} rows`, times.d1, times.sqlite);
}

export const bench: Bench = async (run) => {
  for (const count of SIZES) {
    const rows = count.toLocaleString('en-GB');
    run.log(`filling ${rows} rows`);
    const steps = count / SOURCES.length;
    const fill = (file: string) => fillRows(file, { count: steps, cadenceMs: YEARS_MS / steps, sources: SOURCES });
    await withLocalIndex(fill, async (index) => {
      for (const search of SEARCHES) await measure(search, rows, index, run);
      run.add(`a row of ${rows}, with its indexes and counts`, 'file', 'bytes', statSync(index.file).size / count);
    });
  }
};
