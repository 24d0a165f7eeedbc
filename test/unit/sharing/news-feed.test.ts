import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { FEED_BOUNDS } from '../../../src/domain/news/feed.ts';
import { ownFeed } from '../../../src/domain/news/own-feed.ts';
import { oneLine, withoutEntities, withoutMarkup } from '../../../src/domain/news/plain-text.ts';
import { writeRss } from '../../../src/domain/news/write-rss.ts';
import { UpstreamError } from '../../../src/upstreams/http/upstream-error.ts';
import { readFeed } from '../../../src/upstreams/news-xml.ts';
import { ATOM, BILLION_LAUGHS, RSS } from '../../support/sharing/feeds.ts';

const BASE = 'https://blog.example/feed';

const rssOf = (items: string) =>
  `<rss version="2.0"><channel><title>T</title><link>https://blog.example/</link><description>D</description>${items}</channel></rss>`;
const itemOf = (content: string) => readFeed(rssOf(`<item>${content}</item>`), BASE).items[0];

describe('an RSS feed', () => {
  it('is read as text, addresses and times', () => {
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

  it('has the permanent guid of an item where it has no link', () => {
    expect(itemOf('<title>a</title><guid>https://blog.example/7</guid>')?.link).toBe('https://blog.example/7');
    expect(itemOf('<title>a</title><guid isPermaLink="false">https://blog.example/7</guid>')?.link).toBeNull();
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://a:b@blog.example/',
    'http://',
    `https://a.example/${'a'.repeat(2001)}`,
  ])('loses the link %s', (link) => {
    expect(itemOf(`<title>a</title><link>${link}</link>`)).toMatchObject({ title: 'a', link: null });
  });

  it('loses items that say nothing, and those behind the twentieth', () => {
    expect(itemOf('<link>https://blog.example/7</link><title> </title>')).toBeUndefined();
    const many = Array.from({ length: 100 }, (_, i) => `<item><title>${i}</title></item>`).join('');
    expect(readFeed(rssOf(many), BASE).items.map(({ title }) => title)).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
  });

  it('is cut where texts are long', () => {
    const item = itemOf(`<title>${'a'.repeat(5000)}</title><description>${'b '.repeat(100_000)}</description>`);
    expect([item?.title.length, item?.description.length]).toEqual([
      FEED_BOUNDS.titleCharacters,
      FEED_BOUNDS.descriptionCharacters,
    ]);
  });

  it('means by escaped markup inside CDATA the signs themselves', () => {
    expect(itemOf('<title><![CDATA[1 &lt; 2 &amp;amp; 3]]></title>')?.title).toBe('1 < 2 &amp; 3');
  });
});

describe('an Atom feed', () => {
  it('is read as one of RSS is, each text by its type', () => {
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
});

describe('what is no feed', () => {
  it.each([
    ['nothing', ''],
    ['text', 'Service unavailable'],
    ['a web page', '<!DOCTYPE html><html><head><title>Blog</title></head><body><p>Hello</body></html>'],
    ['JSON', '{"items":[]}'],
    ['half of a feed', RSS.slice(0, 700)],
    ['a feed that ends in an element', RSS.slice(0, -6)],
    ['other XML', '<?xml version="1.0"?><opml><channel><title>a</title></channel></opml>'],
    ['a feed without a channel', '<rss version="2.0"/>'],
    ['a billion laughs', BILLION_LAUGHS],
    [
      'an entity of a file',
      '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss><channel><title>&f;</title></channel></rss>',
    ],
    ['elements a thousand deep', rssOf(`<item>${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}</item>`)],
  ])('is refused: %s', (_name, document) => {
    expect(() => readFeed(document, BASE)).toThrow(/^Expected an RSS or Atom feed, got .+\.$/);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'has no power over our objects by elements named %s',
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
});

describe('text out of markup', () => {
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
  ])('of %s is %s', (html, text) => {
    expect(oneLine(withoutMarkup(html), 100)).toBe(text);
  });

  it('knows entities once', () => {
    expect(withoutEntities('&amp;lt; &#60; &#x3C; &hellip; &unknown; &#9999999; &;')).toBe('&lt; < < … &unknown; &#9999999; &;');
  });

  it('has no characters that XML does not have, and no halves of pairs', () => {
    expect(oneLine('a\u0000b\u000bc\ud800d\ufffee', 100)).toBe('abc\ufffdde');
    expect(oneLine(`${'a'.repeat(8)}😀b`, 10)).toBe(`${'a'.repeat(8)}…`);
  });
});

describe('the feed that is given out', () => {
  const hostile = {
    title: '</title><script>alert(1)</script>',
    link: 'https://blog.example/?a="b"&c=\'d\'',
    description: ']]><img src=x onerror=alert(1)>&lt;',
    items: [{ title: '<b>', link: 'https://blog.example/?<>', description: '&amp;', publishedAtMs: Date.UTC(2024, 4, 10, 12) }],
  };

  it('is RSS 2.0 in which everything is text', () => {
    const xml = writeRss(hostile);
    expect(XMLValidator.validate(xml)).toBe(true);
    expect(xml.match(/<(?!\/?(\?xml|rss|channel|title|link|description|ttl|item|guid|pubDate)\b)/g)).toBeNull();
    const { rss } = new XMLParser().parse(xml) as { rss: { channel: Record<string, unknown> } };
    expect(rss.channel).toMatchObject({ title: hostile.title, link: hostile.link, description: hostile.description });
    expect(rss.channel.item).toMatchObject({ title: '<b>', description: '&amp;', pubDate: 'Fri, 10 May 2024 12:00:00 GMT' });
  });

  it('comes out as it went in, read and written again', () => {
    const feed = readFeed(RSS, BASE);
    expect(readFeed(writeRss(feed), BASE)).toEqual(feed);
  });

  it('of the service itself says what it is, and is a feed too', () => {
    const feed = readFeed(writeRss(ownFeed('https://sun.example')), BASE);
    expect(feed).toEqual(ownFeed('https://sun.example'));
    expect(feed.items.map(({ description }) => description).join()).toContain('serves images of the Sun');
  });
});
