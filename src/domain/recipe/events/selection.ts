// Selections of the events that a picture shows, with the names of recognition methods and single events, in two notations: that of query
// strings (`[AR,NOAA_SWPC_Observer;SPoCA,1],[FL,all,1]`), and the eventsState object of POST bodies:
// `{tree_HEK: {labels_visible, layers: [{event_type, frms, event_instances}]}}`.

import { bracketGroups, suggestedGroup } from '../../../picture/layers.ts';
import { fromBase64, toBase64 } from '../../../util/bytes.ts';
import { badParameter, type Failure, type Suggestion } from '../../errors.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from '../../events/event-types.ts';

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

const FRM = /^[\\()\w+.\- ]+$/;
const FRM_CHARACTERS = 60;
/** Limit in bytes of an event id; those of the HEK, the longest, have about a hundred. */
const ID_BYTES = 512;
/** Characters of `PIN--FRM--<id in Base64>` with every character escaped. */
const INSTANCE_CHARACTERS = 2000;

/** Escapes characters with a meaning in CSS selectors, as clients expect. */
const escaped = (name: string): string => name.replace(/[.()+]/g, '\\$&');

/** The key of an FRM name, or null for an invalid name. */
export function parseFrm(text: string): string | null {
  // Every character may be escaped.
  if (text.length > 2 * FRM_CHARACTERS) return null;
  const key = nameKey(text);
  return FRM.test(text) && key.length > 0 && key.length <= FRM_CHARACTERS ? key : null;
}

function idOfBase64(text: string): string | null {
  const digits = text.replaceAll('\\', '').replace(/[_=]{1,2}$/, '');
  if (digits.length === 0 || digits.length % 4 === 1 || digits.length * 3 > ID_BYTES * 4 || !/^[A-Za-z0-9+/]+$/.test(digits))
    return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64(digits));
  } catch {
    return null;
  }
}

/** Pin, FRM and id of `PIN--FRM--<id in Base64>`, or null. */
function parseInstance(text: string): { pin: string; frm: string; id: string } | null {
  if (text.length > INSTANCE_CHARACTERS) return null;
  const pin = /^([A-Z0-9]{2,3})--/.exec(text)?.[1];
  const end = text.lastIndexOf('--');
  if (pin === undefined || end <= pin.length) return null;
  const frm = parseFrm(text.slice(pin.length + 2, end));
  const id = idOfBase64(text.slice(end + 2));
  return frm && id ? { pin, frm, id } : null;
}

function printInstance({ pin, frm, id }: { pin: string; frm: string; id: string }): string {
  return `${pin}--${escaped(frm)}--${escaped(toBase64(new TextEncoder().encode(id))).replaceAll('=', '_')}`;
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

type Choices = SourceSelection['choices'];

const choiceKey = (isPath: boolean, names: readonly string[]): string => keyOf([isPath ? 'path' : 'pin', ...names]);

/** Keys of lists of choices, because a selection is compared with every event of a day. */
const KEYS = new WeakMap<Choices, ReadonlySet<string>>();

function keysOf(choices: Choices): ReadonlySet<string> {
  const known = KEYS.get(choices);
  if (known) return known;
  const keys = new Set(choices.map((choice) => choiceKey(choice.kind === 'path', namesOf(choice))));
  KEYS.set(choices, keys);
  return keys;
}

/** Whether one of the choices that may include an event is among `choices`. */
function includes(choices: Choices, event: SelectableEvent): boolean {
  const [concept, frm] = [nameKey(event.concept), nameKey(event.frm)];
  const choosing = [[event.pin], [event.pin, frm], [event.pin, frm, event.id]];
  const paths = [[], [concept], [concept, frm], ...[event.id, ...event.labels].map((name) => [concept, frm, nameKey(name)])];
  const keys = keysOf(choices);
  return choosing.some((names) => keys.has(choiceKey(false, names))) || paths.some((names) => keys.has(choiceKey(true, names)));
}

/** The entry of the selection that includes an event, or null. */
export function selectedBy(selection: EventSelection, event: SelectableEvent): SourceSelection | null {
  const entry = selection.find(({ source }) => source === event.source);
  return entry && includes(entry.choices, event) ? entry : null;
}

/** All FRMs of all types together take half of these characters. */
const NOTATION = { parameter: 'events', example: '[FL,all,1]', maxCharacters: 10_000 };
const PIN = /^[A-Z0-9]{2,3}$/;
const ALL = 'all';

const VISIBLE: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);

const bad = (what: string, value: unknown, suggestion?: Suggestion) => badParameter('events', what, value, suggestion);

