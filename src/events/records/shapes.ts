// Response formats of events: records placed for an instant, in a tree or a flat list.
import { contourAt, outlineAt } from '../../sun/coordinates/outline.ts';
import { eventPositionAt } from '../../sun/coordinates/sphere.ts';
import type { EventSource, EventType } from '../../sun/events/event-types.ts';
import { EVENT_TYPES, findEventType, legacyId, PATH_SEPARATOR, typesOf } from '../../sun/events/event-types.ts';
import type { EventGroup, SolarEvent } from '../../sun/events/solar-event.ts';
import { formatDateTime } from '../../sun/time.ts';
import { CME_GROUP, FLARE_GROUP } from './donki.ts';
import { PREDICTION_MODELS, predictionGroup } from './flare-prediction.ts';
import { hekLabelParts } from './hek.ts';
import { outlineFields, rounded } from './outline-path.ts';
import { type RawRecord, recordsOf, textOf } from './record.ts';
import { RHESSI_GROUP } from './rhessi.ts';

export type EventRecord = Readonly<Record<string, unknown>>;

/** Documented columns that every HEK record has, null where the source has none, with their descriptions. */
export const HEK_COLUMNS = {
  absnetcurrenthelicity: 'absolute net current helicity.',
  active: "'true' or 'false'.",
  area_atdiskcenter: 'area as seen at disk centre.',
  area_atdiskcenteruncert: 'its uncertainty.',
  area_raw: 'area as measured.',
  area_uncert: 'its uncertainty.',
  area_unit: 'unit of the areas.',
  ar_axislength: 'length of the axis.',
  ar_compactnesscls: 'compactness class.',
  ar_lengthunit: 'unit of the lengths.',
  ar_mcintoshcls: 'McIntosh class.',
  ar_mtwilsoncls: 'Mount Wilson class.',
  ar_neutrallength: 'length of the neutral line.',
} as const;

const NO_COLUMNS: RawRecord = Object.fromEntries(Object.keys(HEK_COLUMNS).map((name) => [name, null]));

/** Groups that categories have even when empty. The groups of the HEK are the methods with events. */
const FIXED_GROUPS: Readonly<Record<string, readonly EventGroup[]>> = {
  'CCMC C3': [CME_GROUP, FLARE_GROUP],
  'CCMC FP': PREDICTION_MODELS.map(({ name }) => predictionGroup(name)),
  'RHESSI F2': [RHESSI_GROUP],
};

/** Names reserved for the interface; clients use some of them as addresses, so a source must not set them. */
const RESERVED_NAMES = /^(?:hv_|url$)/;

/** Columns of a HEK record, which the fields of the interface override. */
function hekColumns({ source, raw }: SolarEvent): EventRecord {
  if (source !== 'HEK') return {};
  return { ...NO_COLUMNS, ...Object.fromEntries(Object.entries(raw).filter(([name]) => !RESERVED_NAMES.test(name))) };
}

type FormatTime = (ms: number) => string;

export const timesOf = ({ startMs, peakMs, endMs }: SolarEvent, print: FormatTime) => {
  return { start: print(startMs), peak: peakMs === null ? null : print(peakMs), end: print(endMs) };
};

const treeTime: FormatTime = (ms) => formatDateTime(ms).replace(' ', 'T');

const conceptOf = ({ pin }: SolarEvent) => findEventType(pin)?.concept ?? '';

/** `WSA>>Coronal Hole>>AGONG>>R3`: source, category, group and deeper groups. */
export const pathOf = (event: SolarEvent) => [event.source, conceptOf(event), event.group.name].join(PATH_SEPARATOR);

/** The outline with the most vertices, for clients that draw only one. */
function ringOf({ outlines, position }: Pick<SolarEvent, 'outlines' | 'position'>, atMs: number): { x: number; y: number }[] {
  const [longest] = outlines.toSorted((a, b) => b.length - a.length);
  const outline = longest && outlineAt(longest, position, atMs);
  return (outline ?? []).map(([x, y]) => ({ x: rounded(x), y: rounded(y) }));
}

/** All outlines; points behind the limb are marked. */
export const contoursOf = ({ outlines, position }: Pick<SolarEvent, 'outlines' | 'position'>, atMs: number) =>
  outlines.map((outline) =>
    contourAt(outline, position, atMs).map(({ x, y, isVisible }) => ({
      x: rounded(x),
      y: rounded(y),
      ...(isVisible ? {} : { visible: false }),
    })),
  );

