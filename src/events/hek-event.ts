// Finds an event of the HEK by its id, which contains its day.
import { EVENT_RANGE } from '../platform/limits/events.ts';
import type { Stopwatch, WaitUntil } from '../platform/ports/timing.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { badParameter, Failure, shown } from '../platform/util/errors.ts';
import { archiveId } from '../sun/events/archive-id.ts';
import type { SolarEvent } from '../sun/events/solar-event.ts';
import type { EventService } from './event-service.ts';
import { daysInId } from './records/shapes.ts';

interface Lookup {
  readonly services: { readonly events: Pick<EventService, 'eventsBetween'> };
  readonly stopwatch: Stopwatch;
  readonly waitUntil: WaitUntil;
}

/** Ids of the HEK have about a hundred characters. */
const ARCHIVE_ID = /^[\w:/.,()+ -]{1,300}$/;

/** An id without the address of the HEK. @throws Failure `bad-parameter` for text that is no id, or has no day */
export function eventIdOf(text: string, parameter: string): string {
  if (ARCHIVE_ID.test(text) && daysInId(text).length > 0) return archiveId(text.trim());
  throw badParameter(parameter, 'the id of an event, which contains its day,', text);
}

/** The event with an id of `eventIdOf`, as `pick` makes it, of the days in its id. @throws Failure `unknown-id` */
export async function hekEvent<T>(
  { services, stopwatch, waitUntil }: Lookup,
  { id, parameter }: { readonly id: string; readonly parameter: string },
  pick: (event: SolarEvent) => T,
): Promise<T> {
  const found = (event: SolarEvent) => (archiveId(event.id) === id ? pick(event) : null);
  for (const dayMs of daysInId(id).slice(0, EVENT_RANGE.daysOfId)) {
    const day = { startMs: dayMs, endMs: dayMs + DAY_MS - 1 };
    const { events } = await stopwatch.measure('read', () => services.events.eventsBetween(day, ['HEK'], found, { waitUntil }));
    if (events[0]) return events[0];
  }
  throw new Failure('unknown-id', `No event has the id ${shown(id)}. events lists those of a time.`, { parameter });
}
