// An image is withdrawn before its upload has ended, and the isolate of the withdrawal ends: the end of the upload removed the record by
// which the sweep finishes the withdrawal.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('finishes the withdrawal of an image whose upload ends meanwhile', () =>
  expectHolds(1006, [
    { do: 'save', database: 'IMAGES' },
    { do: 'upload', name: 'b', content: 0 },
    { do: 'pass', ms: 1000 },
    { do: 'view', id: 3 },
    { do: 'pass', ms: 4200000 },
    { do: 'pass', ms: 360000 },
    { do: 'deploy' },
    { do: 'read', of: 3, path: 5 },
    { do: 'view', id: 2 },
    { do: 'shorten', of: 0 },
    { do: 'pass', ms: 180000 },
    { do: 'view', id: 3 },
    { do: 'upload', name: 'b', content: 3 },
    { do: 'upload', name: 'b', content: 2 },
    { do: 'upload', name: 'a', content: 0 },
    { do: 'movie status', of: 0 },
    { do: 'withdraw', name: 'b' },
    { do: 'kill worker' },
    { do: 'put', of: 0 },
    { do: 'kill' },
  ]));
