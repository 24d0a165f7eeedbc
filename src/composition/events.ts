// Events of the Sun: the feeds of all sources, and what is known of each day.
import { EVENT_REQUESTS } from '../config/limits/events.ts';
import { readEventSettings } from '../config/settings/events.ts';
import { R2EventDays } from '../services/events/event-days.ts';
import { EventService } from '../services/events/event-service.ts';
import { XrayFlux } from '../services/events/x-ray-flux.ts';
import { D1EventCounts } from '../storage/events/d1-event-counts.ts';
import { D1RhessiFlares } from '../storage/events/d1-events-rhessi.ts';
import { eventFeeds } from '../upstreams/events/feeds.ts';
import { xrayFeed } from '../upstreams/events/x-ray-flux.ts';
import type { Platform } from './platform.ts';

export function eventServices(platform: Platform) {
  const { databases, objects, memory, clock, log } = platform;
  const counts = new D1EventCounts(databases);
  const flares = new D1RhessiFlares(databases);
  const addresses = readEventSettings(platform.variables);
  const [feeds, store] = [eventFeeds(addresses, flares), new R2EventDays(objects)];
  const events = new EventService({ feeds, store, counts, clock, log, memory });
  const xrayFlux = new XrayFlux({ feed: xrayFeed(addresses.xrayUrl, EVENT_REQUESTS), store, clock, log, memory });
  return { flares, events, xrayFlux, countEvents: () => events.counting.byClock() };
}
