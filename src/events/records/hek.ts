// Events of the Heliophysics Event Knowledgebase (VOEvent 1.1). Their labels have a few columns, by recognition method.
import { DAY_MS } from '../../platform/util/durations.ts';
import { findEventType } from '../../sun/events/event-types.ts';
import type { EventView, MeasuredPosition, SolarEvent } from '../../sun/events/solar-event.ts';
import type { RawRecord } from './record.ts';
import {
  addressOf,
  dateOf,
  dateWithin,
  FARTHEST_ARCSEC,
  locationOf,
  numberOf,
  parseOutlines,
  recordsOf,
  textOf,
} from './record.ts';

/** Name and text of a fact; the label has one line for each. */
type LabelPart = readonly [name: string, text: string];

const GREEK = { ALPHA: 'α', BETA: 'β', GAMMA: 'γ', DELTA: 'δ' } as const;

/** Abbreviates `BETA-GAMMA-DELTA` to βγδ; other text is unchanged. */
export function mountWilson(text: string): string {
  const letters = [...text.toUpperCase().matchAll(/ALPHA|BETA|GAMMA|DELTA/g)].map(([name]) => GREEK[name as keyof typeof GREEK]);
  return letters.join('') || text;
}

const exponent = (value: number | null): string => (value === null ? '' : value.toExponential(1).replace('e+', 'e'));

/** Formats exponents of units: `km2` as km². */
const unit = (text: string) => text.replace(/2$/, '²').replace(/3$/, '³');

/** `value ± uncertainty unit`; empty without a value. */
function quantity(value: string, unitText: string, uncertainty = ''): string {
  if (value === '') return '';
  return [value, uncertainty && `± ${uncertainty}`, unit(unitText)].filter((part) => part !== '').join(' ');
}

const measured = (record: RawRecord, value: string, unitKey: string, uncertainty = ''): string =>
  quantity(textOf(record, value), textOf(record, unitKey), uncertainty && textOf(record, uncertainty));

/** Last digits of the id that the method assigned, without leading zeros. */
const trailingNumber = (record: RawRecord): string =>
  /(?<!\d)(\d+)\D*$/.exec(textOf(record, 'frm_specificid'))?.[1]?.replace(/^0+(?=\d)/, '') ?? '';

const numbered = (name: string, number: string): LabelPart => [`${name} Identifier`, number && `${name} ${number}`];

/** Number of a NOAA region, from `14035` or `14,035`; null for none. */
export const noaaNumber = (record: RawRecord): number | null =>
  numberOf({ number: textOf(record, 'ar_noaanum').replaceAll(',', '') }, 'number');

type Rule = (record: RawRecord) => readonly LabelPart[];

const noaaRegion: Rule = (record) => {
  const number = noaaNumber(record);
  return [
    ['AR', number ? `NOAA ${number}` : ''],
    ['Mt. Wilson Class.', mountWilson(textOf(record, 'ar_mtwilsoncls'))],
  ];
};

const goesClass: Rule = (record) => [['GOES Class', textOf(record, 'fl_goescls')]];

const velocity = (record: RawRecord, deviation = ''): LabelPart => [
  'Radial Lin. Vel.',
  measured(record, 'cme_radiallinvel', 'cme_radiallinvelunit', deviation),
];

const width = (record: RawRecord): LabelPart => ['Angular Width', measured(record, 'cme_angularwidth', 'cme_angularwidthunit')];

const area = (record: RawRecord, uncertainty = ''): LabelPart => {
  const error = uncertainty && exponent(numberOf(record, uncertainty));
  return ['Area at Disk Center', quantity(exponent(numberOf(record, 'area_atdiskcenter')), textOf(record, 'area_unit'), error)];
};

const emergingFlux: Rule = (record) => [
  area(record, 'area_atdiskcenteruncert'),
  ['Onset Flux', measured(record, 'ef_pospeakfluxonsetrate', 'ef_onsetrateunit')],
];

/** Rules by pin; the first whose pattern matches the name of the method applies. */
const RULES: Readonly<Record<string, readonly (readonly [RegExp, Rule])[]>> = {
  AR: [
    [/NOAA/, noaaRegion],
    [/SHARP/, (record) => [numbered('HMI SHARP', trailingNumber(record))]],
    [/SPoCA/i, (record) => [numbered('SPoCA', trailingNumber(record))]],
    [/SMART/, (record) => [numbered('SMART', textOf(record, 'frm_specificid'))]],
  ],
  CE: [
    [/CACTus/i, (record) => [velocity(record, 'cme_radiallinvelstddev'), width(record)]],
    [/CDAW/, (record) => [velocity(record), width(record), ['Mass', measured(record, 'cme_mass', 'cme_massunit')]]],
  ],
  CH: [
    [/LMSAL/, (record) => [area(record)]],
    [/SPoCA/i, (record) => [numbered('SPoCA', trailingNumber(record))]],
  ],
  EF: [[/./, emergingFlux]],
  FI: [[/AAFDCC/, (record) => [['Length', measured(record, 'fi_length', 'fi_lengthunit')]]]],
  FL: [
    [/Flare Detective/i, (record) => [['Peak Flux', measured(record, 'fl_peakflux', 'fl_peakfluxunit')]]],
    [/./, goesClass],
  ],
  SG: [[/./, (record) => [['Shape', textOf(record, 'sg_shape')]]]],
};

