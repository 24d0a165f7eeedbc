// The only image of a range was withdrawn after the ends of the range had been read: getJPX failed with an internal error.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('says that a range has no images whose only one is withdrawn while its ends are read', () =>
  expectHolds(20000944, [
    { do: 'view', id: 0 },
    { do: 'upload', name: 'a', content: 3 },
    { do: 'withdraw', name: 'b' },
    { do: 'roll back' },
    { do: 'fault', on: 'encoder', kind: 'after', skip: 1 },
    { do: 'fault', on: 'r2', kind: 'slow', skip: 6 },
    { do: 'jpx', of: 3 },
    { do: 'withdraw', name: 'a' },
  ]));
