// Memory limits of records and events, with estimates of their size.
import type { SolarEvent } from './solar-event.ts';

/**
 * Limits of one record. The HEK has 186 columns and records of up to 30 000 bytes; notes of DONKI take 2000 characters, outlines
 * 20 000; impacts of model runs are nested seven levels deep.
 */
const BOUNDS = { keys: 400, items: 400, characters: 40_000, depth: 8, bytes: 100_000 } as const;

/** Bytes of an entry of an object or list, its text not counted. */
const ENTRY_BYTES = 40;

interface Room {
  bytes: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function entryBytes(key: string, value: unknown): number {
  return ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : 0);
}

/** The entries that fit into the remaining room. */
function fitting(entries: readonly [string, unknown][], depth: number, room: Room): [string, unknown][] {
  return entries.flatMap(([key, value]) => {
    const bytes = entryBytes(key, value);
    // Overlong text is dropped rather than cut, because half an outline is another shape.
    if (bytes > room.bytes || (typeof value === 'string' && value.length > BOUNDS.characters)) return [];
    room.bytes -= bytes;
    return [[key, boundedValue(value, depth - 1, room)]];
  });
}

function boundedValue(value: unknown, depth: number, room: Room): unknown {
  if (!isObject(value)) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    return fitting(Object.entries(value.slice(0, BOUNDS.items)), depth, room).map(([, item]) => item);
  }
  return Object.fromEntries(fitting(Object.entries(value).slice(0, BOUNDS.keys), depth, room));
}

/** A copy within the limits: entries that are too deep, too long or too many are dropped. */
export function bounded(value: object): unknown {
  return boundedValue(value, BOUNDS.depth, { bytes: BOUNDS.bytes });
}

function memoryOf(value: unknown): number {
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + entryBytes(key, item) + memoryOf(item), 0);
}

/** Bytes of an event, its record not counted. */
const EVENT_BYTES = 1_000;

/** Estimated size of an event in bytes. */
export function eventMemory({ raw }: { readonly raw: object }): number {
  return EVENT_BYTES + memoryOf(raw);
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
