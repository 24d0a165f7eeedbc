// Fuzzes the feed reader with damaged feeds and awkward markup: the output is well-formed RSS with plain text only.
import { XMLValidator } from 'fast-xml-parser';
import { UpstreamError } from '../../src/platform/http/bounded-fetch.ts';
import { FEED_BOUNDS, writeRss } from '../../src/sharing/news/news-feed.ts';
import { readFeed } from '../../src/sharing/news/news-service.ts';
import { ATOM, BILLION_LAUGHS, RSS } from '../support/sharing/feeds.ts';
import type { FuzzTarget } from './fuzzer.ts';
import { damagedOf, pick, type Random } from './mutate.ts';

const FRAGMENTS = [
  ...'< > </ <item> </item> <title> </title> <link>javascript:alert(1)</link> <description>&lt;script <__proto__>'.split(' '),
  ...'<![CDATA[ ]]> <!-- --> ?> & &amp; &#x ; "'.split(' '),
  ...['<title type="html">', '<!DOCTYPE a [', '<!ELEMENT a>', '<?a ', ' a="', '\0'],
];

const FOREIGN_ELEMENT = /<(?!\/?(?:\?xml|rss|channel|title|link|description|ttl|item|guid|pubDate)\b)/;

/** Time limit for one feed, which is read while a user waits. */
const TIME_LIMIT_MS = 2000;
const MAX_CHARACTERS = 200_000;

function check(document: string): void {
  try {
    const feed = readFeed(document, 'https://blog.example/feed');
    const xml = writeRss(feed);
    if (XMLValidator.validate(xml) !== true) throw new Error(`Expected well-formed RSS, got ${xml}`);
    if (FOREIGN_ELEMENT.test(xml)) throw new Error(`Expected RSS elements only, got ${xml}`);
    if (feed.items.length > FEED_BOUNDS.items)
      throw new Error(`Expected at most ${FEED_BOUNDS.items} items, got ${feed.items.length}.`);
    for (const { link } of [feed, ...feed.items])
      if (link !== null && !/^https?:\/\//.test(link)) throw new Error(`Expected a web address, got ${link}`);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
  }
}

export const feedTarget: FuzzTarget = () => {
  const bytes = new TextEncoder();
  const feeds = [RSS, ATOM, BILLION_LAUGHS].map((feed) => bytes.encode(feed));
  const fragment = (random: Random) => pick(random, FRAGMENTS);
  const repeated = (random: Random): string => {
    const some = Array.from({ length: 1 + Math.floor(random() * 4) }, () => fragment(random)).join('');
    const many = some.repeat(Math.floor((random() * MAX_CHARACTERS) / some.length));
    return `<rss><channel><title>a</title><item><title>${many}</title></item></channel></rss>`;
  };
  const inserted = (random: Random): string => {
    const feed = random() < 0.5 ? RSS : ATOM;
    const at = Math.floor(random() * feed.length);
    return feed.slice(0, at) + fragment(random) + fragment(random) + feed.slice(at + Math.floor(random() * 5));
  };
  return (random) => {
    const kind = random();
    const document =
      kind < 0.1 ? repeated(random) : kind < 0.5 ? inserted(random) : new TextDecoder().decode(damagedOf(random, feeds));
    const from = performance.now();
    check(document);
    const took = performance.now() - from;
    if (took > TIME_LIMIT_MS)
      throw new Error(`Expected a feed within ${TIME_LIMIT_MS} ms, got one after ${Math.round(took)} ms.`);
  };
};
