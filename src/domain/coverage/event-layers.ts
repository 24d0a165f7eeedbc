// Events of the timeline, as the web client sends them: `[AR,SPoCA;NOAA SWPC Observer,1],[FL,all,1]`.
import { EVENT_COUNTS } from '../../config/limits/events.ts';
import { bracketGroups } from '../../picture/layers.ts';
import { type EventSource, findEventType } from '../events/event-types.ts';
import type { SolarEvent } from '../events/solar-event.ts';
import { withoutTrailingCommas } from './image-layers.ts';

/** The chosen events of a pin. */
export interface CoverageEvents {
  readonly pin: string;
  readonly source: EventSource;
  /** Keys of the names of recognition methods; null for all. */
  readonly methods: readonly string[] | null;
}

const MAX_CHARACTERS = 10_000;

/** Blanks, plus signs and underscores are equal, because the client sends names without encoding them. Counts have these keys. */
export const methodKey = (name: string): string =>
  name
    .trim()
    .replace(/[\s+_=\\]+/g, '_')
    .toLowerCase()
    .slice(0, EVENT_COUNTS.methodCharacters);

/**
 * The chosen events. Groups with unknown pins are left out: the client sends `undefined` for a whole source.
 * @throws Failure naming `eventLayers` for text that has no groups
 */
export function parseCoverageEvents(text: string): CoverageEvents[] {
  const notation = { parameter: 'eventLayers', example: '[FL,all,1]', maxCharacters: MAX_CHARACTERS };
  return bracketGroups(withoutTrailingCommas(text), notation).flatMap((group): CoverageEvents[] => {
    const type = findEventType(group[0] ?? '');
    if (!type || group.length < 3 || group.at(-1) === '0') return [];
    const methods = group.slice(1, -1).join(',').split(';').map(methodKey);
    return [{ pin: type.pin, source: type.source, methods: methods.includes('all') ? null : methods }];
  });
}

/** Whether an event is among the chosen ones. */
export function isChosen(chosen: readonly CoverageEvents[], { pin, group }: Pick<SolarEvent, 'pin' | 'group'>): boolean {
  const method = methodKey(group.name);
  return chosen.some((events) => events.pin === pin && (events.methods?.includes(method) ?? true));
}
