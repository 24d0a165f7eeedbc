import { expect, it } from 'vitest';
import {
  compositionGrid,
  coveredPixels,
  discardedLevels,
  levelScale,
  TILE_SIZE,
  tileGrid,
} from '../../../src/picture/grids/pixel-grid.ts';
import { parseRegion } from '../../../src/picture/picture.ts';

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

it('tileGrid over an AIA image covers 499 pixels of each of the four centre tiles at a quarter of the scale', () => {
  expect(cover(-1, -1, 2.42044088)).toEqual({ x: 13, y: 13, width: 499, height: 499 });
  expect(cover(0, 0, 2.42044088)).toEqual({ x: 0, y: 0, width: 499, height: 499 });
  expect(cover(0, -1, 2.42044088)).toEqual({ x: 0, y: 13, width: 499, height: 499 });
});

it('tileGrid over an AIA image spans 525 image pixels from the centre at nearly full resolution', () => {
  const grid = tileGrid(AIA, { x: 0, y: 0, imageScale: 0.60511022 });
  expect(grid.left).toBe(2048);
  expect(grid.left + TILE_SIZE * grid.step).toBeCloseTo(2573.148, 3);
  expect(cover(0, 0, 0.60511022)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
});

it('tileGrid over an AIA image covers part of a grid over a corner of the image, and none beyond it', () => {
  expect(cover(-4, 3, 0.60511022)).toEqual({ x: 51, y: 0, width: 461, height: 461 });
  expect(cover(-5, 0, 0.60511022).width).toBe(0);
  expect(cover(4, 0, 0.60511022).width).toBe(0);
});

it('tileGrid over an AIA image covers nothing with an image below one pixel, and all at a large enlargement', () => {
  expect(cover(0, 0, 90_000).width).toBe(0);
  expect(cover(0, 0, 0.001)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
});

it('discardedLevels leaves one sample per output pixel within a hundredth, and never exceeds the available levels', () => {
  expect(discardedLevels(4.1, 8)).toBe(2);
  expect(discardedLevels(4, 8)).toBe(2);
  expect(discardedLevels(3.961, 8)).toBe(2);
  expect(discardedLevels(3.959, 8)).toBe(1);
  expect(discardedLevels(0.3, 8)).toBe(0);
  expect(discardedLevels(1000, 5)).toBe(5);
});

it('discardedLevels discards as many levels of AIA at aphelion as at perihelion, at the scales of viewers', () => {
  for (const [scale, levels] of [
    [0.60511022, 0],
    [1.21022044, 1],
    [2.42044088, 2],
    [4.84088176, 3],
  ] as const) {
    expect([discardedLevels(scale / 0.61, 8), discardedLevels(scale / 0.5899, 8)]).toEqual([levels, levels]);
  }
});

/** AIA in the archive: the Sun's centre in the middle of the image, at the corner of four pixels. */
const aia = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.6083466737, refPixelX: 2048.5, refPixelY: 2048.5 };
/** EIT: the Sun's centre to the upper left of the image centre. */
const eit = { width: 1024, height: 1024, scaleArcsecPerPixel: 2.6, refPixelX: 505.5, refPixelY: 518.5 };

/** Picture coordinates of a point in image coordinates. */
const placeOf = (grid: { left: number; top: number; step: number }, x: number, y: number) => [
  (x - grid.left) / grid.step,
  (y - grid.top) / grid.step,
];

it('compositionGrid maps the centre of a FITS pixel to its coordinates', () => {
  const field = parseRegion({ imageScale: 2.6, x0: 0, y0: 0, width: 100, height: 100 });
  const grid = compositionGrid({ ...eit, refPixelX: 1, refPixelY: 1 }, field);
  // The Sun's centre is the centre of the bottom left pixel, half a pixel from both edges.
  const [x, y] = placeOf(grid, 0.5, 1023.5);
  expect(x).toBeCloseTo(50, 9);
  expect(y).toBeCloseTo(50, 9);
});

it('compositionGrid places the Sun to the lower left of a region in the north-west', () => {
  // x is positive in the west, y is negative in the north.
  const field = parseRegion({ imageScale: 2, x1: 300, y1: -900, x2: 900, y2: -500 });
  for (const [image, sun] of [
    [aia, [2048, 2048]],
    [eit, [505, 506]],
  ] as const) {
    const grid = compositionGrid(image, field);
    expect(grid).toMatchObject({ width: 300, height: 200 });
    const [x, y] = placeOf(grid, sun[0], sun[1]);
    expect(x).toBeCloseTo(-150, 9);
    expect(y).toBeCloseTo(450, 9);
  }
});
