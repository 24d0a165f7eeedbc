import { eventMemory } from './record-bounds.ts';
import type { SolarEvent } from './solar-event.ts';

/**
 * As many events as fit so many bytes, in their order. The largest are left out, so that the fewest are: a record far above the
 * others is more likely a mistake of its source than what somebody looks for.
 */
export function lightestEvents(events: readonly SolarEvent[], mostBytes: number): readonly SolarEvent[] {
  const sized = events.map((event) => ({ event, bytes: eventMemory(event) })).sort((a, b) => a.bytes - b.bytes);
  let sum = 0;
  const kept = new Set<SolarEvent>();
  for (const { event, bytes } of sized) {
    sum += bytes;
    if (sum > mostBytes) break;
    kept.add(event);
  }
  return kept.size === events.length ? events : events.filter((event) => kept.has(event));
}
