// The newest images of a datasource as a feed.
import { LISTS } from '../../config/limits/images.ts';
import { imageTags } from '../../domain/archive/keys.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import { formatDateTime, formatExact } from '../../domain/time.ts';
import { RECENT } from '../../http/cache-policy.ts';
import { FEED_FORMATS, type FeedEntry, feedReply } from '../../http/feeds.ts';
import { choice } from '../../http/parameters.ts';
import type { ListedImage } from '../../ports/images.ts';
import { noImages } from '../../services/images/find-image.ts';
import { listedAddresses, viewAddress } from '../../services/images/image-addresses.ts';
import { namingHost, resource, serviceOrigin } from '../services.ts';
import { singleSource, sourceId } from './source-parameters.ts';

/** An image as an entry. Its id is the address of its file by id, which never means another image. */
function entryOf(image: ListedImage, name: string, origin: string): FeedEntry {
  const { id, sourceId: source, takenAtMs, byteLength } = image;
  const title = `${name} ${formatDateTime(takenAtMs)} UTC`;
  const { jp2, preview } = listedAddresses(image, origin);
  return {
    id: `${origin}/v2/getJP2Image/?id=${id}`,
    title,
    date: formatExact(takenAtMs),
    url: viewAddress(origin, source, takenAtMs),
    text: title,
    preview,
    file: { url: jp2, type: 'image/jp2', bytes: byteLength },
  };
}

export const imageFeed = resource({
  name: 'feed',
  path: /^\/feeds\/(?<sourceId>[^/.]+)\.(?<format>[^/.]+)$/,
  parameters: { sourceId: sourceId(), format: choice('Format.', FEED_FORMATS) },
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
    const feed = {
      title,
      home: viewAddress(origin, source, null),
      self: `${origin}/feeds/${source}.${format}`,
      updated: formatExact(images[0]!.takenAtMs),
      entries: images.map((image) => entryOf(image, name, origin)),
    };
    const tags = [...new Set(images.flatMap(imageTags))];
    return feedReply(format, feed, { policy: namingHost(RECENT, context), tags });
  },
});
