// getDataCoverage, the timelines of images and of events of the web client, and getDataGaps.
import { z } from '@hono/zod-openapi';
import { type ExplainedGap, type GapIndex, gapsOf } from '../../archive/gaps.ts';
import type { ImageIndex } from '../../archive/image-index/d1-image-index.ts';
import { timelineTag } from '../../archive/keys.ts';
import { countedKinds, parseCoverageEvents } from '../../events/counts/event-counts.ts';
import { countedSeries, coverageEvent, eventSeries } from '../../events/counts/event-series.ts';
import { parseSelections, selectionEntries } from '../../picture/events/paths.ts';
import { selectedBy } from '../../picture/events/selection.ts';
import { isDrawn, layerLabel, layersIn } from '../../picture/layers.ts';
import { bracketGroups, withoutTrailingCommas } from '../../picture/notation.ts';
import type { EventSelection } from '../../picture/picture.ts';
import {
  date,
  integer,
  jsonBody,
  named,
  notation,
  number,
  suggestedNumber,
  text,
  whole,
} from '../../platform/http/parameters.ts';
import { type JsonBody, jsonReply, RECENT, type Representation } from '../../platform/http/response.ts';
import { COVERAGE, GAPS } from '../../platform/limits/images.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { badParameter, Failure } from '../../platform/util/errors.ts';
import type { Bin, TimeRange } from '../../sun/bins.ts';
import { countedBins, countedWidthMs, eventResolution, extended, imageResolution, isOfDays } from '../../sun/bins.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { checkOrder, formatExact, formatIso } from '../../sun/time.ts';
import { eventFacts } from '../events/events.ts';
import { eventsObjects } from '../pictures/scene-parameters.ts';
import { type Context, operation, policyUntil } from '../services.ts';
import { singleSource, sourceId } from './source-parameters.ts';

const dataGap = () =>
  named('DataGap', null, {
    start: text('Time of the last image before the gap, or the start of the range before the first image.'),
    end: text('Time of the first image after it, or the end of the range after the last image.'),
    seconds: z.number().min(0),
    cadenceSeconds: number('Median interval of the images beside it; null where there are too few.').nullable(),
    missing: z.int().min(1).nullable().describe('Images of that cadence that would fit in; null without a cadence.'),
    reason: z
      .enum(['before-first', 'after-last', 'not-launched', 'mission-ended', 'outage', 'eclipse'])
      .nullable()
      .describe('Null where no reason is known.'),
    sentence: text('The reason for people.').nullable(),
  });

const dataGaps = () =>
  named('DataGaps', null, {
    sourceId: z.int().min(0),
    name: text('Name of the datasource.'),
    start: text('Start of the range, ISO 8601 with Z.'),
    end: text('Its end.'),
    cadenceSeconds: number('Typical interval of its images; null without images.').nullable(),
    foundFromSeconds: number('Every gap of this length is found.').nullable(),
    gaps: z.array(dataGap()),
    next: text('`startTime` of the next request where there are more gaps.').nullable(),
  });

export const gapsOfInstrument = () =>
  named('RecentGaps', null, {
    count: z.int().min(0),
    seconds: z.number().min(0).describe('All of them together.'),
    cadenceSeconds: number('Typical interval of the images.').nullable(),
    longest: z.array(dataGap()).describe('The three longest, the longest first.'),
  });

const bin = () => z.array(z.number()).length(2).describe('Milliseconds since 1970, and the count.');

const eventBin = () =>
  z
    .array(z.number().nullable())
    .length(2)
    .describe('Milliseconds since 1970, and the count; null while none of the days of the bin has been counted.');

const imageSeries = () =>
  named(
    'ImageSeries',
    'Numbers of images in bins. Below 105 minutes: times of single images, each with the row of its layer from 1.',
    { sourceId: z.int(), name: z.string(), data: z.array(bin()) },
  );

const eventStrength = () =>
  named(
    'EventStrength',
    'Peak flux of a flare, speed of an ejection, Mount Wilson class of a NOAA region, or length of a filament.',
    {
      value: z.number(),
      unit: z.enum(['W/m2', 'km/s', 'm']).nullable().describe('Null for the complexity of an active region, 1 to 8.'),
      text: text('As the source writes it: `X2.1`, `930 km/s`, `βγδ`.'),
    },
  );

const eventPoint = () =>
  named('CoverageEvent', 'An event of a range below a day.', {
    id: text('As in events.'),
    kb_archivid: text('The id without the address of the HEK.'),
    concept: z.string(),
    event_type: z.string(),
    frm_name: z.string(),
    frm_specificid: z.string(),
    event_starttime: text('ISO 8601 without a zone, UTC.'),
    event_peaktime: z.string().nullable(),
    event_endtime: z.string(),
    hv_labels_formatted: z.record(z.string(), z.string()).optional(),
    strength: eventStrength().optional(),
    modifier: z.number(),
    x: number('Start, milliseconds since 1970, within the range.'),
    x2: number('End.'),
    y: whole('Lane from 1, so that no two events overlap.'),
  });

