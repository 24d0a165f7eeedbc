// A withdrawal that storage refused had noted its content: after the move of the shard its id was unknown (404) instead of withdrawn. The guide
// repeats such changes before the move.
import { it } from 'vitest';
import { expectHolds } from '../history.ts';

it('moves a shard after a withdrawal that was answered with an error', () =>
  expectHolds(1320000898, [
    { do: 'webhook' },
    { do: 'upload', name: 'b', content: 1 },
    { do: 'outage', on: 'r2', ms: 30_000 },
    { do: 'withdraw', name: 'b' },
    { do: 'move shard' },
    { do: 'pass', ms: 4_200_000 },
  ]));
