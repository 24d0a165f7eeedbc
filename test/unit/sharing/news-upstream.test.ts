import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { NEWS } from '../../../src/platform/limits/sharing.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { NewsService, newsSource } from '../../../src/sharing/news/news-service.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { ATOM, RSS } from '../../support/sharing/feeds.ts';
import { testArchive } from '../../support/test-archive.ts';
import { endlessResponse, noResponse, type Responder, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const START_MS = Date.UTC(2024, 4, 10, 12);

/** An object store that records the time of each upload. */
class DatedObjects extends MemoryObjectStore {
  readonly #clock: () => number;
  readonly #puts = new Map<string, number>();

  constructor(clock: () => number) {
    super();
    this.#clock = clock;
  }

  override async put(key: string, body: Uint8Array) {
    this.#puts.set(key, this.#clock());
    return super.put(key, body);
  }

  override async stream(key: string) {
    const found = await super.stream(key);
    return found && { ...found, uploadedAtMs: this.#puts.get(key)! };
  }
}

const upstream = upstreamOfEachTest({ feed: text(RSS) });

function service() {
  let nowMs = START_MS;
  const clock = () => nowMs;
  const objects = new DatedObjects(clock);
  const logged: unknown[] = [];
  const news = () =>
    new NewsService({ source: newsSource(`${upstream.url}/feed`, 300), objects, clock, log: (record) => logged.push(record) });
  const archive = (kept = news()) => testArchive({ news: kept, objects, clock });
  return { archive, news, logged, objects, pass: (ms: number) => (nowMs += ms) };
}

async function titles(get: (path: string) => Promise<Response>): Promise<string[]> {
  const xml = await (await get('/v2/getNewsFeed/')).text();
  return [...xml.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title!);
}

const BLOG = ['Blog of the Sun', 'A storm &amp; its aurora', 'Quiet'];

it('getNewsFeed returns the news of the blog as RSS 2.0', async () => {
  const { get } = service().archive();
  const response = await get('/v2/getNewsFeed/');
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/xml; charset=utf-8']);
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=1800');
  const xml = await response.text();
  expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0">\n<channel>\n/);
  expect(xml).not.toMatch(/<script|alert|CDATA/);
  expect(await titles(get)).toEqual(BLOG);
});

it('getNewsFeed reads compressed feeds and other encodings', async () => {
  const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>Soleil d\xe9t\xe9</title></channel></rss>';
  upstream.responders.feed = text(gzipSync(Buffer.from(latin, 'latin1')), 200, { 'Content-Encoding': 'gzip' });
  expect(await titles(service().archive().get)).toEqual(['Soleil dété']);
});

it('getNewsFeed requests the blog once in half an hour', async () => {
  const { archive, pass } = service();
  const { get } = archive();
  await titles(get);
  pass(29 * MINUTE_MS);
  const late = await get('/v2/getNewsFeed/');
  expect([upstream.requests.length, late.headers.get('Age')]).toEqual([1, '1740']);
  pass(2 * MINUTE_MS);
  upstream.responders.feed = text(ATOM);
  expect((await titles(get))[0]).toBe('Notes &lt;of&gt; the Sun');
  expect(upstream.requests).toHaveLength(2);
});

it('getNewsFeed returns the previous news while the blog is being requested', async () => {
  const { archive, pass } = service();
  // Past the edge cache, which would let equal requests share one.
  const { direct } = archive().app;
  const get = (path: string) => direct(`http://sun.test${path}`);
  await titles(get);
  pass(31 * MINUTE_MS);
  const answer = Promise.withResolvers<void>();
  upstream.responders.feed = (...request) => void answer.promise.then(() => text(ATOM)(...request));
  const first = titles(get);
  await expect.poll(() => upstream.requests.length).toBe(2);
  expect(await titles(get)).toEqual(BLOG);
  answer.resolve();
  expect((await first)[0]).toBe('Notes &lt;of&gt; the Sun');
  expect(upstream.requests).toHaveLength(2);
});

it('getNewsFeed shares the news between isolates through the archive, also for days while the blog fails', async () => {
  const { archive, pass } = service();
  const first = archive();
  await titles(first.get);
  await first.settle();
  expect(await titles(archive().get)).toEqual(BLOG);
  expect(upstream.requests).toHaveLength(1);
  pass(24 * 60 * MINUTE_MS);
  upstream.responders.feed = text('no', 503);
  expect(await titles(archive().get)).toEqual(BLOG);
});

it('getNewsFeed returns the news in memory while neither the archive nor the blog responds', async () => {
  const { archive, logged, objects, pass } = service();
  const { get } = archive();
  await titles(get);
  pass(31 * MINUTE_MS);
  objects.stream = () => Promise.reject(new Error('The archive is away.'));
  upstream.responders.feed = text('no', 503);
  expect(await titles(get)).toEqual(BLOG);
  expect(logged).toEqual([{ newsFeed: 'The archive is away.' }, { newsFeed: expect.any(String) }]);
});

it('getNewsFeed stores the news of each blog under a key of its own', async () => {
  const { archive, objects } = service();
  const first = archive();
  await titles(first.get);
  await first.settle();
  expect([...objects.objects.keys()].filter((key) => key.startsWith('news/'))).toEqual([
    expect.stringMatching(/^news\/[0-9a-f]{16}\.json$/),
  ]);
  const other = new NewsService({ source: newsSource(`${upstream.url}/feed?other`), objects, clock: () => START_MS });
  await titles(archive(other).get);
  expect(upstream.requests).toHaveLength(2);
});

it('getNewsFeed returns the built-in news when no blog is configured', async () => {
  const { get } = testArchive();
  const xml = await (await get('/v2/getNewsFeed/')).text();
  expect(xml).toContain('<link>http://sun.test/</link>');
  expect(await titles(get)).toContain('What this service is');
});

const tooMuch: Responder = text(`<rss><channel><title>${'a'.repeat(NEWS.feedBytes)}</title></channel></rss>`);

it.each<[string, Responder]>([
  ['does not respond', noResponse],
  ['responds with 500', text('no', 500)],
  ['responds with HTML', text('<!doctype html><title>Moved</title><p>Here', 200, { 'Content-Type': 'text/html' })],
  ['exceeds the byte limit', tooMuch],
  ['sends an endless body', endlessResponse],
])('a blog replaces a blog that %s by its previous news, and requests it again a minute later', async (_name, responder) => {
  const { archive, logged, pass } = service();
  const { get } = archive();
  await titles(get);
  pass(31 * MINUTE_MS);
  upstream.responders.feed = responder;
  const stale = await get('/v2/getNewsFeed/');
  expect([stale.status, stale.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
  expect(await titles(get)).toEqual(BLOG);
  expect(logged).toHaveLength(1);
  const requestCount = upstream.requests.length;
  pass(MINUTE_MS);
  upstream.responders.feed = text(ATOM);
  expect((await titles(get))[0]).toBe('Notes &lt;of&gt; the Sun');
  expect(upstream.requests).toHaveLength(requestCount + 1);
});

it('a blog replaces a blog that never responded by the built-in news', async () => {
  upstream.responders.feed = text('no', 503);
  const { get } = service().archive();
  const response = await get('/v2/getNewsFeed/');
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, max-age=60']);
  expect(await response.text()).toContain('What this service is');
});
