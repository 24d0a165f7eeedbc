// Movies for tests of the queue.
import type { D1Movies } from '../../../src/movies/d1-movies.ts';
import { newMovieId } from '../../../src/movies/movie.ts';
import { parseMovieRecipeString } from '../../../src/movies/movie-recipe.ts';
import type { NewBuild, NewMovie } from '../../../src/movies/movie-tables.ts';
import { parseLayers } from '../../../src/picture/layers.ts';

export const START_MS = Date.UTC(2024, 4, 10);

/** AIA 171 with the watermark. */
export const RECIPE = JSON.stringify({
  start: new Date(START_MS).toISOString(),
  end: new Date(START_MS + 3_600_000).toISOString(),
  frameRate: 15,
  layers: '[10,1,100]',
  region: [-1536, -1152, 1536, 1152],
  imageScale: 4.8,
});

const REQUEST = { startTime: START_MS, endTime: START_MS + 3_600_000, layers: '[10,1,100]', imageScale: 4.8 };

/** A build before it is queued; those with the same key are the same. */
export function newBuild(key: string, options: { frames?: number; cost?: number } = {}): NewBuild {
  const { frames = 12, cost = 100 } = options;
  return {
    key,
    recipe: parseMovieRecipeString(RECIPE),
    recipeText: RECIPE,
    frames: Array.from({ length: frames }, (_, i) => ({ atMs: START_MS + i * 60_000, images: [[16 * i + 26]] })),
    layerCount: 1,
    width: 640,
    height: 480,
    frameRate: 15,
    cost,
  };
}

const MOST = Number.MAX_SAFE_INTEGER;

export const unlimited = (nowMs: number) => ({
  nowMs,
  minCost: 0,
  limits: { queuedCost: MOST, clients: [], sinceMs: 0, clientCost: MOST },
});

export const addMovie = async (movies: D1Movies, movie: NewMovie, build: NewBuild, nowMs: number) =>
  (await movies.add(movie, build, unlimited(nowMs)))!;

export function request(client = 'client', createdAtMs = START_MS): NewMovie {
  return {
    id: newMovieId(),
    createdAtMs,
    token: crypto.randomUUID(),
    request: REQUEST,
    requestText: JSON.stringify(REQUEST),
    layers: parseLayers(REQUEST.layers),
    client,
  };
}
