// events: what went on at an instant, and which sources said so.
import { EVENT_MAX_AGE_SECONDS } from '../../config/limits/events.ts';
import { eventTree, flatEvents, simpleEventTree } from '../../domain/events/shapes.ts';
import { EVENT_SOURCES } from '../../domain/recipe/events/pins.ts';
import { choice, choiceList, date } from '../../http/parameters.ts';
import { jsonReply } from '../../http/representation.ts';
import type { SourceState } from '../../ports/event-lookup.ts';
import { DAY_MS } from '../../util/durations.ts';
import { operation } from '../services.ts';
import { sourcesHeader } from './events-header.ts';

const SHAPES = { tree: eventTree, flat: flatEvents, simpletree: simpleEventTree } as const;

const FORMATS = ['tree', 'flat', 'simpletree'] as const;

/** Seconds. */
function lifeOf(atMs: number, states: readonly SourceState[], nowMs: number): number {
  if (states.some(({ state }) => state !== 'ok')) return EVENT_MAX_AGE_SECONDS.incomplete;
  const isOver = Math.floor(atMs / DAY_MS) < Math.floor(nowMs / DAY_MS);
  return isOver ? EVENT_MAX_AGE_SECONDS.past : EVENT_MAX_AGE_SECONDS.today;
}

export const events = operation({
  name: 'events',
  summary: 'Features and events of the Sun at an instant.',
  tag: 'Events',
  responses: {
    'application/json':
      'tree: categories {name, pin, groups} with groups {name, contact, url, data} of records; flat: the records. ' +
      'X-Events-Sources says of each source whether it answered (ok), what it said some time ago (stale;age=<seconds>) or that it is missing (failed).',
  },
  parameters: {
    startTime: date('Events that go on at this time (start <= time <= end), where they are then.'),
    sources: choiceList('Sources to ask, all of them unless given; the answer has them in this order.', EVENT_SOURCES).default([
      ...EVENT_SOURCES,
    ]),
    format: choice('Records in categories and groups, as one list, or in lists by category.', FORMATS).default('tree'),
  },
  jsonp: false,
  edge: 'shared',
  canonical: (values) => values,
  key: (canonical) => canonical,
  handle: async ({ startTime, sources, format }, { services, stopwatch, waitUntil }) => {
    const { events: found, states } = await stopwatch.measure('read', () =>
      services.events.answer(startTime, sources, { keepGoing: waitUntil }),
    );
    const policy = `public, max-age=${lifeOf(startTime, states, services.clock())}`;
    return jsonReply(SHAPES[format](found, sources, startTime), {
      policy,
      headers: sourcesHeader(states),
    });
  },
});
