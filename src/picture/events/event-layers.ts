// The notation of events by pins: groups of pin, recognition methods and visible, as `[AR,NOAA_SWPC_Observer;SPoCA,1],[FL,all,1]`.
import { badParameter, Failure, type Suggestion } from '../../platform/util/errors.ts';
import { findEventType, parseFrm } from '../../sun/events/event-types.ts';
import { bracketGroups, suggestedGroup } from '../notation.ts';

/** A type of events that is shown. */
export interface EventLayer {
  /** As `FL`. */
  readonly pin: string;
  /** Names of recognition methods as `nameKey` writes them; null: all. */
  readonly methods: readonly string[] | null;
}

/** The method that stands for all. */
export const ALL = 'all';
/** All FRMs of all types together take half of these characters. */
const NOTATION = { parameter: 'events', example: '[FL,all,1]', maxCharacters: 10_000 };
const PIN = /^[A-Z0-9]{2,3}$/;
const VISIBLE: ReadonlyMap<string, boolean> = new Map(Object.entries({ 1: true, true: true, 0: false, false: false }));

/** Takes what is wrong with a notation, or a pin that no type has. The API throws the failure; addresses are read without the part at fault. */
type Report = (failure: Failure | null, unknownPin?: string) => undefined;

const bad = (what: string, value: unknown, suggestion?: Suggestion) => badParameter('events', what, value, suggestion);

/** The group with its elements in order: pin, recognition methods, visible; undefined for one without a known pin. */
function orderedGroup(group: readonly string[]): Suggestion | undefined {
  const pinIndex = group.findIndex((element) => findEventType(element.toUpperCase()));
  const others = group.filter((element, i) => i !== pinIndex && element !== '');
  const visible = others.find((element) => VISIBLE.has(element.toLowerCase())) ?? '1';
  const frms = others.filter((element) => element !== visible && !/^\d+$/.test(element)).join(';');
  return pinIndex < 0 ? undefined : suggestedGroup([group[pinIndex]!.toUpperCase(), frms || ALL, visible]);
}

/** The type of a group; null for one that selects nothing. */
function layerOf(group: readonly string[], report: Report): EventLayer | null {
  const [name = '', frms = ALL, visibleText = '1'] = group;
  if (group.length !== 3) report(bad('three elements in a group, as in [FL,all,1],', `[${group}]`, orderedGroup(group)));
  if (!PIN.test(name)) report(bad('a pin of two or three capital letters and digits', name, orderedGroup(group)));
  const visible = VISIBLE.get(visibleText.toLowerCase());
  if (visible === undefined) report(bad('0 or 1 as the third element of a group', visibleText, orderedGroup(group)));
  const pin = name.toUpperCase();
  if (!findEventType(pin)) report(null, name);
  if (frms === '') return null;
  const methods = frms.split(';').map((method) => parseFrm(method.trim()));
  if (methods.includes(null)) report(bad('"all" or names of recognition methods joined by ;', frms));
  if (visible === false || !findEventType(pin)) return null;
  const isAll = methods.includes(null) || methods.includes(ALL);
  return { pin, methods: isAll ? null : (methods as string[]) };
}

function groupsOf(text: string, report: Report): readonly (readonly string[])[] {
  try {
    return bracketGroups(text, NOTATION);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report(error);
    return [[text.trim()]];
  }
}

/** The types of events of a notation, those of one pin joined. Groups without methods and those whose third element is 0 select nothing. */
export function readEventLayers(text: string, report: Report): EventLayer[] {
  const layers = new Map<string, EventLayer>();
  for (const { pin, methods } of groupsOf(text, report).flatMap((group) => layerOf(group, report) ?? [])) {
    const known = layers.get(pin);
    const joined = known ? known.methods && methods && [...known.methods, ...methods] : methods;
    layers.set(pin, { pin, methods: joined && [...new Set(joined)] });
  }
  return [...layers.values()];
}
