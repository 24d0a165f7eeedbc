import { expect, it } from 'vitest';
import { coloursOf } from '../../../../src/picture/operations/operations.ts';
import { type ColourRange, FULL_RANGE, withinRange } from '../../../../src/picture/operations/range.ts';
import { compare } from '../../../../src/picture/raster/resample.ts';

const GREY = Uint8Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));
const rangedPalette = (range: ColourRange, own: Uint8Array) => coloursOf({ range }, own)!;
const greys = (range: ColourRange) => rangedPalette(range, GREY).filter((_, i) => i % 3 === 0);

it('a colour range spreads the colours between its ends, and brightens the middle by a gamma above 1', () => {
  const levels = greys({ low: 50, high: 150, gamma: 1 });
  expect([0, 50, 75, 100, 150, 255].map((level) => levels[level])).toEqual([0, 0, 64, 128, 255, 255]);
  expect(rangedPalette(FULL_RANGE, GREY)).toEqual(GREY);
  const brighter = greys({ low: 0, high: 255, gamma: 2 });
  expect([0, 64, 255].map((level) => brighter[level])).toEqual([0, Math.round(255 * Math.sqrt(64 / 255)), 255]);
  expect(greys({ low: 0, high: 255, gamma: 0.5 })[128]).toBe(Math.round(128 ** 2 / 255));
});

it('a colour range blends linearly between neighbouring colours of a table, and keeps its ends from passing each other', () => {
  const table = Uint8Array.from({ length: 768 }, (_, i) => (i % 3 === 0 ? (Math.floor(i / 3) % 2) * 200 : 7));
  expect(rangedPalette({ low: 0, high: 102, gamma: 1 }, table).slice(3, 6)).toEqual(Uint8Array.of(100, 7, 7));
  const range = { low: 20, high: 60, gamma: 1 };
  expect(withinRange(range, { low: 90 })).toEqual({ low: 59, high: 60, gamma: 1 });
  expect(withinRange(range, { high: 3 })).toEqual({ low: 20, high: 21, gamma: 1 });
  expect(withinRange(range, { gamma: 2 })).toEqual({ low: 20, high: 60, gamma: 2 });
});

it.each([
  [100, 100, 128],
  [50, 100, 0],
  [75, 100, 64],
  [110, 100, 154],
  [150, 100, 255],
  [0, 0, 128],
  [1, 0, 255],
  [0, 1, 0],
])('a comparison shows the ratio of %d to %d as %d', (newer, older, level) => {
  const samples = Uint8Array.of(newer);
  compare(samples, Uint8Array.of(older), true);
  expect(samples[0]).toBe(level);
});
