import { describe, expect, it } from 'vitest';
import { encodingsOf, indicatorFor, MOVIE_SIDES, movieArea, savedArea } from '../../../src/explorer/model/movie-form.ts';
import { boxOf } from '../../../src/picture/overlays/scale.ts';

const areaOf = (width: number, height: number, scale: number) => ({ camera: { x: 0, y: 0, scale }, size: { width, height } });

describe('a movie that a browser saves', () => {
  it.each([
    ['the pixels of the screen, made even', { width: 1281, height: 575 }, { width: 1282, height: 576 }],
    ['at most 1920 pixels on a side', { width: 1200, height: 3840 }, { width: 600, height: 1920 }],
    ['at least 640 pixels on its longest side', { width: 100, height: 50 }, { width: 640, height: 320 }],
  ])('gets %s', (_, size, expected) => {
    const { size: saved, camera } = savedArea(areaOf(size.width, size.height, 2));
    expect(saved).toEqual(expected);
    // Arcseconds stay, but for the even sides.
    expect(Math.abs(saved.width * camera.scale - size.width * 2) / camera.scale).toBeLessThanOrEqual(1);
  });

  it.each([
    ['720p at 30 images a second', 1280, 720, 30, ['avc1.64001f', 'avc1.42e01f', 'vp09.00.40.08', 'vp8']],
    ['1080p at 30', 1920, 1080, 30, ['avc1.640028', 'avc1.42e028', 'vp09.00.40.08', 'vp8']],
    ['a square of 1920 pixels', 1920, 1920, 15, ['avc1.640033', 'avc1.42e033', 'vp09.00.50.08', 'vp8']],
  ])('takes for %s the lowest levels of H.264 and VP9 that allow it', (_, width, height, rate, names) => {
    const encodings = encodingsOf({ width, height }, rate);
    expect(encodings.map(({ config }) => config.codec)).toEqual(names);
    for (const { config } of encodings) expect(config.bitrate).toBe(Math.round(0.4 * width * height * rate));
  });
});

it.each(MOVIE_SIDES)('the area of a movie has even sides, of %i pixels at most, and the shape of the region', (longest) => {
  for (const area of [areaOf(250, 121, 4), areaOf(90, 400, 0.5), areaOf(5000, 5000, 2)]) {
    const {
      size: { width, height },
      camera: { scale },
    } = movieArea(area, longest);
    expect(Math.max(width, height)).toBe(longest);
    expect([width % 2, height % 2]).toEqual([0, 0]);
    // To a pixel of the movie.
    expect(Math.abs(width * scale - area.size.width * area.camera.scale)).toBeLessThanOrEqual(scale);
    expect(Math.abs(height * scale - area.size.height * area.camera.scale)).toBeLessThanOrEqual(scale);
  }
});

it('the area of a movie keeps a thin region high enough for an encoder', () => {
  expect(movieArea(areaOf(1400, 16, 1), 640).size).toEqual({ width: 640, height: 16 });
});

it.each<[string, ReturnType<typeof areaOf>, string]>([
  ['a movie of the whole Sun', areaOf(1280, 720, 3.6), 'earth'],
  ['the least movie', areaOf(640, 360, 8), 'earth'],
  ['a close view, in which the Earth is large', areaOf(640, 480, 0.05), 'scalebar'],
  ['a low picture', areaOf(640, 150, 4), 'scalebar'],
  ['a picture that is smaller than two boxes', areaOf(640, 100, 4), 'disabled'],
])('the scale indicator of a picture suits %s', (_, area, expected) => {
  const type = indicatorFor(area);
  expect(type).toBe(expected);
  if (type === 'disabled') return;
  const box = boxOf(type, area.camera.scale);
  expect((box.width * box.height) / (area.size.width * area.size.height)).toBeLessThanOrEqual(0.25);
});
