// Looks at the sources of events for those that have begun lately, and remembers which of them have been seen.
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from '../../domain/events/event-types.ts';
import type { SolarEvent } from '../../domain/events/solar-event.ts';
import { formatExact } from '../../domain/time.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { Clock } from '../../ports/timing.ts';
import type { D1KnownEvents, KnownEvent } from '../../storage/webhooks/d1-known-events.ts';
import type { EventService } from '../events/event-service.ts';

interface Ports {
  readonly events: Pick<EventService, 'eventsBetween'>;
  readonly knownEvents: Pick<D1KnownEvents, 'add'>;
  readonly clock: Clock;
}

export interface NewEvents {
  /**
   * Remembers the events of the types of these webhooks, when the last look is `WEBHOOKS.eventsEveryMs` ago.
   * @returns the types whose sources have answered
   */
  look(hooks: readonly Pick<Webhook, 'eventTypes' | 'cursors'>[]): Promise<ReadonlySet<string>>;
}

export function newEventsFrom({ events, knownEvents, clock }: Ports): NewEvents {
  return {
    async look(hooks) {
      const nowMs = clock();
      const isDue = ({ cursors }: Pick<Webhook, 'cursors'>) => nowMs - cursors.events.lookedAtMs >= WEBHOOKS.eventsEveryMs;
      if (!hooks.some(isDue)) return new Set();
      const pins = new Set(hooks.flatMap(({ eventTypes }) => eventTypes));
      const sources = EVENT_SOURCES.filter((source) => [...pins].some((pin) => findEventType(pin)?.source === source));
      const startMs = nowMs - WEBHOOKS.eventsBackMs;
      const isWatched = ({ pin, source }: SolarEvent) => pins.has(pin) && findEventType(pin)?.source === source;
      const pick = (event: SolarEvent) => (isWatched(event) && event.startMs >= startMs ? knownEvent(event) : null);
      const found = await events.eventsBetween({ startMs, endMs: nowMs }, sources, pick);
      await knownEvents.add(found.events, nowMs);
      const answered = new Set<EventSource>(found.states.filter(({ state }) => state !== 'failed').map(({ source }) => source));
      return new Set([...pins].filter((pin) => answered.has(findEventType(pin)!.source)));
    },
  };
}

function knownEvent({ source, pin, id, group, shortLabel, label, startMs, endMs, peakMs, link }: SolarEvent): KnownEvent {
  const item = {
    id,
    source,
    type: pin,
    name: findEventType(pin)?.concept ?? pin,
    method: group.name.slice(0, WEBHOOKS.labelCharacters),
    label: (shortLabel || label).slice(0, WEBHOOKS.labelCharacters),
    start: formatExact(startMs),
    end: formatExact(endMs),
    peak: peakMs === null ? null : formatExact(peakMs),
    page: link?.url ?? null,
  };
  return { key: `${source} ${pin} ${id}`, pin, item };
}
