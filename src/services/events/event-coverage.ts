// The timeline of events.
import { EVENT_RANGE } from '../../config/limits/events.ts';
import { eventResolution, extended, type TimeRange } from '../../domain/coverage/bins.ts';
import { type CoverageEvents, isChosen } from '../../domain/coverage/event-layers.ts';
import { coverageEvent, type EventSeries, eventSeries } from '../../domain/coverage/event-series.ts';
import { badParameter } from '../../domain/errors.ts';
import { EVENT_SOURCES } from '../../domain/events/event-types.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { EventService, LookupOptions, SourceState } from './event-service.ts';

interface EventCoverage {
  readonly series: readonly EventSeries[];
  readonly states: readonly SourceState[];
}

/**
 * One series for each type of event, over the range and its own length on both sides.
 * @throws Failure `bad-parameter` naming `endDate` for a range of too many days
 */
export async function eventCoverage(
  events: Pick<EventService, 'eventsBetween'>,
  chosen: readonly CoverageEvents[],
  range: TimeRange,
  options: LookupOptions,
): Promise<EventCoverage> {
  const spanMs = range.endMs - range.startMs;
  if (chosen.length === 0 || spanMs <= 0) return { series: [], states: [] };
  const shown = extended(range);
  // One day less, because a range touches a day more than it has.
  const longestDays = Math.floor((EVENT_RANGE.days - 1) / 3);
  if (spanMs > longestDays * DAY_MS) {
    const days = Math.ceil(spanMs / DAY_MS);
    throw badParameter('endDate', `a range of at most ${longestDays} days for events`, `${days} days`);
  }
  const sources = EVENT_SOURCES.filter((source) => chosen.some((one) => one.source === source));
  const pick = (event: Parameters<typeof coverageEvent>[0]) => (isChosen(chosen, event) ? coverageEvent(event) : null);
  const found = await events.eventsBetween(shown, sources, pick, options);
  return { series: eventSeries(found.events, eventResolution(spanMs), range), states: found.states };
}
