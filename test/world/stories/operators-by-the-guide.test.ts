// What operators do by docs/operate.md once lost something. A withdrawal that storage refused had noted its content: after the move of the shard its
// id was unknown (404) instead of withdrawn, until changes were repeated before a move. A file whose upload had ended after its row was still in
// the journal when the database was restored without that row: the sweep deleted it, until the journal was emptied with the restoration.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('an image of a failed withdrawal is withdrawn after the move of its shard', () =>
  expectHolds(1320000898, [
    { do: 'webhook' },
    { do: 'upload', name: 'b', content: 1 },
    { do: 'outage', on: 'r2', ms: 30_000 },
    { do: 'withdraw', name: 'b' },
    { do: 'move shard' },
    { do: 'pass', ms: 4_200_000 },
  ]));

it('a file of an upload in two parts stays when its row is lost', () =>
  expectHolds(1600003672, [
    { do: 'fault', on: 'r2', kind: 'before', skip: 4 },
    { do: 'kill' },
    { do: 'fault', on: 'queue', kind: 'end', skip: 5 },
    { do: 'appear' },
    { do: 'fault', on: 'r2', kind: 'end', skip: 6 },
    { do: 'pass', ms: 180_000 },
    { do: 'restore', database: 'IMAGES' },
  ]));
