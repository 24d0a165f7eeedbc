// Uploads of one file at once, of which some lose their place: an object was left without an owner, or a row without its file.
import { it } from 'vitest';
import type { Action } from '../clients/actions.ts';
import { expectHolds } from '../history.ts';

const upload = (content: number, name: 'a' | 'b' = 'a'): Action => ({ do: 'upload', name, content });

const STORIES: readonly (readonly [string, number, readonly Action[]])[] = [
  [
    'is archived under another key',
    10000047,
    [{ do: 'fault', on: 'd1', kind: 'special', skip: 6 }, upload(1), upload(2), { do: 'old screenshot', of: 2 }, upload(1)],
  ],
  [
    'is refused after another has deleted both objects',
    20001640,
    [{ do: 'webhook' }, { do: 'kill' }, upload(3), upload(1), upload(1), upload(0), { do: 'refuse', status: 500 }, upload(2)],
  ],
  [
    'found an object that another then deletes',
    20000424,
    [
      { do: 'cron' },
      { do: 'kill' },
      ...[upload(3), upload(3, 'b'), upload(0, 'b')],
      { do: 'fault', on: 'ids', kind: 'after', skip: 1 },
      ...[upload(2), upload(2)],
      { do: 'restore', database: 'IMAGES' },
      upload(3, 'b'),
    ],
  ],
  [
    'writes an object while another ends, which began after it',
    100001685,
    [
      { do: 'pass', ms: 4200000 },
      { do: 'view', id: 2 },
      { do: 'save', database: 'DB' },
      ...[upload(0, 'b'), upload(0, 'b'), upload(2, 'b'), upload(2)],
    ],
  ],
  [
    'writes an object while another deletes them',
    20001284,
    [
      ...([{ do: 'cron' }, upload(1, 'b'), { do: 'fault', on: 'queue', kind: 'slow', skip: 5 }, { do: 'kill' }] as const),
      ...[upload(3), upload(1), upload(1), upload(2)],
      { do: 'refuse', status: 500 },
      { do: 'fault', on: 'd1', kind: 'special', skip: 0 },
      { do: 'restore', database: 'IMAGES' },
    ],
  ],
  [
    'ends its record while another replaces its image',
    1620005439,
    [
      ...([upload(1, 'b'), { do: 'put', of: 0 }, upload(1, 'b'), { do: 'put', of: 1 }, { do: 'view', id: 1 }] as const),
      ...([upload(2, 'b'), { do: 'fault', on: 'd1', kind: 'after', skip: 2 }] as const),
    ],
  ],
];

it.each(STORIES)('leaves nothing of a file that %s', (_, seed, actions) => expectHolds(seed, actions));
