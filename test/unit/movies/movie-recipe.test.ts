import { expect, it } from 'vitest';
import { movieDimensions } from '../../../src/movies/movie-plan.ts';
import type { MovieRecipe } from '../../../src/movies/movie-recipe.ts';
import { frameRecipe, movieRecipeString, parseMovieRecipeString, parseMovieRequest } from '../../../src/movies/movie-recipe.ts';
import { frameOverlays } from '../../../src/picture/overlays/drawing/frame-overlays.ts';
import { parseRecipeString, recipeString } from '../../../src/picture/recipe.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';

const START = Date.UTC(2012, 6, 5, 13, 1, 46);
const request = {
  startTime: START,
  endTime: START + 6 * HOUR_MS,
  layers: '[10,1,100],[4,1,50]',
  events: '[AR,all,1]',
  eventsLabels: true,
  imageScale: 2,
  x1: 415,
  y1: 242,
  x2: 615,
  y2: 442,
};

function movieOf(changes: object): MovieRecipe {
  const { scene, startMs, endMs, followViewport, viewedAtMs, size } = parseMovieRequest({ ...request, ...changes });
  const { frame, overlayMagnification } = movieDimensions(scene, size);
  const shown = { ...scene, ...frame };
  return { scene: shown, startMs, endMs, followViewport, viewedAtMs, size, overlayMagnification, frameRate: 15 };
}
const centreOf = ({ region }: { region: { left: number; right: number; top: number; bottom: number } }) => ({
  x: (region.left + region.right) / 2,
  y: (region.top + region.bottom) / 2,
});

it('the canonical string of a movie lists the members of a movie in a fixed order, without defaults', () => {
  expect(movieRecipeString(movieOf({ events: '', layers: '[SDO,AIA,AIA,171,1,100]' }))).toBe(
    '{"start":"2012-07-05T13:01:46.000Z","end":"2012-07-05T19:01:46.000Z","frameRate":15,' +
      '"layers":"[10,1,100]","region":[415,242,615,442],"imageScale":2}',
  );
});

it.each([
  '',
  '[]',
  '{}',
  movieRecipeString(movieOf({})).replace('15', '0'),
  movieRecipeString(movieOf({})).replace('{', '{"size":5,'),
  movieRecipeString(movieOf({})).replace('{', '{"at":"2012-07-05T13:01:46.000Z",'),
])('the canonical string of a movie refuses an invalid canonical string: %s', (text) => {
  expect(() => parseMovieRecipeString(text)).toThrow(/^Expected .+ for recipe, got /);
});

it('the recipe of a frame shows the scene at the time of the frame', () => {
  const movie = movieOf({});
  const frame = frameRecipe(movie, START + HOUR_MS, START);
  expect(frame).toEqual({ ...movie.scene, atMs: START + HOUR_MS });
  expect(parseRecipeString(recipeString(frame))).toEqual(frame);
});

it.each([
  [0, undefined],
  [1, undefined],
  [2, undefined],
  [3, 4 / 3],
  [4, 2],
])('the recipe of a frame magnifies the overlays of size %d by %d', (size, magnification) => {
  for (const followViewport of [false, true]) {
    const movie = movieOf({ size, followViewport, x1: -2000, y1: -2000, x2: 2000, y2: 2000, imageScale: 1 });
    const frame = frameRecipe(movie, START + HOUR_MS, START);
    expect(frame.overlayMagnification).toBe(magnification);
    expect(recipeString(frame)).not.toContain('agnification');
    expect(movieRecipeString(movie)).not.toContain('agnification');
  }
});

it.each([
  [1, 640, 360, 2],
  [1, 2560, 1440, 1],
  [3, 1248, 702, 2.051282],
  [4, 100, 50, 9.6],
])(
  'the recipe of a frame magnifies, at size %d, the overlays of a field of %d x %d pixels by %d, as the original service',
  (size, width, height, by) => {
    const movie = movieOf({ size, x1: 0, y1: 0, x2: width * 2, y2: height * 2, scale: true });
    const frame = frameRecipe(movie, START, START);
    expect(frame.overlayMagnification ?? 1).toBe(by);
    expect(parseMovieRecipeString(movieRecipeString(movie))).toEqual(movie);
    const [earth] = frameOverlays({ ...frame, overlays: { ...frame.overlays, watermark: false } }, {});
    // The box is 95 pixels wide and begins one pixel to the left of the frame.
    expect(Math.abs(earth!.width - 95 * by)).toBeLessThan(2);
  },
);

it('the recipe of a frame rotates the field of view with the Sun when followViewport is set', () => {
  const movie = movieOf({ followViewport: true });
  expect(frameRecipe(movie, START, START).region).toEqual(movie.scene.region);
  const later = frameRecipe(movie, START + 6 * HOUR_MS, START);
  const moved = centreOf(later).x - 515;
  expect(moved).toBeGreaterThan(6 * 6);
  expect(moved).toBeLessThan(6 * 10);
  expect([later.width, later.height]).toEqual([100, 100]);
  expect(later.region.right - later.region.left).toBeCloseTo(200, 6);
});

it('the recipe of a frame shows the requested field of view at the time of the viewport', () => {
  const movie = movieOf({ followViewport: true, reqObservationDate: START + 3 * HOUR_MS });
  const centre = (atMs: number) => centreOf(frameRecipe(movie, atMs, START)).x;
  expect(centre(START + 3 * HOUR_MS)).toBeCloseTo(515, 6);
  expect(centre(START)).toBeLessThan(500);
  expect(centre(START + 6 * HOUR_MS)).toBeGreaterThan(530);
});

it('a movie request parses to the same movie after it was stored, and ignores a viewport time outside it', () => {
  expect(parseMovieRequest(JSON.parse(JSON.stringify(request)))).toEqual(parseMovieRequest(request));
  const requested = parseMovieRequest({ ...request, followViewport: true, reqObservationDate: START - 1 });
  expect([requested.viewedAtMs, requested.adjustments]).toEqual([
    null,
    ['The viewport is that of the first frame: reqObservationDate is not between startTime and endTime.'],
  ]);
  expect(parseMovieRequest({ ...request, reqObservationDate: START - 1 }).adjustments).toEqual([]);
});

it('a movie request reports the scale when a finer one is requested, and refuses a movie that ends before it starts', () => {
  const large = { ...request, x2: 10_415, y2: 10_242, imageScale: 1 };
  expect(parseMovieRequest(large).adjustments).toEqual([
    'The scale is 2.44140625 arcseconds per pixel: finer, a side would be too long.',
  ]);
  expect(parseMovieRequest({ ...large, size: 2 }).adjustments).toEqual([]);
  expect(() => parseMovieRequest({ ...request, endTime: START })).toThrow(
    'Expected a time after startTime for endTime, got 2012-07-05T13:01:46.000Z.',
  );
});
