// Filters on arrays whose results are known: integers of small arrays, from the definitions (docs/api.md).
import { describe, expect, it } from 'vitest';
import {
  annuliOf,
  annulusCounter,
  decodeStatistics,
  encodeStatistics,
  midRank,
  statisticsOf,
} from '../../../src/picture/filters/annuli.ts';
import { applyTable, byteTable } from '../../../src/picture/filters/byte-table.ts';
import { bent, normalised, STEADY_LEVEL, steadyTable } from '../../../src/picture/filters/filters.ts';
import { mgn } from '../../../src/picture/filters/mgn.ts';
import { sunCentre } from '../../../src/picture/grids/pixel-grid.ts';
import type { ImageGeometry } from '../../../src/sun/image.ts';
import { byteOf, centreOf, LOG, truncatedLaw } from '../../../src/sun/laws/law.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';

/** Bytes of a square image in annuli of `width` pixels about its centre, one count an annulus and byte. */
function counted(side: number, width: number, byteAt: (x: number, y: number) => number) {
  const bytes = Uint8Array.from({ length: side * side }, (_, i) => byteAt(i % side, Math.floor(i / side)));
  const ringOf = (i: number) =>
    Math.floor(Math.hypot((i % side) - (side - 1) / 2, Math.floor(i / side) - (side - 1) / 2) / width);
  const rows = Math.floor(Math.hypot(side / 2, side / 2) / width) + 1;
  const counts = new Uint32Array(rows * 256);
  for (const [i, byte] of bytes.entries()) counts[ringOf(i) * 256 + byte]! += 1;
  return { bytes, ringOf, rows, width, counts };
}

const rounded = (value: number) => Math.floor(255 * value + 0.5);

/** Levels of the bytes of each annulus. */
function levelsOf({ counts, rows }: Pick<ReturnType<typeof counted>, 'counts' | 'rows'>, levelOf: (rank: number) => number) {
  return Array.from({ length: rows }, (_, row) => {
    const own = counts.subarray(row * 256, (row + 1) * 256);
    const pixels = own.reduce((sum, count) => sum + count, 0);
    let below = 0;
    return Array.from(own, (count) => {
      below += count;
      return levelOf(midRank(below - count, count, pixels));
    });
  });
}

let seed = 12345;
const large = counted(64, 2, (x, y) => {
  seed = (Math.imul(1664525, seed) + 1013904223) >>> 0;
  return Math.floor(320000 / (1600 + (2 * x - 63) ** 2 + (2 * y - 63) ** 2)) + (seed >>> 27);
});

const inRow = (
  { bytes, ringOf }: ReturnType<typeof counted>,
  levels: readonly (readonly number[])[],
  from: number,
  count: number,
) => Array.from({ length: count }, (_, i) => levels[ringOf(from + i)]![bytes[from + i]!]);

const geometryOf = (side: number, values: Partial<ImageGeometry> = {}) =>
  ({
    width: side,
    height: side,
    refPixelX: (side + 1) / 2,
    refPixelY: (side + 1) / 2,
    rsunPixels: side / 4,
    ...values,
  }) as ImageGeometry;

const plain = (rank: number) => rounded(rank);
const PAPER = { low: 0.35, high: 0.35 };

it('mid-ranks of the bytes of an annulus count half of the pixels of equal bytes, and are bent by upsilon', () => {
  const coarse = counted(8, 1, (x, y) => ((37 * x + 91 * y + 17 * x * y + 5 * x * x) % 128) >> 4);
  expect(inRow(coarse, levelsOf(coarse, plain), 0, 8)).toEqual([11, 85, 191, 51, 223, 115, 43, 234]);
  const levels = levelsOf(coarse, (rank) => rounded(bent(rank, PAPER)));
  expect(inRow(coarse, levels, 0, 8)).toEqual([53, 111, 155, 93, 177, 123, 87, 187]);
  expect(inRow(coarse, levels, 24, 8)).toEqual([93, 182, 128, 100, 100, 108, 148, 177]);
});

