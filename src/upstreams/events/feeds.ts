// Feeds of all event sources.
import { EVENT_REQUESTS } from '../../config/limits/events.ts';
import type { EventSettings } from '../../config/settings/events.ts';
import { RHESSI_FEED, type RhessiFlare, rhessiEvent } from '../../domain/events/rhessi.ts';
import type { EventFeed, RhessiFlares } from '../../ports/events.ts';
import { DAY_MS } from '../../util/durations.ts';
import { ccmcFeeds } from './ccmc.ts';
import type { FeedLimits } from './feed-request.ts';
import { hekFeed } from './hek.ts';
import { wsaFeeds } from './wsa.ts';

/** The flares of RHESSI, from the imported list. */
function rhessiFeed(flares: Pick<RhessiFlares, 'between'>, limits: Pick<FeedLimits, 'records'>): EventFeed {
  return {
    name: RHESSI_FEED,
    source: 'RHESSI',
    pin: 'F2',
    isRemote: false,
    read: (record) => rhessiEvent(record as unknown as RhessiFlare),
    async load(dayMs, days = 1) {
      const found = await flares.between(dayMs, dayMs + days * DAY_MS - 1, limits.records + 1);
      const records = found.slice(0, limits.records).map((flare) => ({ ...flare }));
      return { records, isCut: found.length > limits.records, missing: [] };
    },
  };
}

export function eventFeeds(
  addresses: EventSettings,
  flares: Pick<RhessiFlares, 'between'>,
  limits: FeedLimits = EVENT_REQUESTS,
): EventFeed[] {
  return [
    hekFeed(addresses.hekUrl, limits),
    ...ccmcFeeds(addresses, limits),
    rhessiFeed(flares, limits),
    ...wsaFeeds(addresses.wsaUrl, limits),
  ];
}
