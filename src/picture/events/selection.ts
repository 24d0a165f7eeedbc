// Selections of the events that a picture, a movie or a timeline shows: paths in the trees of events, of which requests have three
// notations: `[AR,NOAA_SWPC_Observer;SPoCA,1],[FL,all,1]` by pins; the eventsState object `{tree_HEK: {labels_visible, layers: [{event_type,
// frms, event_instances}], layers_v2}}`; and the list event_selections `["HEK>>Flare>>SWPC"]` with event_visibility_selections.
import { fromBase64, toBase64 } from '../../platform/util/bytes.ts';
import { badParameter, type Failure } from '../../platform/util/errors.ts';
import type { EventSource } from '../../sun/events/event-types.ts';
import {
  conceptKey,
  EVENT_SOURCES,
  findEventType,
  legacyId,
  matchKey,
  nameKey,
  PATH_SEPARATOR,
  parseFrm,
  typeNamed,
  typesOf,
} from '../../sun/events/event-types.ts';
import { eventUuid } from '../../sun/events/event-uuid.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import type { EventPath, EventSelection, SourceSelection } from '../picture.ts';
import { ALL, readEventLayers } from './event-layers.ts';

/** The properties of an event that selections compare. */
export type SelectableEvent = Pick<SolarEvent, 'source' | 'pin' | 'group' | 'id' | 'startMs' | 'label' | 'shortLabel'>;

/** Limit in bytes of an event id; those of the HEK, the longest, have about a hundred. */
const ID_BYTES = 512;
/** Characters of `PIN--FRM--<id in Base64>` with every character escaped. */
const INSTANCE_CHARACTERS = 2000;

/** Escapes characters with a meaning in CSS selectors, as clients expect. */
const escaped = (name: string): string => name.replace(/[.()+]/g, '\\$&');

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

function printInstance(pin: string, frm: string, id: string): string {
  return `${pin}--${escaped(frm)}--${escaped(toBase64(new TextEncoder().encode(id))).replaceAll('=', '_')}`;
}

const keyOf = (names: EventPath): string => JSON.stringify(names);

const pinOf = (source: EventSource, concept: string): string => typeNamed(source, concept)?.pin ?? '';

/** Names by which paths are ordered in recipes: a selection by pins has these in place of categories. */
const orderedBy = ({ source, notation }: SourceSelection, [concept, ...rest]: EventPath): string =>
  keyOf(concept === undefined ? [] : [notation === 'pins' ? pinOf(source, concept) : concept, ...rest]);

/** The union of paths, sorted, without duplicates and paths below others. */
function union(selection: SourceSelection, paths: readonly EventPath[]): EventPath[] {
  const byKey = new Map(paths.map((path) => [orderedBy(selection, path), path]));
  const keys = new Set(paths.map(keyOf));
  const isIncluded = (path: EventPath) => path.some((_, length) => keys.has(keyOf(path.slice(0, length))));
  return [...byKey]
    .filter(([, path]) => !isIncluded(path))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, path]) => path);
}