it.each([
  [PAPER, [0.056798, 0.127154, 0.284663, 0.392292, 0.462436, 0.5, 0.537564, 0.607708, 0.715337, 0.872846, 1]],
  [{ low: 0.7, high: 0.4 }, [0.006452, 0.032336, 0.162066, 0.307786, 0.427694, 0.5, 0.542695, 0.621071, 0.737347, 0.895436, 1]],
])('mid-ranks of the bytes of an annulus bend as the paper has it: %o', (strengths, expected) => {
  const ranks = [0.001, 0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99, 1];
  for (const [i, rank] of ranks.entries()) expect(bent(rank, strengths)).toBeCloseTo(expected[i]!, 6);
});

/** Mean and population deviation of each annulus. */
const momentsOf = ({ counts, rows }: ReturnType<typeof counted>) =>
  Array.from({ length: rows }, (_, row) => {
    const own = [...counts.subarray(row * 256, (row + 1) * 256)];
    const pixels = own.reduce((sum, count) => sum + count, 0);
    const mean = own.reduce((sum, count, byte) => sum + count * byte, 0) / pixels;
    return { mean, deviation: Math.sqrt(own.reduce((sum, count, byte) => sum + count * (byte - mean) ** 2, 0) / pixels) };
  });

const normalisedIn = (array: ReturnType<typeof counted>, kind: 'disc' | 'coronagraph') => {
  const levels = momentsOf(array).map(({ mean, deviation }) =>
    Array.from({ length: 256 }, (_, byte) => Math.floor(normalised(byte, mean, deviation, kind) + 0.5)),
  );
  return inRow(array, levels, 0, array.bytes.length) as number[];
};
const sumOf = (levels: readonly number[]) => levels.reduce((sum, level) => sum + level);

it('NRGF spreads deviations from the mean of an annulus over the levels of an array of 64 x 64, with other ends for coronagraphs', () => {
  const [disc, coronagraph] = [normalisedIn(large, 'disc'), normalisedIn(large, 'coronagraph')];
  expect([sumOf(disc), sumOf(coronagraph)]).toEqual([522167, 348080]);
  expect(disc.slice(31 * 64 + 28, 31 * 64 + 36)).toEqual([125, 170, 132, 114, 210, 79, 121, 81]);
  expect(coronagraph.slice(31 * 64 + 28, 31 * 64 + 36)).toEqual([83, 127, 89, 71, 168, 36, 78, 38]);
});

it('NRGF counts a deviation below 1.5 levels as that', () => {
  expect(normalised(11, 10, 0.1, 'disc')).toBeCloseTo((255 * (1 / 1.5 + 3)) / 6);
});

const size = { width: 64, height: 64 };
const all = { x0: 0, y0: 0, x1: 64, y1: 64 };

it('MGN differs from exact Gaussians by less than a level in an array of 64 x 64', () => {
  const levels = mgn({ ...all, samples: large.bytes }, all, size);
  const values = [0.87967, 0.94716, 0.85927, 0.81322, 0.98532, 0.74865, 0.86061, 0.78971];
  const exact = values.map((value) => Math.floor((255 * (value + 0.2)) / 1.2 + 0.5));
  for (const [i, level] of exact.entries()) expect(Math.abs(levels[31 * 64 + 28 + i]! - level)).toBeLessThanOrEqual(1);
  expect(Math.abs(levels[0]! - (255 * 0.35535) / 1.2)).toBeLessThan(2);
  const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
  expect(Math.abs(mean - (255 * 0.751506) / 1.2)).toBeLessThan(0.5);
});

