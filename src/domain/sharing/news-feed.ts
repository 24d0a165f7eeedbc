// News feeds: plain text and safe addresses, independent of the source format, and their form as RSS 2.0 (rssboard.org).
import { escapeXml } from '../../util/markup.ts';

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

/** Limits of a feed that is read. */
export const FEED_BOUNDS = {
  /** Items; clients show three. */
  items: 20,
  titleCharacters: 300,
  descriptionCharacters: 2_000,
  linkCharacters: 2_000,
  /** Characters of a text before its markup is removed; some feeds contain whole articles. */
  markupCharacters: 50_000,
} as const;

/** News for a service without a blog of its own, whose origin is `origin`. */
export function builtInFeed(origin: string): NewsFeed {
  return {
    title: 'helioedge',
    link: `${origin}/`,
    description: 'News of this solar imagery service.',
    items: [
      {
        title: 'Events of the Sun on pictures and movies',
        link: `${origin}/v2/openapi.json`,
        description:
          'Active regions, flares, coronal holes and mass ejections can be marked on screenshots and movies: choose them with the parameter events, and label them with eventLabels.',
        publishedAtMs: null,
      },
      {
        title: 'What this service is',
        link: `${origin}/`,
        description:
          'helioedge serves images of the Sun and its surroundings from space and ground observatories: as tiles, pictures, JPEG 2000 files and movies, through the interface that Helioviewer clients speak. Its operator can show the news of a blog here with the setting NEWS_FEED_URL.',
        publishedAtMs: null,
      },
    ],
  };
}

/** Refresh interval that the feed recommends to its readers. */
const TTL_MINUTES = 30;

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
    element('ttl', String(TTL_MINUTES)),
  ];
  const channel = `<channel>\n${head.join('')}${items.map(itemElement).join('')}</channel>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n${channel}</rss>\n`;
}