/** The selection with sorted sources and paths, without empty sources. All selections of a source have the same notation. */
export function canonicalSelection(selections: readonly SourceSelection[]): EventSelection {
  return EVENT_SOURCES.flatMap((source) => {
    const ofSource = selections.filter((selection) => selection.source === source);
    const [first] = ofSource;
    if (!first) return [];
    const all = ofSource.flatMap((selection) => selection.paths);
    const paths = union(first, all);
    return paths.length ? [{ ...first, labels: ofSource.some(({ labels }) => labels), paths }] : [];
  });
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/**
 * Keys of the paths of a source, because a selection is compared with every event of a day, and UUIDs of the events that paths name by them,
 * whatever the rest of the path is.
 */
const KEYS = new WeakMap<SourceSelection, Readonly<Record<'paths' | 'uuids', ReadonlySet<string>>>>();

const pathKey = ([concept, ...rest]: EventPath): string =>
  keyOf(concept === undefined ? [] : [conceptKey(concept), ...rest.map(matchKey)]);

function keysOf(selection: SourceSelection) {
  const known = KEYS.get(selection);
  if (known) return known;
  const uuids = selection.paths.flatMap((path) => path.filter((name, i) => i === path.length - 1 && UUID.test(name)));
  const keys = { paths: new Set(selection.paths.map(pathKey)), uuids: new Set(uuids.map((uuid) => uuid.toLowerCase())) };
  KEYS.set(selection, keys);
  return keys;
}

/** The names of an event below its source, without the event itself. */
function eventPath({ pin, group }: Pick<SolarEvent, 'pin' | 'group'>): EventPath {
  return [findEventType(pin)?.concept ?? '', ...group.name.split(PATH_SEPARATOR)];
}

/** The entry of the selection that includes an event, or null. */
export function selectedBy(selection: EventSelection, event: SelectableEvent): SourceSelection | null {
  const entry = selection.find(({ source }) => source === event.source);
  if (!entry) return null;
  const { paths, uuids } = keysOf(entry);
  const path = eventPath(event);
  const isBelow = [[], ...path.map((_, i) => path.slice(0, i + 1))].some((prefix) => paths.has(pathKey(prefix)));
  const names = () => [event.id, legacyId(event.id), event.shortLabel, event.label, event.label.replaceAll('\n', ' ')];
  const isIt = () =>
    names().some((name) => paths.has(pathKey([...path, name]))) || (uuids.size > 0 && uuids.has(eventUuid(event)));
  return isBelow || isIt() ? entry : null;
}

/** The path of a method of a type, or of the whole type. */
const pathBelow = (concept: string, frm: string): EventPath => (frm === ALL ? [nameKey(concept)] : [nameKey(concept), frm]);

export interface NotedEvents {
  readonly selection: EventSelection;
  /** Sentences on types that nothing has. */
  readonly remarks: readonly string[];
}

/** The events of an events notation (`readEventLayers`). Each pin belongs to one source. @throws Failure naming `events` */
export function parseEventsText(text: string, labels: boolean): NotedEvents {
  const unknownPins = new Set<string>();
  const layers = readEventLayers(text, (failure, pin) => {
    if (failure) throw failure;
    unknownPins.add(pin!);
  });
  const selections = layers.map(({ pin, methods }): SourceSelection => {
    const { source, concept } = findEventType(pin)!;
    return { source, labels, notation: 'pins', paths: (methods ?? [ALL]).map((frm) => pathBelow(concept, frm)) };
  });
  const remarks = [...unknownPins].map((pin) => `No type of events has the pin ${pin}.`);
  return { selection: canonicalSelection(selections), remarks };
}

/** Pins of the types that a path chooses, which notations by pins can name. */
const pinsOf = (source: EventSource, [concept]: EventPath): string[] =>
  typesOf(source)
    .filter((type) => concept === undefined || typeNamed(source, concept) === type)
    .map(({ pin }) => pin)
    .filter((pin) => findEventType(pin)?.source === source);

/**
 * The events notation of a selection. It cannot express single events, which become the events of their FRM, and omits labels and
 * the paths that no pin names.
 */
export function printEventsText(selection: EventSelection): string {
  const frmsByPin = new Map<string, Set<string>>();
  for (const { source, paths } of selection) {
    for (const path of paths) {
      const frm = path[1] === undefined ? ALL : parseFrm(path[1]);
      if (frm === null) continue;
      for (const pin of pinsOf(source, path)) frmsByPin.set(pin, (frmsByPin.get(pin) ?? new Set()).add(escaped(frm)));
    }
  }
  return [...frmsByPin].map(([pin, frms]) => `[${pin},${frms.has(ALL) ? ALL : [...frms].join(';')},1]`).join(',');
}

/** Limit of the entries of a list and of the choices of a source. A tree expanded to all of its FRMs has some hundreds. */
const MAX_ENTRIES = 2000;
/** Names of a path below its source: category, method or groups, and event. A longer path selects nothing. */
const PATH_NAMES = 6;
const PATH_CHARACTERS = RECIPE_LIMITS.selectionCharacters;
/** The expectation in an error sentence. */
const INSTANCE = `event_instances like FL--SWPC--<id in Base64> of at most ${INSTANCE_CHARACTERS} characters`;

/** The form printed by eventsStateOf; parsing accepts any JSON. */
export type EventsState = Readonly<Record<string, EventsTree>>;

export interface EventsTree {
  readonly labels_visible: boolean;
  readonly layers: readonly { event_type: string; frms: string[]; event_instances: string[] }[];
  readonly layers_v2?: readonly string[];
}

const ON: readonly unknown[] = [undefined, true, 1];
const OFF: readonly unknown[] = [false, 0, null];

type StateReader = ReturnType<typeof stateReader>;

/** Reads JSON values of a request; failures name its parameter. */
export function stateReader(parameter: string) {
  const bad = (what: string, value: unknown): Failure => badParameter(parameter, what, value ?? 'null');
  return {
    bad,

    /** An object, or an empty list, which PHP prints for an empty object. */
    object(what: string, value: unknown): ReadonlyMap<string, unknown> {
      const isObject = typeof value === 'object' && value !== null && (!Array.isArray(value) || value.length === 0);
      if (!isObject) throw bad(what, value);
      return new Map(Object.entries(value));
    },

    list(what: string, value: unknown): readonly unknown[] {
      if (value === undefined) return [];
      if (!Array.isArray(value)) throw bad(what, value);
      if (value.length > MAX_ENTRIES) throw bad(`at most ${MAX_ENTRIES} entries in ${what}`, value.length);
      return value;
    },

    flag(name: string, value: unknown): boolean {
      if (!ON.includes(value) && !OFF.includes(value)) throw bad(`true or false as ${name}`, value);
      return ON.includes(value);
    },

    entry<T>(what: string, value: unknown, parse: (text: string) => T | null): T {
      const entry = typeof value === 'string' ? parse(value) : null;
      if (entry === null) throw bad(what, value);
      return entry;
    },
  };
}

/** The names of a path, its source first. */
export const namesIn = (path: string): string[] => path.split(PATH_SEPARATOR).filter((name) => name !== '');

/** The path below the source; an empty list for a path that selects nothing, null for an invalid path. */
export function pathOf(source: EventSource, text: string): EventPath[] | null {
  if (text.length > PATH_CHARACTERS) return null;
  const key = nameKey(text);
  if (key === '') return null;
  const [first, ...path] = namesIn(key);
  return first === source && path.length <= PATH_NAMES ? [path] : [];
}

function layerPaths(reader: StateReader, source: EventSource, value: unknown): EventPath[] {
  const layer = reader.object('an object for each layer', value);
  const pin = layer.get('event_type');
  const type = typesOf(source).find((one) => one.pin === pin);
  if (!type) return [];
  const frms = reader
    .list('frms', layer.get('frms'))
    .map((text) => pathBelow(type.concept, reader.entry('"all" or names of recognition methods in frms', text, parseFrm)));
  const instances = reader.list('event_instances', layer.get('event_instances')).flatMap((text): EventPath[] => {
    const { pin: ofInstance, frm, id } = reader.entry(INSTANCE, text, parseInstance);
    return ofInstance === pin ? [[nameKey(type.concept), frm, id]] : [];
  });
  return [...frms, ...instances];
}

function treeSelection(reader: StateReader, source: EventSource, value: unknown): SourceSelection[] {
  const tree = reader.object(`an object as tree_${source}`, value);
  const labels = reader.flag('labels_visible', tree.get('labels_visible'));
  if (!reader.flag('markers_visible', tree.get('markers_visible'))) return [];
  const given = reader.list('layers_v2', tree.get('layers_v2'));
  const what = `paths like ${source}${PATH_SEPARATOR}Flare of at most ${PATH_CHARACTERS} characters in layers_v2`;
  const notation = given.length ? 'paths' : 'pins';
  const paths = given.length
    ? given.flatMap((path) => reader.entry(what, path, (text) => pathOf(source, text)))
    : reader.list('layers', tree.get('layers')).flatMap((layer) => layerPaths(reader, source, layer));
  if (paths.length > MAX_ENTRIES) throw reader.bad(`at most ${MAX_ENTRIES} choices in tree_${source}`, paths.length);
  return [{ source, labels, notation, paths }];
}

/**
 * The events of an eventsState. Ignores trees of other sources, unknown pins and fields of the user interface. A tree with
 * hidden markers selects nothing; a non-empty list of paths (`layers_v2`) overrides `layers`.
 * @param parameter Parameter name of the object, for failures
 * @throws Failure naming `parameter`
 */
export function parseEventsState(state: unknown, parameter = 'eventsState'): EventSelection {
  const reader = stateReader(parameter);
  const trees = reader.object('an object', state);
  return canonicalSelection(
    EVENT_SOURCES.flatMap((source) => {
      const tree = trees.get(`tree_${source}`);
      return tree === undefined ? [] : treeSelection(reader, source, tree);
    }),
  );
}

function treeOf({ source, labels, notation, paths }: SourceSelection): EventsTree {
  if (notation === 'paths')
    return { labels_visible: labels, layers: [], layers_v2: paths.map((path) => [source, ...path].join(PATH_SEPARATOR)) };
  const layers = new Map<string, { event_type: string; frms: string[]; event_instances: string[] }>();
  for (const [concept = '', frm, id] of paths) {
    const pin = pinOf(source, concept);
    const layer = layers.get(pin) ?? { event_type: pin, frms: [], event_instances: [] };
    layers.set(pin, layer);
    if (id !== undefined) layer.event_instances.push(printInstance(pin, frm!, id));
    else layer.frms.push(frm === undefined ? ALL : escaped(frm));
  }
  return { labels_visible: labels, layers: [...layers.values()] };
}

/** The canonical eventsState of a selection, the inverse of parseEventsState. */
export function eventsStateOf(selection: EventSelection): EventsState {
  return Object.fromEntries(selection.map((entry) => [`tree_${entry.source}`, treeOf(entry)]));
}
