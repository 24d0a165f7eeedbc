// Damaged feeds, and feeds of the pieces that parsers stumble over: what is given out is RSS in which everything is text.
import { XMLValidator } from 'fast-xml-parser';
import { FEED_BOUNDS, writeRss } from '../../src/domain/sharing/news-feed.ts';
import { UpstreamError } from '../../src/upstreams/http/bounded-fetch.ts';
import { readFeed } from '../../src/upstreams/news-xml.ts';
import { ATOM, BILLION_LAUGHS, RSS } from '../support/sharing/feeds.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { mutate } from './mutate.ts';

const PIECES = [
  '<',
  '>',
  '</',
  '<item>',
  '</item>',
  '<title>',
  '</title>',
  '<link>javascript:alert(1)</link>',
  '<title type="html">',
  '<description>&lt;script',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<!DOCTYPE a [',
  '<!ELEMENT a>',
  '<?a ',
  '?>',
  '&',
  '&amp;',
  '&#x',
  ';',
  ' a="',
  '"',
  '\0',
  '<__proto__>',
];

const ELEMENTS = /<(?!\/?(?:\?xml|rss|channel|title|link|description|ttl|item|guid|pubDate)\b)/;

/** Longest time for one feed, in milliseconds: it is read while a user waits. */
const LONGEST_MS = 2000;
const MOST_CHARACTERS = 200_000;

function check(document: string): void {
  try {
    const feed = readFeed(document, 'https://blog.example/feed');
    const xml = writeRss(feed);
    if (XMLValidator.validate(xml) !== true) throw new Error(`Expected well-formed RSS, got ${xml}`);
    if (ELEMENTS.test(xml)) throw new Error(`Expected no element but those of RSS, got ${xml}`);
    if (feed.items.length > FEED_BOUNDS.items) throw new Error(`${feed.items.length} items`);
    for (const { link } of [feed, ...feed.items])
      if (link !== null && !/^https?:\/\//.test(link)) throw new Error(`Expected a web address, got ${link}`);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
  }
}

export const feedTarget: FuzzTarget = () => {
  const bytes = new TextEncoder();
  const feeds = [RSS, ATOM, BILLION_LAUGHS].map((feed) => bytes.encode(feed));
  const piece = (random: () => number) => PIECES[Math.floor(random() * PIECES.length)]!;
  const pick = (random: () => number) => feeds[Math.floor(random() * feeds.length)]!;
  const repeated = (random: () => number): string => {
    const some = Array.from({ length: 1 + Math.floor(random() * 4) }, () => piece(random)).join('');
    const many = some.repeat(Math.floor((random() * MOST_CHARACTERS) / some.length));
    return `<rss><channel><title>a</title><item><title>${many}</title></item></channel></rss>`;
  };
  const inserted = (random: () => number): string => {
    const feed = random() < 0.5 ? RSS : ATOM;
    const at = Math.floor(random() * feed.length);
    return feed.slice(0, at) + piece(random) + piece(random) + feed.slice(at + Math.floor(random() * 5));
  };
  return (random) => {
    const kind = random();
    const document =
      kind < 0.1
        ? repeated(random)
        : kind < 0.5
          ? inserted(random)
          : new TextDecoder().decode(mutate(pick(random), pick(random), random));
    const from = performance.now();
    check(document);
    const took = performance.now() - from;
    if (took > LONGEST_MS) throw new Error(`Expected a feed within ${LONGEST_MS} ms, got it after ${Math.round(took)} ms.`);
  };
};