/** The group with its elements in order: pin, recognition methods, visible; undefined for one without a known pin. */
function orderedGroup(group: readonly string[]): Suggestion | undefined {
  const pinIndex = group.findIndex((element) => findEventType(element.toUpperCase()));
  const others = group.filter((element, i) => i !== pinIndex && element !== '');
  const visible = others.find((element) => VISIBLE.has(element.toLowerCase())) ?? '1';
  const frms = others.filter((element) => element !== visible && !/^\d+$/.test(element)).join(';');
  return pinIndex < 0 ? undefined : suggestedGroup([group[pinIndex]!.toUpperCase(), frms || ALL, visible]);
}

function choicesOf(pin: string, frms: string): EventChoice[] {
  const names = frms.split(';').map((name) => name.trim());
  return names.map((name) => {
    const frm = parseFrm(name);
    if (frm === null) throw bad('"all" or names of recognition methods joined by ;', frms);
    return frm === ALL ? { kind: 'pin', pin } : { kind: 'frm', pin, frm };
  });
}

export interface NotedEvents {
  readonly selection: EventSelection;
  /** Pins that no event type has, in the order of the text. */
  readonly unknownPins: readonly string[];
}

/**
 * The events of an events notation. Each pin belongs to one source; unknown pins, groups without FRM and groups whose third
 * element is 0 select nothing; groups of one pin are merged.
 * @throws Failure naming `events`
 */
export function parseEventsText(text: string, labels: boolean): NotedEvents {
  const unknownPins: string[] = [];
  const selections = bracketGroups(text, NOTATION).flatMap((group): SourceSelection[] => {
    const [pin = '', frms = '', visibleText = ''] = group;
    if (group.length !== 3) throw bad('three elements in a group, as in [FL,all,1],', `[${group}]`, orderedGroup(group));
    if (!PIN.test(pin)) throw bad('a pin of two or three capital letters and digits', pin, orderedGroup(group));
    const visible = VISIBLE.get(visibleText.toLowerCase());
    if (visible === undefined) throw bad('0 or 1 as the third element of a group', visibleText, orderedGroup(group));
    const type = findEventType(pin);
    if (!type) unknownPins.push(pin);
    if (frms === '') return [];
    const choices = choicesOf(pin, frms);
    return visible && type ? [{ source: type.source, labels, choices }] : [];
  });
  return { selection: canonicalSelection(selections), unknownPins };
}

/**
 * The events notation of a selection. It cannot express single events, which become the events of their FRM, and omits
 * paths and labels.
 */
export function printEventsText(selection: EventSelection): string {
  const frmsByPin = new Map<string, Set<string>>();
  for (const choice of selection.flatMap(({ choices }) => choices)) {
    if (choice.kind === 'path') continue;
    const frms = frmsByPin.get(choice.pin) ?? new Set();
    frmsByPin.set(choice.pin, frms.add(choice.kind === 'pin' ? ALL : escaped(choice.frm)));
  }
  return [...frmsByPin].map(([pin, frms]) => `[${pin},${[...frms].join(';')},1]`).join(',');
}

/** Limit of the entries of a list and of the choices of a source. A tree expanded to all of its FRMs has some hundreds. */
const MAX_ENTRIES = 2000;
const PATH_CHARACTERS = 600;
const PATH_SEPARATOR = '>>';
/** Names of a path below its source: category, recognition method and event. A longer path selects nothing. */
const PATH_NAMES = 3;
/** The expectation in an error sentence. */
const INSTANCE = `event_instances like FL--SWPC--<id in Base64> of at most ${INSTANCE_CHARACTERS} characters`;

/** The form printed by eventsStateOf; parsing accepts any JSON. */
export type EventsState = Readonly<Record<string, EventsTree>>;

export interface EventsTree {
  readonly labels_visible: boolean;
  readonly layers: readonly { event_type: string; frms: string[]; event_instances: string[] }[];
  readonly layers_v2?: readonly string[];
}

const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [undefined, true],
  [true, true],
  [1, true],
  [false, false],
  [0, false],
  [null, false],
]);

/** Reads a JSON value of a request; failures name its parameter. */
class StateReader {
  readonly #parameter: string;

  constructor(parameter: string) {
    this.#parameter = parameter;
  }

  bad(what: string, value: unknown): Failure {
    return badParameter(this.#parameter, what, value ?? 'null');
  }

  /** An object, or an empty list, which PHP prints for an empty object. */
  object(what: string, value: unknown): ReadonlyMap<string, unknown> {
    const isObject = typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);
    if (!isObject) throw this.bad(what, value);
    return new Map(Object.entries(value));
  }

