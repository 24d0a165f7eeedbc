// Events of the Sun: the feeds of all sources, and what is known of each day.
import { readEventSettings } from '../config/settings/events.ts';
import { R2EventDays } from '../services/events/event-days.ts';
import { EventService } from '../services/events/event-service.ts';
import { D1EventCounts } from '../storage/events/d1-event-counts.ts';
import { D1RhessiFlares } from '../storage/events/d1-events-rhessi.ts';
import { eventFeeds } from '../upstreams/events/feeds.ts';
import type { Platform } from './platform.ts';

export function eventServices(platform: Platform) {
  const { databases, objects, memory, clock, log } = platform;
  const counts = new D1EventCounts(databases);
  const flares = new D1RhessiFlares(databases);
  const feeds = eventFeeds(readEventSettings(platform.variables), flares);
  const events = new EventService({ feeds, store: new R2EventDays(objects), counts, clock, log, memory });
  return { flares, events, countEvents: () => events.counting.byClock() };
}
