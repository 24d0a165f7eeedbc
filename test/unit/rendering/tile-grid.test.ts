import { describe, expect, it } from 'vitest';
import { coveredPixels, discardedLevels, TILE_SIZE, tileGrid } from '../../../src/domain/pixel-grid.ts';

const AIA = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.58996068 };

/** First covered pixel and number of covered pixels along both axes. */
function cover(x: number, y: number, imageScale: number) {
  const { left, top, step } = tileGrid(AIA, { x, y, imageScale });
  const across = coveredPixels(left, step, TILE_SIZE, AIA.width);
  const down = coveredPixels(top, step, TILE_SIZE, AIA.height);
  return { x: across.from, y: down.from, width: across.to - across.from, height: down.to - down.from };
}

describe('where the pixels of a tile lie in an AIA image', () => {
  it('the four tiles around the centre show the whole image at a quarter of its scale, 499 pixels each', () => {
    expect(cover(-1, -1, 2.42044088)).toEqual({ x: 13, y: 13, width: 499, height: 499 });
    expect(cover(0, 0, 2.42044088)).toEqual({ x: 0, y: 0, width: 499, height: 499 });
    expect(cover(0, -1, 2.42044088)).toEqual({ x: 0, y: 13, width: 499, height: 499 });
  });

  it('a tile at nearly full resolution reads 525 image pixels from the centre on', () => {
    const grid = tileGrid(AIA, { x: 0, y: 0, imageScale: 0.60511022 });
    expect(grid.left).toBe(2048);
    expect(grid.left + TILE_SIZE * grid.step).toBeCloseTo(2573.148, 3);
    expect(cover(0, 0, 0.60511022)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
  });

  it('a tile over the corner of the image is covered in part, one beyond it not at all', () => {
    expect(cover(-4, 3, 0.60511022)).toEqual({ x: 51, y: 0, width: 461, height: 461 });
    expect(cover(-5, 0, 0.60511022).width).toBe(0);
    expect(cover(4, 0, 0.60511022).width).toBe(0);
  });

  it('an image smaller than one output pixel covers nothing and an enormous enlargement covers everything', () => {
    expect(cover(0, 0, 90_000).width).toBe(0);
    expect(cover(0, 0, 0.001)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
  });
});

describe('resolution levels that a tile discards', () => {
  it('are as many as leave a sample for each output pixel, never more than there are', () => {
    expect(discardedLevels(4.1, 8)).toBe(2);
    expect(discardedLevels(4, 8)).toBe(2);
    expect(discardedLevels(3.99, 8)).toBe(1);
    expect(discardedLevels(0.3, 8)).toBe(0);
    expect(discardedLevels(1000, 5)).toBe(5);
  });
});
