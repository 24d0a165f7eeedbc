import { EVENT_REQUESTS } from '../../config/limits/events.ts';
import type { EventSettings } from '../../config/settings/events.ts';
import type { EventFeed, RhessiFlares } from '../../ports/events.ts';
import { ccmcFeeds } from './ccmc.ts';
import type { FeedLimits } from './feed-limits.ts';
import { hekFeed } from './hek.ts';
import { rhessiFeed } from './rhessi.ts';

/** Every feed of every source. */
export function eventFeeds(
  addresses: EventSettings,
  flares: Pick<RhessiFlares, 'between'>,
  limits: FeedLimits = EVENT_REQUESTS,
): EventFeed[] {
  return [hekFeed(addresses.hekUrl, limits), ...ccmcFeeds(addresses, limits), rhessiFeed(flares, limits)];
}
