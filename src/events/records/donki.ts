// Records of DONKI (CCMC): what all types have in common, and flares.
import { DAY_MS } from '../../platform/util/durations.ts';
import type { EventGroup, EventView, SolarEvent } from '../../sun/events/solar-event.ts';
import type { Location, RawRecord } from './record.ts';
import { addressOf, dateOf, dateWithin, locationOf, numberOf, parseLocation, recordsOf, textOf } from './record.ts';

const DONKI_PAGE = 'https://ccmc.gsfc.nasa.gov/tools/DONKI/';

const donkiGroup = (name: string): EventGroup => ({ name, contact: '', url: DONKI_PAGE });

export const FLARE_GROUP = donkiGroup('Solar Flares');

/** Longest duration of a flare in days: assumed for one without an end, and the look-back of queries. */
export const LONGEST_FLARE_DAYS = 1;

const nonEmpty = (facts: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== '' && fact !== null && fact !== undefined));

export function joined(records: readonly RawRecord[], key: string): string {
  const texts = records.map((record) => textOf(record, key));
  return texts.filter((text) => text !== '').join(', ');
}

export const pageOf = (record: RawRecord): string => addressOf(textOf(record, 'link')) ?? '';

interface DonkiFields extends Pick<SolarEvent, 'type' | 'group' | 'id' | 'version' | 'startMs' | 'endMs' | 'peakMs' | 'views'> {
  readonly location: Location;
  readonly locatedAtMs: number;
  readonly labelLines: readonly string[];
  readonly linkText: string;
}

