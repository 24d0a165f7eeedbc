// Planted faults are found: from the seed on at which each was found first, so that few histories run here.
import { describe, expect, it } from 'vitest';
import { replay } from './history.ts';
import { PLANTED } from './planted.ts';

/** Histories from the seed on, because other changes of the service move the steps at which a fault shows. */
const BOUND = 60;

/** The first seed from 1 on whose history finds a fault. */
const FOUND: Readonly<Record<string, number>> = {
  'a claim without its condition': 1,
  'a condition of a put that is ignored': 17,
  'a lease by the clock of the worker': 128,
  'a lease without an end': 128,
  'a retry that is forgotten': 48,
};

describe('a planted fault', () => {
  it.each(Object.keys(PLANTED).filter((name) => name in FOUND))('breaks a statement: %s', async (name) => {
    for (let seed = FOUND[name]!; seed < FOUND[name]! + BOUND; seed += 1)
      if ((await replay({ seed, planted: PLANTED[name]! })).broken) return;
    expect.unreachable(`${name} is not found from seed ${FOUND[name]} on.`);
  });
});
