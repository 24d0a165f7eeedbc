// The parsed events of a UTC day of one feed.
import type { EVENT_TTL_MS } from '../../config/limits/events.ts';
import { eventMemory } from '../../domain/events/memory.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import type { EventFeed, LoadedRecords, StoredRecords } from '../../ports/events.ts';
import { DAY_MS } from '../../util/durations.ts';

export interface EventDay extends Omit<LoadedRecords, 'records'> {
  readonly events: readonly SolarEvent[];
  /** Number of unusable records: tests, and those without time or place. */
  readonly skipped: number;
  readonly loadedAtMs: number;
  /** Estimated size in memory. */
  readonly bytes: number;
}

/** Parses records, up to `maxBytes` of events. */
export function parseDay(feed: EventFeed, { records, ...rest }: StoredRecords, maxBytes: number): EventDay {
  const events = new Map<string, SolarEvent>();
  let [skipped, bytes] = [0, 0];
  for (const record of records) {
    const event = feed.read(record);
    if (!event) {
      skipped += 1;
      continue;
    }
    const size = eventMemory(event);
    if (bytes + size > maxBytes) return { ...rest, events: [...events.values()], skipped, bytes, isCut: true };
    bytes += size;
    // The last of several records with one id is the newest version.
    events.set(`${event.pin} ${event.id}`, event);
  }
  return { ...rest, events: [...events.values()], skipped, bytes };
}

const isComplete = ({ missing }: Pick<LoadedRecords, 'missing'>): boolean => missing.length === 0;

/** Whether new records should not replace a day, because they are incomplete and the day is not. */
export function isRegression(loaded: LoadedRecords, known: EventDay | null): boolean {
  return known !== null && isComplete(known) && !isComplete(loaded);
}

/** The complete one of two days, else the one loaded later. */
export function better(a: EventDay | null, b: EventDay | null): EventDay | null {
  if (!a || !b) return a ?? b;
  if (isComplete(a) !== isComplete(b)) return isComplete(a) ? a : b;
  return a.loadedAtMs >= b.loadedAtMs ? a : b;
}

export type EventTtl = { readonly [K in keyof typeof EVENT_TTL_MS]: number };

/** Whether a day may be served without a new request. Days of a local feed expire like today, because its list may be imported again. */
export function isFresh(
  day: EventDay,
  { isRemote }: EventFeed,
  dayMs: number,
  { ttlMs, nowMs }: { ttlMs: EventTtl; nowMs: number },
) {
  const wasOver = day.loadedAtMs >= dayMs + DAY_MS;
  const ttl = !isComplete(day) ? ttlMs.failed : wasOver && isRemote ? ttlMs.past : ttlMs.today;
  return nowMs - day.loadedAtMs < ttl;
}
