// The timeline of images: how many images of each layer there are in each bin of a range.
import type { ImageIndex } from '../../archive/ports.ts';
import { countedKinds } from '../../events/counts/event-layers.ts';
import { countedSeries, coverageEvent, eventSeries } from '../../events/counts/event-series.ts';
import type { EventService, LookupOptions } from '../../events/event-service.ts';
import { selectedBy } from '../../picture/events/selection.ts';
import type { EventSelection } from '../../picture/picture.ts';
import { COVERAGE } from '../../platform/limits/images.ts';
import { Failure } from '../../platform/util/errors.ts';
import {
  type Bin,
  countedBins,
  countedWidthMs,
  eventResolution,
  extended,
  imageResolution,
  isOfDays,
  type TimeRange,
} from '../../sun/bins.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import type { CoverageLayer } from './image-layers.ts';

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
export async function imageCoverage(index: Index, layers: readonly CoverageLayer[], range: TimeRange) {
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
export async function eventCoverage(
  events: Pick<EventService, 'eventsBetween' | 'counting'>,
  chosen: EventSelection,
  range: TimeRange,
  options: LookupOptions,
) {
  const spanMs = range.endMs - range.startMs;
  if (chosen.length === 0 || spanMs <= 0) return { series: [], states: [] };
  const resolution = eventResolution(spanMs);
  const shown = extended(range);
  if (isOfDays(resolution)) {
    const kinds = countedKinds(chosen);
    const { bins, states } = await events.counting.timeline(kinds, { range: shown, resolution }, options.waitUntil);
    return { series: countedSeries([...new Set(kinds.map(({ pin }) => pin))], bins), states };
  }
  const sources = chosen.map(({ source }) => source);
  const pick = (event: SolarEvent) => (selectedBy(chosen, event) ? coverageEvent(event) : null);
  const found = await events.eventsBetween(shown, sources, pick, options);
  return { series: eventSeries(found.events, resolution, range), states: found.states };
}