it('MGN gives each sample the same level in every part that has its surroundings', () => {
  const side = 1300;
  const level = { width: side, height: side };
  const samples = Uint8Array.from({ length: side * side }, (_, i) => (Math.imul(i, 2654435761) >>> 25) + ((i % side) >> 4));
  const whole = { x0: 0, y0: 0, x1: side, y1: side };
  const levels = mgn({ ...whole, samples }, whole, level);
  for (const inner of [
    { x0: 301, y0: 250, x1: 380, y1: 377 },
    { x0: 1203, y0: 1111, x1: 1300, y1: 1300 },
    { x0: 301, y0: 0, x1: 380, y1: 90 },
  ]) {
    const part = {
      x0: inner.x0 - 240,
      y0: Math.max(0, inner.y0 - 240),
      x1: Math.min(inner.x1 + 240, side),
      y1: Math.min(inner.y1 + 240, side),
    };
    const cut = new Uint8Array((part.x1 - part.x0) * (part.y1 - part.y0));
    for (let y = part.y0; y < part.y1; y++)
      cut.set(samples.subarray(y * side + part.x0, y * side + part.x1), (y - part.y0) * (part.x1 - part.x0));
    const own = mgn({ ...part, samples: cut }, inner, level);
    const width = inner.x1 - inner.x0;
    const wrong = own.findIndex(
      (value, i) => value !== levels[(inner.y0 + Math.floor(i / width)) * side + inner.x0 + (i % width)],
    );
    expect(wrong).toBe(-1);
  }
});

it('MGN shows no contrast where all samples are equal', () => {
  const levels = mgn({ ...all, samples: new Uint8Array(4096).fill(100) }, all, size);
  expect(new Set(levels)).toEqual(new Set([Math.floor((255 * (0.7 * (100 / 255) ** (1 / 3.2) + 0.2)) / 1.2 + 0.5)]));
});

/** A law of AIA 304: 102.6 bytes a decade. */
const LAW = truncatedLaw({ name: 'test', unit: 'DN/s', transfer: LOG, lo: 1, hi: 10 ** (255.9999 / 102.6) });

it.each([2010, 2014, 2018, 2021, 2024])('a steady brightness gives a darkened disc of %i the median of all years', (year) => {
  const fall = 12 ** (-(year - 2010) / 14);
  // Values whose median is that of the disc, darkened and then scaled to bytes.
  const bytes = Uint8Array.from({ length: 9999 }, (_, i) => byteOf(LAW, 40 * fall * 2 ** ((i - 4999) / 5000)));
  const counter = annulusCounter({
    geometry: geometryOf(101, { rsunPixels: 200 }),
    size: { width: 101, height: 101 },
    turned: null,
    mask: null,
    isBlackMasked: false,
    law: LAW,
  });
  counter.add({ x0: 0, y0: 0, width: 101, height: 99, samples: bytes });
  const { levels } = steadyTable(counter.statistics);
  const steady = bytes.map((byte) => levels[byte]!).sort();
  const [found, wanted] = [steady[4999]!, STEADY_LEVEL].map((byte) => centreOf(LAW, byte)) as [number, number];
  expect(Math.abs(found / wanted - 1)).toBeLessThan(0.03);
  expect(steady[0]).toBeGreaterThan(0);
});

