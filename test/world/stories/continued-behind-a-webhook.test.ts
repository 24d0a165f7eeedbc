// An upload ends before its row, and is repeated after a webhook has been registered: the image had the id of the first attempt, which is
// behind what the webhook had been told.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('announces an image whose first upload ended before the webhook was registered', () =>
  expectHolds(6000770, [
    { do: 'fault', on: 'r2', kind: 'before', skip: 3 },
    { do: 'withdraw', name: 'b' },
    { do: 'upload', name: 'b', content: 3 },
    { do: 'pass', ms: 180000 },
    { do: 'upload', name: 'a', content: 0 },
    { do: 'pass', ms: 180000 },
    { do: 'webhook' },
    { do: 'put', of: 0 },
    { do: 'upload', name: 'b', content: 3 },
  ]));
