import { describe, expect, it } from 'vitest';
import { encodingsOf, savedArea } from '../../../../src/web/explorer/model/saved-movie.ts';

describe('a movie that a browser saves', () => {
  it.each([
    ['the pixels of the screen, made even', { width: 1281, height: 575 }, { width: 1282, height: 576 }],
    ['at most 1920 pixels on a side', { width: 1200, height: 3840 }, { width: 600, height: 1920 }],
    ['at least 640 pixels on its longest side', { width: 100, height: 50 }, { width: 640, height: 320 }],
  ])('gets %s', (_, size, expected) => {
    const area = savedArea({ ...size, scale: 2 });
    expect(area).toMatchObject(expected);
    // The same arcseconds, but for the even sides.
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