/** Fields of HEK records that older clients read. */
function legacyFields(event: SolarEvent, outlines: SolarEvent['outlines'], position: { x: number; y: number }, atMs: number) {
  if (event.source !== 'HEK') return {};
  return {
    hv_labels_formatted: Object.fromEntries(hekLabelParts(event.raw, conceptOf(event))),
    hv_hpc_x_final: position.x,
    hv_hpc_y_final: position.y,
    hv_rot_hpc_time_base: treeTime(event.position.atMs),
    hv_rot_hpc_time_targ: treeTime(atMs),
    ...outlineFields({ pin: event.pin, position: event.position, outlines }, atMs),
  };
}

function recordOf(event: SolarEvent, atMs: number, time: FormatTime): EventRecord & { readonly hv_hpc_y: number } {
  const { x, y, isVisible } = eventPositionAt(event.position, atMs);
  const position = { x: rounded(x), y: rounded(y) };
  // Parsed once, because reading them from the event parses their text.
  const { outlines } = event;
  return {
    ...hekColumns(event),
    id: event.id,
    legacy_id: legacyId(event.id),
    path: pathOf(event),
    concept: conceptOf(event),
    frm_name: event.group.name.replaceAll(PATH_SEPARATOR, ' '),
    frm_institute: textOf(event.raw, 'frm_institute'),
    type: event.type,
    pin: event.pin,
    label: event.label,
    short_label: event.shortLabel,
    title: event.label,
    version: event.version,
    ...timesOf(event, time),
    hv_hpc_x: position.x,
    hv_hpc_y: position.y,
    ...legacyFields(event, outlines, position, atMs),
    visible: isVisible,
    footprint: contoursOf({ outlines, position: event.position }, atMs),
    footprint_ring: ringOf({ outlines, position: event.position }, atMs),
    link: event.link,
    views: event.views(),
    source: event.raw,
  };
}

/** Sorted from north to south, so that southern pins are drawn over northern ones. */
const placedRecords = (events: readonly SolarEvent[], atMs: number, time: FormatTime): EventRecord[] =>
  events.map((event) => recordOf(event, atMs, time)).sort((a, b) => b.hv_hpc_y - a.hv_hpc_y);

const eventsOf = ({ source, pin }: EventType, events: readonly SolarEvent[]) =>
  events.filter((event) => event.source === source && event.pin === pin);

/** Groups by the first of their names. */
function groupsOf({ source, pin }: EventType, events: readonly SolarEvent[], atMs: number) {
  const members = Map.groupBy(events, ({ group }) => group.name.split(PATH_SEPARATOR, 1)[0]!);
  const fixed = FIXED_GROUPS[`${source} ${pin}`] ?? [];
  const others = [...members].filter(([name]) => !fixed.some((group) => group.name === name));
  return [...fixed, ...others.map(([name, [first]]) => ({ ...first!.group, name }))].map(({ name, contact, url }) => {
    return { name, contact, url, data: placedRecords(members.get(name) ?? [], atMs, treeTime) };
  });
}

/** All categories of the sources with their groups, by source, then by type. */
export const eventTree = (events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number) =>
  sources
    .flatMap(typesOf)
    .map((type) => ({ name: type.concept, pin: type.pin, groups: groupsOf(type, eventsOf(type, events), atMs) }));

/** `{'HEK>>Active Region': [...], ...}` with all categories of the sources. */
function simpleEventTree(events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number) {
  const listOf = (type: EventType) => placedRecords(eventsOf(type, events), atMs, formatDateTime);
  const types = sources.flatMap(typesOf);
  return Object.fromEntries(types.map((type) => [`${type.source}${PATH_SEPARATOR}${type.concept}`, listOf(type)]));
}

export const flatEvents = (events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number): EventRecord[] =>
  Object.values(simpleEventTree(events, sources, atMs)).flat();

/** Events of sources by the format of a response. */
export const EVENT_SHAPES = { tree: eventTree, flat: flatEvents, simpletree: simpleEventTree } as const;

/** The types that the interface defines, in its order. */
const DEFAULT_TYPES = EVENT_TYPES.slice(0, 20);

const typeKey = (concept: string, pin: string) => `${concept}/${pin}`;

/** Methods by their name, which is percent-encoded in `frm_name`. */
type Methods = Record<string, { frm_name: string; frm_url: string; frm_contact: string; concept: string; count: number }>;

/** `{'Active Region/AR': {}, ...}` with the twenty types of the interface. */
export const defaultEventTypes = (): Record<string, Methods> =>
  Object.fromEntries(DEFAULT_TYPES.map(({ concept, pin }) => [typeKey(concept, pin), {}]));

export type EventMethod = Pick<SolarEvent, 'pin' | 'group'>;

/** The default types, and those of the events, with the methods of each by name. */
export function methodsByType(events: readonly EventMethod[]): Record<string, Methods> {
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
