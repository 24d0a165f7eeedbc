// Two uploads of a file at once, and a withdrawal of the image of the first: the second added a row with the key whose objects were deleted.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('adds no row to objects that a withdrawal deletes', () =>
  expectHolds(627, [
    { do: 'upload', name: 'a', content: 3 },
    { do: 'upload', name: 'a', content: 3 },
    { do: 'withdraw', name: 'a' },
    { do: 'upload', name: 'a', content: 0 },
  ]));
