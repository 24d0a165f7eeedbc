// A file whose first upload had ended after its row, and whose second found it there, was still in the journal when the database was restored
// without its row: the sweep deleted it. The guide empties the journal with the restoration.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('keeps the file of an upload in two parts when its row is lost', () =>
  expectHolds(1600003672, [
    { do: 'fault', on: 'r2', kind: 'before', skip: 4 },
    { do: 'kill' },
    { do: 'fault', on: 'queue', kind: 'end', skip: 5 },
    { do: 'appear' },
    { do: 'fault', on: 'r2', kind: 'end', skip: 6 },
    { do: 'pass', ms: 180_000 },
    { do: 'restore', database: 'IMAGES' },
  ]));
