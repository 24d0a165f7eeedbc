import { expect, it } from 'vitest';
import { evenField, frameCount, movieDimensions, playbackRate, spreadTimes } from '../../../src/movies/movie-plan.ts';
import { fieldOfView } from '../../../src/picture/picture.ts';

const field = (width: number, height: number, scale = 1) =>
  fieldOfView({ left: -10, top: -20, right: -10 + width * scale, bottom: -20 + height * scale }, scale);

it.each<[string, number[], number, number]>([
  ['one full layer takes all of the cap', [1000], 300, 300],
  ['two full layers share it', [1000, 1000], 300, 150],
  ['three full layers share it', [1000, 1000, 1000], 300, 100],
  ['a sparse layer leaves its unused share to the others', [20, 1000], 300, 280],
  ['the order of the layers does not matter', [1000, 20], 300, 280],
  ['a layer without images needs nothing', [0, 1000], 300, 300],
  ['two layers of the same source count for both', [400, 400], 225, 112],
  ['there are no more frames than images', [40], 300, 40],
  ['many layers do not push a movie below ten frames', [900, 900, 900, 900, 900], 10, 10],
  ['layers without images give no frames', [0, 0], 300, 0],
  ['too few images stay too few', [4, 7], 300, 7],
])('frames: %s', (_, counts, cap, frames) => {
  expect(frameCount(counts, cap)).toBe(frames);
});

it('the times of frames spread over the range, including both ends', () => {
  expect(spreadTimes(100, 200, 5)).toEqual([100, 125, 150, 175, 200]);
});

it.each<[string, Parameters<typeof playbackRate>[0], number, number, boolean]>([
  ['spreads the frames over the requested length', { movieLength: 20 }, 300, 15, false],
  ['is 30 for a short length', { movieLength: 5 }, 300, 30, true],
  ['is 1 for a long length', { movieLength: 400 }, 300, 1, true],
  ['may have a fraction for a length', { movieLength: 41 }, 150, 3.659, false],
  ['takes the requested rate before the length', { frameRate: 15, movieLength: 3 }, 150, 15, false],
  ['may have a fraction', { frameRate: 7.5 }, 150, 7.5, false],
  ['is 15 by default', {}, 150, 15, false],
])('the playback rate: %s', (_, pace, frames, frameRate, isOtherLength) => {
  expect(playbackRate(pace, frames)).toEqual({ frameRate, isOtherLength });
});

it('the dimensions of a movie take the size of the field of view, in even sides of at least two pixels', () => {
  const { frame, output } = movieDimensions(field(801, 600.4), 0);
  expect(output).toEqual({ width: 802, height: 600 });
  expect(frame).toEqual({ region: { left: -10, top: -20, right: 792, bottom: 580 }, imageScaleArcsecPerPixel: 1, ...output });
  expect(evenField({ left: 0, top: 0, right: 5, bottom: 0.1 }, 1)).toMatchObject({ width: 6, height: 2 });
});

it.each<[string, number, number, 1 | 2 | 3 | 4, [number, number], [number, number]]>([
  ['a square in 720p', 800, 800, 1, [720, 720], [1280, 720]],
  ['a strip in 1080p, which it is too small for', 1000, 300, 2, [1920, 576], [1920, 1080]],
  ['what fits 1440p exactly', 1280, 720, 3, [2560, 1440], [2560, 1440]],
  ['a large field in 2160p', 4096, 4096, 4, [2160, 2160], [3840, 2160]],
  ['a side that comes out odd', 1000, 301, 2, [1920, 578], [1920, 1080]],
  ['a line', 4096, 1, 1, [1280, 2], [1280, 720]],
])('the dimensions of a movie fit a preset: %s', (_, width, height, size, frame, output) => {
  const dimensions = movieDimensions(field(width, height, 2.4), size);
  expect([dimensions.frame.width, dimensions.frame.height]).toEqual(frame);
  expect([dimensions.output.width, dimensions.output.height]).toEqual(output);
  const { region, imageScaleArcsecPerPixel } = dimensions.frame;
  expect((region.right - region.left) / imageScaleArcsecPerPixel).toBeCloseTo(frame[0], 6);
  expect(region.left).toBe(-10);
  expect(Math.min(output[0] / width, output[1] / height) * imageScaleArcsecPerPixel).toBeCloseTo(2.4, 9);
});
