// The counts of images that the triggers of an image database keep, against a count of its rows.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { imageCoverage } from '../../../src/faces/images/data-coverage.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { binStart, COUNTED_WIDTHS_MS, type TimeRange } from '../../../src/sun/bins.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';

const NOON = Date.UTC(2024, 4, 10, 12);

interface CountRow {
  readonly source_id: number;
  readonly width_ms: number;
  readonly start_ms: number;
  readonly images: number;
  readonly bytes: number | null;
  readonly checksum: number | null;
}

type Row = Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'byteLength' | 'sha256'>;

/** The counts of rows, by arithmetic of this test. */
function counted(rows: readonly Row[]): CountRow[] {
  return COUNTED_WIDTHS_MS.flatMap((width) => {
    const bins = Map.groupBy(rows, ({ sourceId, takenAtMs }) => `${sourceId} ${Math.floor(takenAtMs / width) * width}`);
    return [...bins].map(([key, images]) => {
      const [source, start] = key.split(' ').map(Number);
      const isDay = width === DAY_MS;
      const sum = images.reduce((total, { sha256 }) => total + BigInt(`0x${sha256.slice(0, 10)}`), 0n);
      return {
        source_id: source!,
        width_ms: width,
        start_ms: start!,
        images: images.length,
        bytes: isDay ? images.reduce((total, { byteLength }) => total + byteLength, 0) : null,
        checksum: isDay ? Number(sum % (1n << 40n)) : null,
      };
    });
  });
}

const keyOf = ({ source_id: source, width_ms: width, start_ms: start }: CountRow) => `${source} ${width} ${start}`;
const sorted = (rows: readonly CountRow[]) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

async function storedCounts(database: D1Database): Promise<CountRow[]> {
  const { results } = await database.prepare('SELECT * FROM image_counts').all<CountRow>();
  return sorted(results);
}

async function storedRows(database: D1Database): Promise<Row[]> {
  const { results } = await database
    .prepare(
      'SELECT source_id AS sourceId, taken_at_ms AS takenAtMs, byte_length AS byteLength, lower(hex(sha256)) AS sha256 FROM images',
    )
    .all<Row>();
  return results;
}

async function expectRight(database: D1Database, why = ''): Promise<void> {
  expect(await storedCounts(database), why).toEqual(sorted(counted(await storedRows(database))));
}

function archive() {
  const database = migrated('images');
  const databases = { main: database, operations: database, images: [database], ofShard: () => database };
  const register = new D1ImageRegister({ databases, ids: new MemoryIdSequences() });
  return { database, register, index: new D1ImageIndex(databases) };
}

const hash = (number: number) =>
  (number * 2_654_435_761 + 12_345).toString(16).padStart(64, 'f').slice(-64).split('').reverse().join('');

/** An image at one of few places, so that names, times and contents meet. */
const place = fc.record({
  sourceId: fc.constantFrom(10, 11, 26),
  slot: fc.integer({ min: 0, max: 11 }),
  content: fc.integer({ min: 0, max: 5 }),
});

type Place = typeof place extends fc.Arbitrary<infer T> ? T : never;

const imageAt = ({ sourceId, slot, content }: Place) =>
  makeImage(sourceId, NOON + slot * 4.001 * HOUR_MS + (slot % 3), {
    fileName: `s${sourceId}_${slot}.jp2`,
    sha256: hash(content * 100 + slot),
    byteLength: 1000 + content,
  });

const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), place }),
  fc.record({ kind: fc.constant('replace' as const), place }),
  fc.record({ kind: fc.constant('withdraw' as const), place }),
  fc.record({ kind: fc.constant('bulk' as const), places: fc.array(place, { minLength: 1, maxLength: 6 }) }),
);

it('the counts of images equal those of the rows after any uploads, batches, replacements and withdrawals', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { database, register, index } = archive();
      await database.exec(claimStatement(SHARDS));
      for (const one of steps) {
        if (one.kind === 'bulk') {
          await register.addAll(one.places.map(imageAt));
          continue;
        }
        const image = imageAt(one.place);
        const present = await index.byFileName(image.fileName);
        if (one.kind === 'add') await register.add(image);
        else if (present && one.kind === 'replace') await register.add(image, { id: present.id, atMs: NOON });
        else if (present) await register.withdraw({ id: present.id, atMs: NOON });
      }
      await expectRight(database);
    }),
    { numRuns: 60 },
  );
});

it('the timeline of images shows the same numbers from the counts as from the rows, at any length of the range', async () => {
  const { database, index, register } = archive();
  await database.exec(claimStatement(SHARDS));
  const spans = [2 * HOUR_MS, 30 * HOUR_MS, 5 * DAY_MS, 100 * DAY_MS, 400 * DAY_MS, 1000 * DAY_MS];
  const random = randomNumbers(7);
  const images = Array.from({ length: 600 }, (_, i) => {
    const span = spans[i % spans.length]!;
    return makeImage([10, 11, 38, 39][i % 4]!, NOON + Math.round((random() - 0.5) * 3 * span * 1000) / 1000, {
      fileName: `${i}.jp2`,
    });
  });
  await register.addAll(images);
  const layers = [10, 11, 10_001].map((sourceId) => ({ sourceId, name: `${sourceId}` }));
  for (const spanMs of spans) {
    const range: TimeRange = { startMs: NOON - spanMs / 2, endMs: NOON + spanMs / 2 };
    const series = await imageCoverage(index, layers, range);
    for (const { sourceId, data } of series) {
      const members = sourceId === 10_001 ? [38, 39] : [sourceId];
      const times = images.filter((image) => members.includes(image.sourceId)).map(({ takenAtMs }) => takenAtMs);
      const [first, last] = [data[0]![0], data.at(-1)![0]];
      const within = data
        .slice(0, -1)
        .map(([start], i) => [start, times.filter((ms) => ms >= start && ms < data[i + 1]![0]).length]);
      expect(data.slice(0, -1), `${sourceId} over ${spanMs}`).toEqual(within);
      expect(first).toBeLessThanOrEqual(range.startMs - spanMs);
      expect(last).toBeLessThanOrEqual(range.endMs + spanMs);
      expect(
        within.reduce((sum, [, count]) => sum + count!, 0),
        `${sourceId} over ${spanMs}`,
      ).toBeGreaterThan(0);
    }
  }
  expect(binStart('W', NOON)).toBe(Date.UTC(2024, 4, 6));
});
