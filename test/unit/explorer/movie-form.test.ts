import { describe, expect, it } from 'vitest';
import { boxOf } from '../../../src/domain/overlays/scale.ts';
import { indicatorFor, MOVIE_SIDES, movieArea, type PixelArea } from '../../../src/web/explorer/model/movie-form.ts';

const REGION: PixelArea = { width: 250, height: 121, scale: 4 };

describe('the area of a movie', () => {
  it.each(MOVIE_SIDES)('keeps a longest side of %i pixels, even sides, and the shape and centre of the region', (longest) => {
    for (const area of [REGION, { width: 90, height: 400, scale: 0.5 }, { width: 5000, height: 5000, scale: 2 }]) {
      const { width, height, scale } = movieArea(area, longest);
      expect(Math.max(width, height)).toBe(longest);
      expect([width % 2, height % 2]).toEqual([0, 0]);
      // To a pixel of the movie.
      expect(Math.abs(width * scale - area.width * area.scale)).toBeLessThanOrEqual(scale);
      expect(Math.abs(height * scale - area.height * area.scale)).toBeLessThanOrEqual(scale);
    }
  });

  it('keeps a thin region high enough for an encoder', () => {
    expect(movieArea({ width: 1400, height: 16, scale: 1 }, 640)).toMatchObject({ width: 640, height: 16 });
  });
});

describe('the scale indicator of a picture', () => {
  it.each<[string, PixelArea, string]>([
    ['a movie of the whole Sun', { width: 1280, height: 720, scale: 3.6 }, 'earth'],
    ['the least movie', { width: 640, height: 360, scale: 8 }, 'earth'],
    ['a close view, in which the Earth is large', { width: 640, height: 480, scale: 0.05 }, 'scalebar'],
    ['a low picture', { width: 640, height: 150, scale: 4 }, 'scalebar'],
    ['a picture that is smaller than two boxes', { width: 640, height: 100, scale: 4 }, 'disabled'],
  ])('suits %s', (_, area, expected) => {
    const type = indicatorFor(area);
    expect(type).toBe(expected);
    if (type === 'disabled') return;
    const box = boxOf(type, area.scale);
    expect((box.width * box.height) / (area.width * area.height)).toBeLessThanOrEqual(0.25);
  });
});
