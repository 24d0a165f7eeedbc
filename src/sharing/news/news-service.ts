// The news of a blog, cached for half an hour, and longer while the blog fails.
import { Parser } from 'htmlparser2';
import { newsFeedKey } from '../../archive/keys.ts';
import { boundedFetch, UpstreamError } from '../../platform/http/bounded-fetch.ts';
import { NEWS } from '../../platform/limits/sharing.ts';
import type { Clock, Log, WaitUntil } from '../../platform/ports/timing.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { jsonBytes } from '../../platform/util/bytes.ts';
import { Cooldown } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import { isPlainHttp } from '../../platform/util/url.ts';
import { linkKeys } from '../short-links.ts';
import { builtInFeed, FEED_BOUNDS, type NewsFeed, type NewsItem } from './news-feed.ts';

const NON_TEXT = /^(?:script|style|template|noscript|iframe)$/;
const BLOCK = /^(?:p|br|div|li|ul|ol|h\d|t[rdh]|blockquote|hr|img|figure)$/;
/** Characters that XML 1.0 excludes (section 2.2). */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** The text of markup, with its character references decoded once. */
export function textOfMarkup(html: string): string {
  const parts: string[] = [];
  let hiddenBy: string | null = null;
  const add = (text: string) => hiddenBy === null && parts.push(text);
  const addSpace = (name: string) => BLOCK.test(name) && add(' ');
  const parser = new Parser({
    onopentagname(name) {
      addSpace(name);
      if (NON_TEXT.test(name)) hiddenBy ??= name;
    },
    ontext: add,
    onclosetag(name) {
      if (name === hiddenBy) hiddenBy = null;
      addSpace(name);
    },
  });
  parser.end(html);
  return parts.join('');
}

/** Collapses white space, removes characters that XML excludes, and cuts the line to `maxCharacters`. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.toWellFormed().replace(NOT_XML, '').replace(/\s+/g, ' ').trim();
  if (line.length <= maxCharacters) return line;
  const cut = line.slice(0, maxCharacters - 1).toWellFormed();
  return `${cut.replace(/\ufffd$/, '')}…`;
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Elements and texts. */
  readonly children: (Element | string)[];
}

const elementsIn = ({ children }: Element) => children.filter((child) => typeof child !== 'string');
const named = (element: Element, name: string) => elementsIn(element).filter((child) => child.name === name);

/** The deepest element of a feed. */
const MOST_DEEP = 60;

const refused = (what: string) => new UpstreamError(`The news feed ${what}.`, { isTransient: false });

/** An element around those of a document. Character references are decoded once, except in CDATA sections. @throws UpstreamError */
function documentOf(xml: string): Element {
  const document: Element = { name: '', attributes: {}, children: [] };
  const open = [document];
  let [isWhole, isCdata] = [true, false];
  const handler = {
    onopentag(name: string, attributes: Element['attributes']) {
      const element = { name, attributes, children: [] };
      open.at(-1)!.children.push(element);
      if (open.push(element) > MOST_DEEP) throw refused('is nested too deeply');
    },
    ontext(text: string) {
      open.at(-1)!.children.push(isCdata ? text : textOfMarkup(text.slice(0, FEED_BOUNDS.markupCharacters)));
    },
    oncdatastart() {
      isCdata = true;
    },
    oncdataend() {
      isCdata = false;
    },
    onclosetag(_: string, isImplied: boolean) {
      open.pop();
      // An element without content is closed so, too.
      isWhole &&= !isImplied || open.length > 1;
    },
  };
  new Parser(handler, { xmlMode: true, decodeEntities: false }).end(xml);
  if (!isWhole) throw refused('is incomplete');
  return document;
}

function textContent({ children }: Element): string {
  const parts = children.map((child) => (typeof child === 'string' ? child : ` ${textContent(child)} `));
  return parts.join('').slice(0, FEED_BOUNDS.markupCharacters);
}

/** Text of an element in one line. `html`: the text itself is markup, as in RSS. */
function lineOf(element: Element | undefined, html: boolean, maxCharacters: number): string {
  if (!element) return '';
  const text = textContent(element);
  return oneLine(html ? textOfMarkup(text) : text, maxCharacters);
}

/** The address as an absolute http URL without credentials, or null. */
function httpAddress(text: string, base: string): string | null {
  if (text.trim() === '') return null;
  const url = URL.parse(text.trim(), base);
  return url && isPlainHttp(url) && url.href.length <= FEED_BOUNDS.linkCharacters ? url.href : null;
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
    link: links.map((link) => httpAddress(lineOf(link, false, 4_000), base)).find((found) => found !== null) ?? null,
    description: lineOf(first(item, 'description', 'content:encoded'), true, FEED_BOUNDS.descriptionCharacters),
    publishedAtMs: timeOf(first(item, 'pubDate', 'dc:date')),
  };
}

/** Text construct (RFC 4287, section 3.1): `html` is escaped markup, `xhtml` is child elements, other types are plain text. */
const atomLine = (element: Element | undefined, maxCharacters: number): string =>
  lineOf(element, /^(text\/)?html$/.test(element?.attributes.type ?? ''), maxCharacters);

/** The first link with the relation `alternate`, which is the default (RFC 4287, section 4.2.7.2). */
function atomLink(element: Element, base: string): string | null {
  const links = named(element, 'link').filter(({ attributes }) => (attributes.rel ?? 'alternate') === 'alternate');
  return (
    links.map(({ attributes }) => httpAddress(textOfMarkup(attributes.href ?? ''), base)).find((found) => found !== null) ?? null
  );
}

