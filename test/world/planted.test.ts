// Planted faults are found: from the seed on at which each was found first, so that few histories run here.
import { expect, it } from 'vitest';
import type { Action } from './clients/actions.ts';
import { replay } from './history.ts';
import { PLANTED } from './planted.ts';

/** Histories from the seed on, because other changes of the service move the steps at which a fault shows. */
const BOUND = 60;

const UPLOAD: Action = { do: 'upload', name: 'a', content: 0 };
const SECOND: Action = { do: 'pass', ms: 1000 };
const MINUTE: Action = { do: 'pass', ms: 60_000 };
const WITHDRAWN: readonly Action[] = [UPLOAD, SECOND, { do: 'view', id: 0 }, SECOND, { do: 'withdraw', name: 'a' }];
const TWO_IMAGES: readonly Action[] = [
  ...[UPLOAD, SECOND, { do: 'upload', name: 'b', content: 2 } as const, SECOND],
  ...[{ do: 'view', id: 0 } as const, SECOND, { do: 'view', id: 1 } as const],
];
const PUT_IN_OUTAGE: readonly Action[] = [
  { do: 'outage', on: 'd1', ms: 30_000 },
  { do: 'put', of: 0 },
  { do: 'pass', ms: 30_000 },
];
const KILLED: readonly Action[] = [
  { do: 'movie', of: 0 },
  { do: 'pass', ms: 6000 },
  { do: 'kill worker' },
  { do: 'kill worker' },
];

const searches: readonly Action[] = [0, 1, 2].flatMap((of): Action[] => [{ do: 'search', of }, SECOND]);
const views: readonly Action[] = [0, 1, 0, 1].flatMap((id): Action[] => [{ do: 'view', id }, SECOND]);
const cut = (count: number): Action[] => [{ do: 'steps', count }, { do: 'kill' }];

/** The first seed from 1 on that finds a fault, in its history or in these actions. */
const FOUND: Readonly<Record<string, { readonly from: number; readonly actions?: readonly Action[] }>> = {
  'a batch in parts': { from: 1, actions: [UPLOAD, SECOND, { ...UPLOAD, content: 1 }, ...cut(17)] },
  'a claim without its condition': { from: 21 },
  'a condition of a put that is ignored': { from: 1, actions: [UPLOAD, { ...UPLOAD, content: 1 }] },
  'a cursor that moves before the delivery': {
    from: 1,
    actions: [
      ...([{ do: 'webhook' }, SECOND, UPLOAD, SECOND, { do: 'fault', on: 'queue', kind: 'before', skip: 2 }] as const),
      ...([{ do: 'pass', ms: 180_000 }, MINUTE] as const),
    ],
  },
  'a delivery that is forgotten': { from: 1, actions: [{ do: 'webhook' }, SECOND, UPLOAD] },
  'a file that stays after its withdrawal': { from: 1, actions: WITHDRAWN },
  'a heartbeat that is not written': { from: 1, actions: [SECOND] },
  'a journal that is closed too early': { from: 1, actions: [{ do: 'upload', name: 'b', content: 0 }, UPLOAD] },
  'a key without a member': { from: 1, actions: searches },
  'a key without the image': { from: 1, actions: TWO_IMAGES },
  'a limit that is no condition of the write': { from: 1, actions: [{ do: 'flood' }] },
  'a move of a shard with uploads under way': {
    from: 1,
    actions: [...WITHDRAWN, { do: 'move shard' }],
  },
  'a plan of the mirror that is not written': { from: 1, actions: [{ do: 'appear' }] },
  'a lease by the clock of the worker': { from: 2, actions: KILLED },
  'a lease without an end': { from: 2, actions: KILLED },
  'a purge of one data centre': { from: 1, actions: [UPLOAD, SECOND, ...views, { do: 'withdraw', name: 'a' }] },
  'a purge that is forgotten': { from: 1, actions: WITHDRAWN },
  'a purge that is not repeated': {
    from: 1,
    actions: [...WITHDRAWN, { do: 'view', id: 0 }, { do: 'steps', count: 9 }, { do: 'view', id: 0 }],
  },
  'a record that stays after its withdrawal': { from: 1, actions: WITHDRAWN },
  'a retry that is forgotten': { from: 2, actions: PUT_IN_OUTAGE },
  'a screenshot whose row goes at once': {
    from: 1,
    actions: [{ do: 'screenshot', of: 0 }, MINUTE, { do: 'old screenshot', of: 0 }, SECOND],
  },
  'a start of a video that is not noted': {
    from: 1,
    actions: [
      ...([{ do: 'share' }, { do: 'steps', count: 21 }, { do: 'host fault', fault: 'lost' }] as const),
      ...([{ do: 'host fault', fault: 'error' }, MINUTE] as const),
    ],
  },
  'a sweep of uploads under way': { from: 1, actions: [UPLOAD, { do: 'steps', count: 10 }, { do: 'cron' }, SECOND] },
  'a sweep that the clock forgets': { from: 1, actions: [UPLOAD, ...cut(11)] },
  'a withdrawal that is not noted': { from: 1, actions: WITHDRAWN },
  'an acknowledgement before the write': {
    from: 2,
    actions: [{ do: 'put', of: 0 }, { do: 'fault', on: 'r2', kind: 'slow', skip: 0 }, { do: 'pass', ms: 20_000 }, { do: 'kill' }],
  },
  'an id from a restored sequence': {
    from: 1,
    actions: [
      ...([{ do: 'save', database: 'IMAGES' }, { do: 'upload', name: 'b', content: 2 }, SECOND] as const),
      ...([{ do: 'restore', database: 'IMAGES' }, UPLOAD, SECOND] as const),
    ],
  },
  'an index that stays after its withdrawal': { from: 1, actions: WITHDRAWN },
  'an upload that ends the record of a removal begun since': {
    from: 7,
    actions: [{ do: 'upload', name: 'b', content: 2 }, { do: 'steps', count: 18 }, { do: 'withdraw', name: 'b' }, ...cut(12)],
  },
};

it('every planted fault is found', () => expect(Object.keys(FOUND).sort()).toEqual(Object.keys(PLANTED).sort()));

it.each(Object.entries(FOUND))('the planted fault breaks a statement: %s', async (name, { from, ...given }) => {
  for (let seed = from; seed < from + BOUND; seed += 1)
    if ((await replay({ seed, ...given, planted: PLANTED[name]! })).broken) return;
  expect.unreachable(`${name} is not found from seed ${from} on.`);
});
