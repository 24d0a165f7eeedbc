// RSS 2.0 (rssboard.org), with nothing in it but text.
import { escapeXml } from '../../util/markup.ts';
import type { NewsFeed, NewsItem } from './feed.ts';

/** Minutes after which readers may come again. */
const TTL_MINUTES = 30;

const element = (name: string, text: string | null) => (text === null ? '' : `<${name}>${escapeXml(text)}</${name}>\n`);

function itemElement({ title, link, description, publishedAtMs }: NewsItem): string {
  const guid = link === null ? '' : `<guid isPermaLink="true">${escapeXml(link)}</guid>\n`;
  const date = publishedAtMs === null ? null : new Date(publishedAtMs).toUTCString();
  const content = [
    element('title', title),
    element('link', link),
    element('description', description === '' ? null : description),
    element('pubDate', date),
    guid,
  ];
  return `<item>\n${content.join('')}</item>\n`;
}

/** The document of a feed. */
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
