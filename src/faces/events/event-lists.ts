// getEvents, getEventsByEventLayers and getEvent: HEK events for pages and scripts older than the operation `events`.
import { parseCoverageEvents } from '../../events/counts/event-layers.ts';
import { eventIdOf, hekEvent } from '../../events/hek-event.ts';
import { defaultEventTypes, type EventMethod, hekList, methodsByType, sourceRecord } from '../../events/records/lists.ts';
import { selectedBy } from '../../picture/events/selection.ts';
import { CATALOGUE } from '../../platform/http/cache-policy.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { date, notation } from '../../platform/http/parameters.ts';
import { jsonReply, type Representation } from '../../platform/http/response.ts';
import { EVENT_MAX_AGE_SECONDS, EVENT_RANGE } from '../../platform/limits/events.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { badParameter } from '../../platform/util/errors.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { swappedTimes } from '../../sun/time.ts';
import { type Context, operation } from '../services.ts';
import { hekList as hekListSchema, hekRecord, methodsByType as methodsByTypeSchema } from './event-schemas.ts';
import { eventPolicy, sourcesHeader } from './events.ts';

/** Facts of operations with lists of events. */
const COMMON = { tag: 'Events', jsonp: true, edge: 'shared' } as const;
const OF_SOURCES = { ...COMMON, headers: ['X-Events-Sources'] } as const;
const HEK = ['HEK'] as const;

/** The events in progress at a time, as `bodyOf` makes a response of them. */
async function replyAt<T>(
  atMs: number,
  { services, stopwatch, waitUntil }: Context,
  bodyOf: (events: readonly SolarEvent[]) => T,
): Promise<Representation> {
  const { events, states } = await stopwatch.measure('read', () => services.events.eventsAt(atMs, HEK, { waitUntil }));
  const policy = eventPolicy(atMs, states, services.clock());
  return jsonReply<T>(bodyOf(events), { policy, headers: sourcesHeader(states) });
}

const listReply = (atMs: number, isWanted: (event: SolarEvent) => boolean, context: Context) =>
  replyAt(atMs, context, (events) => hekList(events.filter(isWanted), atMs));

const EVENT_TYPES = /^\s*(?:\*\*|\w\w)\s*(?:,\s*(?:\*\*|\w\w)\s*)*$/;
const EVENT_TYPE = notation('Types of events, separated by commas; ** for all.', { what: 'types like AR,FL', example: 'AR,FL' });

const getEvents = operation({
  ...OF_SOURCES,
  name: 'getEvents',
  summary: 'HEK events in progress at a time, in one list from north to south. `events` has all sources.',
  responses: { 'application/json': jsonBody('The records; false for none.', hekListSchema) },
  description: 'For pages and scripts that are older than `events`.',
  parameters: { startTime: date('Events in progress at this time.'), eventType: EVENT_TYPE.optional() },
  canonical: ({ startTime, eventType = '**' }) => {
    if (!EVENT_TYPES.test(eventType)) throw badParameter('eventType', 'types like AR,FL or **', eventType);
    const pins = eventType
      .toUpperCase()
      .split(',')
      .map((pin) => pin.trim());
    return { startTime, pins: pins.includes('**') ? undefined : pins.sort() };
  },
  handle: async ({ startTime, pins }, context) => {
    const wanted = pins && new Set(pins);
    return listReply(startTime, ({ pin }) => wanted?.has(pin) ?? true, context);
  },
});

const getEventsByEventLayers = operation({
  ...OF_SOURCES,
  name: 'getEventsByEventLayers',
  summary: 'As getEvents, for chosen types and recognition methods.',
  description: 'Takes the notation of screenshots and movies, so that a page lists what its pictures show.',
  responses: { 'application/json': jsonBody('The records; false for none.', hekListSchema) },
  parameters: {
    startTime: date('Events in progress at this time.'),
    eventLayers: notation('Types of events with their recognition methods; unknown ones are left out.', {
      what: 'types of events',
      example: '[AR,SPoCA;NOAA SWPC Observer,1],[FL,all,1]',
    }),
  },
  canonical: ({ startTime, eventLayers }) => ({ startTime, chosen: parseCoverageEvents(eventLayers) }),
  key: ({ startTime, chosen }) => ({ startTime, chosen: JSON.stringify(chosen) }),
  handle: async ({ startTime, chosen }, context) => listReply(startTime, (event) => selectedBy(chosen, event) !== null, context),
});

