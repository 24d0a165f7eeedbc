// Records of DONKI (CCMC): what all types have in common, and flares.
import { DAY_MS } from '../../platform/util/durations.ts';
import type { EventGroup, EventView, SolarEvent } from '../../sun/events/solar-event.ts';
import { addressOf, dateOf, dateWithin, type Location, parseLocation, type RawRecord, recordsOf, textOf } from './record.ts';

const DONKI_PAGE = 'https://ccmc.gsfc.nasa.gov/tools/DONKI/';

export const donkiGroup = (name: string): EventGroup => ({ name, contact: '', url: DONKI_PAGE });

export const FLARE_GROUP = donkiGroup('Solar Flares');

/** Longest duration of a flare in days: assumed for one without an end, and the look-back of queries. */
export const LONGEST_FLARE_DAYS = 1;

export const nonEmpty = (facts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== '' && fact !== null && fact !== undefined));

export function joined(records: readonly RawRecord[], key: string): string {
  const texts = records.map((record) => textOf(record, key));
  return texts.filter((text) => text !== '').join(', ');
}

export const pageOf = (record: RawRecord): string => addressOf(textOf(record, 'link')) ?? '';

interface DonkiFields extends Pick<SolarEvent, 'type' | 'group' | 'id' | 'version' | 'startMs' | 'endMs' | 'peakMs'> {
  readonly location: Location;
  readonly locatedAtMs: number;
  readonly labelLines: readonly string[];
  readonly linkText: string;
  readonly views: () => EventView[];
}

export function donkiEvent(record: RawRecord, fields: DonkiFields): SolarEvent {
  const { location, locatedAtMs, labelLines, linkText, views, ...common } = fields;
  const url = pageOf(record);
  return {
    ...common,
    source: 'CCMC',
    pin: 'C3',
    label: labelLines.join('\n'),
    shortLabel: labelLines.join(' '),
    position: { kind: 'stonyhurst', ...location, atMs: locatedAtMs },
    outlines: [],
    link: url === '' ? null : { url, text: linkText },
    // Lazy, because most events are never displayed.
    get views() {
      return views();
    },
    raw: record,
  };
}

function flareView(record: RawRecord): EventView {
  const content = nonEmpty({
    Instruments: joined(recordsOf(record, 'instruments'), 'displayName'),
    'Begin Time': textOf(record, 'beginTime'),
    'Peak Time': textOf(record, 'peakTime'),
    'End Time': textOf(record, 'endTime'),
    Class: textOf(record, 'classType'),
    'Active Region': textOf(record, 'activeRegionNum'),
    'External Link': pageOf(record),
  });
  return { name: 'Flare', content };
}

/** Null for a record without time, id or location. */
export function donkiFlare(record: RawRecord): SolarEvent | null {
  const id = textOf(record, 'flrID');
  const startMs = dateOf(record, 'beginTime');
  const location = parseLocation(textOf(record, 'sourceLocation'));
  if (id === '' || startMs === null || !location) return null;
  const longestMs = startMs + LONGEST_FLARE_DAYS * DAY_MS;
  const endMs = Math.min(Math.max(startMs, dateOf(record, 'endTime') ?? longestMs), longestMs);
  // A day of tolerance, because the times may come from different instruments.
  const peakMs = dateWithin(record, 'peakTime', startMs - DAY_MS, endMs + DAY_MS);
  const region = textOf(record, 'activeRegionNum');
  const labelLines = [
    peakMs === null ? '' : textOf(record, 'peakTime'),
    textOf(record, 'classType'),
    region === '' ? '' : `AR ${region}`,
  ];
  return donkiEvent(record, {
    type: 'FL',
    group: FLARE_GROUP,
    id,
    version: '',
    startMs,
    endMs,
    peakMs,
    location,
    locatedAtMs: peakMs ?? startMs,
    labelLines: labelLines.filter((line) => line !== ''),
    linkText: 'View on DONKI site',
    views: () => [flareView(record)],
  });
}
