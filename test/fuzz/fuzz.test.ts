// Two seconds of every fuzz target with fixed seeds; `npm run fuzz` runs them for longer.
import { expect, test } from 'vitest';
import { fuzz } from './fuzzer.ts';
import { FUZZ_TARGETS } from './targets.ts';

const SECONDS = 2;
const SEED = 1;

test.for(Object.entries(FUZZ_TARGETS))('two seconds of damaged input to %s break no rule', async ([, target]) => {
  const { cases, findings } = fuzz(await target(), SEED, SECONDS);
  expect(findings).toEqual([]);
  expect(cases).toBeGreaterThan(20);
});

test('a case that throws is a finding with the seed that runs it again', () => {
  const { findings } = fuzz(
    (random) => {
      if (random() > 0) throw new Error('broken');
    },
    41,
    0,
  );
  expect(findings).toEqual([{ seed: 41, message: expect.stringContaining('broken') }]);
});