const getEvent = operation({
  ...COMMON,
  name: 'getEvent',
  summary: 'The record of a HEK event by its id, if the id contains the day of the event.',
  description: 'Null is an empty text, and lists are left out, except `refs`.',
  responses: { 'application/json': jsonBody('The columns of the record as texts.', hekRecord) },
  otherResponses: { 404: 'No event has this id.' },
  parameters: {
    kb_archivid: notation('Id of the event, with or without `ivo://helio-informatics.org/`.', {
      what: 'the id of an event',
      example: 'ivo://helio-informatics.org/FL_SWPC_20240115_121000',
    }),
  },
  canonical: ({ kb_archivid }) => ({ id: eventIdOf(kb_archivid, 'kb_archivid') }),
  handle: async ({ id }, context) => {
    const record = await hekEvent(context, { id, parameter: 'kb_archivid' }, sourceRecord);
    return jsonReply(record, { policy: `public, max-age=${EVENT_MAX_AGE_SECONDS.past}` });
  },
});

const getDefaultEventTypes = operation({
  ...COMMON,
  name: 'getDefaultEventTypes',
  summary: 'The types of HEK events.',
  description: 'The twenty types of the interface, without their methods: a page shows them before the methods have arrived.',
  responses: { 'application/json': jsonBody('By `<name>/<pin>`.', methodsByTypeSchema) },
  key: () => ({}),
  handle: async () => jsonReply<JsonBody<typeof methodsByTypeSchema>>(defaultEventTypes(), { policy: CATALOGUE }),
});

const METHODS = jsonBody('By `<name>/<pin>` of the type, then by the name of the method.', methodsByTypeSchema);

const getEventFRMs = operation({
  ...OF_SOURCES,
  name: 'getEventFRMs',
  summary: 'Recognition methods of the HEK events in progress at a time, by type, with the number of their events.',
  responses: { 'application/json': METHODS },
  description: 'For a choice of methods beside a picture. Types without events are in the response as well.',
  parameters: { startTime: date('Events in progress at this time.') },
  handle: async ({ startTime }, context) => replyAt<JsonBody<typeof methodsByTypeSchema>>(startTime, context, methodsByType),
});

const getFRMs = operation({
  ...OF_SOURCES,
  name: 'getFRMs',
  summary: 'As getEventFRMs, for the events of a range.',
  description: 'For a choice of methods beside a movie.',
  responses: { 'application/json': METHODS },
  parameters: {
    startTime: date('Start of the range.'),
    endTime: date(`End of the range, at most ${EVENT_RANGE.days - 1} days later.`),
  },
  canonical: ({ startTime, endTime }) => {
    const longestMs = (EVENT_RANGE.days - 1) * DAY_MS;
    if (endTime < startTime || endTime - startTime > longestMs) {
      const what = `a date from 0 to ${EVENT_RANGE.days - 1} days after startTime`;
      const swapped = swappedTimes(startTime, endTime, ['startTime', 'endTime']);
      throw badParameter('endTime', what, new Date(endTime).toISOString(), swapped);
    }
    return { startMs: startTime, endMs: endTime };
  },
  handle: async (range, { services, stopwatch, waitUntil }) => {
    const pick = ({ pin, group }: SolarEvent): EventMethod => ({ pin, group });
    const { events, states } = await stopwatch.measure('read', () =>
      services.events.eventsBetween(range, HEK, pick, { waitUntil }),
    );
    const policy = eventPolicy(range.endMs, states, services.clock());
    return jsonReply<JsonBody<typeof methodsByTypeSchema>>(methodsByType(events), { policy, headers: sourcesHeader(states) });
  },
});

export const eventLists = [getEvents, getEventsByEventLayers, getEvent, getDefaultEventTypes, getEventFRMs, getFRMs];
