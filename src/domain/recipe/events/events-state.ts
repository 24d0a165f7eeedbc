// The eventsState object of POST bodies: `{tree_HEK: {labels_visible, layers: [{event_type, frms, event_instances}]}}`.
import { badParameter, type Failure } from '../../errors.ts';
import { parseFrm, parseInstance, printFrm, printInstance } from './names.ts';
import { EVENT_SOURCES, type EventSource, findEventType } from './pins.ts';
import { canonicalSelection, type EventChoice, type EventSelection, nameKey, type SourceSelection } from './selection.ts';

/** Limit of the entries of a list and of the choices of a source. A tree expanded to all of its FRMs has some hundreds. */
const MAX_ENTRIES = 2000;
const PATH_CHARACTERS = 600;
const PATH_SEPARATOR = '>>';
const ALL = 'all';

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

/** The path below the source; an empty list for a path of another source, null for an invalid path. */
function pathOf(source: EventSource, text: string): EventChoice[] | null {
  const key = nameKey(text);
  if (key === '' || text.length > PATH_CHARACTERS) return null;
  const [first, ...path] = key.split(PATH_SEPARATOR).filter((name) => name !== '');
  return first === source ? [{ kind: 'path', path }] : [];
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
    const instance = reader.entry('event_instances like FL--SWPC--<id in Base64>', text, parseInstance);
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
    else layer.frms.push(choice.kind === 'pin' ? ALL : printFrm(choice.frm));
  }
  return { labels_visible: labels, layers: [...layers.values()], ...(paths.length ? { layers_v2: paths } : {}) };
}

/** The canonical eventsState of a selection, the inverse of parseEventsState. */
export function eventsStateOf(selection: EventSelection): EventsState {
  return Object.fromEntries(selection.map((entry) => [`tree_${entry.source}`, treeOf(entry)]));
}
