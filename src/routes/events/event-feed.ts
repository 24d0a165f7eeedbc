// The newest events of a type as a feed.
import { EVENT_FEED } from '../../config/limits/events.ts';
import { Failure } from '../../domain/errors.ts';
import { EVENT_PINS, findEventType } from '../../domain/events/event-types.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { dayStart, formatDateTime, formatExact } from '../../domain/time.ts';
import { RECENT } from '../../http/cache-policy.ts';
import { FEED_FORMATS, type FeedEntry, feedReply } from '../../http/feeds.ts';
import { choice } from '../../http/parameters.ts';
import { timeAddress } from '../../services/images/image-addresses.ts';
import { DAY_MS } from '../../util/durations.ts';
import { namingHost, resource, serviceOrigin } from '../services.ts';
import { sourcesHeader } from './events.ts';

type FeedEvent = Pick<SolarEvent, 'id' | 'group' | 'label' | 'shortLabel' | 'startMs' | 'endMs' | 'peakMs' | 'link'>;

const pick =
  (pin: string, startMs: number) =>
  (event: SolarEvent): FeedEvent | null => {
    if (event.pin !== pin || event.startMs < startMs) return null;
    // Without the record of the source.
    const { id, group, label, shortLabel, startMs: from, endMs, peakMs, link } = event;
    return { id, group, label, shortLabel, startMs: from, endMs, peakMs, link };
  };

const newestFirst = (a: FeedEvent, b: FeedEvent) => b.startMs - a.startMs || (a.id < b.id ? -1 : 1);

function entryOf(
  { id, group, label, shortLabel, startMs, endMs, peakMs, link }: FeedEvent,
  pin: string,
  origin: string,
): FeedEntry {
  const { concept, source } = findEventType(pin)!;
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
    const { events, states } = await stopwatch.measure('read', () =>
      services.events.eventsBetween({ startMs, endMs: nowMs }, [source], pick(pin, startMs), { waitUntil, pin }),
    );
    // A reader would take a list without the events of a day for one whose events were withdrawn.
    if (states.some(({ state }) => state === 'failed')) {
      const sentence = 'The source of these events has not delivered the last days. Try again in a minute.';
      throw new Failure('busy', sentence, { retryAfterSeconds: 60 });
    }
    const newest = events.toSorted(newestFirst).slice(0, EVENT_FEED.events);
    const origin = serviceOrigin(context);
    const feed = {
      title: `${concept} (${source}): the newest events`,
      home: timeAddress(origin, null),
      self: `${origin}/feeds/events/${pin}.${format}`,
      updated: formatExact(newest[0]?.startMs ?? startMs),
      entries: newest.map((event) => entryOf(event, pin, origin)),
    };
    return feedReply(format, feed, { policy: namingHost(RECENT, context), headers: sourcesHeader(states) });
  },
});
