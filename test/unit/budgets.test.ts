// Budgets of what visitors store.
import { expect, test, vi } from 'vitest';
import { clientHashes } from '../../src/platform/admission/budgets.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/util/durations.ts';
import { D1Screenshots } from '../../src/sharing/d1-screenshots.ts';
import { jpxArchive } from '../support/jpx/jpx-archive.ts';
import { budgetsIn } from '../support/memory/budgets.ts';
import { databasesIn, migrated } from '../support/memory/sqlite-d1.ts';
import { testServices } from '../support/test-services.ts';

const it = test.extend('budgets', () => newBudgets());

/** Ten minutes before midnight, because the hashes of clients change then. */
const NOW = Date.UTC(2024, 4, 9, 23, 50);
const LIMITS = { clientHour: 30, clientDay: 50, allDay: 100, subject: 'new short links' };
const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'];

function newBudgets() {
  const main = migrated();
  const time = { nowMs: NOW };
  const budgets = budgetsIn({ main }, { clock: () => time.nowMs, limits: { links: LIMITS } });
  const charge = (client: string, amount: number, makeRoom?: () => Promise<number>) =>
    budgets.charge({ budget: 'links', client, amount, ...(makeRoom ? { makeRoom } : {}) });
  return { main, time, budgets, charge };
}

it('a budget limits what a client stores in an hour and in a day, across midnight', async ({ budgets: { time, charge } }) => {
  expect([await charge(ONE, 20), await charge(ONE, 11), await charge(ONE, 10)]).toEqual(['charged', 'client', 'charged']);
  time.nowMs += HOUR_MS;
  expect([await charge(ONE, 20), await charge(ONE, 1)]).toEqual(['charged', 'client']);
  time.nowMs = NOW + DAY_MS;
  expect([await charge(ONE, 30), await charge(ONE, 1)]).toEqual(['charged', 'client']);
});

it('a budget limits what all clients store in a day, and leaves each its share until then', async ({ budgets: { charge } }) => {
  const outcomes = await Promise.all(Array.from({ length: 5 }, (_, i) => charge(`192.0.2.${i}`, 30)));
  expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(3);
  expect(await charge('192.0.2.9', 30)).toBe('all');
  expect(await charge('192.0.2.9', 10)).toBe('charged');
});

it('a budget stays within its bytes under simultaneous requests', async ({ budgets: { charge, main } }) => {
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => charge(ONE, 4)));
  expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(7);
  const { results } = await main.prepare('SELECT amount FROM charges ORDER BY client').all();
  expect(results).toEqual([{ amount: 28 }, { amount: 28 }]);
});

it('a budget counts an IPv6 network of 48 bits as one client', async ({ budgets: { charge } }) => {
  expect(await charge('2001:db8:1:a', 30)).toBe('charged');
  expect(await charge('2001:db8:1:b', 1)).toBe('client');
  expect(await charge('2001:db8:2:a', 1)).toBe('charged');
});

it('a budget regains the room of deleted files for all clients', async ({ budgets: { charge } }) => {
  for (let i = 0; i < 4; i += 1) await charge(`192.0.2.${i}`, 25);
  const deleting = (bytes: number) => async () => bytes;
  expect(await charge('192.0.2.8', 20, deleting(0))).toBe('all');
  expect(await charge('192.0.2.8', 20, deleting(10))).toBe('all');
  expect(await charge('192.0.2.8', 20, deleting(10))).toBe('charged');
  expect(await charge('192.0.2.9', 1)).toBe('all');
});

it('a budget differs from the others in the sentence of a refusal', async ({ budgets: { budgets, charge } }) => {
  const spend = (client: string, amount: number) => budgets.spend({ budget: 'links', client, amount });
  await spend(ONE, 30);
  await expect(spend(ONE, 1)).rejects.toMatchObject({
    kind: 'rate-limited',
    message: 'This address has used up its hourly or daily budget of new short links. Try again later.',
    retryAfterSeconds: 600,
  });
  for (let i = 3; i < 5; i += 1) await charge(`192.0.2.${i}`, 30);
  await expect(spend(OTHER, 20)).rejects.toMatchObject({
    kind: 'storage-full',
    message: 'This service has used up its daily budget of new short links. Try again later.',
  });
});

it('a budget asks the database no more for a client that it has refused as little, and counts down the time until it may try again', async () => {
  const main = migrated();
  const time = { nowMs: NOW };
  const statements = vi.spyOn(main, 'prepare');
  const budgets = budgetsIn({ main }, { clock: () => time.nowMs, limits: { links: LIMITS } });
  const spend = (amount: number) => budgets.spend({ budget: 'links', client: ONE, amount });
  await spend(20);
  await expect(spend(11)).rejects.toMatchObject({ retryAfterSeconds: 600 });
  const count = statements.mock.calls.length;
  time.nowMs += 200_500;
  await expect(spend(11)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 400 });
  await expect(spend(12)).rejects.toMatchObject({ kind: 'rate-limited' });
  expect(statements).toHaveBeenCalledTimes(count);
  await spend(10);
  expect(statements.mock.calls.length).toBeGreaterThan(count);
  time.nowMs = NOW + 600_000;
  await spend(12);
});

it('a budget keeps no rows that no limit counts', async ({ budgets: { time, charge, main } }) => {
  for (let i = 0; i < 3; i += 1) await charge(`192.0.2.${i}`, 1);
  time.nowMs += DAY_MS;
  await charge(ONE, 1);
  const { results } = await main.prepare('SELECT hour FROM charges').all<{ hour: number }>();
  expect(results).toEqual(Array(2).fill({ hour: Math.floor(time.nowMs / HOUR_MS) }));
});

