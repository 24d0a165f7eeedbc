// The events notation of query strings: `[AR,NOAA_SWPC_Observer;SPoCA,1],[FL,all,1]`.
import { badParameter } from '../../errors.ts';
import { bracketGroups } from '../groups.ts';
import { parseFrm, printFrm } from './names.ts';
import { findEventType } from './pins.ts';
import { canonicalSelection, type EventChoice, type EventSelection, type SourceSelection } from './selection.ts';

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

const bad = (what: string, value: unknown) => badParameter('events', what, value);

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
    if (group.length !== 3) throw bad('three elements in a group, as in [FL,all,1],', `[${group}]`);
    if (!PIN.test(pin)) throw bad('a pin of two or three capital letters and digits', pin);
    const visible = VISIBLE.get(visibleText.toLowerCase());
    if (visible === undefined) throw bad('0 or 1 as the third element of a group', visibleText);
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
    frmsByPin.set(choice.pin, frms.add(choice.kind === 'pin' ? ALL : printFrm(choice.frm)));
  }
  return [...frmsByPin].map(([pin, frms]) => `[${pin},${[...frms].join(';')},1]`).join(',');
}
