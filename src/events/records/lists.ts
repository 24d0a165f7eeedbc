// Forms of HEK events that pages older than the tree of events read.
import { EVENT_TYPES, findEventType } from '../../sun/events/event-types.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { hekLabelParts } from './hek.ts';
import { type RawRecord, recordsOf, textOf } from './record.ts';
import { type EventRecord, flatEvents } from './shapes.ts';

/** The types that the interface defines, in its order. */
const DEFAULT_TYPES = EVENT_TYPES.slice(0, 20);

const typeKey = (concept: string, pin: string) => `${concept}/${pin}`;

interface MethodEntry {
  /** Percent-encoded. */
  readonly frm_name: string;
  readonly frm_url: string;
  readonly frm_contact: string;
  readonly concept: string;
  readonly count: number;
}

/** `{'Active Region/AR': {}, ...}` with the twenty types of the interface. */
export const defaultEventTypes = (): Record<string, Record<string, MethodEntry>> =>
  Object.fromEntries(DEFAULT_TYPES.map(({ concept, pin }) => [typeKey(concept, pin), {}]));

export type EventMethod = Pick<SolarEvent, 'pin' | 'group'>;

/** The default types, and those of the events, with the methods of each by name. */
export function methodsByType(events: readonly EventMethod[]): Record<string, Record<string, MethodEntry>> {
  const types = new Map(Object.entries(defaultEventTypes()));
  for (const { pin, group } of events) {
    const concept = findEventType(pin)?.concept ?? pin;
    const key = typeKey(concept, pin);
    const { [group.name]: known, ...others } = types.get(key) ?? {};
    const entry = { frm_name: encodeURIComponent(group.name), frm_url: group.url, frm_contact: group.contact, concept };
    types.set(key, { ...others, [group.name]: { ...entry, count: (known?.count ?? 0) + 1 } });
  }
  return Object.fromEntries(types);
}

/** The records of HEK events at an instant, from north to south; false for none. */
export function hekList(events: readonly SolarEvent[], atMs: number): EventRecord[] | false {
  const records = flatEvents(events, ['HEK'], atMs);
  if (records.length === 0) return false;
  return records.sort((a, b) => Number(b.hv_hpc_y) - Number(a.hv_hpc_y));
}

/** Texts, because the web client cannot read null; lists and objects are left out. */
function textColumns(raw: RawRecord): Record<string, string> {
  const columns = Object.keys(raw).filter((name) => typeof raw[name] !== 'object' || raw[name] === null);
  return Object.fromEntries(
    columns.map((name) => [name, typeof raw[name] === 'boolean' ? String(raw[name]) : textOf(raw, name)]),
  );
}

/** The record of a HEK event with what the web client shows beside it. */
export function sourceRecord({ raw, pin }: Pick<SolarEvent, 'raw' | 'pin'>): EventRecord {
  const concept = findEventType(pin)?.concept ?? pin;
  return {
    ...textColumns(raw),
    concept,
    event_type: pin,
    hv_labels_formatted: Object.fromEntries(hekLabelParts(raw, concept)),
    refs: recordsOf(raw, 'refs').map((ref) => ({ ref_name: textOf(ref, 'ref_name'), ref_url: textOf(ref, 'ref_url') })),
  };
}

const DATE = /(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d{5})/g;

/** Days that the id of an event contains, the last first: ids begin with the day of their report, which may be later. */
export function daysInId(id: string): number[] {
  const days = [...id.matchAll(DATE)].map(([, year, month, day]) => Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return [...new Set(days)].reverse();
}
