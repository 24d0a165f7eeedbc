import { expect, test } from 'vitest';
import { compositionGrid, tileGrid } from '../../../src/domain/pixel-grid.ts';
import { parseRegion } from '../../../src/domain/recipe/region.ts';
import { tileRegion } from '../../support/recipes.ts';

/** AIA as the archive has it: the Sun in the middle of the image, at the corner of four pixels. */
const aia = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.6083466737, refPixelX: 2048.5, refPixelY: 2048.5 };
/** EIT: the Sun left of the middle and above it. */
const eit = { width: 1024, height: 1024, scaleArcsecPerPixel: 2.6, refPixelX: 505.5, refPixelY: 518.5 };

/** The place in the picture at which an image pixel, counted from the top left edge, comes to lie. */
const placeOf = (grid: { left: number; top: number; step: number }, x: number, y: number) => [
  (x - grid.left) / grid.step,
  (y - grid.top) / grid.step,
];

test('the Sun of AIA is in the middle of a picture around it', () => {
  const grid = compositionGrid(
    aia,
    parseRegion({ imageScale: aia.scaleArcsecPerPixel * 4, x0: 0, y0: 0, width: 1000, height: 600 }),
  );
  expect(grid).toMatchObject({ width: 1000, height: 600 });
  expect(grid.step).toBeCloseTo(4, 12);
  expect(grid.left).toBeCloseTo(2048 - 2000, 9);
  expect(grid.top).toBeCloseTo(2048 - 1200, 9);
});

test('the Sun of EIT is there too, though it is not in the middle of the image', () => {
  const grid = compositionGrid(eit, parseRegion({ imageScale: 5.2, x0: 0, y0: 0, width: 400, height: 400 }));
  // FITS pixel 505.5 from the left has its centre 505 pixels from the edge; 518.5 from below is 1024 - 518 from the top.
  const [x, y] = placeOf(grid, 505, 506);
  expect(x).toBeCloseTo(200, 9);
  expect(y).toBeCloseTo(200, 9);
});

test('the centre of a FITS pixel comes to lie where its coordinates say', () => {
  const field = parseRegion({ imageScale: 2.6, x0: 0, y0: 0, width: 100, height: 100 });
  const grid = compositionGrid({ ...eit, refPixelX: 1, refPixelY: 1 }, field);
  // The Sun's centre is that of the bottom left pixel, whose centre is half a pixel from both edges.
  const [x, y] = placeOf(grid, 0.5, 1023.5);
  expect(x).toBeCloseTo(50, 9);
  expect(y).toBeCloseTo(50, 9);
});

test('a region to the north-west of the Sun has the Sun to its lower left', () => {
  // x grows to the west; north is up, where y is negative.
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

test('layers of different scale have the limb at the same pixels', () => {
  const field = parseRegion({ imageScale: 2.4, x0: 100, y0: 50, width: 800, height: 800 });
  const limb = 960;
  const [west] = placeOf(compositionGrid(aia, field), 2048 + limb / aia.scaleArcsecPerPixel, 0);
  const [westInEit] = placeOf(compositionGrid(eit, field), 505 + limb / eit.scaleArcsecPerPixel, 0);
  expect(west).toBeCloseTo((limb - 100) / 2.4 + 400, 9);
  expect(westInEit).toBeCloseTo(west!, 9);
});

test.each([
  [aia, { x: 0, y: 0, imageScale: aia.scaleArcsecPerPixel * 4 }],
  [aia, { x: -1, y: -1, imageScale: 2.42044088 }],
  [eit, { x: -1, y: 0, imageScale: 4.84088176 }],
  [eit, { x: 3, y: -7, imageScale: 0.60511022 }],
])('the window of a tile is the tile as a picture (%#)', (image, tile) => {
  const { left, top, right, bottom } = tileRegion(image, tile);
  const field = parseRegion({ imageScale: tile.imageScale, x1: left, y1: top, x2: right, y2: bottom });
  const [grid, expected] = [compositionGrid(image, field), tileGrid(image, tile)];
  expect(grid).toMatchObject({ width: 512, height: 512, step: expected.step });
  expect(grid.left).toBeCloseTo(expected.left, 9);
  expect(grid.top).toBeCloseTo(expected.top, 9);
});