const typeSeries = () =>
  named('EventSeries', null, {
    data: z.array(z.union([eventBin(), eventPoint()])),
    event_type: text('Pin of the type, as AR.'),
    res: text('Length of the bins: `m` for single events, 30m, h, D and so on.'),
    showInLegend: z.boolean(),
    known: z
      .array(z.number().min(0).max(1))
      .optional()
      .describe('The part of each bin whose days have been counted. Absent when all have been.'),
  });

const dataCoverage = () => z.union([z.array(imageSeries()), z.array(typeSeries())]);

const seconds = (ms: number): number => Math.round(ms) / SECOND_MS;
const secondsOrNull = (ms: number | null): number | null => (ms === null ? null : seconds(ms));

function gapRecord({ startMs, endMs, cadenceMs, missing, why }: ExplainedGap): JsonBody<typeof dataGaps>['gaps'][number] {
  return {
    start: formatExact(startMs),
    end: formatExact(endMs),
    seconds: seconds(endMs - startMs),
    cadenceSeconds: secondsOrNull(cadenceMs),
    missing,
    reason: why?.reason ?? null,
    sentence: why?.sentence ?? null,
  };
}

/** Gaps of a status. */
const SHOWN = 3;

/** The gaps of a source in the time before its newest image, for the status of its instrument. */
export async function recentGaps(index: GapIndex, sourceId: number, endMs: number): Promise<JsonBody<typeof gapsOfInstrument>> {
  const { gaps, cadenceMs } = await gapsOf(index, sourceId, { startMs: endMs - GAPS.rangeMs, endMs });
  const held = gaps.filter(({ why }) => why?.reason !== 'before-first').map(gapRecord);
  return {
    count: held.length,
    seconds: held.reduce((sum, gap) => sum + gap.seconds, 0),
    cadenceSeconds: secondsOrNull(cadenceMs),
    longest: held.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN),
  };
}

export const getDataGaps = operation({
  name: 'getDataGaps',
  summary: 'Gaps in the images of a datasource, with the reason where it is known.',
  description:
    'A gap is an interval between two images of three times the cadence at least, where the cadence is the median interval of the ' +
    'nine images on each side. Gaps are found by counts that the service keeps, so that years take milliseconds: every gap of ' +
    '`foundFromSeconds` is found, which is ten minutes for images of a high cadence in a month, two hours in three years, and two ' +
    'days in longer ranges; shorter ones may be. `next` is there where the search has to go on. `reason` is null where neither the archive nor a documented outage explains a gap.',
  tag: 'Catalogue',
  responses: { 'application/json': jsonBody('The gaps by time.', dataGaps) },
  parameters: {
    sourceId: sourceId(),
    startTime: date('Start of the range. Unset: 30 days before its end.').optional(),
    endTime: date('End of the range. Unset, and for times to come: now.').optional(),
  },
  parametersInV1: null,
  jsonp: true,
  edge: 'shared',
  canonical: ({ sourceId: id, startTime, endTime }) => {
    const source = singleSource(id);
    checkOrder(startTime, endTime, ['startTime', 'endTime']);
    return { sourceId: source, startTime, endTime };
  },
  handle: async ({ sourceId: source, startTime, endTime }, { services, stopwatch }) => {
    const endMs = Math.min(endTime ?? Number.POSITIVE_INFINITY, services.clock());
    const startMs = Math.min(startTime ?? endMs - GAPS.rangeMs, endMs);
    const found = await stopwatch.measure('index', () => gapsOf(services.index, source, { startMs, endMs }));
    const reply = {
      sourceId: source,
      name: findSource(source)?.nickname ?? '',
      start: formatIso(startMs),
      end: formatIso(endMs),
      cadenceSeconds: secondsOrNull(found.cadenceMs),
      foundFromSeconds: secondsOrNull(found.foundFromMs),
      gaps: found.gaps.map(gapRecord),
      next: found.nextMs === null ? null : formatExact(found.nextMs),
    };
    return jsonReply<typeof dataGaps>(reply, { policy: RECENT });
  },
});

const MAX_CHARACTERS = 4_000;

