// Selections of events by paths: event_selections with event_visibility_selections, as the next web client sends them.

import { parsedJson } from '../../platform/util/bytes.ts';
import { badParameter, didYouMean, type Suggestion, shown } from '../../platform/util/errors.ts';
import { nearestWord } from '../../platform/util/nearest-word.ts';
import type { EventSource } from '../../sun/events/event-types.ts';
import { conceptKey, EVENT_SOURCES, EVENT_TYPES, PATH_SEPARATOR, typeNamed, typesOf } from '../../sun/events/event-types.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import type { EventSelection, SourceSelection } from '../picture.ts';
import { canonicalSelection, type NotedEvents, namesIn, pathOf, stateReader } from './selection.ts';

const { selections: MAX_SELECTIONS, selectionCharacters: PATH_CHARACTERS } = RECIPE_LIMITS;
const SELECTIONS = 'event_selections';
const VISIBILITY = 'event_visibility_selections';
const SWITCHES = ['marker_visibility', 'label_visibility'] as const;

/** Visibility of the markers and the labels of a source in a request; what is missing is visible. */
type SourceVisibility = Readonly<Record<(typeof SWITCHES)[number], boolean>>;

/** The members of an object. @throws Failure for another name */
function membersOf<N extends string>(value: unknown, names: readonly N[]): ReadonlyMap<N, unknown> {
  const members = stateReader(VISIBILITY).object('an object', value);
  const other = [...members.keys()].find((name) => !names.includes(name as N));
  if (other === undefined) return members as ReadonlyMap<N, unknown>;
  const meant = nearestWord(other, names);
  throw badParameter(VISIBILITY, `only ${names.join(', ')}`, other, meant === null ? undefined : { value: meant });
}

/** @throws Failure naming `event_visibility_selections` */
export function parseVisibility(given: unknown = {}): Readonly<Record<EventSource, SourceVisibility>> {
  const sources = membersOf(given, EVENT_SOURCES);
  const visibilityOf = (source: EventSource) => {
    const switches = membersOf(sources.get(source) ?? {}, SWITCHES);
    const flag = (name: (typeof SWITCHES)[number]) => {
      const value = switches.get(name) ?? true;
      if (typeof value !== 'boolean') throw badParameter(VISIBILITY, `true or false as ${name} of ${source}`, value);
      return value;
    };
    return { marker_visibility: flag('marker_visibility'), label_visibility: flag('label_visibility') };
  };
  return Object.fromEntries(EVENT_SOURCES.map((source) => [source, visibilityOf(source)])) as Record<
    EventSource,
    SourceVisibility
  >;
}

/** The path that a text in another notation most likely stands for: `hek>Flare`, `[FL,all,1]`, `Flare>>SWPC`. */
function meantPath(text: string): Suggestion | undefined {
  const [first = '', ...rest] = text.replace(/^\[(\w\w),.*$/, '$1').split(/\s*(?:>+|::|[/|→])\s*/);
  const source = nearestWord(first, EVENT_SOURCES);
  const type = EVENT_TYPES.find(({ pin, concept }) => pin === first || conceptKey(concept) === conceptKey(first));
  const names = source ? [source, ...rest] : type ? [type.source, type.concept, ...rest] : [];
  return names.length > 0 ? { value: names.filter((name) => name !== '').join(PATH_SEPARATOR) } : undefined;
}

/** A sentence on a type that a source does not have. */
function remarkOn(source: EventSource, concept: string | undefined): string[] {
  if (concept === undefined || typeNamed(source, concept)) return [];
  const types = typesOf(source);
  const byPin = types.find(({ pin }) => pin === concept)?.concept;
  const meant =
    byPin ??
    nearestWord(
      concept,
      types.map((type) => type.concept),
    );
  const suggestion = meant === null ? undefined : { value: `${source}${PATH_SEPARATOR}${meant}` };
  return [`${source} has no type of events named ${shown(concept)}.${didYouMean(suggestion)}`];
}

/** The entries of event_selections: a list, its JSON in a form, or a text in which semicolons separate them. */
export function selectionEntries(given: unknown, parameter = SELECTIONS): readonly unknown[] {
  const list = typeof given === 'string' && given.startsWith('[') ? parsedJson(given) : given;
  if (Array.isArray(list)) return list;
  if (typeof given !== 'string') throw badParameter(parameter, 'a list of texts like HEK>>Flare', given);
  return given
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * The events of event_selections. Entries of unknown sources select nothing, and those of a source with hidden markers.
 * @param labels Whether events are labelled whose source does not say that they are not
 * @throws Failure naming `parameter` or `event_visibility_selections`
 */
export function parseSelections(given: unknown, visibility: unknown, labels: boolean, parameter = SELECTIONS): NotedEvents {
  const [entries, visible] = [selectionEntries(given, parameter), parseVisibility(visibility)];
  const bad = (what: string, value: unknown, meant?: Suggestion) => badParameter(parameter, what, value, meant);
  if (entries.length > MAX_SELECTIONS) throw bad(`at most ${MAX_SELECTIONS} paths`, entries.length);
  const remarks: string[] = [];
  const selections = entries.flatMap((entry): SourceSelection[] => {
    if (typeof entry !== 'string' || entry.trim() === '' || entry.length > PATH_CHARACTERS)
      throw bad(`paths like HEK>>Flare of 1 to ${PATH_CHARACTERS} characters`, entry ?? 'null');
    const [first = '', concept] = namesIn(entry.trim()).map((name) => name.trim());
    const source = EVENT_SOURCES.find((one) => one === first);
    if (!source) {
      const meant = meantPath(entry.trim());
      if (meant) throw bad('paths like HEK>>Flare', entry, meant);
      remarks.push(`No source of events has the name ${shown(first)}.`);
      return [];
    }
    remarks.push(...remarkOn(source, concept));
    if (!visible[source].marker_visibility) return [];
    const paths = pathOf(source, entry.trim()) ?? [];
    return [{ source, labels: labels && visible[source].label_visibility, notation: 'paths', paths }];
  });
  return { selection: canonicalSelection(selections), remarks: [...new Set(remarks)] };
}

/** Spellings of a name that the trees of events may have: recipes and old states have `_` for blanks, and escapes. */
export const spellings = (name: string): string[] =>
  [name, name.replaceAll('_', ' '), name.replaceAll(' ', '_')].flatMap((one) => [one, one.replaceAll('\\', '')]);

/** A selection as event_selections, with every spelling of its methods. */
export function selectionsOf(selection: EventSelection): string[] {
  const texts = selection.flatMap(({ source, paths }) =>
    paths.flatMap(([concept, method, ...rest]) => {
      const above = concept === undefined ? [source] : [source, typeNamed(source, concept)?.concept ?? concept];
      const below = method === undefined ? [[]] : spellings(method).map((name) => [name, ...rest]);
      return below.map((names) => [...above, ...names].join(PATH_SEPARATOR));
    }),
  );
  return [...new Set(texts)];
}

/** The visibility that goes with `selectionsOf`. */
export function visibilityOf(selection: EventSelection): Readonly<Record<string, SourceVisibility>> {
  const labels = (source: EventSource) => selection.find((entry) => entry.source === source)?.labels ?? true;
  return Object.fromEntries(
    EVENT_SOURCES.map((source) => [source, { marker_visibility: true, label_visibility: labels(source) }]),
  );
}
