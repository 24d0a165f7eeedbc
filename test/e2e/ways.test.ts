// The lists of docs/architecture.md against the files that run.
import { expect, it } from 'vitest';
import { listedWays, tracedWays } from '../ways.ts';

/** Most files of each way: today's numbers. The goals are 30, 45, 90 and 24. */
const MOST_FILES: Readonly<Record<string, number>> = {
  'A tile': 43,
  'A light curve': 84,
  'A movie': 126,
  'An event pin on a screenshot': 26,
};

it('the files that run for each kind of request are those that the architecture lists', async () => {
  const [listed, traced] = await Promise.all([listedWays(), tracedWays()]);
  expect(Object.keys(traced)).toEqual(Object.keys(MOST_FILES));
  for (const [way, files] of Object.entries(traced)) {
    const unlisted = files.filter((file) => !listed[way]?.includes(file));
    expect({ way, unlisted }).toEqual({ way, unlisted: [] });
    // A heartbeat or another attempt of a movie does not run each time.
    const idle = listed[way]!.filter((file) => !files.includes(file));
    expect({ way, idle: idle.slice(way === 'A movie' ? 6 : 0) }).toEqual({ way, idle: [] });
    expect(files.length).toBeLessThanOrEqual(MOST_FILES[way]!);
  }
});
