// Response formats of events: records placed for an instant, in a tree or a flat list.
import { contourAt, outlineAt } from '../../sun/coordinates/outline.ts';
import { eventPositionAt } from '../../sun/coordinates/sphere.ts';
import { legacyId } from '../../sun/events/archive-id.ts';
import { type EventSource, type EventType, findEventType, PATH_SEPARATOR, typesOf } from '../../sun/events/event-types.ts';
import type { EventGroup, SolarEvent } from '../../sun/events/solar-event.ts';
import { formatDateTime } from '../../sun/time.ts';
import { FLARE_GROUP } from './donki.ts';
import { CME_GROUP } from './donki-cme.ts';
import { PREDICTION_MODELS, predictionGroup } from './flare-prediction.ts';
import { hekLabelParts } from './hek.ts';
import { outlineFields, rounded } from './outline-path.ts';
import { type RawRecord, textOf } from './record.ts';
import { RHESSI_GROUP } from './rhessi.ts';

export type EventRecord = Readonly<Record<string, unknown>>;

/** Documented columns that every HEK record has, null where the source has none. */
const HEK_COLUMNS = [
  'absnetcurrenthelicity active area_atdiskcenter area_atdiskcenteruncert area_raw area_uncert area_unit',
  'ar_axislength ar_compactnesscls ar_lengthunit ar_mcintoshcls ar_mtwilsoncls ar_neutrallength',
].flatMap((names) => names.split(' '));

const NO_COLUMNS: RawRecord = Object.fromEntries(HEK_COLUMNS.map((name) => [name, null]));

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
    start: time(event.startMs),
    peak: event.peakMs === null ? null : time(event.peakMs),
    end: time(event.endMs),
    hv_hpc_x: position.x,
    hv_hpc_y: position.y,
    ...legacyFields(event, outlines, position, atMs),
    visible: isVisible,
    footprint: contoursOf({ outlines, position: event.position }, atMs),
    footprint_ring: ringOf({ outlines, position: event.position }, atMs),
    link: event.link,
    views: event.views,
    source: event.raw,
  };
}

/** Sorted from north to south, so that southern pins are drawn over northern ones. */
const recordsOf = (events: readonly SolarEvent[], atMs: number, time: FormatTime): EventRecord[] =>
  events.map((event) => recordOf(event, atMs, time)).sort((a, b) => b.hv_hpc_y - a.hv_hpc_y);

const eventsOf = ({ source, pin }: EventType, events: readonly SolarEvent[]) =>
  events.filter((event) => event.source === source && event.pin === pin);

/** Groups by the first of their names. */
function groupsOf({ source, pin }: EventType, events: readonly SolarEvent[], atMs: number) {
  const groups = new Map<string, { group: EventGroup; events: SolarEvent[] }>();
  for (const group of FIXED_GROUPS[`${source} ${pin}`] ?? []) groups.set(group.name, { group, events: [] });
  for (const event of events) {
    const [name = ''] = event.group.name.split(PATH_SEPARATOR);
    const known = groups.get(name);
    if (known) known.events.push(event);
    else groups.set(name, { group: { ...event.group, name }, events: [event] });
  }
  return [...groups.values()].map(({ group, events: members }) => ({
    name: group.name,
    contact: group.contact,
    url: group.url,
    data: recordsOf(members, atMs, treeTime),
  }));
}

/** All categories of the sources with their groups, by source, then by type. */
export const eventTree = (events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number) =>
  sources
    .flatMap(typesOf)
    .map((type) => ({ name: type.concept, pin: type.pin, groups: groupsOf(type, eventsOf(type, events), atMs) }));

export const flatEvents = (events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number): EventRecord[] =>
  sources.flatMap(typesOf).flatMap((type) => recordsOf(eventsOf(type, events), atMs, formatDateTime));

/** `{'HEK>>Active Region': [...], ...}` with all categories of the sources. */
export const simpleEventTree = (events: readonly SolarEvent[], sources: readonly EventSource[], atMs: number) =>
  Object.fromEntries(
    sources
      .flatMap(typesOf)
      .map((type) => [`${type.source}${PATH_SEPARATOR}${type.concept}`, recordsOf(eventsOf(type, events), atMs, formatDateTime)]),
  );