/** The visible layers in the order of the request, without unknown ones. @throws Failure naming `imageLayers` for text without groups */
function parseCoverageLayers(text: string) {
  const notation = { parameter: 'imageLayers', example: '[10,1,100]', maxCharacters: MAX_CHARACTERS };
  const groups = bracketGroups(withoutTrailingCommas(text), notation);
  const layers = layersIn(groups, {}, () => undefined).filter(isDrawn);
  return layers.map(({ sourceId }, i) => {
    const earlier = layers.slice(0, i).filter((layer) => layer.sourceId === sourceId).length;
    const name = layerLabel({ sourceId });
    // Unique in a response, because the client stores the visibility of a line under it.
    return { sourceId, name: earlier === 0 ? name : `${name} (${earlier + 1})` };
  });
}

type Index = Pick<ImageIndex, 'inRange' | 'counts'>;

/** Times of single images, drawn at the number of the layer, and shifted by as many milliseconds: no two layers share a time. */
async function points(index: Index, sourceId: number, row: number, { startMs, endMs }: TimeRange): Promise<Bin[]> {
  const images = await index.inRange(sourceId, startMs, endMs, COVERAGE.points + 1);
  if (images.length > COVERAGE.points) {
    const sentence = `The range has more than ${COVERAGE.points} images of a layer. Request a shorter one.`;
    throw new Failure('bad-parameter', sentence, { parameter: 'endDate' });
  }
  return images.map(({ takenAtMs }) => [Math.round(takenAtMs) + row, row + 1]);
}

/** A series for each layer, over the range and its length on both sides. @throws Failure `layer-count`; `bad-parameter` for too long a range */
export async function imageCoverage(index: Index, layers: ReturnType<typeof parseCoverageLayers>, range: TimeRange) {
  if (layers.length > COVERAGE.layers) {
    const sentence = `Expected at most ${COVERAGE.layers} visible layers for imageLayers, got ${layers.length}.`;
    throw new Failure('layer-count', sentence, { parameter: 'imageLayers' });
  }
  if (range.endMs <= range.startMs || layers.length === 0) return [];
  const resolution = imageResolution(range.endMs - range.startMs);
  const shown = extended(range);
  if (resolution === 'm') {
    const series = layers.map(async (layer, row) => ({ ...layer, data: await points(index, layer.sourceId, row, shown) }));
    return Promise.all(series);
  }
  const bins = countedBins(resolution, shown);
  const sourceIds = layers.map(({ sourceId }) => sourceId);
  const counts = await index.counts(sourceIds, bins, countedWidthMs(resolution));
  return layers.map((layer, i) => ({ ...layer, data: bins.map(([startMs]): Bin => [startMs, counts[i]!.get(startMs) ?? 0]) }));
}

/** One series for each type of event, over the range and its own length on both sides. */
async function eventCoverage(chosen: EventSelection, range: TimeRange, { services: { events }, waitUntil }: Context) {
  const spanMs = range.endMs - range.startMs;
  if (chosen.length === 0 || spanMs <= 0) return { series: [], states: [] };
  const resolution = eventResolution(spanMs);
  const shown = extended(range);
  if (isOfDays(resolution)) {
    const kinds = countedKinds(chosen);
    const { bins, states } = await events.counting.timeline(kinds, { range: shown, resolution }, waitUntil);
    return { series: countedSeries([...new Set(kinds.map(({ pin }) => pin))], bins), states };
  }
  const sources = chosen.map(({ source }) => source);
  const pick = (event: SolarEvent) => (selectedBy(chosen, event) ? coverageEvent(event) : null);
  const found = await events.eventsBetween(shown, sources, pick, { waitUntil });
  return { series: eventSeries(found.events, resolution, range), states: found.states };
}

async function eventsReply(chosen: EventSelection, range: TimeRange, context: Context): Promise<Representation> {
  const { series, states } = await context.stopwatch.measure('read', () => eventCoverage(chosen, range, context));
  return jsonReply(series, eventFacts(extended(range).endMs, states, context));
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
    const chosen = eventLayers === undefined ? null : parseCoverageEvents(eventLayers);
    return { layers: chosen ? [] : parseCoverageLayers(imageLayers ?? ''), chosen, startDate, endDate };
  },
  key: ({ layers, chosen, startDate, endDate }) => {
    const wanted = JSON.stringify(chosen ?? layers.map(({ sourceId }) => sourceId));
    return { kind: chosen ? 'events' : 'images', wanted, startDate, endDate };
  },
  handle: async ({ layers, chosen, startDate, endDate }, context) => {
    const { services, stopwatch } = context;
    const range = { startMs: startDate, endMs: endDate ?? services.clock() };
    if (chosen) return eventsReply(chosen, range, context);
    const series = await stopwatch.measure('index', () => imageCoverage(services.index, layers, range));
    const tags = layers.flatMap(({ sourceId }) => findSource(sourceId)?.archiveDirectory ?? []).map(timelineTag);
    return jsonReply<typeof dataCoverage>(series, { policy: policyUntil(extended(range).endMs, services), tags });
  },
});

export const timelines = [getDataCoverage, eventsDataCoverage];
