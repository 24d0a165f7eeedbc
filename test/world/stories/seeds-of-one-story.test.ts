import { it } from 'vitest';
import type { Action } from '../clients/actions.ts';
import { expectHolds } from '../history.ts';

const upload = (name: 'a' | 'b', content: number): Action => ({ do: 'upload', name, content });
const withdraw = (name: 'a' | 'b'): Action => ({ do: 'withdraw', name });
const pass = (ms: number): Action => ({ do: 'pass', ms });
const steps = (count: number): Action => ({ do: 'steps', count });
const ADDED: readonly Action[] = [upload('a', 0), pass(1000)];
/** An upload, and a withdrawal whose isolate ends, before the upload has. */
const CUT_OFF: readonly Action[] = [upload('b', 2), steps(18), withdraw('b'), steps(12), { do: 'kill' }];
/** Storage loses the answer to a write, behind some others. */
const lost = (skip: number): readonly Action[] => [
  upload('b', 1),
  upload('a', 1),
  { do: 'fault', on: 'r2', kind: 'special', skip },
];

const STORIES: readonly (readonly [string, number, readonly Action[]])[] = [
  [
    'an image whose first upload ended before a webhook, behind whose first id it would be, is announced',
    6000770,
    [
      ...([
        { do: 'fault', on: 'r2', kind: 'before', skip: 3 },
        withdraw('b'),
        upload('b', 3),
        pass(180_000),
        upload('a', 0),
      ] as const),
      ...([pass(180_000), { do: 'webhook' }, { do: 'put', of: 0 }, upload('b', 3)] as const),
    ],
  ],
  [
    'the first file of a mirror in a new isolate, which begins a sequence of ids, makes the stated calls',
    37,
    [{ do: 'appear' }, { do: 'cron' }, { do: 'kill' }],
  ],
  [
    'what a client has used up is kept when the tokens are replaced, by which its address was hashed',
    5766,
    [
      ...([{ do: 'kill worker' }, { do: 'flood' }, { do: 'kill worker' }, { do: 'rotate tokens' }, { do: 'flood' }] as const),
      ...([{ do: 'cron' }, { do: 'cron' }, { do: 'movie', of: 1 }] as const),
    ],
  ],
  [
    'a file is found whose notification comes during two outages, in which it failed six times',
    40003144,
    [
      ...([{ do: 'put', of: 0 }, { do: 'outage', on: 'r2', ms: 180_000 }, pass(180_000)] as const),
      ...([{ do: 'outage', on: 'ids', ms: 180_000 }, pass(360_000)] as const),
    ],
  ],
  ['a refused upload that did not know of its object leaves none behind one write', 1, lost(1)],
  ['a refused upload that did not know of its object leaves none behind two writes', 1, lost(2)],
  ['a refused upload that did not know of its object leaves none behind three writes', 4, lost(3)],
  [
    'a refused upload leaves the objects that another has found',
    13,
    [
      ...[upload('b', 1), upload('a', 0), upload('a', 3), withdraw('b'), withdraw('a'), withdraw('b'), upload('a', 0)],
      withdraw('a'),
    ],
  ],
  [
    'an upload adds no row to objects that a withdrawal deletes',
    627,
    [upload('a', 3), upload('a', 3), withdraw('a'), upload('a', 0)],
  ],
  [
    'a range has no images when its only one is withdrawn after its ends were read',
    20000944,
    [
      ...([{ do: 'view', id: 0 }, upload('a', 3), withdraw('b'), { do: 'roll back' }] as const),
      ...([
        { do: 'fault', on: 'encoder', kind: 'after', skip: 1 },
        { do: 'fault', on: 'r2', kind: 'slow', skip: 6 },
      ] as const),
      ...([{ do: 'jpx', of: 3 }, withdraw('a')] as const),
    ],
  ],
  ['a withdrawal that is broken off ends though the upload of its image removes its record', 7, CUT_OFF],
  ['a withdrawal that is broken off ends though the upload of its image removes its record, once more', 19, CUT_OFF],
  // Until changes that were answered with an error were repeated before a move, its id was unknown (404).
  [
    'an image of a failed withdrawal is withdrawn after the move of its shard',
    1320000898,
    [
      ...([{ do: 'webhook' }, upload('b', 1), { do: 'outage', on: 'r2', ms: 30_000 }, withdraw('b')] as const),
      ...([{ do: 'move shard' }, pass(4_200_000)] as const),
    ],
  ],
  // Until the journal was emptied with a restoration, the sweep deleted it.
  [
    'a file of an upload in two parts stays when its row is lost',
    1600003672,
    [
      ...([{ do: 'fault', on: 'r2', kind: 'before', skip: 4 }, { do: 'kill' }] as const),
      ...([{ do: 'fault', on: 'queue', kind: 'end', skip: 5 }, { do: 'appear' }] as const),
      ...([{ do: 'fault', on: 'r2', kind: 'end', skip: 6 }, pass(180_000), { do: 'restore', database: 'IMAGES' }] as const),
    ],
  ],
  // Until ids were stated before a move, an index gave the id of the first upload again, and the second's was unknown (404).
  [
    'an image keeps its id in a move whose statement R2 refused to write',
    1680001526,
    [
      ...([
        upload('a', 1),
        { do: 'fault', on: 'r2', kind: 'slow', skip: 0 },
        { do: 'kill' },
        { do: 'host fault', fault: 'forget' },
      ] as const),
      ...([upload('a', 1), { do: 'fault', on: 'r2', kind: 'before', skip: 3 }, { do: 'move shard' }] as const),
    ],
  ],
  // In both, a second video was published.
  [
    'a video whose end was not answered is shared once though its movie is built again',
    61,
    [{ do: 'share' }, { do: 'host fault', fault: 'lost' }, { do: 'host fault', fault: 'error' }, { do: 'movie', of: 1 }],
  ],
  [
    'a video whose end was not recorded is shared once though the host forgets the upload',
    1670005364,
    [
      ...([{ do: 'fault', on: 'encoder', kind: 'special', skip: 4 }, { do: 'view', id: 1 }, { do: 'share' }] as const),
      ...([{ do: 'cron' }, { do: 'outage', on: 'd1', ms: 1000 }, { do: 'fault', on: 'd1', kind: 'special', skip: 3 }] as const),
      ...([{ do: 'host fault', fault: 'forget' }, pass(4_200_000)] as const),
    ],
  ],
  [
    'a published movie that is made again and fails leaves its video',
    4200004176,
    [{ do: 'share' }, { do: 'outage', on: 'encoder', ms: 180_000 }, { do: 'movie', of: 1 }, pass(360_000)],
  ],
  // Until webhooks were paused for a restoration, also in the middle of a run, their cursors passed over it.
  [
    'an image whose row is lost before a webhook is told of it is announced',
    13,
    [{ do: 'webhook' }, pass(1000), ...[upload('a', 0), pass(60_000)], { do: 'cron' }, { do: 'restore', database: 'IMAGES' }],
  ],
  // Each was a fault of the service (500).
  ['an image is gone that is withdrawn while a tile of it is drawn', 14, [...ADDED, withdraw('a'), { do: 'view', id: 0 }]],
  ['an image is gone that is withdrawn while its file is read', 55, [...ADDED, withdraw('a'), { do: 'file', id: 0 }]],
  ['an image is gone that is replaced while its header is read', 267, [...ADDED, upload('a', 1), { do: 'header', id: 0 }]],
];

it.each(STORIES)('%s (seed %i)', (_, seed, actions) => expectHolds(seed, actions));
