import { expect, it } from 'vitest';
import { movieBaseName, movieTitle } from '../../../src/movies/movie.ts';
import { allSources } from '../../../src/sun/catalogue/sources.ts';

const movie = {
  firstFrameMs: Date.UTC(2012, 0, 1),
  lastFrameMs: Date.UTC(2012, 0, 2, 12, 30, 6, 500),
  layers: [{ sourceId: 10 }, { sourceId: 4 }],
};

it('the name of a movie is valid in a URL and a header, and its title states the second date only where it differs', () => {
  const name = movieBaseName({ ...movie, layers: allSources.map(({ id }) => ({ sourceId: id })) });
  expect(name).toMatch(/^[\w.+-]+$/);
  expect(movieTitle(movie)).toBe('SDO AIA 171, SOHO LASCO C2 white-light (2012-01-01 00:00:00 - 2012-01-02 12:30:06 UTC)');
  const oneDay = { ...movie, lastFrameMs: Date.UTC(2012, 0, 1, 23, 50), layers: [{ sourceId: 10 }] };
  expect(movieTitle(oneDay)).toBe('SDO AIA 171 (2012-01-01 00:00:00 - 23:50:00 UTC)');
  expect(movieTitle({ ...oneDay, lastFrameMs: Date.UTC(2012, 0, 9) })).toContain(' - 2012-01-09 00:00:00 UTC');
});
