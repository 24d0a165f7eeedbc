// The databases of the shards: the map of the service, and a shard that an operator moves to another database.
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SHARD_CHECK_MS } from '../../../src/platform/limits/images.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { samples } from '../samples/sample-files.ts';
import { AFTER, BEFORE, idOf, put, SHARD, service } from '../services.ts';

const [first, second] = samples as [SampleFile, SampleFile];

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('A shard that another database claims has its images there again once their files are indexed, and none where it was.', async () => {
  const earlier = service(BEFORE);
  const id = await idOf(await put(earlier, first));
  await env.IMAGES.prepare(`UPDATE held_shards SET state = 'moved' WHERE shard = ${SHARD}`).run();
  expect((await put(service(BEFORE), second)).status).toBe(503);
  await env.IMAGES_SPARE.prepare(
    `INSERT INTO held_shards (shard, generation, state, last_sequence) VALUES (${SHARD}, 2, 'open', 0)`,
  ).run();
  const later = service(AFTER);
  const tile = `/v2/getTile/?id=${id}&x=0&y=0&imageScale=9.68176352`;
  expect(await idOf(await put(later, first))).toBe(id);
  expect(await idOf(await put(later, second))).toBeGreaterThan(id);
  expect((await later(tile)).status).toBe(200);
  expect((await service(BEFORE)('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z')).status).toBe(503);
});

it('a map of the shards that does not fit the data refuses requests from the first on', async () => {
  await put(service(BEFORE), first);
  const wrong = service('IMAGES_ODD');
  const response = await wrong('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z');
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await response.json()).toMatchObject({ error: 'A part of the image index is being moved. Try again in a few seconds.' });
  expect((await put(wrong, second)).status).toBe(503);
  expect(await env.IMAGES_ODD.prepare('SELECT count(*) AS count FROM images').first('count')).toBe(0);
});

it('a map of the shards that does not fit the data shows within half a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const send = service(BEFORE);
  const closest = async () => (await send('/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z')).status;
  await put(send, first);
  expect(await closest()).toBe(200);
  await env.IMAGES.prepare("UPDATE held_shards SET state = 'moved' WHERE shard = 10").run();
  vi.setSystemTime(Date.now() + SHARD_CHECK_MS);
  expect(await closest()).toBe(503);
});