export function hekLabelParts(record: RawRecord, concept: string): readonly LabelPart[] {
  const method = textOf(record, 'frm_name');
  const rule = (RULES[textOf(record, 'event_type')] ?? []).find(([pattern]) => pattern.test(method))?.[1];
  const parts = rule?.(record).filter(([, text]) => text !== '') ?? [];
  return parts.length > 0 ? parts : [['Event Type', concept]];
}

const RECORD_PAGE = 'https://www.lmsal.com/hek/her?cmd=view-voevent&ivorn=';

/** Version of the emerging flux module before which positions refer to the peak. */
const EMERGING_FLUX_VERSION = 0.55;

/** Tolerance of peaks before the start and after the end, because some methods round times to days. */
const PEAK_SLACK_DAYS = 1;

/** Days after an event's start in which its position may have been measured: after half a rotation everything has left the disk. */
const MEASURED_WITHIN_DAYS = 14;

const isTest = (record: RawRecord) => textOf(record, 'event_testflag').toLowerCase() === 'true';

type Times = Pick<SolarEvent, 'startMs' | 'endMs' | 'peakMs'>;

function placedAt(record: RawRecord, pin: string, { startMs, endMs, peakMs }: Times): number {
  const method = textOf(record, 'frm_name');
  if (/SPoCA/i.test(method)) return endMs - startMs <= MEASURED_WITHIN_DAYS * DAY_MS ? endMs : startMs;
  if (pin === 'FL') return peakMs ?? startMs;
  const version = Number.parseFloat(textOf(record, 'frm_versionnumber'));
  const isOldEmergingFlux = pin === 'EF' && /emerging flux/i.test(method) && version < EMERGING_FLUX_VERSION;
  return isOldEmergingFlux ? (peakMs ?? startMs) : startMs;
}

function peakOf(record: RawRecord, startMs: number, endMs: number): number | null {
  const lastMs = Math.min(endMs + PEAK_SLACK_DAYS * DAY_MS, startMs + MEASURED_WITHIN_DAYS * DAY_MS);
  return dateWithin(record, 'event_peaktime', startMs - PEAK_SLACK_DAYS * DAY_MS, lastMs);
}

/** From hpc_x and hpc_y, else from hgs_x and hgs_y; null without either. */
function positionOf(record: RawRecord, atMs: number): MeasuredPosition | null {
  const [x, y] = [numberOf(record, 'hpc_x'), numberOf(record, 'hpc_y')];
  if (x !== null && y !== null && Math.hypot(x, y) <= FARTHEST_ARCSEC) return { kind: 'helioprojective', x, y, atMs };
  const location = locationOf(numberOf(record, 'hgs_y'), numberOf(record, 'hgs_x'));
  return location && { kind: 'stonyhurst', ...location, atMs };
}

function columns(record: RawRecord, prefixes: readonly string[]): Record<string, unknown> {
  const chosen = Object.entries(record).filter(
    ([name, value]) => value !== null && value !== '' && prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return Object.fromEntries(chosen);
}

const references = (record: RawRecord): Record<string, unknown> =>
  Object.fromEntries(
    recordsOf(record, 'refs').map((ref, i) => [
      textOf(ref, 'ref_name') || `Reference ${i + 1}`,
      { type: textOf(ref, 'ref_type'), url: addressOf(textOf(ref, 'ref_url')) ?? '' },
    ]),
  );

function viewsOf(record: RawRecord, concept: string, type: string): EventView[] {
  const own = type === 'CE' ? 'cme_' : `${type.toLowerCase()}_`;
  const views = [
    { name: concept, content: { concept, ...columns(record, [own, 'event_', 'kb_']) } },
    { name: 'Observation', content: columns(record, ['obs_']) },
    { name: 'Recognition Method', content: columns(record, ['frm_']) },
    { name: 'References', content: references(record) },
    { name: '(All)', content: record },
  ];
  return views.filter(({ content }) => Object.keys(content).length > 0);
}

/** The event of a record; null for tests, types without a category, and records without id, time or position. */
export function hekEvent(record: RawRecord): SolarEvent | null {
  const pin = textOf(record, 'event_type');
  const category = findEventType(pin);
  const id = textOf(record, 'kb_archivid');
  const startMs = dateOf(record, 'event_starttime');
  // NR, "nothing reported", is not an event.
  if (category?.source !== 'HEK' || pin === 'NR' || isTest(record) || id === '' || startMs === null) return null;
  const endMs = Math.max(startMs, dateOf(record, 'event_endtime') ?? startMs);
  const peakMs = peakOf(record, startMs, endMs);
  const position = positionOf(record, placedAt(record, pin, { startMs, endMs, peakMs }));
  if (!position) return null;
  const label = hekLabelParts(record, category.concept).map(([, text]) => text);
  return {
    source: 'HEK',
    pin,
    type: pin,
    group: {
      name: textOf(record, 'frm_name') || 'Unknown',
      contact: textOf(record, 'frm_contact'),
      url: addressOf(textOf(record, 'frm_url')) ?? '',
    },
    id,
    version: textOf(record, 'frm_specificid'),
    label: label.join('\n'),
    shortLabel: label.join(' '),
    startMs,
    endMs,
    peakMs,
    position,
    // Lazy, as the views: a day has a thousand events, most of which are never displayed.
    get outlines() {
      return position.kind === 'helioprojective' ? parseOutlines(textOf(record, 'hpc_boundcc')) : [];
    },
    link: { url: RECORD_PAGE + encodeURIComponent(id), text: 'HEK Archive Link' },
    views: () => viewsOf(record, category.concept, pin),
    raw: record,
  };
}
