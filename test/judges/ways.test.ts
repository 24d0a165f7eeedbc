// The lists of docs/architecture.md against the files that run. After a change of a way, `npm run docs` writes them again.
import { expect, it } from 'vitest';
import { listedWays, tracedWays } from '../ways.ts';

/** Files that run in some movies: heartbeats, attempts, and the end of a worker depend on time. */
const IN_SOME_MOVIES = 6;

it('the files that run for each kind of request are those that the architecture lists', async () => {
  const [listed, traced] = await Promise.all([listedWays(), tracedWays()]);
  expect(Object.keys(listed)).toEqual(Object.keys(traced));
  for (const [way, files] of Object.entries(traced)) {
    const spared = way === 'A movie' ? IN_SOME_MOVIES : 0;
    const unlisted = files.filter((file) => !listed[way]!.includes(file)).slice(spared);
    const idle = listed[way]!.filter((file) => !files.includes(file)).slice(spared);
    expect({ way, unlisted, idle }).toEqual({ way, unlisted: [], idle: [] });
  }
});
