// The newest images of a datasource as Atom (RFC 4287) and as JSON Feed 1.1.
import { SERVICE_NAME } from '../../config/identity.ts';
import { LISTS } from '../../config/limits/images.ts';
import { imageTags } from '../../domain/archive/keys.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { formatDateTime, formatExact } from '../../domain/time.ts';
import { RECENT } from '../../http/cache-policy.ts';
import { choice } from '../../http/parameters.ts';
import { textReply } from '../../http/response.ts';
import type { ListedImage } from '../../ports/images.ts';
import { noImages } from '../../services/images/find-image.ts';
import { listedAddresses, viewAddress } from '../../services/images/image-addresses.ts';
import { escapeXml } from '../../util/markup.ts';
import { namingHost, resource, serviceOrigin } from '../services.ts';
import { singleSource, sourceId } from './source-parameters.ts';

/** A feed in the terms of both formats. */
interface ImageFeed {
  readonly title: string;
  readonly home: string;
  /** Its own address. */
  readonly self: string;
  readonly name: string;
  readonly origin: string;
  readonly images: readonly ListedImage[];
}

const FORMATS = ['atom', 'json'] as const;
type Format = (typeof FORMATS)[number];

const TYPES: Readonly<Record<Format, string>> = {
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

/** An image as both formats show it. Its id is the address of its file by id, which never means another image. */
function entry(image: ListedImage, { name, origin }: ImageFeed) {
  const { id, sourceId, takenAtMs, byteLength } = image;
  return {
    id: `${origin}/v2/getJP2Image/?id=${id}`,
    title: `${name} ${formatDateTime(takenAtMs)} UTC`,
    date: formatExact(takenAtMs),
    url: viewAddress(origin, sourceId, takenAtMs),
    bytes: byteLength,
    ...listedAddresses(image, origin),
  };
}

function atom(feed: ImageFeed): string {
  const { title, home, self, images } = feed;
  const link = (rel: string, href: string, more = '') => `<link rel="${rel}" href="${escapeXml(href)}"${more}/>`;
  const entries = images.map((image) => {
    const { id, title: name, date, url, bytes, jp2, preview } = entry(image, feed);
    return `<entry>
<title>${escapeXml(name)}</title>
<id>${escapeXml(id)}</id>
<updated>${date}</updated>
<published>${date}</published>
${link('alternate', url, ' type="text/html"')}
${link('enclosure', jp2, ` type="image/jp2" length="${bytes}"`)}
<content type="html">${escapeXml(`<p><img src="${escapeXml(preview)}" alt="${escapeXml(name)}"></p>`)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${escapeXml(title)}</title>
<id>${escapeXml(self)}</id>
<updated>${formatExact(images[0]!.takenAtMs)}</updated>
<author><name>${escapeXml(SERVICE_NAME)}</name></author>
${link('self', self, ' type="application/atom+xml"')}
${link('alternate', home, ' type="text/html"')}
${entries.join('\n')}
</feed>
`;
}

function json(feed: ImageFeed): string {
  const { title, home, self, images } = feed;
  const items = images.map((image) => {
    const { id, title: name, date, url, bytes, jp2, preview } = entry(image, feed);
    const attachments = [{ url: jp2, mime_type: 'image/jp2', size_in_bytes: bytes }];
    return { id, url, title: name, content_text: name, image: preview, date_published: date, attachments };
  });
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

const TEXTS: Readonly<Record<Format, (feed: ImageFeed) => string>> = { atom, json };

export const imageFeed = resource({
  name: 'feed',
  path: /^\/feeds\/(?<sourceId>[^/.]+)\.(?<format>[^/.]+)$/,
  parameters: { sourceId: sourceId(), format: choice('Format.', FORMATS) },
  canonical: ({ sourceId: id, format }) => {
    const source = singleSource(id);
    return { sourceId: source, format };
  },
  key: (canonical) => canonical,
  handle: async ({ sourceId: source, format }, context) => {
    const { index } = context.services;
    const all = { afterMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
    const images = await context.stopwatch.measure('index', () => index.listed(source, all, LISTS.feedImages, 'newest'));
    if (images.length === 0) throw noImages(source);
    const origin = serviceOrigin(context);
    const name = findSource(source)?.nickname ?? String(source);
    const title = `${name}: the newest images`;
    const self = `${origin}/feeds/${source}.${format}`;
    const feed = { title, home: viewAddress(origin, source, null), self, name, origin, images };
    const tags = [...new Set(images.flatMap(imageTags))];
    return textReply(TYPES[format], TEXTS[format](feed), { policy: namingHost(RECENT, context), tags });
  },
});
