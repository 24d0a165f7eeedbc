import { expect, test } from 'vitest';
import { CacheApiEdgeCache } from '../../../src/http/edge-cache.ts';

function mapCache() {
  const kept = new Map<string, Response>();
  return {
    kept,
    match: async (url: string) => kept.get(url)?.clone(),
    put: async (url: string, response: Response) => void kept.set(url, response),
  };
}

test('keys become URLs of a host that does not exist, and answers come back under them', async () => {
  const cache = mapCache();
  const edge = new CacheApiEdgeCache(cache);
  await edge.put('getTile?id=26&x=0', new Response('tile'));
  expect([...cache.kept.keys()]).toEqual(['https://answers.helioedge.invalid/getTile?id=26&x=0']);
  expect(await (await edge.match('getTile?id=26&x=0'))?.text()).toBe('tile');
  expect(await edge.match('getTile?id=26&x=1')).toBeNull();
});

test('a cache that fails is an empty one', async () => {
  const edge = new CacheApiEdgeCache({ ...mapCache(), match: () => Promise.reject(new Error('down')) });
  expect(await edge.match('x')).toBeNull();
});

test.each([206, 404, 500])('an answer of status %i is not taken', async (status) => {
  const cache = mapCache();
  await expect(new CacheApiEdgeCache(cache).put('x', new Response('part', { status }))).rejects.toThrow(RangeError);
  expect(cache.kept.size).toBe(0);
});
