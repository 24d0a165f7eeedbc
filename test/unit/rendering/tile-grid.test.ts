import { describe, expect, it } from 'vitest';
import { coveredPixels, discardedLevels, TILE_SIZE, tileGrid } from '../../../src/domain/pixel-grid.ts';

const AIA = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.58996068 };

/** First covered pixel and number of covered pixels on both axes. */
function cover(x: number, y: number, imageScale: number) {
  const { left, top, step } = tileGrid(AIA, { x, y, imageScale });
  const across = coveredPixels(left, step, TILE_SIZE, AIA.width);
  const down = coveredPixels(top, step, TILE_SIZE, AIA.height);
  return { x: across.from, y: down.from, width: across.to - across.from, height: down.to - down.from };
}

describe('tileGrid over an AIA image', () => {
  it('covers 499 pixels of each of the four centre tiles at a quarter of the scale', () => {
    expect(cover(-1, -1, 2.42044088)).toEqual({ x: 13, y: 13, width: 499, height: 499 });
    expect(cover(0, 0, 2.42044088)).toEqual({ x: 0, y: 0, width: 499, height: 499 });
    expect(cover(0, -1, 2.42044088)).toEqual({ x: 0, y: 13, width: 499, height: 499 });
  });

  it('spans 525 image pixels from the centre at nearly full resolution', () => {
    const grid = tileGrid(AIA, { x: 0, y: 0, imageScale: 0.60511022 });
    expect(grid.left).toBe(2048);
    expect(grid.left + TILE_SIZE * grid.step).toBeCloseTo(2573.148, 3);
    expect(cover(0, 0, 0.60511022)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
  });

  it('is covered partly over a corner of the image, and not at all beyond it', () => {
    expect(cover(-4, 3, 0.60511022)).toEqual({ x: 51, y: 0, width: 461, height: 461 });
    expect(cover(-5, 0, 0.60511022).width).toBe(0);
    expect(cover(4, 0, 0.60511022).width).toBe(0);
  });

  it('is not covered by an image below one pixel, and completely covered at a large enlargement', () => {
    expect(cover(0, 0, 90_000).width).toBe(0);
    expect(cover(0, 0, 0.001)).toEqual({ x: 0, y: 0, width: 512, height: 512 });
  });
});

describe('discardedLevels', () => {
  it('leaves at least one sample per output pixel, and never exceeds the available levels', () => {
    expect(discardedLevels(4.1, 8)).toBe(2);
    expect(discardedLevels(4, 8)).toBe(2);
    expect(discardedLevels(3.99, 8)).toBe(1);
    expect(discardedLevels(0.3, 8)).toBe(0);
    expect(discardedLevels(1000, 5)).toBe(5);
  });
});
