// Feeds of blogs, RSS 2.0 or Atom (RFC 4287), read as text and addresses alone.
import { XMLParser } from 'fast-xml-parser';
import { FEED_BOUNDS, type NewsFeed, type NewsItem } from '../domain/news/feed.ts';
import { oneLine, withoutEntities, withoutMarkup } from '../domain/news/plain-text.ts';
import { UpstreamError } from './http/upstream-error.ts';

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';

/** Entities stay as they stand, so that none is ever expanded; what they mean is looked up once in each text. */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  cdataPropName: CDATA,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 60,
});

/** A node as the parser gives it: one element or text, and its attributes beside it. */
type Node = Readonly<Record<string, unknown>>;

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: readonly Node[];
}

function asElement(node: Node): Element | null {
  const name = Object.keys(node).find((key) => key !== ATTRIBUTES && key !== TEXT && key !== CDATA);
  const children = name === undefined ? null : node[name];
  if (name === undefined || !Array.isArray(children)) return null;
  return { name, attributes: (node[ATTRIBUTES] ?? {}) as Record<string, unknown>, children };
}

const childrenOf = (nodes: readonly Node[]) => nodes.map(asElement).filter((element) => element !== null);
const named = ({ children }: Element, name: string) => childrenOf(children).filter((element) => element.name === name);

/** Text below an element, markup of its own left out. Entities are characters then, but for those of CDATA sections. */
function textBelow(nodes: readonly Node[]): string {
  const parts = nodes.map((node): string => {
    if (typeof node[TEXT] === 'string') return withoutEntities(node[TEXT].slice(0, FEED_BOUNDS.markupCharacters));
    if (Array.isArray(node[CDATA])) return rawText(node[CDATA]);
    const element = asElement(node);
    return element ? ` ${textBelow(element.children)} ` : '';
  });
  return parts.join('').slice(0, FEED_BOUNDS.markupCharacters);
}

function rawText(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node[TEXT] === 'string' ? node[TEXT] : '')).join('');
}

/** `html`: whether the text is markup itself, as in RSS. */
function lineOf(element: Element | undefined, html: boolean, maxCharacters: number): string {
  if (!element) return '';
  const text = textBelow(element.children);
  return oneLine(html ? withoutEntities(withoutMarkup(text)) : text, maxCharacters);
}

/** An address that a link may have, or null. */
function addressOf(text: unknown, base: string): string | null {
  if (typeof text !== 'string' || text.trim() === '') return null;
  const url = URL.parse(text.trim(), base);
  const isGood = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isGood && url.href.length <= FEED_BOUNDS.linkCharacters ? url.href : null;
}

const EARLIEST_MS = Date.UTC(1970, 0, 2);
const LATEST_MS = Date.UTC(2200, 0, 1);

function timeOf(element: Element | undefined): number | null {
  const ms = Date.parse(lineOf(element, false, 60));
  return ms >= EARLIEST_MS && ms <= LATEST_MS ? ms : null;
}

const first = (element: Element, ...names: readonly string[]) =>
  names.map((name) => named(element, name)[0]).find((found) => found !== undefined);

function rssItem(item: Element, base: string): NewsItem {
  const permanent = named(item, 'guid').find(({ attributes }) => attributes.isPermaLink !== 'false');
  const links = [...named(item, 'link'), ...(permanent ? [permanent] : [])];
  return {
    title: lineOf(first(item, 'title'), true, FEED_BOUNDS.titleCharacters),
    link: links.map((link) => addressOf(lineOf(link, false, 4_000), base)).find((found) => found !== null) ?? null,
    description: lineOf(first(item, 'description', 'content:encoded'), true, FEED_BOUNDS.descriptionCharacters),
    publishedAtMs: timeOf(first(item, 'pubDate', 'dc:date')),
  };
}

/** RFC 4287, section 3.1: html is markup as text, xhtml is elements, anything else is text. */
function atomLine(element: Element | undefined, maxCharacters: number): string {
  return lineOf(element, /^(text\/)?html$/.test(String(element?.attributes.type ?? '')), maxCharacters);
}

/** The address of an element's page: its first link that has no other meaning (section 4.2.7.2). */
function atomLink(element: Element, base: string): string | null {
  const links = named(element, 'link').filter(({ attributes }) => (attributes.rel ?? 'alternate') === 'alternate');
  return (
    links.map(({ attributes }) => addressOf(decodedAttribute(attributes.href), base)).find((found) => found !== null) ?? null
  );
}

const decodedAttribute = (value: unknown) => (typeof value === 'string' ? withoutEntities(value) : undefined);

function atomItem(entry: Element, base: string): NewsItem {
  return {
    title: atomLine(first(entry, 'title'), FEED_BOUNDS.titleCharacters),
    link: atomLink(entry, base),
    description: atomLine(first(entry, 'summary', 'content'), FEED_BOUNDS.descriptionCharacters),
    publishedAtMs: timeOf(first(entry, 'published', 'updated')),
  };
}

const isNews = ({ title, description }: NewsItem) => title !== '' || description !== '';

function feedOf(root: Element, base: string): NewsFeed | null {
  const home = new URL('/', base).href;
  const itemsOf = (element: Element, name: string, read: (item: Element, base: string) => NewsItem) =>
    named(element, name)
      .slice(0, FEED_BOUNDS.items)
      .map((item) => read(item, base))
      .filter(isNews);
  if (root.name === 'feed') {
    const title = atomLine(first(root, 'title'), FEED_BOUNDS.titleCharacters);
    const description = atomLine(first(root, 'subtitle'), FEED_BOUNDS.descriptionCharacters) || title;
    return { title, description, link: atomLink(root, base) ?? home, items: itemsOf(root, 'entry', atomItem) };
  }
  const channel = root.name === 'rss' ? first(root, 'channel') : undefined;
  if (!channel) return null;
  const { link, title, description } = rssItem(channel, base);
  return { title, description: description || title, link: link ?? home, items: itemsOf(channel, 'item', rssItem) };
}

/**
 * `base`: the address of the feed, to which its links may be relative.
 * @throws UpstreamError for what is no such feed: HTML, half a document, one with entities of its own
 */
export function readFeed(xml: string, base: string): NewsFeed {
  const refused = (got: string) => new UpstreamError(`Expected an RSS or Atom feed, got ${got}.`, { mayPass: false });
  if (/<!ENTITY/i.test(xml)) throw refused('one with entities of its own');
  let nodes: readonly Node[];
  try {
    nodes = parser.parse(xml, true) as readonly Node[];
  } catch {
    throw refused('no whole document');
  }
  const feed = childrenOf(nodes)
    .map((root) => feedOf(root, base))
    .find((found) => found !== null);
  if (!feed) throw refused('another document');
  return feed;
}
