// The events of an instant, out of all those of its day.
import { noaaNumber } from './hek-label.ts';
import { printLocation } from './location.ts';
import type { SolarEvent } from './solar-event.ts';

/** Pin of predictions. */
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

/** Of each model, the predictions of its newest window. */
function withoutOldPredictions(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const newest = new Map<string, number>();
  for (const { pin, group, startMs } of events) {
    if (pin === PREDICTION) newest.set(group.name, Math.max(startMs, newest.get(group.name) ?? startMs));
  }
  return events.filter(({ pin, group, startMs }) => pin !== PREDICTION || startMs === newest.get(group.name));
}

/** NOAA reports a region several times; of rows of one number the one of the shortest interval counts. */
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

/** As it was measured, so that the label stays when the event moves. */
function placeText({ place }: SolarEvent): string {
  return place.kind === 'stonyhurst' ? printLocation(place) : `(${Math.round(place.x)}″, ${Math.round(place.y)}″)`;
}

/** Equal labels of one group are told apart by their places. */
function withDistinctLabels(events: readonly SolarEvent[]): readonly SolarEvent[] {
  const twins = groupedBy(events, ({ pin, group, label }) => JSON.stringify([pin, group.name, label]));
  const repeated = new Set([...twins.values()].filter((group) => group.length > 1).flat());
  return events.map((event) => {
    if (!repeated.has(event)) return event;
    const where = placeText(event);
    const label = event.label === '' ? where : `${event.label}\n${where}`;
    return { ...event, label, shortLabel: `${event.shortLabel} ${where}`.trim() };
  });
}

/** Events that go on at an instant: start <= t <= end. Each id of a source once. */
export function eventsAtInstant(events: readonly SolarEvent[], atMs: number): readonly SolarEvent[] {
  const current = events.filter(({ startMs, endMs }) => startMs <= atMs && atMs <= endMs);
  const distinct = new Map(current.map((event) => [`${event.source} ${event.pin} ${event.id}`, event]));
  return withDistinctLabels(withoutRepeatedRegions(withoutOldPredictions([...distinct.values()])));
}
