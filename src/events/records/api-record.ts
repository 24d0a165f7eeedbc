// Records of the Events API of Helioviewer (events.helioviewer.org).
import { eventPositionAt } from '../../sun/coordinates/sphere.ts';
import type { EventSource } from '../../sun/events/event-types.ts';
import { eventUuid } from '../../sun/events/event-uuid.ts';
import type { SolarEvent } from '../../sun/events/solar-event.ts';
import { formatDateTime } from '../../sun/time.ts';
import { noaaNumber } from './hek.ts';
import { rounded } from './outline-path.ts';
import { dateOf, textOf } from './record.ts';
import { contoursOf, pathOf, timesOf } from './shapes.ts';

const SOURCE_IDS: Readonly<Record<EventSource, number>> = { CCMC: 1, HEK: 2, WSA: 3, RHESSI: 4 };

/** Organisations that number active regions, with the sources whose events name theirs. */
export const REGION_SOURCES = { NOAA: ['HEK', 'CCMC'], HARP: ['HEK'], CATANIA: ['CCMC'], MODEL: ['CCMC'] } as const;

type NumberedRegion = { readonly organization: keyof typeof REGION_SOURCES; readonly external_id: string };

export function regionsOf({ source, pin, group, raw }: SolarEvent): NumberedRegion[] {
  const number = (organization: NumberedRegion['organization'], text: string | number | null) =>
    Number(text) > 0 ? [{ organization, external_id: String(Number(text)) }] : [];
  if (source === 'HEK') {
    const harp = pin === 'AR' && /SHARP/.test(group.name) ? /(\d+)\D*$/.exec(textOf(raw, 'frm_specificid'))?.[1] : undefined;
    return [...number('NOAA', noaaNumber(raw)), ...number('HARP', harp ?? null)];
  }
  if (source !== 'CCMC') return [];
  return [
    ...number('NOAA', textOf(raw, 'activeRegionNum') || textOf(raw, 'NOAARegionId')),
    ...number('CATANIA', textOf(raw, 'CataniaRegionId')),
    ...number('MODEL', textOf(raw, 'ModelRegionId')),
  ];
}

/** Time at which its source says that it wrote the record; null for sources that do not say it: RHESSI and WSA. */
export const changedAtMs = ({ raw }: SolarEvent): number | null =>
  dateOf(raw, 'kb_archivdate') ?? dateOf(raw, 'submissionTime') ?? dateOf(raw, 'issue_time');

/** The first version of a record was made when it was written; when an older one was made, its source does not say. */
const madeAtMs = (event: SolarEvent): number | null => (Number(event.raw.versionId ?? 1) > 1 ? null : changedAtMs(event));

const dateOrNull = (ms: number | null) => (ms === null ? null : formatDateTime(ms));

const place = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x: rounded(x), y: rounded(y) });

export const apiAddresses = (origin: string, event: SolarEvent) => {
  const url = `${origin}/api/v1/events/${eventUuid(event)}`;
  return { url, source_url: `${url}/source` };
};

/** What a record and a place for frames have in common. */
const measuredFields = (event: SolarEvent) => ({
  remote_id: event.id,
  path: pathOf(event),
  ...timesOf(event, formatDateTime),
  coordinate_time: formatDateTime(event.position.atMs),
  coordinate_system: event.position.kind,
  label: event.label,
  short_label: event.shortLabel,
  type: event.type,
  pin: event.pin,
});

/** The record of an event. @param atMs The time for which it is placed, arcseconds; null: as it was measured, in its own coordinates */
export function apiRecord(event: SolarEvent, atMs: number | null, origin: string): Readonly<Record<string, unknown>> {
  const { position, outlines, raw, source } = event;
  const measured = eventPositionAt(position, position.atMs);
  const moved = atMs === null ? null : eventPositionAt(position, atMs);
  const own = position.kind === 'stonyhurst' ? { x: position.longitude, y: position.latitude } : position;
  const shown = place(moved ?? own);
  const [xHpc, yHpc] = [rounded(measured.x), rounded(measured.y)];
  return {
    id: eventUuid(event),
    ...apiAddresses(origin, event),
    ...measuredFields(event),
    source_id: SOURCE_IDS[source],
    hv_hpc_x: shown.x,
    hv_hpc_y: shown.y,
    x_hpc: xHpc,
    y_hpc: yHpc,
    footprint: atMs === null ? outlines.map((ring) => ring.map(([x, y]) => place({ x, y }))) : contoursOf(event, atMs),
    footprint_hpc: contoursOf(event, position.atMs),
    legacy_type: event.type,
    legacy_pin: event.pin,
    legacy_version: event.version,
    visible: (moved ?? measured).isVisible,
    regions: regionsOf(event),
    views: event.views(),
    link: event.link,
    source: raw,
    created_at: dateOrNull(madeAtMs(event)),
    updated_at: dateOrNull(changedAtMs(event)),
  };
}

/** The place of an event at several times, from its place as it was measured. */
export function framesOf(event: SolarEvent, timesMs: readonly number[]) {
  const { position, startMs, endMs } = event;
  const base = eventPositionAt(position, position.atMs);
  const frames = timesMs.map((atMs) => {
    if (atMs < startMs || atMs > endMs) return null;
    const { x, y, isVisible } = eventPositionAt(position, atMs);
    return { dx: rounded(x - base.x), dy: rounded(y - base.y), visible: isVisible };
  });
  const { x, y } = place(base);
  const footprint = contoursOf(event, position.atMs);
  const record = { ...measuredFields(event), hv_hpc_x: x, hv_hpc_y: y, footprint, version: event.version };
  return { record, frames };
}
