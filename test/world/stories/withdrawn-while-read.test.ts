// A picture, file or header of an image that was withdrawn or replaced while it was read was a fault of the service (500), found by the seeds.
import { it } from 'vitest';
import type { Action } from '../clients/actions.ts';
import { expectHolds } from '../history.ts';

const STORIES: readonly (readonly [string, number, readonly Action[]])[] = [
  [
    'tile',
    14,
    [
      { do: 'withdraw', name: 'a' },
      { do: 'view', id: 0 },
    ],
  ],
  [
    'file',
    55,
    [
      { do: 'withdraw', name: 'a' },
      { do: 'file', id: 0 },
    ],
  ],
  [
    'header',
    267,
    [
      { do: 'upload', name: 'a', content: 1 },
      { do: 'header', id: 0 },
    ],
  ],
];

it.each(STORIES)('says that an image is gone whose %s is read while it is removed', (_, seed, actions) =>
  expectHolds(seed, [{ do: 'upload', name: 'a', content: 0 }, { do: 'pass', ms: 1000 }, ...actions]),
);
