// The events operation, and the header that reports the state of its sources.
import type { SourceState } from '../../events/event-days.ts';
import { eventTree, flatEvents, simpleEventTree } from '../../events/records/shapes.ts';
import type { CachePolicy } from '../../platform/http/cache-policy.ts';
import { jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { choice, choiceList, date } from '../../platform/http/parameters.ts';
import { jsonReply } from '../../platform/http/response.ts';
import { EVENT_MAX_AGE_SECONDS } from '../../platform/limits/events.ts';
import { EVENT_SOURCES } from '../../sun/events/event-types.ts';
import { dayStart, formatIso } from '../../sun/time.ts';
import { operation } from '../services.ts';
import { eventsBody } from './event-schemas.ts';

const SHAPES = { tree: eventTree, flat: flatEvents, simpletree: simpleEventTree } as const;

/** Feeds and servers by which people know a source. */
const OTHER_NAMES = {
  donki: 'CCMC',
  iswa: 'CCMC',
  nasa: 'CCMC',
  scoreboard: 'CCMC',
  lmsal: 'HEK',
  swpc: 'HEK',
  noaa: 'HEK',
} as const;

const FORMATS = ['tree', 'flat', 'simpletree'] as const;

function maxAgeSeconds(atMs: number, states: readonly SourceState[], nowMs: number): number {
  if (states.some(({ state }) => state !== 'ok')) return EVENT_MAX_AGE_SECONDS.incomplete;
  const isOver = dayStart(atMs) < dayStart(nowMs);
  return isOver ? EVENT_MAX_AGE_SECONDS.past : EVENT_MAX_AGE_SECONDS.today;
}

export function eventPolicy(atMs: number, states: readonly SourceState[], nowMs: number): CachePolicy {
  return `public, max-age=${maxAgeSeconds(atMs, states, nowMs)}`;
}

/** A token of the header value (RFC 9110, section 5.6.2). */
const token = (name: string) => name.replace(/[^\w.-]+/g, '_');

function sourceEntry({ source, state, ageSeconds, missing, skipped, isCut, days }: SourceState): string {
  const parts = [
    `${source}=${state}`,
    ageSeconds === null ? '' : `age=${ageSeconds}`,
    missing.length > 0 ? `missing=${missing.map(token).join('+')}` : '',
    skipped > 0 ? `skipped=${skipped}` : '',
    isCut ? 'cut' : '',
    state === 'ok' || !days ? '' : `days=${days.counted}/${days.all}`,
  ];
  return parts.filter((part) => part !== '').join(';');
}

/** X-Events-Sources: `HEK=ok, CCMC=stale;age=300, RHESSI=failed`, with the details `missing=a+b`, `skipped=3`, `cut` and `days=20/31`. */
export function sourcesHeader(states: readonly SourceState[]): Record<string, string> {
  return states.length === 0 ? {} : { 'X-Events-Sources': states.map(sourceEntry).join(', ') };
}

/** X-Events-Loaded: `HEK=2024-05-10T12:00:03Z, RHESSI=2024-05-10T11:58:00Z`. Times rather than ages, because responses are cached. */
function loadedHeader(states: readonly SourceState[]): Record<string, string> {
  const entries = states.flatMap(({ source, loadedAtMs }) => (loadedAtMs === null ? [] : [`${source}=${formatIso(loadedAtMs)}`]));
  return entries.length === 0 ? {} : { 'X-Events-Loaded': entries.join(', ') };
}

export const events = operation({
  name: 'events',
  summary: 'Features and events of the Sun at an instant.',
  tag: 'Events',
  description:
    'Each event has its position at `startTime`, rotated with the Sun, as seen from the Earth. A source that fails does not fail the ' +
    'response: X-Events-Sources says what each of them delivered.',
  responses: {
    'application/json': jsonBody('By `format`: categories with groups of events, one list, or lists by category.', eventsBody),
  },
  headers: ['X-Events-Sources', 'X-Events-Loaded'],
  parameters: {
    startTime: date('Events in progress at this time (start <= time <= end), at their positions then.'),
    sources: choiceList('Sources in the order of the response. Unset: all.', EVENT_SOURCES, OTHER_NAMES).default([
      ...EVENT_SOURCES,
    ]),
    format: choice('Records by category and group, in one list, or in lists by category.', FORMATS).default('tree'),
  },
  edge: 'shared',
  handle: async ({ startTime, sources, format }, { services, stopwatch, waitUntil }) => {
    const { events: found, states } = await stopwatch.measure('read', () =>
      services.events.eventsAt(startTime, sources, { waitUntil }),
    );
    const policy = eventPolicy(startTime, states, services.clock());
    return jsonReply(SHAPES[format](found, sources, startTime), {
      policy,
      headers: { ...sourcesHeader(states), ...loadedHeader(states) },
    });
  },
});
