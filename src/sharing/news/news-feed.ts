// News feeds, plain text and safe addresses, and their forms as RSS 2.0 (rssboard.org) and Atom (RFC 4287).
import { NEWS } from '../../platform/limits/sharing.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { SERVICE_NAME } from '../../platform/util/identity.ts';
import { escapeXml } from '../../platform/util/markup.ts';
import { formatIso } from '../../sun/time.ts';

export interface NewsItem {
  readonly title: string;
  readonly link: string | null;
  readonly description: string;
  readonly publishedAtMs: number | null;
}

export interface NewsFeed {
  readonly title: string;
  readonly link: string;
  readonly description: string;
  /** In the order of the source, by convention newest first. */
  readonly items: readonly NewsItem[];
}

export const FEED_BOUNDS = {
  /** Items; clients show three. */
  items: 20,
  titleCharacters: 300,
  descriptionCharacters: 2_000,
  linkCharacters: 2_000,
  /** Characters of a text before its markup is removed; some feeds contain whole articles. */
  markupCharacters: 50_000,
} as const;

/** Day of the built-in news, because the web client reads a date in every entry. */
const BUILT_IN_AT_MS = Date.UTC(2026, 10, 21);

/** News for a service without a blog of its own, whose origin is `origin`. */
export function builtInFeed(origin: string): NewsFeed {
  return {
    title: SERVICE_NAME,
    link: `${origin}/`,
    description: 'News of this solar imagery service.',
    items: [
      {
        title: 'Events of the Sun on pictures and movies',
        link: `${origin}/v2/openapi.json`,
        description:
          'Active regions, flares, coronal holes and mass ejections can be marked on screenshots and movies: choose them with the parameter events, and label them with eventLabels.',
        publishedAtMs: BUILT_IN_AT_MS,
      },
      {
        title: 'What this service is',
        link: `${origin}/`,
        description: `${SERVICE_NAME} serves images of the Sun and its surroundings from space and ground observatories: as tiles, pictures, JPEG 2000 files and movies, through the interface that Helioviewer clients speak. Its operator can show the news of a blog here with the setting NEWS_FEED_URL.`,
        publishedAtMs: BUILT_IN_AT_MS,
      },
    ],
  };
}

const element = (name: string, text: string | null) => (text === null ? '' : `<${name}>${escapeXml(text)}</${name}>\n`);

function itemElement({ title, link, description, publishedAtMs }: NewsItem): string {
  const content = [
    element('title', title),
    element('link', link),
    element('description', description === '' ? null : description),
    element('pubDate', publishedAtMs === null ? null : new Date(publishedAtMs).toUTCString()),
    link === null ? '' : `<guid isPermaLink="true">${escapeXml(link)}</guid>\n`,
  ];
  return `<item>\n${content.join('')}</item>\n`;
}

/** The feed as an RSS 2.0 document. All text is escaped. */
export function writeRss({ title, link, description, items }: NewsFeed): string {
  const head = [
    element('title', title),
    element('link', link),
    element('description', description),
    element('ttl', String(NEWS.ttlMs / MINUTE_MS)),
  ];
  const channel = `<channel>\n${head.join('')}${items.map(itemElement).join('')}</channel>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n${channel}</rss>\n`;
}

/** A time as the web client reads it: it cuts the text at `+` and cannot read a `Z`. */
const atomTime = (ms: number) => `${formatIso(ms).slice(0, -1)}+00:00`;

function entryElement(item: NewsItem, i: number, { link, items }: NewsFeed): string {
  const address = item.link ?? link;
  const isFirstUse = items.findIndex((other) => (other.link ?? link) === address) === i;
  const content = [
    element('title', item.title),
    element('id', isFirstUse ? address : `${address}#${i + 1}`),
    `<link href="${escapeXml(address)}"/>\n`,
    element('updated', atomTime(item.publishedAtMs ?? newestOf(items))),
    element('published', item.publishedAtMs === null ? null : atomTime(item.publishedAtMs)),
    element('summary', item.description),
  ];
  return `<entry>\n${content.join('')}</entry>\n`;
}

/** Time of the newest item, 1970 for undated ones. */
const newestOf = (items: readonly NewsItem[]) => Math.max(0, ...items.map(({ publishedAtMs }) => publishedAtMs ?? 0));

/** The feed as an Atom document. All text is escaped; ids are unique within it. */
export function writeAtom(feed: NewsFeed): string {
  const { title, link, description, items } = feed;
  const head = [
    element('title', title),
    element('subtitle', description),
    element('id', link),
    `<link href="${escapeXml(link)}"/>\n`,
    element('updated', atomTime(newestOf(items))),
    `<author>\n${element('name', title)}</author>\n`,
  ];
  const entries = items.map((item, i) => entryElement(item, i, feed));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n${head.join('')}${entries.join('')}</feed>\n`;
}
