import { expect, it } from 'vitest';
import { clientHashes } from '../../../src/platform/admission/budgets.ts';
import { MOVIE_VARIABLES } from '../../../src/platform/settings/movies.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';

const NOON = Date.UTC(2024, 0, 31, 12);

it('hashes a client differently for each client, day and secret', async () => {
  const of = async (client: string, secret: string, atMs: number) => (await clientHashes(client, secret, [atMs]))[0]!;
  const hashes = [
    await of('192.0.2.1', 'secret', NOON),
    await of('192.0.2.2', 'secret', NOON),
    await of('192.0.2.1', 'other', NOON),
    await of('192.0.2.1', 'secret', NOON + DAY_MS),
  ];
  expect(new Set(hashes).size).toBe(4);
  expect(await of('192.0.2.1', 'secret', NOON + 3_600_000)).toBe(hashes[0]);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

it('gives one hash for two times of a day', async () => {
  expect((await clientHashes('a', 'b', [NOON, NOON - 3_600_000])).length).toBe(1);
  expect((await clientHashes('a', 'b', [NOON, NOON - DAY_MS])).length).toBe(2);
});

it('reads the queue limits from the settings', () => {
  expect(readVariables(MOVIE_VARIABLES, {})).toEqual({ queueCost: 691_200, clientCost: 34_560 });
  expect(readVariables(MOVIE_VARIABLES, { MOVIE_QUEUE_COST: '7', MOVIE_CLIENT_COST: '1000' })).toEqual({
    queueCost: 7,
    clientCost: 1000,
  });
});

it.each(['0', '-1', '1.5', 'many'])('refuses a limit of %s', (value) => {
  expect(() => readVariables(MOVIE_VARIABLES, { MOVIE_QUEUE_COST: value })).toThrow(`for MOVIE_QUEUE_COST, got ${value}.`);
});
