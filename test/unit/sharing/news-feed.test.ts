import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { UpstreamError } from '../../../src/platform/http/bounded-fetch.ts';
import { builtInFeed, FEED_BOUNDS, writeAtom, writeRss } from '../../../src/sharing/news/news-feed.ts';
import { oneLine, readFeed, textOfMarkup } from '../../../src/sharing/news/news-service.ts';
import { ATOM, BILLION_LAUGHS, RSS } from '../../support/sharing/feeds.ts';

const BASE = 'https://blog.example/feed';

const rssOf = (items: string) =>
  `<rss version="2.0"><channel><title>T</title><link>https://blog.example/</link><description>D</description>${items}</channel></rss>`;
const itemOf = (content: string) => readFeed(rssOf(`<item>${content}</item>`), BASE).items[0];

it('the RSS parser returns plain text, addresses and times', () => {
  expect(readFeed(RSS, BASE)).toEqual({
    title: 'Blog of the Sun',
    link: 'https://blog.example/',
    description: 'All about sunspots',
    items: [
      {
        title: 'A storm & its aurora',
        link: 'https://blog.example/storm?a=1&b=2',
        description: 'Kp was > 8. Seen at 40° north',
        publishedAtMs: Date.UTC(2024, 4, 10, 12, 30),
      },
      { title: 'Quiet', link: 'https://blog.example/quiet', description: '', publishedAtMs: null },
    ],
  });
});

it('the RSS parser uses the permanent guid of an item without a link', () => {
  expect(itemOf('<title>a</title><guid>https://blog.example/7</guid>')?.link).toBe('https://blog.example/7');
  expect(itemOf('<title>a</title><guid isPermaLink="false">https://blog.example/7</guid>')?.link).toBeNull();
});

it.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'https://a:b@blog.example/',
  'http://',
  `https://a.example/${'a'.repeat(2001)}`,
])('the RSS parser drops the link %s', (link) => {
  expect(itemOf(`<title>a</title><link>${link}</link>`)).toMatchObject({ title: 'a', link: null });
});

it('the RSS parser drops empty items, and those after the twentieth', () => {
  expect(itemOf('<link>https://blog.example/7</link><title> </title>')).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, i) => `<item><title>${i}</title></item>`).join('');
  expect(readFeed(rssOf(many), BASE).items.map(({ title }) => title)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
});

it('the RSS parser cuts long texts, and decodes entities inside CDATA once', () => {
  const item = itemOf(`<title>${'a'.repeat(5000)}</title><description>${'b '.repeat(100_000)}</description>`);
  expect([item?.title.length, item?.description.length]).toEqual([
    FEED_BOUNDS.titleCharacters,
    FEED_BOUNDS.descriptionCharacters,
  ]);
  expect(itemOf('<title><![CDATA[1 &lt; 2 &amp;amp; 3]]></title>')?.title).toBe('1 < 2 &amp; 3');
});

it('the Atom parser returns the same form as for RSS, each text by its type', () => {
  expect(readFeed(ATOM, 'https://blog.example/atom.xml')).toEqual({
    title: 'Notes <of> the Sun',
    link: 'https://blog.example/notes',
    description: 'daily',
    items: [
      {
        title: 'Prominence & loop',
        link: 'https://blog.example/prominence',
        description: 'It rose fast and fell.',
        publishedAtMs: Date.UTC(2024, 4, 9, 8),
      },
    ],
  });
});

it.each([
  ['an empty document', ''],
  ['plain text', 'Service unavailable'],
  ['a web page', '<!DOCTYPE html><html><head><title>Blog</title></head><body><p>Hello</body></html>'],
  ['JSON', '{"items":[]}'],
  ['a truncated feed', RSS.slice(0, 700)],
  ['a feed truncated within an element', RSS.slice(0, -6)],
  ['other XML', '<?xml version="1.0"?><opml><channel><title>a</title></channel></opml>'],
  ['a feed without a channel', '<rss version="2.0"/>'],
  ['a billion laughs', BILLION_LAUGHS],
  [
    'an external entity',
    '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel><title>&f;</title></channel></rss>',
  ],
  ['elements a thousand deep', rssOf(`<item>${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}</item>`)],
])('a document that is not a feed rejects a document that is not a feed: %s', (_name, document) => {
  expect(() => readFeed(document, BASE)).toThrow(
    /^The news feed (declares entities, which are not expanded|is incomplete|is nested too deeply|is neither RSS nor Atom)\.$/,
  );
});

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'a document that is not a feed cannot pollute prototypes through elements named %s',
  (name) => {
    const document = rssOf(`<item><${name}><polluted>1</polluted></${name}><title ${name}="1">a</title></item>`);
    try {
      expect(readFeed(document, BASE).items[0]?.title).toBe('a');
    } catch (error) {
      expect(error).toBeInstanceOf(UpstreamError);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect([typeof {}.toString, typeof {}.hasOwnProperty, {}.constructor]).toEqual(['function', 'function', Object]);
  },
);

