// Runs every fuzz target for two seconds with a fixed seed; `npm run fuzz` runs them for longer.
import { expect, it } from 'vitest';
import { fuzz } from './fuzzer.ts';
import { FUZZ_TARGETS } from './targets.ts';

const SECONDS = 2;
const SEED = 1;

it.for(Object.entries(FUZZ_TARGETS))('fuzz target %s has no findings in two seconds', async ([, target]) => {
  const { cases, findings } = await fuzz(await target(), SEED, SECONDS);
  expect(findings).toEqual([]);
  expect(cases).toBeGreaterThan(20);
});

it('a fuzz case that throws is reported with the seed that reproduces it', async () => {
  const { findings } = await fuzz(
    (random) => {
      if (random() > 0) throw new Error('broken');
    },
    41,
    0,
  );
  expect(findings).toEqual([{ seed: 41, message: expect.stringContaining('broken') }]);
});
