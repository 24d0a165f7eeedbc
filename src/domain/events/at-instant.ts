// Selects the events of an instant from those of its day.

import { printLocation } from './coordinate-text.ts';
import { noaaNumber } from './hek-label.ts';
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
function placeText({ place }: SolarEvent): string {
  return place.kind === 'stonyhurst' ? printLocation(place) : `(${Math.round(place.x)}″, ${Math.round(place.y)}″)`;
}

/** Adds coordinates to equal labels of one group. */
function withDistinctLabels(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const byLabel = groupedBy(events, ({ pin, group, label }) => JSON.stringify([pin, group.name, label]));
  const repeated = new Set([...byLabel.values()].filter((group) => group.length > 1).flat());
  return events.map((event) => {
    if (!repeated.has(event)) return event;
    const place = placeText(event);
    const label = event.label === '' ? place : `${event.label}\n${place}`;
    return { ...event, label, shortLabel: `${event.shortLabel} ${place}`.trim() };
  });
}

/** Events in progress at an instant: start <= t <= end, one for each id of a source. */
export function eventsAtInstant(events: readonly SolarEvent[], atMs: number): readonly SolarEvent[] {
  const current = events.filter(({ startMs, endMs }) => startMs <= atMs && atMs <= endMs);
  const distinct = new Map(current.map((event) => [`${event.source} ${event.pin} ${event.id}`, event]));
  return withDistinctLabels(withoutRepeatedRegions(withoutOldPredictions([...distinct.values()])));
}
