import { expect, it } from 'vitest';
import { coveredPixels, discardedLevels, levelScale, TILE_SIZE, tileGrid } from '../../../src/picture/grids/pixel-grid.ts';

const AIA = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.58996068 };

/** First covered pixel and number of covered pixels on both axes. */
function cover(x: number, y: number, imageScale: number) {
  const { left, top, step } = tileGrid(AIA, { x, y, imageScale });
  const across = coveredPixels(left, step, TILE_SIZE, AIA.width);
  const down = coveredPixels(top, step, TILE_SIZE, AIA.height);
  return { x: across.from, y: down.from, width: across.to - across.from, height: down.to - down.from };
}

it.each([
  [0.60511022, 0.60511022],
  [4.8408817, 4.84088176],
  [2.420441, 2.42044088],
  [0.302555, 0.30255511],
  [0.03782, null],
  [0.03781939, 0.03781938875],
  [620, null],
  [2.42, null],
  [1e-3, null],
  [1e5, null],
])('the zoom level of a scale: %s is %s', (scale, level) => {
  expect(levelScale(scale)).toBe(level);
});

const ALL = { x: 0, y: 0, width: 512, height: 512 };

it.each([
  ['499 pixels of a centre tile at a quarter of the scale', -1, -1, 2.42044088, { x: 13, y: 13, width: 499, height: 499 }],
  ['499 pixels of the opposite one', 0, 0, 2.42044088, { x: 0, y: 0, width: 499, height: 499 }],
  ['499 pixels of the one above it', 0, -1, 2.42044088, { x: 0, y: 13, width: 499, height: 499 }],
  ['all of a centre tile at nearly full resolution', 0, 0, 0.60511022, ALL],
  ['part of a grid over a corner of the image', -4, 3, 0.60511022, { x: 51, y: 0, width: 461, height: 461 }],
  ['nothing beyond its left edge', -5, 0, 0.60511022, { width: 0 }],
  ['nothing beyond its right edge', 4, 0, 0.60511022, { width: 0 }],
  ['nothing with an image below one pixel', 0, 0, 90_000, { width: 0 }],
  ['all at a large enlargement', 0, 0, 0.001, ALL],
])('tileGrid over an AIA image covers %s', (_, x, y, imageScale, covered) => {
  expect(cover(x, y, imageScale)).toMatchObject(covered);
});

it('discardedLevels leaves one sample per output pixel within a hundredth, and never exceeds the available levels', () => {
  const levels = [4.1, 4, 3.961, 3.959, 0.3].map((step) => discardedLevels(step, 8));
  expect([...levels, discardedLevels(1000, 5)]).toEqual([2, 2, 2, 1, 0, 5]);
});

it('discardedLevels discards as many levels of AIA at aphelion as at perihelion, at the scales of viewers', () => {
  for (const [levels, scale] of [0.60511022, 1.21022044, 2.42044088, 4.84088176].entries()) {
    expect([discardedLevels(scale / 0.61, 8), discardedLevels(scale / 0.5899, 8)]).toEqual([levels, levels]);
  }
});
