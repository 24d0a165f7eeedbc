import { expect, it } from 'vitest';
import { parseRegion, type RegionParameters } from '../../../src/picture/picture.ts';
import { failureOf } from '../../support/recipes.ts';

const corners = { x1: -1200, y1: -600, x2: 1200, y2: 600 };
const square = { x0: 0, y0: 0, width: 1000, height: 1000 };

it('parseRegion computes the corners from centre and size', () => {
  expect(parseRegion({ imageScale: 2.4, x0: 0, y0: 0, width: 1920, height: 1200 })).toEqual({
    region: { left: -2304, top: -1440, right: 2304, bottom: 1440 },
    imageScaleArcsecPerPixel: 2.4,
    width: 1920,
    height: 1200,
  });
  expect(parseRegion({ imageScale: 2, x0: 100, y0: -300, width: 10, height: 20 }).region).toEqual({
    left: 90,
    top: -320,
    right: 110,
    bottom: -280,
  });
});

it('parseRegion computes the rounded size from corners and scale', () => {
  expect(parseRegion({ imageScale: 2.4, ...corners })).toMatchObject({ width: 1000, height: 500 });
  expect(parseRegion({ imageScale: 1, x1: 0, y1: 0, x2: 800.6, y2: 600.4 })).toMatchObject({ width: 801, height: 600 });
});

it('parseRegion prefers corners to a centre, and a complete form to a partial one', () => {
  expect(parseRegion({ imageScale: 2.4, ...corners, ...square })).toMatchObject({ width: 1000, height: 500 });
  expect(parseRegion({ imageScale: 2.4, x1: 5, y2: 7, ...square })).toMatchObject({ width: 1000, height: 1000 });
});

it('parseRegion rounds fractional sizes first', () => {
  expect(parseRegion({ imageScale: 1, x0: 0, y0: 0, width: 800.5, height: 99.4 })).toEqual({
    region: { left: -400.5, top: -49.5, right: 400.5, bottom: 49.5 },
    imageScaleArcsecPerPixel: 1,
    width: 801,
    height: 99,
  });
});

it('parseRegion coarsens the scale of a picture that is too large and keeps the region', () => {
  const field = parseRegion({ imageScale: 1, x0: 0, y0: 0, width: 6000, height: 3000 });
  expect(field).toEqual({
    region: { left: -3000, top: -1500, right: 3000, bottom: 1500 },
    imageScaleArcsecPerPixel: 1.46484375,
    width: 4096,
    height: 2048,
  });
  expect(parseRegion({ imageScale: 1, x0: 0, y0: 0, width: 4096, height: 4096 }).imageScaleArcsecPerPixel).toBe(1);
  expect(parseRegion({ imageScale: 0.5, x1: 0, y1: 0, x2: 10, y2: 4096 })).toMatchObject({
    imageScaleArcsecPerPixel: 1,
    width: 10,
    height: 4096,
  });
  expect(parseRegion({ imageScale: 1, x0: 0, y0: 0, width: 32_768, height: 1 })).toMatchObject({ width: 4096, height: 1 });
});

it.each<[string, RegionParameters, string, string, string]>([
  ['nothing', { imageScale: 1 }, 'no-region', 'x1', 'got no x1.'],
  ['three corners', { imageScale: 1, x1: 1, y1: 1, x2: 2 }, 'no-region', 'y2', 'got no y2.'],
  ['a size without centre', { imageScale: 1, width: 10, height: 10 }, 'no-region', 'x0', 'got no x0.'],
  ['a centre without height', { imageScale: 1, x0: 0, y0: 0, width: 10 }, 'no-region', 'height', 'got no height.'],
  ['x1 = x2', { imageScale: 1, ...corners, x2: -1200 }, 'bad-region', 'x2', 'a number above x1 (-1200) for x2, got -1200.'],
  [
    'x1 > x2',
    { imageScale: 1, ...corners, x1: 1300 },
    'bad-region',
    'x2',
    'a number above x1 (1300) for x2, got 1200. Did you mean 1300 (x1 and x2 swapped)?',
  ],
  ['y1 > y2', { imageScale: 1, ...corners, y2: -700 }, 'bad-region', 'y2', 'since y grows downward, for y2, got -700.'],
  [
    'inverted corners beside a valid centre',
    { imageScale: 1, ...square, ...corners, x2: -1300 },
    'bad-region',
    'x2',
    'got -1300.',
  ],
  ['NaN', { imageScale: 1, ...corners, x1: Number.NaN }, 'bad-region', 'x1', 'for x1, got NaN.'],
  ['infinity', { imageScale: 1, ...corners, y2: Number.POSITIVE_INFINITY }, 'bad-region', 'y2', 'for y2, got Infinity.'],
  ['a coordinate beyond the limit', { imageScale: 1, ...square, x0: 1e9 }, 'bad-region', 'x0', 'for x0, got 1000000000.'],
  ['less than half a pixel across', { imageScale: 5000, ...corners }, 'bad-region', 'x2', 'one pixel wide for x2, got 1200.'],
  ['no width', { imageScale: 1, ...square, width: 0 }, 'bad-region', 'width', '1 to 32768 pixels for width, got 0.'],
  [
    'a negative height',
    { imageScale: 1, ...square, height: -5 },
    'bad-region',
    'height',
    '1 to 32768 pixels for height, got -5.',
  ],
  [
    'a width of a million',
    { imageScale: 1, ...square, width: 1e6 },
    'bad-parameter',
    'width',
    '1 to 32768 pixels for width, got 1000000.',
  ],
  [
    'corners a million pixels apart',
    { imageScale: 0.0024, ...corners },
    'bad-parameter',
    'imageScale',
    'more than 32768 pixels for imageScale, got 0.0024.',
  ],
  [
    'scale 0',
    { imageScale: 0, ...corners },
    'bad-parameter',
    'imageScale',
    'a number from 0.001 to 100000 for imageScale, got 0.',
  ],
  ['a negative scale', { imageScale: -1, ...corners }, 'bad-parameter', 'imageScale', 'got -1.'],
  ['a scale of NaN', { imageScale: Number.NaN, ...corners }, 'bad-parameter', 'imageScale', 'got NaN.'],
  ['a scale above the limit', { imageScale: 1e6, ...corners }, 'bad-parameter', 'imageScale', 'got 1000000.'],
])('parseRegion refuses %s', (_, parameters, kind, parameter, end) => {
  const failure = failureOf(() => parseRegion(parameters));
  expect(failure).toMatchObject({ kind, parameter });
  expect(failure.message).toMatch(/^Expected /);
  expect(failure.message).toContain(end);
});
