// The stand-in of Workers Cache, compared with what its documentation says (developers.cloudflare.com/workers/cache).
import { expect, it } from 'vitest';
import { MemoryWorkersCache } from '../../support/memory/workers-cache.ts';

/** A cache before a service that counts its runs and sends what `reply` makes. */
function cacheBefore(reply: (run: number) => Response | Promise<Response>) {
  const time = { nowMs: 0 };
  let runs = 0;
  const cache = new MemoryWorkersCache(
    async () => reply(++runs),
    () => time.nowMs,
  );
  const get = async (init?: RequestInit, key = '/a') => {
    const response = await cache.fetch(new Request('https://sun.test/a', init), key);
    return [response.headers.get('Cf-Cache-Status'), response.status, await response.text()];
  };
  return { cache, time, get, runs: () => runs };
}

const withPolicy =
  (policy: string, headers: Record<string, string> = {}) =>
  (run: number) =>
    new Response(`run ${run}`, { headers: { 'Cache-Control': policy, ETag: `"${run}"`, ...headers } });

it('one run of the service answers equal requests at the same time, if its response is stored', async () => {
  const stored = cacheBefore(withPolicy('public, max-age=60'));
  await Promise.all([stored.get(), stored.get(), stored.get()]);
  const unstored = cacheBefore(withPolicy('no-store'));
  await Promise.all([unstored.get(), unstored.get(), unstored.get()]);
  expect([stored.runs(), unstored.runs()]).toEqual([1, 3]);
});

it('a stale response is sent while it is refreshed, for as long as its policy says', async () => {
  const { get, time } = cacheBefore(withPolicy('public, max-age=60, stale-while-revalidate=600'));
  expect(await get()).toEqual(['MISS', 200, 'run 1']);
  time.nowMs = 61_000;
  expect(await get()).toEqual(['UPDATING', 200, 'run 1']);
  expect(await get()).toEqual(['HIT', 200, 'run 2']);
  time.nowMs += 661_000;
  expect(await get()).toEqual(['EXPIRED', 200, 'run 3']);
});

it('an expired response is sent without an end while the service fails, unless its policy says otherwise', async () => {
  const failing = (policy: string) =>
    cacheBefore((run) => (run === 1 ? withPolicy(policy)(1) : new Response('down', { status: 503 })));
  const [usual, live] = [failing('public, max-age=60'), failing('public, max-age=60, stale-if-error=0')];
  for (const { get } of [usual, live]) expect((await get())[0]).toBe('MISS');
  usual.time.nowMs = live.time.nowMs = 365 * 86_400_000;
  expect(await usual.get()).toEqual(['STALE', 200, 'run 1']);
  expect(await live.get()).toEqual(['BYPASS', 503, 'down']);
});

it('HEAD, conditions and ranges are answered from the whole response', async () => {
  const { get, runs, cache } = cacheBefore(withPolicy('public, max-age=60'));
  expect(await get({ method: 'HEAD', headers: { Range: 'bytes=0-0' } })).toEqual(['MISS', 200, '']);
  expect(cache.fills.map(({ method, headers }) => [method, headers.get('Range')])).toEqual([['GET', null]]);
  expect(await get({ headers: { Range: 'bytes=-1' } })).toEqual(['HIT', 206, '1']);
  expect(await get({ headers: { Range: 'bytes=4-' } })).toEqual(['HIT', 206, '1']);
  expect((await get({ headers: { Range: 'bytes=9-' } }))[1]).toBe(416);
  expect(await get({ headers: { 'If-None-Match': '"1"' } })).toEqual(['HIT', 304, '']);
  expect(runs()).toBe(1);
});

it('a purge deletes by tags in any case, or everything, and is refused above its limits', async () => {
  const { get, cache, time } = cacheBefore(withPolicy('public, max-age=6000', { 'Cache-Tag': 'Image-1,folder-1' }));
  const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag-${i}`);
  await get();
  expect([await cache.purge({ tags: tags(101) }), cache.entries.size]).toEqual([false, 1]);
  expect([await cache.purge({ tags: ['image-1'] }), cache.entries.size]).toEqual([true, 0]);
  await get();
  expect([await cache.purge({ purgeEverything: true }), cache.entries.size]).toEqual([true, 0]);
  const accepted = async () => {
    let count = 0;
    while (await cache.purge({ tags: ['none'] })) count += 1;
    return count;
  };
  expect(await accepted()).toBe(23);
  time.nowMs = 60_000;
  expect(await accepted()).toBe(5);
});
