// The stand-in of Workers Cache, compared with what its documentation says (developers.cloudflare.com/workers/cache).
import { expect, it } from 'vitest';
import { LocalCache } from '../../../src/platform/http/local-cache.ts';

/** A cache before a service that counts its runs and sends what `reply` makes. */
function cacheBefore(
  reply: (run: number, request: Request) => Response | Promise<Response>,
  limits: { readonly limits?: { readonly bytes: number; readonly responseBytes: number } } = {},
) {
  const time = { nowMs: 0 };
  let runs = 0;
  const fills: Request[] = [];
  const service = async (request: Request) => {
    fills.push(request);
    return reply(++runs, request);
  };
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const cache = new LocalCache({ service, clock: () => time.nowMs, waitUntil, ...limits });
  const get = async (init?: RequestInit, key = '/a') => {
    const response = await cache.fetch(new Request('https://sun.test/a', init), key);
    await Promise.all(background.splice(0));
    return [response.headers.get('Cf-Cache-Status'), response.status, await response.text()];
  };
  return { cache, time, get, fills, runs: () => runs };
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

it('HEAD and ranges are answered from the whole response', async () => {
  const { get, runs, fills } = cacheBefore(withPolicy('public, max-age=60'));
  expect(await get({ method: 'HEAD', headers: { Range: 'bytes=0-0' } })).toEqual(['MISS', 200, '']);
  expect(fills.map(({ method, headers }) => [method, headers.get('Range')])).toEqual([['GET', null]]);
  expect(await get({ headers: { Range: 'bytes=-1' } })).toEqual(['HIT', 206, '1']);
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

it('an expired response is kept where the service says that it has not changed', async () => {
  const { get, time, fills, cache } = cacheBefore((run, { headers }) =>
    headers.get('If-None-Match') === '"1"'
      ? new Response(null, { status: 304, headers: { 'Cache-Control': 'public, max-age=60', ETag: '"1"' } })
      : withPolicy('public, max-age=60')(run),
  );
  expect(await get({ headers: { 'If-None-Match': '"2"' } })).toEqual(['MISS', 200, 'run 1']);
  time.nowMs = 61_000;
  expect(await get({ headers: { 'If-None-Match': '"2"' } })).toEqual(['REVALIDATED', 200, 'run 1']);
  time.nowMs = 62_000;
  expect(await get()).toEqual(['HIT', 200, 'run 1']);
  expect(fills.map(({ headers }) => headers.get('If-None-Match'))).toEqual([null, '"1"']);
  expect(cache.entries.get('/a')!.headers.get('Content-Type')).toBe('text/plain;charset=UTF-8');
});

it('the least recently used responses make room for new ones', async () => {
  const body = 'x'.repeat(100_000);
  const reply = () => new Response(body, { headers: { 'Cache-Control': 'public, max-age=60' } });
  const { get, cache } = cacheBefore(reply, { limits: { bytes: 350_000, responseBytes: 200_000 } });
  const statusOf = async (key: string) => (await get({}, key))[0];
  for (const key of ['/a', '/b', '/c']) expect(await statusOf(key)).toBe('MISS');
  expect([await statusOf('/a'), await statusOf('/d')]).toEqual(['HIT', 'MISS']);
  expect([...cache.entries.keys()]).toEqual(['/d', '/a', '/c']);
  for (let i = 0; i < 50; i++) await statusOf(`/more${i}`);
  expect(cache.entries.calculatedSize).toBeLessThanOrEqual(350_000);
});

it.each(['with', 'without'])('a response that is too large passes whole %s its length, and is not stored', async (length) => {
  const body = 'x'.repeat(300_000);
  const reply = () => {
    const pieces = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 3; i++) controller.enqueue(new TextEncoder().encode(body.slice(0, 100_000)));
        controller.close();
      },
    });
    const told: Record<string, string> = length === 'with' ? { 'Content-Length': '300000' } : {};
    return new Response(pieces, { headers: { 'Cache-Control': 'public, max-age=60', ...told } });
  };
  const { get, cache, runs } = cacheBefore(reply, { limits: { bytes: 1_000_000, responseBytes: 150_000 } });
  expect(await Promise.all([get(), get()])).toEqual(Array.from({ length: 2 }, () => ['MISS', 200, body]));
  expect(await get({ method: 'HEAD' })).toEqual(['MISS', 200, '']);
  expect([cache.entries.size, runs()]).toEqual([0, 3]);
});

it('a response that breaks off is passed on as it is, and not stored', async () => {
  const { get, cache } = cacheBefore(() => {
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new Error('the storage has gone')),
      start: (controller) => controller.enqueue(new TextEncoder().encode('begin')),
    });
    return new Response(broken, { headers: { 'Cache-Control': 'public, max-age=60' } });
  });
  await expect(get()).rejects.toThrow('the storage has gone');
  expect(cache.entries.size).toBe(0);
});
