// The timeline of events: from the events themselves below ten days, and from stored counts for longer ranges.
import { eventResolution, extended, isOfDays, type TimeRange } from '../../domain/coverage/bins.ts';
import { type CoverageEvents, isChosen } from '../../domain/coverage/event-layers.ts';
import { countedSeries, coverageEvent, type EventSeries, eventSeries } from '../../domain/coverage/event-series.ts';
import { EVENT_SOURCES } from '../../domain/events/event-types.ts';
import type { SourceState } from './event-days.ts';
import type { EventService, LookupOptions } from './event-service.ts';

interface EventCoverage {
  readonly series: readonly EventSeries[];
  readonly states: readonly SourceState[];
}

/** One series for each type of event, over the range and its own length on both sides. */
export async function eventCoverage(
  events: Pick<EventService, 'eventsBetween' | 'counting'>,
  chosen: readonly CoverageEvents[],
  range: TimeRange,
  options: LookupOptions,
): Promise<EventCoverage> {
  const spanMs = range.endMs - range.startMs;
  if (chosen.length === 0 || spanMs <= 0) return { series: [], states: [] };
  const resolution = eventResolution(spanMs);
  const shown = extended(range);
  if (isOfDays(resolution)) {
    const { bins, states } = await events.counting.timeline(chosen, { range: shown, resolution }, options.waitUntil);
    return { series: countedSeries([...new Set(chosen.map(({ pin }) => pin))], bins), states };
  }
  const sources = EVENT_SOURCES.filter((source) => chosen.some((one) => one.source === source));
  const pick = (event: Parameters<typeof coverageEvent>[0]) => (isChosen(chosen, event) ? coverageEvent(event) : null);
  const found = await events.eventsBetween(shown, sources, pick, options);
  return { series: eventSeries(found.events, resolution, range), states: found.states };
}
