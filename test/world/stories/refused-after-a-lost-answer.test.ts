// Two names get one content at the same time, and the answer to a write of the one that is refused is lost: it did not know that it had written
// the object, which stayed without a row and without a record.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it.each([
  [1, 1],
  [2, 1],
  [3, 4],
])(
  'leaves no object of a refused upload after the answer to its write was lost, behind %i others and with the seed %i',
  (skip, seed) =>
    expectHolds(seed, [
      { do: 'upload', name: 'b', content: 1 },
      { do: 'upload', name: 'a', content: 1 },
      { do: 'fault', on: 'r2', kind: 'special', skip },
    ]),
);
