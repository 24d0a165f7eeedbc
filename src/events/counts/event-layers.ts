// Events of the timeline, as the web client sends them: `[AR,SPoCA;NOAA SWPC Observer,1],[FL,all,1]`; and the kinds of events that counts tell apart.
import { canonicalSelection } from '../../picture/events/selection.ts';
import { bracketGroups, withoutTrailingCommas } from '../../picture/notation.ts';
import type { EventSelection, SourceSelection } from '../../picture/picture.ts';
import { EVENT_COUNTS } from '../../platform/limits/events.ts';
import { type EventSource, findEventType, matchKey, PATH_SEPARATOR, typeNamed, typesOf } from '../../sun/events/event-types.ts';

const MAX_CHARACTERS = 10_000;

export const methodKey = (name: string): string => matchKey(name).slice(0, EVENT_COUNTS.methodCharacters);

/** The chosen events, without unknown pins (clients send `undefined` for a source). @throws Failure for `eventLayers` without groups */
export function parseCoverageEvents(text: string): EventSelection {
  const notation = { parameter: 'eventLayers', example: '[FL,all,1]', maxCharacters: MAX_CHARACTERS };
  const selections = bracketGroups(withoutTrailingCommas(text), notation).flatMap((group): SourceSelection[] => {
    const type = findEventType(group[0] ?? '');
    if (!type || group.length < 3 || group.at(-1) === '0') return [];
    const methods = group.slice(1, -1).join(',').split(';').map(methodKey);
    const paths = methods.includes('all') ? [[type.concept]] : methods.map((method) => [type.concept, method]);
    return [{ source: type.source, labels: false, notation: 'pins', paths }];
  });
  return canonicalSelection(selections);
}

/** Events of a pin, of one method where `method` is a key of `methodKey`. */
export type CountedKind = { readonly source: EventSource; readonly pin: string; readonly method: string | null };

/** The kinds of a selection. Single events are left out, because counts do not have them. */
export const countedKinds = (selection: EventSelection): CountedKind[] =>
  selection.flatMap(({ source, paths }) =>
    paths.flatMap(([concept, ...names]) => {
      if (names.length > (source === 'WSA' ? 2 : 1)) return [];
      const types = typesOf(source).filter((type) => !concept || type === typeNamed(source, concept));
      return types.map(({ pin }) => ({ source, pin, method: names.length ? methodKey(names.join(PATH_SEPARATOR)) : null }));
    }),
  );