it('a steady brightness keeps both ends of the scale, and makes no other level 0', () => {
  for (const law of [LAW, null]) {
    const { levels } = steadyTable({ median: 200.5, law });
    expect([levels[0], levels[255]]).toEqual([0, 255]);
    expect(Math.min(...levels.subarray(1))).toBeGreaterThan(0);
    expect(levels[200]).toBe(STEADY_LEVEL);
  }
  expect([...steadyTable({ median: 0, law: null }).levels]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
});

it('a table of levels gives levels between the centres of annuli', () => {
  const levels = levelsOf(large, plain);
  const table = { rows: large.rows, from: 0, width: 2, levels: new Uint8Array(large.rows * 256) };
  for (const [k, row] of levels.entries()) for (const [byte, level] of row.entries()) table.levels[byte * large.rows + k] = level;
  const samples = large.bytes.slice();
  applyTable(samples, table, { left: 0, top: 0, step: 1, width: 64, height: 64 }, { y0: 0, y1: 64 }, geometryOf(64));
  expect(samples.reduce((sum, level) => sum + level, 0)).toBe(524806);
  expect([...samples.subarray(31 * 64 + 28, 31 * 64 + 36)]).toEqual([120, 208, 147, 106, 244, 37, 95, 74]);
  expect([...samples.subarray(5 * 64, 5 * 64 + 8)]).toEqual([127, 215, 68, 246, 119, 13, 81, 159]);
});

it('a table of levels leaves rows alone that are not covered, and the last columns of an odd width', () => {
  const table = { rows: 1, from: 0, width: 1, levels: Uint8Array.from({ length: 256 }, (_, byte) => 255 - byte) };
  const samples = new Uint8Array(21).fill(5);
  applyTable(samples, table, { left: 0, top: 0, step: 1, width: 7, height: 3 }, { y0: 1, y1: 2 }, geometryOf(7));
  expect([...samples]).toEqual([...Array(7).fill(5), ...Array(7).fill(250), ...Array(7).fill(5)]);
});

it('a table of levels gives every pixel what sums in f32 of its two nearest annuli give, near the centre and beyond the last', () => {
  const random = randomNumbers(7);
  const grid = { left: 0, top: 0, step: 1, width: 1003, height: 400 };
  const table = { rows: 300, from: 2, width: 1.7, levels: Uint8Array.from({ length: 300 * 256 }, () => 256 * random()) };
  table.levels.fill(0, 0, 300);
  const own = Uint8Array.from({ length: grid.width * grid.height }, () => 256 * random());
  const samples = own.slice();
  const geometry = geometryOf(1003, { refPixelX: 301.3, refPixelY: 803.6 });
  applyTable(samples, table, grid, { y0: 0, y1: grid.height }, geometry);
  const { x, y } = sunCentre(geometry);
  const square = (distance: number) => Math.fround((distance / table.width) ** 2);
  const expected = own.map((byte, i) => {
    const squares = square((i % grid.width) + 0.5 - x) + square(Math.floor(i / grid.width) + 0.5 - y);
    const place = Math.fround(Math.sqrt(Math.fround(squares))) - Math.fround(table.from / table.width + 0.5);
    const within = Math.min(Math.max(Math.fround(place), 0), table.rows - 1);
    const row = Math.floor(within);
    const [inner, outer] = [table.levels[byte * table.rows + row]!, table.levels[byte * table.rows + row + 1] ?? 0];
    return Math.fround(Math.fround(inner + Math.fround((within - row) * (outer - inner))) + 0.5);
  });
  expect(samples).toEqual(expected);
});

it('a table of levels keeps byte 0, and spreads neither the noise of an even annulus nor levels next to 0 in a dark one', () => {
  const counts = new Uint32Array(3 * 256);
  counts.fill(10, 1, 256);
  counts.fill(500, 256 + 30, 256 + 33);
  [counts[512], counts[513], counts[512 + 200]] = [980, 10, 10];
  const statistics = { rows: 3, from: 0, width: 1, median: 0, law: null, ...statisticsOf(counts, { rows: 3, width: 1 }) };
  const { levels } = byteTable(statistics, new Float64Array(256).fill(255));
  const of = (row: number, byte: number) => levels[byte * 3 + row];
  expect([of(0, 0), of(1, 0), of(2, 0)]).toEqual([0, 0, 0]);
  expect([of(0, 1), of(0, 200)]).toEqual([255, 255]);
  expect([of(1, 31), of(2, 1), of(2, 200)]).toEqual([Math.floor(31 + (224 * 2) / 12 + 0.5), Math.floor(1 + 254 / 12 + 0.5), 255]);
});

describe('the annuli of an image', () => {
  it.each([
    ['of a pixel in images of at most 1024', geometryOf(1024), { rows: 725, from: 0, width: 1 }],
    ['512 in larger ones', geometryOf(4096), { rows: 512, from: 0, width: Math.hypot(2048, 2048) / 512 }],
    ['from the nearest pixel where the Sun is outside', geometryOf(1024, { refPixelX: -99.5 }), { from: 100, width: 1 }],
  ])('lie %s', (_, geometry, expected) => expect(annuliOf(geometry)).toMatchObject(expected));

  const size = { width: 64, height: 64 };
  const strip = { x0: 0, y0: 0, ...size, samples: large.bytes };
  const image = { geometry: geometryOf(64), size, turned: null, mask: null, isBlackMasked: false, law: null };

  it('count each pixel once, at its distance', () => {
    const counter = annulusCounter(image);
    for (let y0 = 0; y0 < 64; y0 += 16) counter.add({ ...strip, y0, height: 16, samples: strip.samples.subarray(64 * y0) });
    expect(counter.counts).toEqual(counted(64, 1, (x, y) => large.bytes[64 * y + x]!).counts);
  });

  it('count a pixel on the end of an annulus in the next one, and no black of a source where that is no data', () => {
    const placed = geometryOf(64, { refPixelX: 21, refPixelY: 41 });
    const counter = annulusCounter({ ...image, geometry: placed, isBlackMasked: true });
    counter.add(strip);
    const { x, y } = sunCentre(placed);
    const expected = new Uint32Array(counter.counts.length);
    // Distances between centres of pixels, of which some are whole.
    for (const [i, byte] of large.bytes.entries())
      if (byte > 0) expected[Math.floor(Math.hypot((i % 64) + 0.5 - x, Math.floor(i / 64) + 0.5 - y)) * 256 + byte]! += 1;
    expect(counter.counts).toEqual(expected);
  });

  it('count the samples of a reduced level where they lie, and no pixels behind a mask', () => {
    const half = { x0: 0, y0: 0, width: 32, height: 32, samples: new Uint8Array(1024).fill(7) };
    const reduced = annulusCounter(image);
    reduced.add(half, 1);
    const full = annulusCounter(image);
    full.add({ ...strip, samples: strip.samples.map((_, i) => (i % 2 === 0 && Math.floor(i / 64) % 2 === 0 ? 7 : 8)) });
    expect(reduced.counts.filter((_, i) => i % 256 === 7)).toEqual(full.counts.filter((_, i) => i % 256 === 7));
    const mask = { unit: 64, anchor: 'sun', inner: [0, 0, 10], outer: [0, 0, 20], masksDownloads: false } as const;
    const masked = annulusCounter({ ...image, mask });
    masked.add(strip);
    const pixels = (row: number) => masked.counts.subarray(row * 256, row * 256 + 256).reduce((sum, count) => sum + count, 0);
    expect([pixels(5), pixels(15), pixels(25)]).toEqual([0, 96, 0]);
  });

  it('take the statistics of their neighbours where they have few pixels', () => {
    const { means, deviations, ranks } = statisticsOf(large.counts, { rows: large.rows, width: 2 });
    expect(means[8]).toBeCloseTo(130.076923, 2);
    expect(deviations[8]).toBeCloseTo(9.507277, 2);
    const sparse = new Uint32Array(5 * 256);
    sparse[100] = 1000;
    sparse[4 * 256 + 200] = 1000;
    expect([...statisticsOf(sparse, { rows: 5, width: 1 }).means]).toEqual([100, 100, 150, 200, 200]);
    expect(statisticsOf(new Uint32Array(256), { rows: 1, width: 1 }).means[0]).toBe(0);
    expect(ranks.every((rank, i) => i % 256 === 0 || rank >= ranks[i - 1]!)).toBe(true);
  });

  it('know the median of the disc, and keep all of it in their file', () => {
    const counter = annulusCounter(image);
    counter.add(strip);
    const { statistics } = counter;
    const disc = large.bytes.filter((_, i) => large.ringOf(i) < 8).sort();
    expect(Math.floor(statistics.median)).toBe(disc[disc.length / 2]);
    const file = encodeStatistics(statistics);
    expect(decodeStatistics(file)).toEqual(statistics);
    for (const damaged of [
      file.subarray(0, -9),
      file.subarray(3),
      new Uint8Array(),
      encodeStatistics({ ...statistics, rows: 3 }),
    ])
      expect(decodeStatistics(damaged)).toBeNull();
  });
});
