// Events: their trees and lists, the header that reports the state of their sources, and getXrayFlux.

import { z } from '@hono/zod-openapi';
import { parseCoverageEvents } from '../../events/counts/event-counts.ts';
import type { SourceState } from '../../events/event-days.ts';
import { eventIdOf, hekEvent } from '../../events/event-service.ts';
import type { EventMethod } from '../../events/records/shapes.ts';
import {
  defaultEventTypes,
  EVENT_SHAPES,
  HEK_COLUMNS,
  hekList,
  methodsByType,
  sourceRecord,
} from '../../events/records/shapes.ts';
import { selectedBy } from '../../picture/events/selection.ts';
import { LEVEL_0_SCALE } from '../../picture/grids/pixel-grid.ts';
import { choice, choiceList, date, jsonBody, named, notation, number, text, whole } from '../../platform/http/parameters.ts';
import { CATALOGUE, type CachePolicy, jsonReply, type Representation } from '../../platform/http/response.ts';
import { EVENT_MAX_AGE_SECONDS, EVENT_RANGE, XRAY_FLUX } from '../../platform/limits/events.ts';
import { DAY_MS, SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { EVENT_SOURCES, type EventSource } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { checkOrder, dayStart, formatIso, isoDay } from '../../sun/time.ts';
import { type Context, operation } from '../services.ts';

const hekColumns = () => {
  const column = (description: string) => z.union([z.string(), z.number()]).nullable().optional().describe(`HEK: ${description}`);
  return Object.fromEntries(Object.entries(HEK_COLUMNS).map(([name, description]) => [name, column(description)]));
};

const labels = () => z.record(z.string(), z.string()).describe('Lines of the label by what they are.');

const outlineColumn = (description: string) => number(`HEK records with an outline: ${description}`).optional();

/** Fields of HEK records for clients that place and draw events themselves. */
const hekFields = () => ({
  hv_labels_formatted: labels().optional(),
  hv_hpc_x_final: number('HEK: as hv_hpc_x.').optional(),
  hv_hpc_y_final: number('HEK: as hv_hpc_y.').optional(),
  hv_rot_hpc_time_base: text('HEK: time of the measurement.').optional(),
  hv_rot_hpc_time_targ: text('HEK: the requested time.').optional(),
  hv_poly_hpc_x_final: outlineColumn('left edge of the picture, arcseconds.'),
  hv_poly_hpc_y_final: outlineColumn('upper edge of the picture, arcseconds, y down.'),
  hv_poly_hpc_x_ul_scaled_norot: outlineColumn('left edge when it was measured.'),
  hv_poly_hpc_y_ul_scaled_norot: outlineColumn('upper edge when it was measured.'),
  hv_poly_width_max_zoom_pixels: outlineColumn(`width in pixels of ${LEVEL_0_SCALE} arcseconds.`),
  hv_poly_height_max_zoom_pixels: outlineColumn('height in these pixels.'),
  hv_marker_offset_x: outlineColumn('position of the pin, from the middle, in these pixels.'),
  hv_marker_offset_y: outlineColumn('position of the pin, from the middle, in these pixels.'),
  hv_poly_url: text('HEK records with an outline: path of its picture.').optional(),
});

const view = () =>
  named('EventView', 'A table of facts to show.', {
    name: z.string(),
    content: z.record(z.string(), z.unknown()),
    tabgroup: z.int().optional(),
  });

const eventRecord = () =>
  z
    .looseObject({
      ...hekColumns(),
      id: text('Id at the source.'),
      legacy_id: text('As id.'),
      path: text('`<source>>><category>>><group>`, of WSA with deeper groups.'),
      concept: text('Name of the category.'),
      frm_name: text('Recognition method, model or type.'),
      frm_institute: text('Institute of the method, or empty.'),
      type: text('Two letters of its own type, as FL.'),
      pin: text('Pin of its category, as AR or C3.'),
      label: text('Lines of the label.'),
      short_label: text('The label in one line.'),
      title: text('As label.'),
      version: text('Version at the source, or empty.'),
      start: text('Start, UTC: `YYYY-MM-DDTHH:MM:SS` in a tree, with a blank for the T in a list.'),
      peak: text('Peak in the same form, or null.').nullable(),
      end: text('End in the same form.'),
      hv_hpc_x: number('Place at the requested time: arcseconds to the west of disk centre.'),
      hv_hpc_y: number('Place at the requested time: arcseconds to the north of disk centre.'),
      ...hekFields(),
      visible: z.boolean().describe('Whether the position is on the visible side of the Sun, or above its limb.'),
      footprint: z
        .array(z.array(z.object({ x: z.number(), y: z.number(), visible: z.literal(false).optional() })))
        .describe(
          'Outlines at the requested time, arcseconds to the west and north, holes among them; `visible` is false behind the limb. Empty for none.',
        ),
      footprint_ring: z
        .array(z.object({ x: z.number(), y: z.number() }))
        .describe('The outline with the most vertices, cut at the limb; for clients that draw one.'),
      link: z.object({ url: z.string(), text: z.string() }).describe('A page about it.').nullable(),
      views: z.array(view()),
      source: z.record(z.string(), z.unknown()).describe('The record of the source.'),
    })
    .openapi('EventRecord', { description: 'An event; those of the HEK have its columns as well.' });

const eventGroup = () =>
  named('EventGroup', 'Events of one recognition method, model or type.', {
    name: z.string(),
    contact: z.string(),
    url: z.string(),
    data: z.array(eventRecord()),
  });

const eventCategory = () =>
  named('EventCategory', 'Events of one category.', { name: z.string(), pin: z.string(), groups: z.array(eventGroup()) });

/** The operation events: tree, flat, simpletree. */
const eventsBody = () =>
  z.union([
    z.array(eventCategory()).describe('format=tree'),
    z.array(eventRecord()).describe('format=flat'),
    z.record(z.string(), z.array(eventRecord())).describe('format=simpletree: by `<source>>><category>`.'),
  ]);

/** getEvents and getEventsByEventLayers. */
const hekListSchema = () => z.union([z.array(eventRecord()), z.literal(false).describe('No events.')]);

/** getEvent. */
const hekRecord = () =>
  z
    .looseObject({
      concept: text('Name of the category.'),
      event_type: text('Pin, as FL.'),
      hv_labels_formatted: labels(),
      refs: z.array(z.object({ ref_name: z.string(), ref_url: z.string() })),
    })
    .openapi('HekRecord', { description: 'The columns of a HEK record as texts.' });

const method = () =>
  named('EventMethod', 'A recognition method.', {
    frm_name: text('Percent-encoded.'),
    frm_url: z.string(),
    frm_contact: z.string(),
    concept: z.string(),
    count: z.int().min(1).describe('Number of its events.'),
  });

/** getDefaultEventTypes, getEventFRMs and getFRMs. */
const methodsByTypeSchema = () =>
  z
    .record(z.string(), z.record(z.string(), method()))
    .openapi('EventMethods', { description: 'By `<name>/<pin>` of the type, then by the name of the method.' });

/** Facts of operations with lists of events. */
const COMMON = { tag: 'Events', jsonp: true, edge: 'shared' } as const;
const OF_SOURCES = { ...COMMON, headers: ['X-Events-Sources'] } as const;
const HEK = ['HEK'] as const;

/** The events in progress at a time. */
export const eventsAt = (atMs: number, sources: readonly EventSource[], context: Context) =>
  context.stopwatch.measure('read', () => context.services.events.eventsAt(atMs, sources, context));

/** The wanted events of the HEK in progress at a time, as a list. */
async function listReply(atMs: number, isWanted: (event: SolarEvent) => boolean, context: Context): Promise<Representation> {
  const { events, states } = await eventsAt(atMs, HEK, context);
  return jsonReply(hekList(events.filter(isWanted), atMs), eventFacts(atMs, states, context));
}

const EVENT_TYPE = notation('Types of events, separated by commas; ** for all.', { what: 'types like AR,FL', example: 'AR,FL' });

const getEvents = operation({
  ...OF_SOURCES,
  name: 'getEvents',
  summary: 'HEK events in progress at a time, in one list from north to south. `events` has all sources.',
  responses: { 'application/json': jsonBody('The records; false for none.', hekListSchema) },
  description: 'For pages and scripts that are older than `events`.',
  parameters: { startTime: date('Events in progress at this time.'), eventType: EVENT_TYPE.optional() },
  canonical: ({ startTime, eventType = '**' }) => {
    const types = eventType.toUpperCase().split(',');
    const pins = types.map((pin) => pin.trim());
    if (!pins.every((pin) => /^(?:\*\*|\w\w)$/.test(pin))) throw badParameter('eventType', 'types like AR,FL or **', eventType);
    return { startTime, pins: pins.includes('**') ? undefined : pins.sort() };
  },
  handle: ({ startTime, pins }, context) => listReply(startTime, ({ pin }) => pins?.includes(pin) ?? true, context),
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
  handle: async () => jsonReply<typeof methodsByTypeSchema>(defaultEventTypes(), { policy: CATALOGUE }),
});

/** @throws Failure `bad-parameter` for a range that ends before its start or is longer than so many days */
function checkRange(startMs: number, endMs: number, days: number): void {
  checkOrder(startMs, endMs, ['startTime', 'endTime']);
  if (endMs - startMs > days * DAY_MS)
    throw badParameter('endTime', `a time at most ${days} days after startTime`, formatIso(endMs));
}

const METHODS = jsonBody('By `<name>/<pin>` of the type, then by the name of the method.', methodsByTypeSchema);

const getEventFRMs = operation({
  ...OF_SOURCES,
  name: 'getEventFRMs',
  summary: 'Recognition methods of the HEK events in progress at a time, by type, with the number of their events.',
  responses: { 'application/json': METHODS },
  description: 'For a choice of methods beside a picture. Types without events are in the response as well.',
  parameters: { startTime: date('Events in progress at this time.') },
  handle: async ({ startTime }, context) => {
    const { events, states } = await eventsAt(startTime, HEK, context);
    return jsonReply<typeof methodsByTypeSchema>(methodsByType(events), eventFacts(startTime, states, context));
  },
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
    checkRange(startTime, endTime, EVENT_RANGE.days - 1);
    return { startMs: startTime, endMs: endTime };
  },
  handle: async (range, context) => {
    const pick = ({ pin, group }: SolarEvent): EventMethod => ({ pin, group });
    const found = () => context.services.events.eventsBetween(range, HEK, pick, context);
    const { events, states } = await context.stopwatch.measure('read', found);
    return jsonReply<typeof methodsByTypeSchema>(methodsByType(events), eventFacts(range.endMs, states, context));
  },
});

