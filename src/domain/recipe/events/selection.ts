// Which events a picture shows.
import { EVENT_SOURCES, type EventSource } from './pins.ts';

/**
 * Some events of one source: all of a type; those that one feature recognition method (FRM) found; a single one; or
 * those below a path of names in the source's tree, `[category, FRM, event]` or the beginning of it. FRM names and path
 * names are as `nameKey` makes them.
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
  /** Sorted; none is part of another; never empty. */
  readonly choices: readonly EventChoice[];
}

/** One entry for each source of which something is shown, in the order of EVENT_SOURCES. */
export type EventSelection = readonly SourceSelection[];

/** What of an event decides whether it is selected. */
export interface SelectableEvent {
  readonly source: EventSource;
  readonly pin: string;
  /** Name of its category. */
  readonly concept: string;
  /** Name of its FRM, or of its group where the source has no FRMs. */
  readonly frm: string;
  readonly id: string;
  /** Every text by which a path may call it. */
  readonly labels: readonly string[];
}

/** A name as selections compare it: clients write blanks and equals signs as `_`, and escape others with a backslash. */
export function nameKey(name: string): string {
  return name.replaceAll('\\', '').replace(/[\s=]/g, '_');
}

function segments(choice: EventChoice): readonly string[] {
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

/** The union of choices: each once, without those that others include, sorted. */
function union(choices: readonly EventChoice[]): EventChoice[] {
  const byKey = new Map(choices.map((choice) => [keyOf(segments(choice)), choice]));
  const isIncluded = (names: readonly string[]) => names.some((_, length) => byKey.has(keyOf(names.slice(0, length))));
  return [...byKey]
    .filter(([, choice]) => !isIncluded(segments(choice)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, choice]) => choice);
}

/** The selection with its sources and choices in order; sources of which nothing is chosen are left out. */
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
  return segments(choice).every((name, i) => name === [event.pin, nameKey(event.frm), event.id][i]);
}

/** The entry of the selection by which an event is shown, or null. */
export function selectedBy(selection: EventSelection, event: SelectableEvent): SourceSelection | null {
  const entry = selection.find(({ source }) => source === event.source);
  return entry?.choices.some((choice) => includes(choice, event)) ? entry : null;
}
