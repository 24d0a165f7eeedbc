// Selections of the events that a picture shows.
import { EVENT_SOURCES, type EventSource } from './pins.ts';

/**
 * A choice of events of one source: all of a type; those of one feature recognition method (FRM); a single event; or those
 * below a path in the source's tree, `[category, FRM, event]` or a prefix of it. FRM names and path names are keys of
 * `nameKey`.
 */
export type EventChoice =
  | { readonly kind: 'pin'; readonly pin: string }
  | { readonly kind: 'frm'; readonly pin: string; readonly frm: string }
  | { readonly kind: 'event'; readonly pin: string; readonly frm: string; readonly id: string }
  | { readonly kind: 'path'; readonly path: readonly string[] };

export interface SourceSelection {
  readonly source: EventSource;
  /** Whether the events are labelled. */
  readonly labels: boolean;
  /** Sorted, disjoint and not empty. */
  readonly choices: readonly EventChoice[];
}

/** One entry per source with selected events, in the order of EVENT_SOURCES. */
export type EventSelection = readonly SourceSelection[];

/** The properties of an event that selections compare. */
export interface SelectableEvent {
  readonly source: EventSource;
  readonly pin: string;
  /** Name of its category. */
  readonly concept: string;
  /** Name of its FRM, or of its group where the source has no FRMs. */
  readonly frm: string;
  readonly id: string;
  /** Names of the event in paths. */
  readonly labels: readonly string[];
}

/** The key of a name in comparisons. Clients replace blanks and equals signs by `_` and escape other characters with a backslash. */
export function nameKey(name: string): string {
  return name.replaceAll('\\', '').replace(/[\s=]/g, '_');
}

function namesOf(choice: EventChoice): readonly string[] {
  switch (choice.kind) {
    case 'pin':
      return [choice.pin];
    case 'frm':
      return [choice.pin, choice.frm];
    case 'event':
      return [choice.pin, choice.frm, choice.id];
    case 'path':
      return choice.path;
  }
}

const keyOf = (names: readonly string[]): string => JSON.stringify(names);

/** The union of choices, sorted, without duplicates and choices included in others. */
function union(choices: readonly EventChoice[]): EventChoice[] {
  const byKey = new Map(choices.map((choice) => [keyOf(namesOf(choice)), choice]));
  const isIncluded = (names: readonly string[]) => names.some((_, length) => byKey.has(keyOf(names.slice(0, length))));
  return [...byKey]
    .filter(([, choice]) => !isIncluded(namesOf(choice)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, choice]) => choice);
}

/** The selection with sorted sources and choices, without empty sources. */
export function canonicalSelection(selections: readonly SourceSelection[]): EventSelection {
  return EVENT_SOURCES.flatMap((source) => {
    const ofSource = selections.filter((selection) => selection.source === source);
    const choices = union(ofSource.flatMap((selection) => selection.choices));
    return choices.length ? [{ source, labels: ofSource.some((selection) => selection.labels), choices }] : [];
  });
}

function includes(choice: EventChoice, event: SelectableEvent): boolean {
  if (choice.kind === 'path') {
    const names = [[event.concept], [event.frm], [event.id, ...event.labels]];
    return choice.path.every((name, i) => names[i]?.some((candidate) => nameKey(candidate) === name));
  }
  return namesOf(choice).every((name, i) => name === [event.pin, nameKey(event.frm), event.id][i]);
}

/** The entry of the selection that includes an event, or null. */
export function selectedBy(selection: EventSelection, event: SelectableEvent): SourceSelection | null {
  const entry = selection.find(({ source }) => source === event.source);
  return entry?.choices.some((choice) => includes(choice, event)) ? entry : null;
}