export const eventLists = [getEvents, getEventsByEventLayers, getEvent, getDefaultEventTypes, getEventFRMs, getFRMs];

const FORMATS = Object.keys(EVENT_SHAPES) as (keyof typeof EVENT_SHAPES)[];

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

/** Policy of a response about the time until `endMs`: sources go on reporting what happened on a day until it is over. */
function eventPolicy(endMs: number, isComplete: boolean, { services }: Pick<Context, 'services'>): CachePolicy {
  const whenComplete = dayStart(endMs) < dayStart(services.clock()) ? 'past' : 'today';
  return `public, max-age=${EVENT_MAX_AGE_SECONDS[isComplete ? whenComplete : 'incomplete']}`;
}

/** Facts of a response about events until `endMs`. */
export function eventFacts(endMs: number, states: readonly SourceState[], context: Pick<Context, 'services'>) {
  const isComplete = states.every(({ state }) => state === 'ok');
  return { policy: eventPolicy(endMs, isComplete, context), headers: sourcesHeader(states) };
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
  handle: async ({ startTime, sources, format }, context) => {
    const { events: found, states } = await eventsAt(startTime, sources, context);
    const { policy, headers } = eventFacts(startTime, states, context);
    const body = EVENT_SHAPES[format](found, sources, startTime);
    return jsonReply(body, { policy, headers: { ...headers, ...loadedHeader(states) } });
  },
});

