// The timeline of events: from the events themselves below ten days, and from stored counts for longer ranges.
import { eventResolution, extended, isOfDays, type TimeRange } from '../../domain/coverage/bins.ts';
import { countedKinds } from '../../domain/coverage/event-layers.ts';
import { countedSeries, coverageEvent, eventSeries } from '../../domain/coverage/event-series.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { type EventSelection, selectedBy } from '../../picture/events/selection.ts';
import type { EventService, LookupOptions } from './event-service.ts';

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
