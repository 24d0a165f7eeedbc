import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CacheApiEdgeCache, type CanonicalValue, cacheKey } from '../../../src/http/edge-cache.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';

const it = test.extend('cache', () => mapCache()).extend('edge', ({ cache }) => new CacheApiEdgeCache(cache));

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
    delete: async (url: string) => kept.delete(url),
  };
}

describe('CacheApiEdgeCache', () => {
  it('stores responses under URLs of a host that does not exist', async ({ cache, edge }) => {
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

describe('responses in memory', () => {
  const NOW = Date.UTC(2026, 0, 1);
  /** A stored response of a minute, as the Cache API returns it. */
  const stored = (body: string, more: Record<string, string> = {}) => {
    const headers = { 'Cache-Control': 'public, max-age=60', 'X-Stored-At': String(NOW), 'Content-Length': String(body.length) };
    return new Response(body, { headers: { ...headers, ...more } });
  };
  /** A cache that counts its lookups, and the edge cache over it. */
  function countedCache() {
    const cache = mapCache();
    const looked: string[] = [];
    const match = async (url: string) => {
      looked.push(url);
      return cache.match(url);
    };
    let nowMs = NOW;
    const memory = new MemoryBudget({ bytes: 1 << 20, jobBytes: 0, leaseMs: 1 });
    const edge = new CacheApiEdgeCache({ ...cache, match }, { memory, clock: () => nowMs });
    const lookups = () => looked.filter((url) => !url.includes('/tags/')).length;
    return { edge, lookups, pass: (ms: number) => (nowMs += ms) };
  }

  it('answer repeated lookups, with their headers, until their lifetime ends', async () => {
    const { edge, lookups, pass } = countedCache();
    await edge.put('a', stored('text', { ETag: '"1"' }));
    for (let i = 0; i < 3; i += 1) {
      const found = await edge.match('a');
      expect([await found?.text(), found?.headers.get('ETag'), found?.headers.get('Cache-Control')]).toEqual([
        'text',
        '"1"',
        'public, max-age=60',
      ]);
    }
    expect(lookups()).toBe(1);
    pass(60_000);
    await edge.match('a');
    expect(lookups()).toBe(2);
  });

  it('are replaced by a new response, and deleted by a purge', async () => {
    const { edge } = countedCache();
    await edge.put('a', stored('old', { 'Cache-Tag': 'image-26' }));
    await edge.match('a');
    await edge.put('a', stored('new', { 'Cache-Tag': 'image-26' }));
    expect(await (await edge.match('a'))?.text()).toBe('new');
    await edge.purge(['image-26']);
    expect(await edge.match('a')).toBeNull();
  });

  it('leave out a response that is purged while it is read', async () => {
    const { edge } = countedCache();
    await edge.put('a', stored('text', { 'Cache-Tag': 'image-26' }));
    await Promise.all([edge.match('a'), edge.purge(['image-26'])]);
    expect(await edge.match('a')).toBeNull();
  });

  it('leave out a response of 300 kB, which each request looks up', async () => {
    const { edge, lookups } = countedCache();
    await edge.put('a', stored('x'.repeat(300_000)));
    for (let i = 0; i < 3; i += 1) await edge.match('a');
    expect(lookups()).toBe(3);
  });
});

describe('a purge by tag', () => {
  const tagged = (...tags: string[]) => new Response('tile', { headers: { 'Cache-Tag': tags.join(',') } });
  const URLS = 'https://answers.helioedge.invalid/';
  const answers = (cache: ReturnType<typeof mapCache>) =>
    [...cache.kept.keys()].map((url) => url.replace(URLS, '')).filter((key) => !key.startsWith('tags/'));

  it('deletes the responses that have the tag, and no others', async ({ cache, edge }) => {
    await Promise.all([
      ...['a', 'b', 'c'].map((key) => edge.put(key, tagged('image-26'))),
      edge.put('difference', tagged('image-42', 'image-26')),
      edge.put('other', tagged('image-42')),
      edge.put('untagged', new Response('text')),
    ]);
    await edge.purge(['image-26']);
    expect(answers(cache).sort()).toEqual(['other', 'untagged']);
  });

  it('finds the responses that another isolate has stored', async ({ cache }) => {
    await new CacheApiEdgeCache(cache).put('a', tagged('image-26'));
    await new CacheApiEdgeCache(cache).put('b', tagged('image-26'));
    await new CacheApiEdgeCache(cache).purge(['image-26']);
    expect(answers(cache)).toEqual([]);
  });

  it('finds a response that was stored again after the cache had lost the record of its tag', async ({ cache, edge }) => {
    await edge.put('a', tagged('image-26'));
    cache.kept.clear();
    await edge.put('a', tagged('image-26'));
    await new CacheApiEdgeCache(cache).purge(['image-26']);
    expect(answers(cache)).toEqual([]);
  });

  it('keeps responses out of the cache that were looked up before it, and takes later ones', async ({ cache }) => {
    let nowMs = Date.UTC(2024, 0, 1);
    const isolates = [0, 1].map(() => new CacheApiEdgeCache(cache, { clock: () => nowMs }));
    const [edge, other] = isolates as [CacheApiEdgeCache, CacheApiEdgeCache];
    await Promise.all([edge.match('b'), other.match('c')]);
    await Promise.all([edge.put('a', tagged('image-26')), edge.purge(['image-26']), edge.put('b', tagged('image-26'))]);
    nowMs += 5_000;
    await edge.put('b', tagged('image-26'));
    await other.put('c', tagged('image-26'));
    expect(answers(cache)).toEqual([]);
    for (const [i, each] of isolates.entries()) {
      await each.match(`later${i}`);
      await each.put(`later${i}`, tagged('image-26'));
    }
    expect(answers(cache)).toEqual(['later0', 'later1']);
  });

  it('finds the newest 200 responses of a tag, and older ones are no longer cached', async ({ cache, edge }) => {
    for (let i = 0; i < 205; i += 1) await edge.put(`tile${i}`, tagged('image-26'));
    expect(answers(cache)).toHaveLength(200);
    expect(answers(cache)[0]).toBe('tile5');
    await edge.purge(['image-26']);
    expect(answers(cache)).toEqual([]);
  });
});