const BAND = { instrument: 'GOES XRS', band: '0.1-0.8 nm', unit: 'W/m2' } as const;

const fluxBody = () =>
  named('XrayFlux', 'Solar X-ray flux in bins.', {
    instrument: text('Instrument.'),
    band: text('Wavelengths.'),
    unit: text('Unit of the peaks.'),
    startTime: text('Start of the first bin, ISO 8601.'),
    binSeconds: whole('Length of a bin.'),
    peaks: z
      .array(z.number().nullable())
      .describe('The highest one-minute mean of each bin; null for one without a measurement.'),
    missingDays: z.array(z.string()).describe('UTC days that the source did not deliver. Try again in a minute.'),
  });

export const getXrayFlux = operation({
  name: 'getXrayFlux',
  summary: 'Solar X-ray flux over time.',
  description:
    `The flux of the primary GOES satellite from 0.1 to 0.8 nm, of which 1e-4 W/m2 are an X1 flare, 1e-5 M1, 1e-6 C1, 1e-7 B1 and ` +
    `1e-8 A1. It begins in April 2010; a range has at most ${XRAY_FLUX.days} days. Bins have 1 to 20 minutes by the length of the range.`,
  tag: 'Events',
  responses: { 'application/json': jsonBody('The flux in bins.', fluxBody) },
  parameters: {
    startTime: date('Start of the range.'),
    endTime: date(`End of the range, at most ${XRAY_FLUX.days} days after its start.`),
  },
  edge: 'shared',
  canonical: ({ startTime, endTime }) => {
    checkRange(startTime, endTime, XRAY_FLUX.days);
    return { startTime, endTime };
  },
  handle: async ({ startTime, endTime }, context) => {
    const { startMs, binMs, peaks, missingDays, isFresh } = await context.stopwatch.measure('read', () =>
      context.services.xrayFlux.between(startTime, endTime, context.waitUntil),
    );
    const policy = eventPolicy(endTime, isFresh && missingDays.length === 0, context);
    const body = {
      ...BAND,
      startTime: formatIso(startMs),
      binSeconds: binMs / SECOND_MS,
      peaks,
      missingDays: missingDays.map(isoDay),
    };
    return jsonReply<typeof fluxBody>(body, { policy });
  },
});