it.each([
  ['<p>One</p><p>Two</p>', 'One Two'],
  ['a <b>b</b>c', 'a bc'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['x<script>alert("</p>")</script >y', 'xy'],
  ['x<STYLE>p{}</style>y', 'xy'],
  ['x<script>alert(1)', 'x'],
  ['x<!-- <b> -->y', 'xy'],
  ['x<!-- y', 'x'],
  ['x<a href="y', 'x'],
  ['<<b>script>alert(1)<</b>/script>', '<script>alert(1)</script>'],
])('plain text from markup converts %s to %s', (html, text) => {
  expect(oneLine(textOfMarkup(html), 100)).toBe(text);
});

it('plain text from markup decodes entities once, and contains no characters that XML excludes and no lone surrogates', () => {
  expect(textOfMarkup('&amp;lt; &#60; &#x3C; &hellip; &unknown; &;')).toBe('&lt; < < … &unknown; &;');
  expect(oneLine('a\u0000b\u000bc\ud800d\ufffee', 100)).toBe('abc\ufffdde');
  expect(oneLine(`${'a'.repeat(8)}😀b`, 10)).toBe(`${'a'.repeat(8)}…`);
});

const hostile = {
  title: '</title><script>alert(1)</script>',
  link: 'https://blog.example/?a="b"&c=\'d\'',
  description: ']]><img src=x onerror=alert(1)>&lt;',
  items: [{ title: '<b>', link: 'https://blog.example/?<>', description: '&amp;', publishedAtMs: Date.UTC(2024, 4, 10, 12) }],
};

it('the published feed publishes RSS 2.0 with escaped text only', () => {
  const xml = writeRss(hostile);
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml.match(/<(?!\/?(\?xml|rss|channel|title|link|description|ttl|item|guid|pubDate)\b)/g)).toBeNull();
  const { rss } = new XMLParser().parse(xml) as { rss: { channel: Record<string, unknown> } };
  expect(rss.channel).toMatchObject({ title: hostile.title, link: hostile.link, description: hostile.description });
  expect(rss.channel.item).toMatchObject({ title: '<b>', description: '&amp;', pubDate: 'Fri, 10 May 2024 12:00:00 GMT' });
});

it('the published feed publishes Atom with escaped text only', () => {
  const xml = writeAtom(hostile);
  expect(XMLValidator.validate(xml)).toBe(true);
  const tags = /<(?!\/?(\?xml|feed|title|subtitle|id|link|updated|author|name|entry|published|summary)\b)/g;
  expect(xml.match(tags)).toBeNull();
  const { feed } = new XMLParser({ ignoreAttributes: false }).parse(xml) as { feed: Record<string, unknown> };
  expect(feed).toMatchObject({ title: hostile.title, subtitle: hostile.description, id: hostile.link });
  expect(feed.entry).toMatchObject({
    title: '<b>',
    summary: '&amp;',
    link: { '@_href': 'https://blog.example/?<>' },
    published: '2024-05-10T12:00:00+00:00',
  });
});

it('the published feed gives entries that share an address different ids in Atom', () => {
  const item = { title: 'a', link: null, description: '', publishedAtMs: null };
  const xml = writeAtom({ title: 'T', link: 'https://blog.example/', description: 'D', items: [item, item] });
  const { feed } = new XMLParser().parse(xml) as { feed: { entry: { id: string }[] } };
  expect(feed.entry.map(({ id }) => id)).toEqual(['https://blog.example/', 'https://blog.example/#2']);
});

it('the published feed survives being written and parsed again', () => {
  const feed = readFeed(RSS, BASE);
  expect(readFeed(writeRss(feed), BASE)).toEqual(feed);
  const withLinks = { ...feed, items: feed.items.filter(({ link }) => link !== null) };
  expect(readFeed(writeAtom(withLinks), BASE).items.map(({ title }) => title)).toEqual(feed.items.map(({ title }) => title));
});

it('the published feed: the built-in feed describes the service, and is valid', () => {
  const feed = readFeed(writeRss(builtInFeed('https://sun.example')), BASE);
  expect(feed).toEqual(builtInFeed('https://sun.example'));
  expect(feed.items.map(({ description }) => description).join()).toContain('serves images of the Sun');
});
