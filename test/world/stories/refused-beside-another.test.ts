// Two uploads of a file at once: the first is refused because of an image that is withdrawn meanwhile, and deleted the objects that the
// second had found and whose row it adds.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('keeps the objects of a refused upload that another has found', () =>
  expectHolds(13, [
    { do: 'upload', name: 'b', content: 1 },
    { do: 'upload', name: 'a', content: 0 },
    { do: 'upload', name: 'a', content: 3 },
    { do: 'withdraw', name: 'b' },
    { do: 'withdraw', name: 'a' },
    { do: 'withdraw', name: 'b' },
    { do: 'upload', name: 'a', content: 0 },
    { do: 'withdraw', name: 'a' },
  ]));
