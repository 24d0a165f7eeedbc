import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NEWS } from '../../../src/config/limits/sharing.ts';
import { NewsService } from '../../../src/services/sharing/news-feed.ts';
import { HttpNewsSource } from '../../../src/upstreams/news-feed.ts';
import { MINUTE_MS } from '../../../src/util/durations.ts';
import {
  type Answer,
  type EventUpstream,
  endless,
  halfAnAnswer,
  silence,
  startEventUpstream,
  text,
} from '../../support/events/event-upstream.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { ATOM, BILLION_LAUGHS, RSS } from '../../support/sharing/feeds.ts';
import { testArchive } from '../../support/test-archive.ts';

const START_MS = Date.UTC(2024, 4, 10, 12);

/** Objects that know when they were put there. */
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

let upstream: EventUpstream;
beforeEach(async () => {
  upstream = await startEventUpstream({ feed: text(RSS) });
});
afterEach(() => upstream.close());

function service() {
  let nowMs = START_MS;
  const clock = () => nowMs;
  const objects = new DatedObjects(clock);
  const logged: unknown[] = [];
  const news = () =>
    new NewsService({
      source: new HttpNewsSource(`${upstream.url}/feed`, 300),
      objects,
      clock,
      log: (record) => logged.push(record),
    });
  const archive = (kept = news()) => testArchive({ news: kept, objects });
  return { archive, news, logged, objects, pass: (ms: number) => (nowMs += ms) };
}

async function titles(get: (path: string) => Promise<Response>): Promise<string[]> {
  const xml = await (await get('/v2/getNewsFeed/')).text();
  return [...xml.matchAll(/<title>(.*?)<\/title>/g)].map(([, title]) => title!);
}

const BLOG = ['Blog of the Sun', 'A storm &amp; its aurora', 'Quiet'];

describe('getNewsFeed', () => {
  it('answers the news of the blog as RSS 2.0', async () => {
    const { get } = service().archive();
    const answer = await get('/v2/getNewsFeed/');
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/xml; charset=utf-8']);
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=1800');
    const xml = await answer.text();
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0">\n<channel>\n/);
    expect(xml).not.toMatch(/<script|alert|CDATA/);
    expect(await titles(get)).toEqual(BLOG);
  });

  it('answers an Atom blog as RSS too', async () => {
    upstream.answers.feed = text(ATOM);
    expect(await titles(service().archive().get)).toEqual(['Notes &lt;of&gt; the Sun', 'Prominence &amp; loop']);
  });

  it('reads what is compressed or in another encoding', async () => {
    const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>Soleil d\xe9t\xe9</title></channel></rss>';
    upstream.answers.feed = text(gzipSync(Buffer.from(latin, 'latin1')), 200, { 'Content-Encoding': 'gzip' });
    expect(await titles(service().archive().get)).toEqual(['Soleil dété']);
  });

  it('calls a function with the whole feed as one string', async () => {
    const { get } = service().archive();
    const xml = await (await get('/v2/getNewsFeed/')).text();
    const script = await (await get('/v2/getNewsFeed/?callback=news')).text();
    expect(script.startsWith('news("')).toBe(true);
    expect(JSON.parse(script.slice('news('.length, -1))).toBe(xml);
  });

  it('asks the blog once in half an hour', async () => {
    const { archive, pass } = service();
    const { get } = archive();
    await titles(get);
    pass(29 * MINUTE_MS);
    const late = await get('/v2/getNewsFeed/');
    expect([upstream.asked.length, late.headers.get('Cache-Control')]).toEqual([1, 'public, max-age=60']);
    pass(2 * MINUTE_MS);
    upstream.answers.feed = text(ATOM);
    expect((await titles(get))[0]).toBe('Notes &lt;of&gt; the Sun');
    expect(upstream.asked).toHaveLength(2);
  });

  it('answers those who come while the blog is asked with the last news', async () => {
    const { archive, pass } = service();
    const { get } = archive();
    await titles(get);
    pass(31 * MINUTE_MS);
    upstream.answers.feed = (url, response, request) => void setTimeout(() => text(ATOM)(url, response, request), 100);
    const first = titles(get);
    await expect.poll(() => upstream.asked.length).toBe(2);
    expect(await titles(get)).toEqual(BLOG);
    expect((await first)[0]).toBe('Notes &lt;of&gt; the Sun');
    expect(upstream.asked).toHaveLength(2);
  });

  it('finds in the archive what another isolate has read', async () => {
    const { archive } = service();
    const first = archive();
    await titles(first.get);
    await first.settle();
    expect(await titles(archive().get)).toEqual(BLOG);
    expect(upstream.asked).toHaveLength(1);
  });

  it('does not take the news of one blog for those of another', async () => {
    const { archive, objects } = service();
    const first = archive();
    await titles(first.get);
    await first.settle();
    expect([...objects.objects.keys()].filter((key) => key.startsWith('news/'))).toEqual([
      expect.stringMatching(/^news\/[0-9a-f]{16}\.xml$/),
    ]);
    const other = new NewsService({ source: new HttpNewsSource(`${upstream.url}/feed?other`), objects, clock: () => START_MS });
    await titles(archive(other).get);
    expect(upstream.asked).toHaveLength(2);
  });

  it('answers what the service itself has to say when no blog is configured', async () => {
    const { get } = testArchive();
    const xml = await (await get('/v2/getNewsFeed/')).text();
    expect(xml).toContain('<link>http://sun.test/</link>');
    expect(await titles(get)).toContain('What this service is');
  });
});

