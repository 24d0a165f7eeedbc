import { describe, expect, it } from 'vitest';
import type { PixelArea } from '../../../src/explorer/model/movie-form.ts';
import { encodingsOf, indicatorFor, MOVIE_SIDES, movieArea, savedArea } from '../../../src/explorer/model/movie-form.ts';
import { boxOf } from '../../../src/picture/overlays/scale.ts';

describe('a movie that a browser saves', () => {
  it.each([
    ['the pixels of the screen, made even', { width: 1281, height: 575 }, { width: 1282, height: 576 }],
    ['at most 1920 pixels on a side', { width: 1200, height: 3840 }, { width: 600, height: 1920 }],
    ['at least 640 pixels on its longest side', { width: 100, height: 50 }, { width: 640, height: 320 }],
  ])('gets %s', (_, size, expected) => {
    const area = savedArea({ ...size, scale: 2 });
    expect(area).toMatchObject(expected);
    // Arcseconds stay, but for the even sides.
    expect(Math.abs(area.width * area.scale - size.width * 2) / area.scale).toBeLessThanOrEqual(1);
  });

  it.each([
    ['720p at 30 images a second', 1280, 720, 30, ['avc1.64001f', 'avc1.42e01f', 'vp09.00.40.08', 'vp8']],
    ['1080p at 30', 1920, 1080, 30, ['avc1.640028', 'avc1.42e028', 'vp09.00.40.08', 'vp8']],
    ['a square of 1920 pixels', 1920, 1920, 15, ['avc1.640033', 'avc1.42e033', 'vp09.00.50.08', 'vp8']],
  ])('takes for %s the lowest levels of H.264 and VP9 that allow it', (_, width, height, rate, names) => {
    const encodings = encodingsOf({ width, height }, rate);
    expect(encodings.map(({ name }) => name)).toEqual(names);
    for (const one of encodings) expect(one.bitrate).toBe(Math.round(0.4 * width * height * rate));
  });
});

const REGION: PixelArea = { width: 250, height: 121, scale: 4 };

it.each(MOVIE_SIDES)(
  'the area of a movie keeps a longest side of %i pixels, even sides, and the shape and centre of the region',
  (longest) => {
    for (const area of [REGION, { width: 90, height: 400, scale: 0.5 }, { width: 5000, height: 5000, scale: 2 }]) {
      const { width, height, scale } = movieArea(area, longest);
      expect(Math.max(width, height)).toBe(longest);
      expect([width % 2, height % 2]).toEqual([0, 0]);
      // To a pixel of the movie.
      expect(Math.abs(width * scale - area.width * area.scale)).toBeLessThanOrEqual(scale);
      expect(Math.abs(height * scale - area.height * area.scale)).toBeLessThanOrEqual(scale);
    }
  },
);

it('the area of a movie keeps a thin region high enough for an encoder', () => {
  expect(movieArea({ width: 1400, height: 16, scale: 1 }, 640)).toMatchObject({ width: 640, height: 16 });
});

it.each<[string, PixelArea, string]>([
  ['a movie of the whole Sun', { width: 1280, height: 720, scale: 3.6 }, 'earth'],
  ['the least movie', { width: 640, height: 360, scale: 8 }, 'earth'],
  ['a close view, in which the Earth is large', { width: 640, height: 480, scale: 0.05 }, 'scalebar'],
  ['a low picture', { width: 640, height: 150, scale: 4 }, 'scalebar'],
  ['a picture that is smaller than two boxes', { width: 640, height: 100, scale: 4 }, 'disabled'],
])('the scale indicator of a picture suits %s', (_, area, expected) => {
  const type = indicatorFor(area);
  expect(type).toBe(expected);
  if (type === 'disabled') return;
  const box = boxOf(type, area.scale);
  expect((box.width * box.height) / (area.width * area.height)).toBeLessThanOrEqual(0.25);
});
