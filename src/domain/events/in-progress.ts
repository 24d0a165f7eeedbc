// Selects the events in progress at an instant from those of its day.
import { noaaNumber } from './hek.ts';
import { eventMemory, printLocation } from './record.ts';
import type { SolarEvent } from './solar-event.ts';

/** Pin of flare predictions. */
const PREDICTION = 'FP';
const NOAA_METHOD = /NOAA/;

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Keeps the newest window of each prediction model. */
function withoutOldPredictions(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const newest = new Map<string, number>();
  for (const { pin, group, startMs } of events) {
    if (pin === PREDICTION) newest.set(group.name, Math.max(startMs, newest.get(group.name) ?? startMs));
  }
  return events.filter(({ pin, group, startMs }) => pin !== PREDICTION || startMs === newest.get(group.name));
}

/** Keeps the row of the shortest interval for each NOAA region, because NOAA reports a region several times. */
function withoutRepeatedRegions(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const numberOfRegion = ({ pin, group, raw }: SolarEvent) =>
    pin === 'AR' && NOAA_METHOD.test(group.name) ? noaaNumber(raw) : null;
  const shortest = new Map<number, SolarEvent>();
  for (const event of events) {
    const region = numberOfRegion(event);
    if (region === null || region === 0) continue;
    const known = shortest.get(region);
    if (!known || event.endMs - event.startMs < known.endMs - known.startMs) shortest.set(region, event);
  }
  return events.filter((event) => {
    const region = numberOfRegion(event);
    return region === null || region === 0 || shortest.get(region) === event;
  });
}

/** Coordinates as measured, so that the label does not change with rotation. */
function positionText({ position }: SolarEvent): string {
  return position.kind === 'stonyhurst' ? printLocation(position) : `(${Math.round(position.x)}″, ${Math.round(position.y)}″)`;
}

/** Adds coordinates to equal labels of one group. */
function withDistinctLabels(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const byLabel = groupedBy(events, ({ pin, group, label }) => JSON.stringify([pin, group.name, label]));
  const repeated = new Set([...byLabel.values()].filter((group) => group.length > 1).flat());
  return events.map((event) => {
    if (!repeated.has(event)) return event;
    const position = positionText(event);
    const label = event.label === '' ? position : `${event.label}\n${position}`;
    return { ...event, label, shortLabel: `${event.shortLabel} ${position}`.trim() };
  });
}

/** Events in progress at an instant: start <= t <= end, one for each id of a source. */
export function eventsInProgress(events: readonly SolarEvent[], atMs: number): readonly SolarEvent[] {
  const current = events.filter(({ startMs, endMs }) => startMs <= atMs && atMs <= endMs);
  const distinct = new Map(current.map((event) => [`${event.source} ${event.pin} ${event.id}`, event]));
  return withDistinctLabels(withoutRepeatedRegions(withoutOldPredictions([...distinct.values()])));
}

/**
 * The events that fit into `maxBytes`, in their order. The largest are dropped first, so that the fewest are; a record far above
 * the others is likely an error of its source.
 */
export function smallestEvents(events: readonly SolarEvent[], maxBytes: number): readonly SolarEvent[] {
  const sized = events.map((event) => ({ event, bytes: eventMemory(event) })).sort((a, b) => a.bytes - b.bytes);
  let sum = 0;
  const kept = new Set<SolarEvent>();
  for (const { event, bytes } of sized) {
    sum += bytes;
    if (sum > maxBytes) break;
    kept.add(event);
  }
  return kept.size === events.length ? events : events.filter((event) => kept.has(event));
}
