// The newest images of a datasource, and the newest events of a type, as feeds.
import { noImages } from '../archive/find-image.ts';
import { listedAddresses, timeAddress, viewAddress } from '../archive/image-addresses.ts';
import { listedTimes } from '../archive/image-list.ts';
import { imageTags } from '../archive/keys.ts';
import type { ListedImage } from '../archive/ports.ts';
import { checkDelivered } from '../events/event-service.ts';
import { FEED_FORMATS, type FeedEntry, feedReply } from '../platform/http/feeds.ts';
import { choice } from '../platform/http/parameters.ts';
import { RECENT } from '../platform/http/response.ts';
import { EVENT_FEED } from '../platform/limits/events.ts';
import { LISTS } from '../platform/limits/images.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { Failure } from '../platform/util/errors.ts';
import { findSource } from '../sun/catalogue/sources.ts';
import { EVENT_PINS, findEventType } from '../sun/events/event-types.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import { dayStart, formatDateTime, formatExact } from '../sun/time.ts';
import { sourcesHeader } from './events/events.ts';
import { singleSource, sourceId } from './images/source-parameters.ts';
import { namingHost, resource, serviceOrigin } from './services.ts';

/** An image as an entry. Its id is the address of its file by id, which never means another image. */
function imageEntry(image: ListedImage, name: string, origin: string): FeedEntry {
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
  canonical: ({ sourceId: id, format }) => ({ sourceId: singleSource(id), format }),
  key: (canonical) => canonical,
  handle: async ({ sourceId: source, format }, context) => {
    const { index } = context.services;
    const images = await context.stopwatch.measure('index', () =>
      index.listed(source, listedTimes({}), LISTS.feedImages, 'newest'),
    );
    if (images.length === 0) throw noImages(source);
    const origin = serviceOrigin(context);
    const name = findSource(source)?.nickname ?? String(source);
    const title = `${name}: the newest images`;
    const feed = {
      title,
      home: viewAddress(origin, source, null),
      self: `${origin}/feeds/${source}.${format}`,
      updated: formatExact(images[0]!.takenAtMs),
      entries: images.map((image) => imageEntry(image, name, origin)),
    };
    return feedReply(format, feed, { policy: namingHost(RECENT, context), tags: images.flatMap(imageTags) });
  },
});

function eventEntry(event: SolarEvent, origin: string): FeedEntry {
  const { id, pin, source, group, label, shortLabel, startMs, endMs, peakMs, link } = event;
  const { concept } = findEventType(pin)!;
  const times = [['from', startMs] as const, ['peak', peakMs] as const, ['to', endMs] as const];
  const said = times.flatMap(([word, ms]) => (ms === null ? [] : `${word} ${formatDateTime(ms)} UTC`));
  return {
    id: `${origin}/feeds/events/${pin}#${encodeURIComponent(id)}`,
    title: `${concept}: ${(shortLabel || label || id).replaceAll('\n', ' ')}`,
    date: formatExact(startMs),
    url: link?.url ?? timeAddress(origin, startMs),
    text: `${concept} by ${group.name} (${source}): ${said.join(', ')}.`,
  };
}

export const eventFeed = resource({
  name: 'event-feed',
  path: /^\/feeds\/events\/(?<eventType>[^/.]+)\.(?<format>[^/.]+)$/,
  parameters: { eventType: choice('Type of events.', EVENT_PINS), format: choice('Format.', FEED_FORMATS) },
  key: (canonical) => canonical,
  handle: async ({ eventType: pin, format }, context) => {
    const { services, stopwatch, waitUntil } = context;
    const { concept, source } = findEventType(pin)!;
    if (!services.events.counting.counts(pin))
      throw new Failure('unknown-id', `This service has no source of events of the type ${pin}.`, { parameter: 'eventType' });
    const nowMs = services.clock();
    const startMs = dayStart(nowMs) - EVENT_FEED.daysBack * DAY_MS;
    const origin = serviceOrigin(context);
    const pick = (event: SolarEvent) => {
      const isOfFeed = event.pin === pin && event.startMs >= startMs;
      return isOfFeed ? { id: event.id, startMs: event.startMs, entry: eventEntry(event, origin) } : null;
    };
    const { events, states } = await stopwatch.measure('read', () =>
      services.events.eventsBetween({ startMs, endMs: nowMs }, [source], pick, { waitUntil, pin }),
    );
    checkDelivered(states);
    const newest = events.toSorted((a, b) => b.startMs - a.startMs || (a.id < b.id ? -1 : 1)).slice(0, EVENT_FEED.events);
    const feed = {
      title: `${concept} (${source}): the newest events`,
      home: timeAddress(origin, null),
      self: `${origin}/feeds/events/${pin}.${format}`,
      updated: formatExact(newest[0]?.startMs ?? startMs),
      entries: newest.map(({ entry }) => entry),
    };
    return feedReply(format, feed, { policy: namingHost(RECENT, context), headers: sourcesHeader(states) });
  },
});