describe('a blog that', () => {
  const tooMuch: Answer = text(`<rss><channel><title>${'a'.repeat(NEWS.feedBytes)}</title></channel></rss>`);
  const bomb: Answer = text(gzipSync(Buffer.alloc(64 << 20, 32)), 200, { 'Content-Encoding': 'gzip' });
  const elsewhere: Answer = text('', 302, { Location: 'http://localhost:1/feed' });
  const circle: Answer = text('', 301, { Location: '/feed' });

  it.each<[string, Answer]>([
    ['is silent', silence],
    ['answers 500', text('no', 500)],
    ['answers 404', text('no', 404)],
    ['answers HTML', text('<!doctype html><title>Moved</title><p>Here', 200, { 'Content-Type': 'text/html' })],
    ['answers nothing', text('')],
    ['answers in part', halfAnAnswer],
    ['answers half of a feed', text(RSS.slice(0, 900))],
    ['answers too much', tooMuch],
    ['answers without end', endless],
    ['answers a bomb of blanks', bomb],
    ['answers a billion laughs', text(BILLION_LAUGHS)],
    ['sends us elsewhere', elsewhere],
    ['sends us in a circle', circle],
  ])('%s leaves the last news, and is asked again a minute later', async (_name, answer) => {
    const { archive, logged, pass } = service();
    const { get } = archive();
    await titles(get);
    pass(31 * MINUTE_MS);
    upstream.answers.feed = answer;
    const stale = await get('/v2/getNewsFeed/');
    expect([stale.status, stale.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
    expect(await titles(get)).toEqual(BLOG);
    expect(logged).toHaveLength(1);
    const asked = upstream.asked.length;
    pass(MINUTE_MS);
    upstream.answers.feed = text(ATOM);
    expect((await titles(get))[0]).toBe('Notes &lt;of&gt; the Sun');
    expect(upstream.asked).toHaveLength(asked + 1);
  });

  it('has never answered leaves the news of the service itself', async () => {
    upstream.answers.feed = text('no', 503);
    const { get } = service().archive();
    const answer = await get('/v2/getNewsFeed/');
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
    expect(await answer.text()).toContain('What this service is');
  });

  it('is gone leaves what another isolate has kept', async () => {
    const { archive, pass } = service();
    const first = archive();
    await titles(first.get);
    await first.settle();
    pass(24 * 60 * MINUTE_MS);
    upstream.answers.feed = text('no', 503);
    expect(await titles(archive().get)).toEqual(BLOG);
  });
});
