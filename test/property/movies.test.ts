import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TimedBuild } from '../../src/movies/movie-plan.ts';
import { estimateSeconds, frameCount, movieDimensions, playbackRate, spread } from '../../src/movies/movie-plan.ts';
import { type MovieRecipe, movieRecipeString, parseMovieRecipeString, type SizePreset } from '../../src/movies/movie-recipe.ts';
import { fieldOfView } from '../../src/picture/picture.ts';
import { instants, recipes } from '../support/recipes.ts';

const sizes = fc.constantFrom<SizePreset>(0, 1, 2, 3, 4);

const movies: fc.Arbitrary<MovieRecipe> = fc
  .record({
    recipe: recipes,
    startMs: instants,
    endMs: instants,
    followViewport: fc.boolean(),
    viewedAtMs: fc.option(instants),
    size: sizes,
    overlayMagnification: fc.integer({ min: 1000, max: 20_000 }).map((factor) => factor / 1000),
    frameRate: fc.integer({ min: 1000, max: 60_000 }).map((rate) => rate / 1000),
  })
  .map(({ recipe: { atMs: _atMs, ...scene }, ...movie }) => ({ ...movie, scene }));

it('the canonical string of any movie parses to the same movie, and equal movies have equal strings', () => {
  fc.assert(
    fc.property(movies, (movie) => {
      const text = movieRecipeString(movie);
      expect(parseMovieRecipeString(text)).toEqual(movie);
      expect(movieRecipeString(parseMovieRecipeString(text))).toBe(text);
    }),
  );
});

it('any text parses as a movie or is refused with a parameter error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      expect(() => parseMovieRecipeString(text)).toThrow(/^Expected .+, got .+\.$/su);
    }),
  );
});

it('the frames of a movie never exceed the cap of layer images or the images of the richest layer', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 50, max: 300 }), (images, cap) => {
      const frames = frameCount(images, cap);
      expect(frames).toBeLessThanOrEqual(Math.max(...images));
      expect(images.reduce((sum, count) => sum + Math.min(count, frames), 0)).toBeLessThanOrEqual(cap);
      expect(frames).toBeGreaterThanOrEqual(Math.min(10, Math.max(...images)));
    }),
  );
});

it('spread items are in order, without duplicates, from the first to the last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 2000 }), fc.integer({ min: 2, max: 300 }), (size, count) => {
      const chosen = spread([...Array(size).keys()], count);
      expect(chosen.length).toBe(Math.min(size, count));
      expect([chosen[0], chosen.at(-1)]).toEqual([0, size - 1]);
      expect(chosen.every((index, i) => i === 0 || index > chosen[i - 1]!)).toBe(true);
    }),
  );
});

it('any field of view has even frames that fit the video and survive the canonical string', () => {
  const sides = fc.double({ min: 0.6, max: 4096, noNaN: true });
  const corner = fc.double({ min: -3000, max: 3000, noNaN: true });
  fc.assert(
    fc.property(
      corner,
      corner,
      sides,
      sides,
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      sizes,
      (left, top, w, h, scale, size) => {
        const field = fieldOfView({ left, top, right: left + w * scale, bottom: top + h * scale }, scale);
        const { frame, output } = movieDimensions(field, size);
        expect([frame.width % 2, frame.height % 2, output.width % 2, output.height % 2]).toEqual([0, 0, 0, 0]);
        expect(frame.width).toBeLessThanOrEqual(output.width);
        expect(frame.height).toBeLessThanOrEqual(output.height);
        if (size !== 0) expect(frame.width === output.width || frame.height === output.height).toBe(true);
        expect(fieldOfView(frame.region, frame.imageScaleArcsecPerPixel)).toEqual(frame);
      },
    ),
  );
});

it('any playback rate stays within its limits', () => {
  const length = fc.double({ min: 0.1, max: 3600, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 300 }), length, (frames, movieLength) => {
      const { frameRate, isOtherLength } = playbackRate({ movieLength }, frames);
      expect(frameRate).toBeGreaterThanOrEqual(1);
      expect(frameRate).toBeLessThanOrEqual(30);
      if (!isOtherLength) expect(frames / frameRate / movieLength).toBeCloseTo(1, 2);
    }),
  );
});

it('an estimate has whole seconds for any builds, and more behind a longer queue', () => {
  const builds: fc.Arbitrary<TimedBuild[]> = fc.array(
    // Ten frames of 2x2 pixels are the smallest movie.
    fc.record({ cost: fc.double({ min: 8e-5, max: 1e5, noNaN: true }), seconds: fc.double({ min: 0, max: 1e5, noNaN: true }) }),
    { maxLength: 30 },
  );
  const costs = fc.double({ min: 0.001, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(builds, costs, costs, fc.integer({ min: 1, max: 20 }), (recent, cost, more, workers) => {
      const behind = (count: number) => estimateSeconds({ cost, ahead: { builds: count, cost: more * count }, workers, recent });
      const estimates = [0, workers, workers + 5].map(behind);
      for (const seconds of estimates) expect(Number.isSafeInteger(seconds) && seconds >= 1).toBe(true);
      expect(estimates).toEqual([...estimates].sort((a, b) => a - b));
    }),
  );
});
