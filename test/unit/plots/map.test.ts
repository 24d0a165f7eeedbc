import { expect, it } from 'vitest';
import { COLOUR_SCALES, colourLimits, columnsOfPixels, rampColour, rowMean } from '../../../src/picture/plots/map.ts';

const column = (atMs: number, values: readonly number[] | null) => ({ atMs, values: values && Float32Array.from(values) });
const axis = { from: 0, to: 100, ticks: [], title: '' };

it('the pixels of a map are those of the nearest column, and none in a gap or beyond the ends', () => {
  const columns = [column(10, [1]), column(20, [2]), column(30, null), column(40, [4]), column(80, [8])];
  const pixels = [...columnsOfPixels(columns, axis, 10)];
  // Pixels of 10 ms, whose middles are 5, 15, …
  expect(pixels).toEqual([0, 1, -1, 3, 3, -1, -1, 4, 4, -1]);
});

it('a row of pixels is the mean of its positions, the last of which is at the top, without those that have no value', () => {
  const values = Float32Array.from([1, 3, Number.NaN, 7]);
  expect([0, 1].map((row) => rowMean(values, row, 2))).toEqual([7, 2]);
  expect([0, 7].map((row) => rowMean(values, row, 8))).toEqual([7, 1]);
  expect(rowMean(Float32Array.from([Number.NaN]), 0, 1)).toBeNaN();
});

it('the colours of a map leave out half a percent of the values at each end', () => {
  const values = Array.from({ length: 1001 }, (_, i) => i);
  expect(colourLimits([column(0, values), column(1, null)])).toEqual([5, 995]);
  const [low, high] = colourLimits([column(0, [3, 3, Number.NaN])]);
  expect(high).toBeGreaterThan(low);
});

it('colours grow lighter from the least value to the greatest in every scale', () => {
  const [low, high] = [-50, 2000];
  for (const transfer of Object.values(COLOUR_SCALES)) {
    const scaled = [low, 1, 10, 100, 1000, high].map((value) => transfer(value, low, high));
    expect(scaled).toEqual([...scaled].sort((a, b) => a - b));
    expect(scaled.at(-1)).toBeGreaterThan(scaled[0]!);
  }
  const lightness = Array.from({ length: 21 }, (_, i) => {
    const [red, green, blue] = rampColour(i / 20);
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  });
  expect(lightness).toEqual([...lightness].sort((a, b) => a - b));
  expect([rampColour(-1), rampColour(2)]).toEqual([rampColour(0), rampColour(1)]);
});