function donkiEvent(record: RawRecord, fields: DonkiFields): SolarEvent {
  const { location, locatedAtMs, labelLines, linkText, ...common } = fields;
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

export const CME_GROUP = donkiGroup('CME');

const DEFAULT_DAYS = 5;

/** Longest duration of a CME, and the look-back of queries. At 300 km/s a CME reaches the Earth in 5 days; slower ones are cut. */
export const LONGEST_CME_DAYS = 7;

/** From 21.5 solar radii, the height of `time21_5`, to the Earth at 215. */
const DISTANCE_KM = (215 - 21.5) * 696_000;

const isTrue = (record: RawRecord, key: string) => record[key] === true || textOf(record, key).toLowerCase() === 'true';

/** Sort key: the most accurate analysis first, then one of the leading edge. */
function rank(analysis: RawRecord): number {
  const isLeadingEdge = textOf(analysis, 'featureCode') === 'LE' || textOf(analysis, 'levelOfData') === 'LE';
  return (isTrue(analysis, 'isMostAccurate') ? 0 : 2) + (isLeadingEdge ? 0 : 1);
}

const locationOfAnalysis = (analysis: RawRecord) => locationOf(numberOf(analysis, 'latitude'), numberOf(analysis, 'longitude'));

function sourceLocation(record: RawRecord, analyses: readonly RawRecord[]): Location | null {
  const location = parseLocation(textOf(record, 'sourceLocation'));
  return location ?? analyses.map(locationOfAnalysis).find((found) => found !== null) ?? null;
}

/** Arrival at the Earth at the constant speed measured at 21.5 solar radii. */
function arrivalMs(analysis: RawRecord | undefined, startMs: number): number {
  const speed = analysis ? numberOf(analysis, 'speed') : null;
  const fromMs = (analysis && dateOf(analysis, 'time21_5')) ?? startMs;
  const arrival = speed !== null && speed > 0 ? fromMs + (DISTANCE_KM / speed) * 1000 : startMs + DEFAULT_DAYS * DAY_MS;
  return Math.round(Math.min(Math.max(arrival, startMs), startMs + LONGEST_CME_DAYS * DAY_MS));
}

function labelLines(analysis: RawRecord | undefined, startTime: string): string[] {
  if (!analysis) return [startTime];
  const [type, halfAngle, speed] = ['type', 'halfAngle', 'speed'].map((key) => textOf(analysis, key));
  const lines = [
    type && `Type: ${type}`,
    halfAngle && `Half Angle: ${halfAngle}°`,
    speed && `${speed} km/s`,
    recordsOf(analysis, 'enlilList').length > 0 ? 'Modeled' : '',
  ].filter((line): line is string => Boolean(line));
  return lines.length > 0 ? lines : [startTime];
}

function cmeView(record: RawRecord, { latitude, longitude }: Location): EventView {
  const content = nonEmpty({
    'Activity ID': textOf(record, 'activityID'),
    Catalog: textOf(record, 'catalog'),
    'Active Region': textOf(record, 'activeRegionNum'),
    'Start Time': textOf(record, 'startTime'),
    Latitude: latitude,
    Longitude: longitude,
    'External Link': pageOf(record),
    Instruments: joined(recordsOf(record, 'instruments'), 'displayName'),
    'Related Events': joined(recordsOf(record, 'linkedEvents'), 'activityID'),
    Note: textOf(record, 'note'),
  });
  return { name: 'CME', content };
}

function analysisView(analysis: RawRecord, name: string, tabgroup: number): EventView {
  const content = nonEmpty({
    'Time at 21.5 Solar Radii': textOf(analysis, 'time21_5'),
    Type: textOf(analysis, 'type'),
    Latitude: textOf(analysis, 'latitude'),
    Longitude: textOf(analysis, 'longitude'),
    'Half Angle': textOf(analysis, 'halfAngle'),
    Speed: textOf(analysis, 'speed'),
    'Level of Data': textOf(analysis, 'levelOfData'),
    'Most Accurate': isTrue(analysis, 'isMostAccurate') ? 'Yes' : 'No',
    Note: textOf(analysis, 'note'),
    'External Link': pageOf(analysis),
  });
  return { name, content, tabgroup };
}

function modelView(model: RawRecord, name: string, tabgroup: number): EventView {
  const impacts = recordsOf(model, 'impactList').map((impact) => [
    `Impact at ${textOf(impact, 'location')}`,
    textOf(impact, 'arrivalTime'),
  ]);
  const indices = ['kp_18', 'kp_90', 'kp_135', 'kp_180'].map((key) => [key, textOf(model, key)]);
  const content = nonEmpty({
    'Completion Time': textOf(model, 'modelCompletionTime'),
    'External Link': pageOf(model),
    'Shock Arrival Time': textOf(model, 'estimatedShockArrivalTime'),
    Duration: textOf(model, 'estimatedDuration'),
    au: textOf(model, 'au'),
    rmin_re: textOf(model, 'rmin_re'),
    ...Object.fromEntries(indices),
    'Is Earth GB': model.isEarthGB === undefined || model.isEarthGB === null ? '' : isTrue(model, 'isEarthGB') ? 'Yes' : 'No',
    ...Object.fromEntries(impacts),
  });
  return { name, content, tabgroup };
}

/** One tab group for each analysis with its model runs. */
function analysisViews(analyses: readonly RawRecord[]): EventView[] {
  let models = 0;
  return analyses.flatMap((analysis, i) => [
    analysisView(analysis, `Analysis ${i + 1}`, i + 1),
    ...recordsOf(analysis, 'enlilList').map((model) => modelView(model, `Model ${++models}`, i + 1)),
  ]);
}

const rankedAnalyses = (record: RawRecord) => recordsOf(record, 'cmeAnalyses').toSorted((a, b) => rank(a) - rank(b));

/** The most accurate analysis of a CME, which its label has. */
export const bestAnalysis = (record: RawRecord): RawRecord | undefined => rankedAnalyses(record)[0];

/** Null for a record without time, id or location. */
export function donkiCme(record: RawRecord): SolarEvent | null {
  const id = textOf(record, 'activityID');
  const startMs = dateOf(record, 'startTime');
  if (id === '' || startMs === null) return null;
  const analyses = rankedAnalyses(record);
  const location = sourceLocation(record, analyses);
  if (!location) return null;
  return donkiEvent(record, {
    type: 'CE',
    group: CME_GROUP,
    id,
    version: textOf(record, 'catalog'),
    startMs,
    endMs: arrivalMs(analyses[0], startMs),
    peakMs: null,
    location,
    locatedAtMs: startMs,
    labelLines: labelLines(analyses[0], textOf(record, 'startTime')),
    linkText: 'Go to full analysis',
    views: () => [cmeView(record, location), ...analysisViews(recordsOf(record, 'cmeAnalyses'))],
  });
}
