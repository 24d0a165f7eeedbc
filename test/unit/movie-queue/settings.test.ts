import { expect, it } from 'vitest';
import { MOVIE_QUEUE_VARIABLES } from '../../../src/platform/settings/movies.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';

it('the settings of the movie queue use defaults where variables are unset or blank', () => {
  const unset = { movieToken: null, movieWorkerUrls: [], movieContainers: 0, movieLeaseSeconds: 30 };
  expect(readVariables(MOVIE_QUEUE_VARIABLES, {})).toEqual(unset);
  expect(
    readVariables(MOVIE_QUEUE_VARIABLES, {
      MOVIE_TOKEN: ' ',
      MOVIE_WORKER_URL: ' , ',
      MOVIE_CONTAINERS: '',
      MOVIE_LEASE_SECONDS: '',
    }),
  ).toEqual(unset);
});

it('the settings of the movie queue read the environment', () => {
  const urls = 'http://a:1/, http://b:2/movies';
  const env = { MOVIE_TOKEN: 'x'.repeat(16), MOVIE_WORKER_URL: urls, MOVIE_CONTAINERS: '4', MOVIE_LEASE_SECONDS: '8' };
  expect(readVariables(MOVIE_QUEUE_VARIABLES, env)).toEqual({
    movieToken: 'x'.repeat(16),
    movieWorkerUrls: ['http://a:1', 'http://b:2/movies'],
    movieContainers: 4,
    movieLeaseSeconds: 8,
  });
});

it.each([
  [{ MOVIE_TOKEN: 'short' }, 'Expected at least 16 characters for MOVIE_TOKEN, got 5.'],
  [{ MOVIE_WORKER_URL: 'http://a,ftp://b' }, 'for MOVIE_WORKER_URL, got ftp://b.'],
  [{ MOVIE_WORKER_URL: 'localhost' }, 'for MOVIE_WORKER_URL, got localhost.'],
  [{ MOVIE_CONTAINERS: '101' }, 'Expected a number from 0 to 100 for MOVIE_CONTAINERS, got 101.'],
  [{ MOVIE_LEASE_SECONDS: '3' }, 'Expected a number from 4 to 600 for MOVIE_LEASE_SECONDS, got 3.'],
  [{ MOVIE_CONTAINERS: 'two' }, 'for MOVIE_CONTAINERS, got two.'],
])('the settings of the movie queue: %o is rejected with a sentence that names the variable', (env, sentence) => {
  expect(() => readVariables(MOVIE_QUEUE_VARIABLES, env)).toThrow(sentence);
});
