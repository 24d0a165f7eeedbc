// What is kept of a record, and the memory that it takes.

/**
 * The HEK has 186 columns; notes of DONKI take 2000 characters, outlines 20 000; impacts of model runs lie seven levels deep.
 * The longest records of the HEK take 30 000 bytes in all.
 */
const BOUNDS = { keys: 400, items: 400, characters: 40_000, depth: 8, bytes: 100_000 } as const;

/** Bytes of an entry of an object or a list beside its text: its place, its number or the header of its text. */
const ENTRY_BYTES = 40;

interface Room {
  bytes: number;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function entryBytes(key: string, value: unknown): number {
  return ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : 0);
}

/** The entries for which there is room, the rest left out. */
function taken(entries: readonly [string, unknown][], depth: number, room: Room): [string, unknown][] {
  return entries.flatMap(([key, value]) => {
    const bytes = entryBytes(key, value);
    // A text that is too long goes whole: half an outline is another shape.
    if (bytes > room.bytes || (typeof value === 'string' && value.length > BOUNDS.characters)) return [];
    room.bytes -= bytes;
    return [[key, boundedValue(value, depth - 1, room)]];
  });
}

function boundedValue(value: unknown, depth: number, room: Room): unknown {
  if (!isObject(value)) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    return taken(Object.entries(value.slice(0, BOUNDS.items)), depth, room).map(([, item]) => item);
  }
  return Object.fromEntries(taken(Object.entries(value).slice(0, BOUNDS.keys), depth, room));
}

/** The value without what is too deep, too long or too much. */
export function bounded(value: object): unknown {
  return boundedValue(value, BOUNDS.depth, { bytes: BOUNDS.bytes });
}

function memoryOf(value: unknown): number {
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + entryBytes(key, item) + memoryOf(item), 0);
}

/** Bytes of an event beside its record: its times, labels and place. */
const EVENT_BYTES = 1_000;

/** Bytes of memory that an event takes, about. */
export function eventMemory({ raw }: { readonly raw: object }): number {
  return EVENT_BYTES + memoryOf(raw);
}