  list(what: string, value: unknown): readonly unknown[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw this.bad(what, value);
    if (value.length > MAX_ENTRIES) throw this.bad(`at most ${MAX_ENTRIES} entries in ${what}`, value.length);
    return value;
  }

  flag(name: string, value: unknown): boolean {
    const flag = FLAGS.get(value);
    if (flag === undefined) throw this.bad(`true or false as ${name}`, value);
    return flag;
  }

  entry<T>(what: string, value: unknown, parse: (text: string) => T | null): T {
    const entry = typeof value === 'string' ? parse(value) : null;
    if (entry === null) throw this.bad(what, value);
    return entry;
  }
}

/** The path below the source; an empty list for a path that selects nothing, null for an invalid path. */
function pathOf(source: EventSource, text: string): EventChoice[] | null {
  if (text.length > PATH_CHARACTERS) return null;
  const key = nameKey(text);
  if (key === '') return null;
  const [first, ...path] = key.split(PATH_SEPARATOR).filter((name) => name !== '');
  return first === source && path.length <= PATH_NAMES ? [{ kind: 'path', path }] : [];
}

function layerChoices(reader: StateReader, source: EventSource, value: unknown): EventChoice[] {
  const layer = reader.object('an object for each layer', value);
  const pin = layer.get('event_type');
  if (typeof pin !== 'string' || findEventType(pin)?.source !== source) return [];
  const frms = reader.list('frms', layer.get('frms')).map((text): EventChoice => {
    const frm = reader.entry('"all" or names of recognition methods in frms', text, parseFrm);
    return frm === ALL ? { kind: 'pin', pin } : { kind: 'frm', pin, frm };
  });
  const instances = reader.list('event_instances', layer.get('event_instances')).flatMap((text): EventChoice[] => {
    const instance = reader.entry(INSTANCE, text, parseInstance);
    return instance.pin === pin ? [{ kind: 'event', ...instance }] : [];
  });
  return [...frms, ...instances];
}

function treeSelection(reader: StateReader, source: EventSource, value: unknown): SourceSelection[] {
  const tree = reader.object(`an object as tree_${source}`, value);
  const labels = reader.flag('labels_visible', tree.get('labels_visible'));
  if (!reader.flag('markers_visible', tree.get('markers_visible'))) return [];
  const paths = reader.list('layers_v2', tree.get('layers_v2'));
  const what = `paths like ${source}${PATH_SEPARATOR}Flare of at most ${PATH_CHARACTERS} characters in layers_v2`;
  const choices = paths.length
    ? paths.flatMap((path) => reader.entry(what, path, (text) => pathOf(source, text)))
    : reader.list('layers', tree.get('layers')).flatMap((layer) => layerChoices(reader, source, layer));
  if (choices.length > MAX_ENTRIES) throw reader.bad(`at most ${MAX_ENTRIES} choices in tree_${source}`, choices.length);
  return [{ source, labels, choices }];
}

/**
 * The events of an eventsState. Ignores trees of other sources, unknown pins and fields of the user interface. A tree with
 * hidden markers selects nothing; a non-empty list of paths (`layers_v2`) overrides `layers`.
 * @param parameter Parameter name of the object, for failures
 * @throws Failure naming `parameter`
 */
export function parseEventsState(state: unknown, parameter = 'eventsState'): EventSelection {
  const reader = new StateReader(parameter);
  const trees = reader.object('an object', state);
  return canonicalSelection(
    EVENT_SOURCES.flatMap((source) => {
      const tree = trees.get(`tree_${source}`);
      return tree === undefined ? [] : treeSelection(reader, source, tree);
    }),
  );
}

function treeOf({ source, labels, choices }: SourceSelection): EventsTree {
  const layers = new Map<string, { event_type: string; frms: string[]; event_instances: string[] }>();
  const paths: string[] = [];
  for (const choice of choices) {
    if (choice.kind === 'path') {
      paths.push([source, ...choice.path].join(PATH_SEPARATOR));
      continue;
    }
    const layer = layers.get(choice.pin) ?? { event_type: choice.pin, frms: [], event_instances: [] };
    layers.set(choice.pin, layer);
    if (choice.kind === 'event') layer.event_instances.push(printInstance(choice));
    else layer.frms.push(choice.kind === 'pin' ? ALL : escaped(choice.frm));
  }
  return { labels_visible: labels, layers: [...layers.values()], ...(paths.length ? { layers_v2: paths } : {}) };
}

/** The canonical eventsState of a selection, the inverse of parseEventsState. */
export function eventsStateOf(selection: EventSelection): EventsState {
  return Object.fromEntries(selection.map((entry) => [`tree_${entry.source}`, treeOf(entry)]));
}
