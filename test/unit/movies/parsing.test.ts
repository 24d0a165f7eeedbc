// Movies parse each notation once per request: the parameters when a movie is queued, the stored texts when one is read.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { movieArchive } from '../../support/movies/movie-archive.ts';

const parsed = vi.hoisted(() => ({ layers: [] as string[], recipes: 0 }));

vi.mock('../../../src/picture/layers.ts', async (original) => {
  const module = await original<typeof import('../../../src/picture/layers.ts')>();
  const parseLayers: typeof module.parseLayers = (text) => {
    parsed.layers.push(text);
    return module.parseLayers(text);
  };
  return { ...module, parseLayers };
});

vi.mock('../../../src/movies/movie-recipe.ts', async (original) => {
  const module = await original<typeof import('../../../src/movies/movie-recipe.ts')>();
  const parseMovieRecipeString: typeof module.parseMovieRecipeString = (text) => {
    parsed.recipes++;
    return module.parseMovieRecipeString(text);
  };
  return { ...module, parseMovieRecipeString };
});

/** Names, which the recipe has as an id: the two texts differ. */
const REQUESTED = '[SDO,AIA,304,1,100]';
const IN_RECIPE = '[13,1,100]';

let archive: ReturnType<typeof movieArchive>;
let id = '';
let url = '';
let storedRequests = 0;

beforeEach(async () => {
  archive = movieArchive();
  id = await archive.queue({ layers: REQUESTED });
  await archive.build();
  url = String((await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body.url);
  const parse = JSON.parse;
  vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    if (String(text).includes('"startTime"')) storedRequests++;
    return parse(text, reviver);
  });
  Object.assign(parsed, { layers: [], recipes: 0 });
  storedRequests = 0;
});
afterEach(() => vi.restoreAllMocks());

const counts = () => ({ ...parsed, storedRequests });

it('a movie queues a movie with one parse of its parameters and none of a stored text', async () => {
  await archive.queue({ layers: REQUESTED, endTime: '2024-01-01T04:00:00Z' });
  expect(counts()).toEqual({ layers: [REQUESTED], recipes: 0, storedRequests: 0 });
});

it.each([
  ['getMovieStatus', () => `/v2/getMovieStatus/?id=${id}&format=mp4`],
  ['playMovie', () => `/v2/playMovie/?id=${id}&format=mp4`],
  ['downloadMovie', () => `/v2/downloadMovie/?id=${id}&format=mp4`],
  ['a movie file', () => new URL(url).pathname],
])('a movie reads a movie for %s with one parse of the stored request and none of the recipe', async (_, path) => {
  const response = await archive.get(path());
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  expect(counts()).toEqual({ layers: [REQUESTED], recipes: 0, storedRequests: 1 });
});

it('a movie reads a movie for a verbose getMovieStatus with one parse of the stored request and one of the recipe', async () => {
  await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`);
  expect(counts()).toEqual({ layers: [REQUESTED, IN_RECIPE], recipes: 1, storedRequests: 1 });
});
