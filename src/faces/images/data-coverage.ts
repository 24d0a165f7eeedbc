// getDataCoverage: the timelines of images and of events of the web client.
import { timelineTag } from '../../archive/keys.ts';
import { parseCoverageEvents } from '../../events/counts/event-layers.ts';
import { parseSelections, selectionEntries } from '../../picture/events/paths.ts';
import type { EventSelection } from '../../picture/picture.ts';
import { RECENT } from '../../platform/http/cache-policy.ts';
import { type JsonBody, jsonBody } from '../../platform/http/openapi/json-bodies.ts';
import { integer, notation, suggestedNumber } from '../../platform/http/parameters.ts';
import { jsonReply, type Representation } from '../../platform/http/response.ts';
import { EVENT_MAX_AGE_SECONDS } from '../../platform/limits/events.ts';
import { COVERAGE, SETTLED_AFTER_MS } from '../../platform/limits/images.ts';
import { badParameter } from '../../platform/util/errors.ts';
import { extended, type TimeRange } from '../../sun/bins.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import { checkOrder } from '../../sun/time.ts';
import { sourcesHeader } from '../events/events.ts';
import { eventsObjects } from '../pictures/scene-parameters.ts';
import { type Context, operation, settledPolicy } from '../services.ts';
import { dataCoverage } from './catalogue-schemas.ts';
import { eventCoverage, imageCoverage } from './image-coverage.ts';
import { type CoverageLayer, parseCoverageLayers } from './image-layers.ts';

type Wanted =
  | { readonly kind: 'images'; readonly layers: readonly CoverageLayer[] }
  | { readonly kind: 'events'; readonly chosen: EventSelection };

function wantedOf(imageLayers: string | undefined, eventLayers: string | undefined): Wanted {
  if (eventLayers === undefined) return { kind: 'images', layers: parseCoverageLayers(imageLayers ?? '') };
  return { kind: 'events', chosen: parseCoverageEvents(eventLayers) };
}

function wantedKey(wanted: Wanted): string {
  return JSON.stringify(wanted.kind === 'images' ? wanted.layers.map(({ sourceId }) => sourceId) : wanted.chosen);
}

async function imagesReply(layers: readonly CoverageLayer[], range: TimeRange, context: Context): Promise<Representation> {
  const { services, stopwatch } = context;
  const series = await stopwatch.measure('index', () => imageCoverage(services.index, layers, range));
  const isSettled = extended(range).endMs < services.clock() - SETTLED_AFTER_MS;
  const instruments = new Set(layers.flatMap(({ sourceId }) => findSource(sourceId)?.archiveDirectory ?? []));
  const facts = { policy: isSettled ? settledPolicy(services) : RECENT, tags: [...instruments].map(timelineTag) };
  return jsonReply<JsonBody<typeof dataCoverage>>(series, facts);
}

async function eventsReply(chosen: EventSelection, range: TimeRange, context: Context): Promise<Representation> {
  const { services, stopwatch, waitUntil } = context;
  const { series, states } = await stopwatch.measure('read', () => eventCoverage(services.events, chosen, range, { waitUntil }));
  const isComplete = states.every(({ state }) => state === 'ok');
  const isOver = extended(range).endMs < services.clock();
  const lifetime = !isComplete ? 'incomplete' : isOver ? 'past' : 'today';
  const policy = `public, max-age=${EVENT_MAX_AGE_SECONDS[lifetime]}`;
  return jsonReply(series, { policy, headers: sourcesHeader(states) });
}

const milliseconds = (description: string) => integer(description, COVERAGE.timeMs, suggestedNumber(1));

const eventsDataCoverage = operation({
  name: 'eventsDataCoverage',
  summary: 'Numbers of events, or single events, over time, by paths.',
  description:
    'As getDataCoverage with `eventLayers`, for the events of at least one path. Single events are shown below ten days; ' +
    'from ten days on, events are counted by type and method.',
  tag: 'Web client',
  method: 'post',
  responses: { 'application/json': jsonBody('A series for each type.', dataCoverage) },
  headers: ['X-Events-Sources'],
  parameters: {
    event_selections: eventsObjects.event_selections,
    startDate: milliseconds('Start of the range, milliseconds since 1970.'),
    endDate: milliseconds('End of the range, milliseconds since 1970.'),
    currentDate: milliseconds('Date of the client; has no effect.').optional(),
  },
  edge: 'shared',
  canonical: ({ event_selections: given, startDate, endDate }) => {
    checkOrder(startDate, endDate, ['startDate', 'endDate'], String);
    if (given === undefined || selectionEntries(given).length === 0)
      throw badParameter('event_selections', 'at least one path like HEK>>Flare', given?.length === 0 ? 'none' : given);
    return { chosen: parseSelections(given, undefined, false).selection, range: { startMs: startDate, endMs: endDate } };
  },
  key: ({ chosen, range: { startMs, endMs } }) => ({ chosen: JSON.stringify(chosen), startMs, endMs }),
  handle: async ({ chosen, range }, context) => eventsReply(chosen, range, context),
});

const getDataCoverage = operation({
  name: 'getDataCoverage',
  summary: 'Numbers of images or events over time.',
  description:
    'Covers the range and its own length before and after it, in bins by the length of the range: 5 minutes to years, and single ' +
    'images or events for short ranges. At most ten layers of images. Events are counted by day from ten days on; a bin is null while ' +
    'none of its days has been counted, and `known` says which part has been. A failure with `callback` is a script of status 200.',
  tag: 'Web client',
  responses: { 'application/json': jsonBody('Images: a series for each layer. Events: a series for each type.', dataCoverage) },
  headers: ['X-Events-Sources'],
  parameters: {
    imageLayers: notation('Layers by id or by names; hidden and unknown ones are left out.', {
      what: 'layers',
      example: '[10,1,100]',
    }).optional(),
    eventLayers: notation('Types of events with their recognition methods; unknown ones are left out.', {
      what: 'types of events',
      example: '[AR,SPoCA;NOAA SWPC Observer,1],[FL,all,1]',
    }).optional(),
    startDate: milliseconds('Start of the range, milliseconds since 1970.').default(0),
    endDate: milliseconds('End of the range, milliseconds since 1970. Unset: now.').optional(),
    currentDate: milliseconds('Date of the client; has no effect.').optional(),
  },
  jsonp: true,
  reportsFailuresInScripts: true,
  edge: 'shared',
  canonical: ({ imageLayers, eventLayers, startDate, endDate }) => {
    // The web client draws an empty timeline of images for such a range, as the original has it.
    if (eventLayers !== undefined) checkOrder(startDate, endDate, ['startDate', 'endDate'], String);
    return { wanted: wantedOf(imageLayers, eventLayers), startDate, endDate };
  },
  key: ({ wanted, startDate, endDate }) => ({ kind: wanted.kind, wanted: wantedKey(wanted), startDate, endDate }),
  handle: async ({ wanted, startDate, endDate }, context) => {
    const range = { startMs: startDate, endMs: endDate ?? context.services.clock() };
    return wanted.kind === 'images' ? imagesReply(wanted.layers, range, context) : eventsReply(wanted.chosen, range, context);
  },
});

export const timelines = [getDataCoverage, eventsDataCoverage];
