// UUIDs of events (RFC 9562, version 8) without a table: the day of the event as in version 7, two bits of source, a hash of its id.
import { createHash } from 'node:crypto';
import { dayStart } from '../time.ts';
import { EVENT_SOURCES, type EventSource } from './event-types.ts';
import type { SolarEvent } from './solar-event.ts';

const VARIANT = '89ab';

export function eventUuid({ source, pin, id, startMs }: Pick<SolarEvent, 'source' | 'pin' | 'id' | 'startMs'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([source, pin, id]))
    .digest('hex');
  const day = dayStart(startMs).toString(16).padStart(12, '0');
  const variant = VARIANT[EVENT_SOURCES.indexOf(source)]!;
  return `${day.slice(0, 8)}-${day.slice(8)}-8${hash.slice(0, 3)}-${variant}${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

const UUID = /^([\da-f]{8})-([\da-f]{4})-8[\da-f]{3}-([89ab])[\da-f]{3}-[\da-f]{12}$/;

/** Place of the event of a UUID, if there is one; null for UUIDs of others. */
export function placeOfUuid(uuid: string): { readonly source: EventSource; readonly dayMs: number } | null {
  const [, high, low, variant] = UUID.exec(uuid.toLowerCase()) ?? [];
  if (!high || !low || !variant) return null;
  const dayMs = Number.parseInt(high + low, 16);
  return dayMs === dayStart(dayMs) ? { source: EVENT_SOURCES[VARIANT.indexOf(variant)]!, dayMs } : null;
}
