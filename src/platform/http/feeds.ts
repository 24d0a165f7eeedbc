// Feeds as Atom (RFC 4287) and as JSON Feed 1.1.
import { SERVICE_NAME } from '../util/identity.ts';
import { escapeXml } from '../util/markup.ts';
import { type BytesRepresentation, type RepresentationFacts, textReply } from './response.ts';

export const FEED_FORMATS = ['atom', 'json'] as const;
type FeedFormat = (typeof FEED_FORMATS)[number];

const TYPES: Readonly<Record<FeedFormat, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

export interface FeedEntry {
  /** An address that never means another entry. */
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly date: string;
  /** Its page. */
  readonly url: string;
  /** Its contents as text. */
  readonly text: string;
  /** Address of a picture, in place of the text where there is markup. */
  readonly preview?: string;
  readonly file?: { readonly url: string; readonly type: string; readonly bytes: number };
}

/** A feed in the terms of both formats. */
interface Feed {
  readonly title: string;
  readonly home: string;
  /** Its own address. */
  readonly self: string;
  /** ISO 8601. */
  readonly updated: string;
  /** The newest first. */
  readonly entries: readonly FeedEntry[];
}

function atom({ title, home, self, updated, entries }: Feed): string {
  const link = (rel: string, href: string, more = '') => `<link rel="${rel}" href="${escapeXml(href)}"${more}/>`;
  const content = ({ text, title: name, preview }: FeedEntry) =>
    preview === undefined
      ? `<content type="text">${escapeXml(text)}</content>`
      : `<content type="html">${escapeXml(`<p><img src="${escapeXml(preview)}" alt="${escapeXml(name)}"></p>`)}</content>`;
  const items = entries.map((entry) => {
    const { id, title: name, date, url, file } = entry;
    const enclosure = file && link('enclosure', file.url, ` type="${file.type}" length="${file.bytes}"`);
    return `<entry>
<title>${escapeXml(name)}</title>
<id>${escapeXml(id)}</id>
<updated>${date}</updated>
<published>${date}</published>
${link('alternate', url, ' type="text/html"')}
${enclosure === undefined ? '' : `${enclosure}\n`}${content(entry)}
</entry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeXml(title)}</title>
<id>${escapeXml(self)}</id>
<updated>${updated}</updated>
<author><name>${escapeXml(SERVICE_NAME)}</name></author>
${link('self', self, ' type="application/atom+xml"')}
${link('alternate', home, ' type="text/html"')}
${items.join('\n')}
</feed>
`;
}

function json({ title, home, self, entries }: Feed): string {
  const items = entries.map(({ id, url, title: name, text, preview, date, file }) => ({
    ...{ id, url, title: name, content_text: text },
    ...(preview === undefined ? {} : { image: preview }),
    date_published: date,
    ...(file ? { attachments: [{ url: file.url, mime_type: file.type, size_in_bytes: file.bytes }] } : {}),
  }));
  const authors = [{ name: SERVICE_NAME }];
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: home,
    feed_url: self,
    authors,
    items,
  });
}

const TEXTS: Readonly<Record<FeedFormat, (feed: Feed) => string>> = { atom, json };

export const feedReply = (format: FeedFormat, feed: Feed, facts: RepresentationFacts): Promise<BytesRepresentation> =>
  textReply(TYPES[format], TEXTS[format](feed), facts);
