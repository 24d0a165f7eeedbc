// An image is withdrawn before its upload has ended, and the isolate of the withdrawal ends: the end of the upload removed the record by
// which the sweep finishes the withdrawal.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it.each([18, 19])('finishes the withdrawal of an image whose upload ends meanwhile, in the history of seed %i', (seed) =>
  expectHolds(seed, [
    { do: 'upload', name: 'b', content: 2 },
    { do: 'steps', count: 18 },
    { do: 'withdraw', name: 'b' },
    { do: 'steps', count: 12 },
    { do: 'kill' },
  ]),
);