it('a client over the budget of JPX files gets no new file, and those that exist', async () => {
  const databases = databasesIn(migrated());
  const budgets = budgetsIn(databases, {
    limits: { jpx: { clientHour: 3000, clientDay: 3000, allDay: 1e9, subject: 'new JPX files' } },
  });
  const { get, objects } = await jpxArchive(3, { budgets });
  const file = async (minute: number) =>
    (
      await get(`/v2/getJPX/?startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:0${minute}:30Z&sourceId=10&verbose=true`)
    ).json();
  expect(await file(1)).toMatchObject({ uri: expect.stringContaining('.jpx') });
  while ((await budgets.charge({ budget: 'jpx', client: 'local', amount: 100 })) === 'charged');
  expect(await file(2)).toEqual({
    error: expect.stringMatching(/^This address has used up its hourly or daily budget of new JPX files/),
    uri: null,
  });
  expect(await file(1)).toMatchObject({ uri: expect.stringContaining('.jpx') });
  expect([...objects.objects.keys()].filter((key) => key.startsWith('jpx/'))).toHaveLength(1);
});

it('the budget of JPIP channels limits the channels of a client and of all clients, and leaves open channels and requests without one', async () => {
  const limits = { channels: { clientHour: 2, clientDay: 2, allDay: 3, subject: 'new JPIP channels' } };
  const { get, images } = await jpxArchive(1, { budgets: budgetsIn(databasesIn(migrated()), { limits }) });
  const send = (client: string, query: string, path = images[0]!.key.replace(/^jp2/, '')) =>
    get(`${path}?${query}`, { headers: { 'CF-Connecting-IP': client } });
  const opened = await send(ONE, 'cnew=http&len=0');
  const [, cid] = /^cid=(\w+),/.exec(opened.headers.get('JPIP-cnew') ?? '') ?? [];
  // An address without an image opens none.
  expect((await send(ONE, 'cnew=http&len=0', '/none.jp2')).status).toBe(404);
  expect((await send(ONE, 'cnew=http&len=0')).status).toBe(200);
  const own = await send(ONE, 'cnew=http&len=0');
  expect([own.status, own.headers.get('Retry-After')]).toEqual([429, '600']);
  expect(await own.json()).toMatchObject({
    error: expect.stringMatching(/^This address has used up its hourly or daily budget of new JPIP channels/),
  });
  expect((await send(OTHER, 'cnew=http&len=0')).status).toBe(200);
  const all = await send(OTHER, 'cnew=http&len=0');
  expect([all.status, all.headers.get('Retry-After')]).toEqual([503, '600']);
  expect(await all.json()).toMatchObject({
    error: 'This service has used up its daily budget of new JPIP channels. Try again later.',
  });
  expect((await send(OTHER, `cid=${cid}&stream=0&fsiz=8,8`)).status).toBe(200);
  expect((await send(OTHER, 'stream=0&fsiz=8,8')).status).toBe(200);
});

const shot = (createdAtMs = NOW) => ({ createdAtMs, recipe: '{"é":1}', images: [[26, 42], [20]] as const });

it('the register of screenshots gives out ids that cannot be guessed, and finds those of earlier versions', async () => {
  const database = migrated();
  const screenshots = new D1Screenshots(databasesIn(database));
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await screenshots.add(shot())).id));
  expect(new Set(ids).size).toBe(50);
  expect(ids.every((id) => Number.isSafeInteger(id) && id > 2 ** 40)).toBe(true);
  // Half of the random ids have the highest of 53 bits.
  expect(ids.filter((id) => id >= 2 ** 52).length).toBeGreaterThan(5);
  expect(await screenshots.find(ids[7]!)).toEqual({ id: ids[7], ...shot() });
  await database.prepare("INSERT INTO screenshots VALUES (7, 5, '{}', '[]')").run();
  expect(await screenshots.find(7)).toEqual({ id: 7, createdAtMs: 5, recipe: '{}', images: [] });
});

it('the register of screenshots deletes screenshots 180 days after they were taken, the oldest first', async () => {
  const databases = databasesIn(migrated());
  const screenshots = new D1Screenshots(databases);
  const [old, , recent] = await Promise.all([NOW, NOW + 5, NOW + DAY_MS].map((atMs) => screenshots.add(shot(atMs))));
  const sweep = (nowMs: number) => testServices({ databases, clock: () => nowMs }).sweepScreenshots();
  expect(await sweep(NOW + 180 * DAY_MS)).toBe(0);
  expect(await sweep(NOW + 180 * DAY_MS + 6)).toBe(2);
  expect([await screenshots.find(old!.id), (await screenshots.find(recent!.id))?.id]).toEqual([null, recent!.id]);
  expect(await screenshots.expire(NOW + 2 * DAY_MS)).toEqual({ count: 1, bytes: 300 + 8 + 14 });
});

it('the hash of a client differs for each client, day and secret', async () => {
  const of = async (client: string, secret: string, atMs: number) => (await clientHashes(client, secret, [atMs]))[0]!;
  const hashes = [
    await of('192.0.2.1', 'secret', NOW),
    await of('192.0.2.2', 'secret', NOW),
    await of('192.0.2.1', 'other', NOW),
    await of('192.0.2.1', 'secret', NOW + DAY_MS),
  ];
  expect(new Set(hashes).size).toBe(4);
  expect(await of('192.0.2.1', 'secret', NOW - HOUR_MS)).toBe(hashes[0]);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

it('the hash of a client is one for two times of a day', async () => {
  expect((await clientHashes('a', 'b', [NOW, NOW - HOUR_MS])).length).toBe(1);
  expect((await clientHashes('a', 'b', [NOW, NOW - DAY_MS])).length).toBe(2);
});
