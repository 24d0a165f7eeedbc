import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CacheApiEdgeCache, type CanonicalValue, cacheKey } from '../../../src/http/edge-cache.ts';

describe('cacheKey', () => {
  it('sorts names, shortens numbers, joins lists and omits undefined values', () => {
    const key = cacheKey('getTile', { y: -0, x: 1.5, id: 26, list: [10, 'a'], json: false, none: undefined });
    expect(key).toBe('getTile?id=26&json=false&list=10%2Ca&x=1.5&y=0');
  });

  it('ignores the order of parameters, and is unique for each set of values', () => {
    const text = fc.string({ maxLength: 8 });
    const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 5 });
    fc.assert(
      fc.property(values, values, (a, b) => {
        const reversed = Object.fromEntries(Object.entries(a).reverse());
        expect(cacheKey('op', reversed)).toBe(cacheKey('op', a));
        const spelled = (v: Record<string, CanonicalValue>) =>
          JSON.stringify(
            Object.entries(v)
              .map(([k, x]) => [k, String(x)])
              .sort(),
          );
        expect(cacheKey('op', a) === cacheKey('op', b)).toBe(spelled(a) === spelled(b));
      }),
    );
  });
});

function mapCache() {
  const kept = new Map<string, Response>();
  return {
    kept,
    match: async (url: string) => kept.get(url)?.clone(),
    put: async (url: string, response: Response) => void kept.set(url, response),
  };
}

describe('CacheApiEdgeCache', () => {
  it('stores responses under URLs of a host that does not exist', async () => {
    const cache = mapCache();
    const edge = new CacheApiEdgeCache(cache);
    await edge.put('getTile?id=26&x=0', new Response('tile'));
    expect([...cache.kept.keys()]).toEqual(['https://answers.helioedge.invalid/getTile?id=26&x=0']);
    expect(await (await edge.match('getTile?id=26&x=0'))?.text()).toBe('tile');
    expect(await edge.match('getTile?id=26&x=1')).toBeNull();
  });

  it('treats a failed lookup as a miss', async () => {
    const edge = new CacheApiEdgeCache({ ...mapCache(), match: () => Promise.reject(new Error('down')) });
    expect(await edge.match('x')).toBeNull();
  });

  it.each([206, 404, 500])('rejects a response with status %i', async (status) => {
    const cache = mapCache();
    await expect(new CacheApiEdgeCache(cache).put('x', new Response('part', { status }))).rejects.toThrow(RangeError);
    expect(cache.kept.size).toBe(0);
  });
});