const atomItem = (entry: Element, base: string): NewsItem => ({
  title: atomLine(first(entry, 'title'), FEED_BOUNDS.titleCharacters),
  link: atomLink(entry, base),
  description: atomLine(first(entry, 'summary', 'content'), FEED_BOUNDS.descriptionCharacters),
  publishedAtMs: timeOf(first(entry, 'published', 'updated')),
});

function feedOf(root: Element, base: string): NewsFeed | null {
  const home = new URL('/', base).href;
  const itemsOf = (element: Element, name: string, read: (item: Element, base: string) => NewsItem) =>
    named(element, name)
      .slice(0, FEED_BOUNDS.items)
      .map((item) => read(item, base))
      .filter(({ title, description }) => title !== '' || description !== '');
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
 * Parses an RSS or Atom feed.
 * @param base Address of the feed, against which its links are resolved
 * @throws UpstreamError for other documents, truncated ones, and ones that declare entities
 */
export function readFeed(xml: string, base: string): NewsFeed {
  if (/<!ENTITY/i.test(xml)) throw refused('declares entities, which are not expanded');
  const feed = elementsIn(documentOf(xml))
    .map((root) => feedOf(root, base))
    .find((found) => found !== null);
  if (!feed) throw refused('is neither RSS nor Atom');
  return feed;
}

const DECLARED_ENCODING = /^\s*<\?xml[^>]{0,100}encoding=["']([\w-]{1,40})["']/;
/** Bytes that are searched for the XML declaration. */
const DECLARATION_BYTES = 200;

/** Decodes a document by its declared encoding, or as UTF-8 without a known one. */
function decoded(bytes: Uint8Array): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  try {
    return new TextDecoder(DECLARED_ENCODING.exec(start)?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

export const newsSource = (address: string, fetchMs: number = NEWS.fetchMs) => ({
  address,
  /** @throws UpstreamError for no feed within the timeout, or one over the byte limit */
  async load(): Promise<NewsFeed> {
    const bytes = await boundedFetch(new URL(address), {
      signal: AbortSignal.timeout(fetchMs),
      maxBytes: NEWS.feedBytes,
      redirects: NEWS.redirects,
      accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1',
    });
    return readFeed(decoded(bytes), address);
  },
});

/** A blog with news; `address` identifies it. */
type NewsSource = ReturnType<typeof newsSource>;

type CachedNews = { readonly feed: NewsFeed; readonly loadedAtMs: number };

const JSON_TYPE = 'application/json; charset=utf-8';

export class NewsService extends Service<{
  /** Null when no blog is configured. */
  readonly source: NewsSource | null;
  readonly objects: Pick<ObjectStore, 'stream' | 'put'>;
  readonly clock: Clock;
  /** Receives one record per failure of the blog, and of the archive. */
  readonly log?: Log;
}> {
  #cached: CachedNews | null = null;
  /** Active after a failure of the blog, and while another request loads it. */
  readonly #cooldown = new Cooldown(this.ports);

  /**
   * The news of the blog; while it fails, its previous ones; without any, the built-in ones. `maxAgeMs`: time left for which clients may cache them.
   * @param origin Origin of the service
   */
  async news(origin: string, waitUntil: WaitUntil) {
    const { source, clock } = this.ports;
    if (!source) return { feed: builtInFeed(origin), maxAgeMs: NEWS.ttlMs };
    const news = (await this.#fresh(source)) ?? (await this.#load(source, waitUntil)) ?? this.#cached;
    const leftMs = news ? news.loadedAtMs + NEWS.ttlMs - clock() : 0;
    return { feed: news?.feed ?? builtInFeed(origin), maxAgeMs: Math.max(NEWS.cooldownMs, leftMs) };
  }

  /** News cached here or in the archive that are still fresh. */
  async #fresh(source: NewsSource): Promise<CachedNews | null> {
    if (!this.#isFresh()) this.#cached = newer(this.#cached, await this.#archived(source).catch(this.#failed));
    return this.#isFresh() ? this.#cached : null;
  }

  #isFresh(): boolean {
    return this.#cached !== null && this.ports.clock() - this.#cached.loadedAtMs < NEWS.ttlMs;
  }

  async #archived({ address }: NewsSource): Promise<CachedNews | null> {
    const found = await this.ports.objects.stream(await keyOf(address));
    return found && { feed: await new Response(found.body).json<NewsFeed>(), loadedAtMs: found.uploadedAtMs };
  }

  /** Null when the blog fails or is in its cool-down. */
  async #load(source: NewsSource, waitUntil: WaitUntil): Promise<CachedNews | null> {
    if (this.#cooldown.isActive) return null;
    // Concurrent requests get the previous news, if there are any.
    if (this.#cached) this.#cooldown.start(NEWS.fetchMs);
    try {
      const feed = await source.load();
      this.#cached = { feed, loadedAtMs: this.ports.clock() };
      this.#cooldown.end();
      const key = await keyOf(source.address);
      waitUntil(this.ports.objects.put(key, jsonBytes(feed), JSON_TYPE));
      return this.#cached;
    } catch (error) {
      this.#cooldown.start(NEWS.cooldownMs);
      return this.#failed(error);
    }
  }

  readonly #failed = (error: unknown): null => {
    this.ports.log?.({ newsFeed: error instanceof Error ? error.message : String(error) });
    return null;
  };
}

const newer = (a: CachedNews | null, b: CachedNews | null): CachedNews | null =>
  a && b ? (a.loadedAtMs >= b.loadedAtMs ? a : b) : (a ?? b);

const keyOf = async (address: string): Promise<string> => newsFeedKey((await linkKeys(address))[0]!);
