// Coronal mass ejections of DONKI (CCMC).
import { DAY_MS } from '../../util/durations.ts';
import { locationOf, parseLocation } from './location.ts';
import { addressOf, dateOf, numberOf, type RawRecord, recordsOf, textOf } from './record.ts';
import type { EventPlace, EventView, SolarEvent } from './solar-event.ts';

export const DONKI_PAGE = 'https://ccmc.gsfc.nasa.gov/tools/DONKI/';
export const CME_GROUP = { name: 'CME', contact: '', url: DONKI_PAGE };

/** A CME without a speed goes on for so long. */
const USUAL_DAYS = 5;

/**
 * Days that a CME goes on at most, and so the days that are looked back: one of 300 km/s takes 5 to the Earth. Slower ones end
 * before they arrive.
 */
export const LONGEST_CME_DAYS = 7;

/** From 21.5 solar radii, where its time is known, to the Earth at 215, in kilometres. */
const WAY_KM = (215 - 21.5) * 696_000;

const isTrue = (record: RawRecord, key: string) => record[key] === true || textOf(record, key).toLowerCase() === 'true';

/** Better first: the most accurate one, then those of the leading edge. */
function rank(analysis: RawRecord): number {
  const isLeadingEdge = textOf(analysis, 'featureCode') === 'LE' || textOf(analysis, 'levelOfData') === 'LE';
  return (isTrue(analysis, 'isMostAccurate') ? 0 : 2) + (isLeadingEdge ? 0 : 1);
}

const locationOfAnalysis = (analysis: RawRecord) => locationOf(numberOf(analysis, 'latitude'), numberOf(analysis, 'longitude'));

function placeOf(record: RawRecord, analyses: readonly RawRecord[], atMs: number): EventPlace | null {
  const location =
    parseLocation(textOf(record, 'sourceLocation')) ?? analyses.map(locationOfAnalysis).find((found) => found !== null) ?? null;
  return location && { kind: 'stonyhurst', ...location, atMs };
}

/** When it reaches the Earth at the speed that it had at 21.5 solar radii. */
function arrivalMs(analysis: RawRecord | undefined, startMs: number): number {
  const speed = analysis ? numberOf(analysis, 'speed') : null;
  const fromMs = (analysis && dateOf(analysis, 'time21_5')) ?? startMs;
  const arrival = speed !== null && speed > 0 ? fromMs + (WAY_KM / speed) * 1000 : startMs + USUAL_DAYS * DAY_MS;
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

/** Facts without those that are empty. */
function known(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== '' && fact !== null && fact !== undefined));
}

const joined = (records: readonly RawRecord[], key: string) =>
  records
    .map((record) => textOf(record, key))
    .filter((text) => text !== '')
    .join(', ');

const pageOf = (record: RawRecord) => addressOf(textOf(record, 'link')) ?? '';

function cmeView(record: RawRecord, place: EventPlace & { kind: 'stonyhurst' }): EventView {
  const content = known({
    'Activity ID': textOf(record, 'activityID'),
    Catalog: textOf(record, 'catalog'),
    'Active Region': textOf(record, 'activeRegionNum'),
    'Start Time': textOf(record, 'startTime'),
    Latitude: place.latitude,
    Longitude: place.longitude,
    'External Link': pageOf(record),
    Instruments: joined(recordsOf(record, 'instruments'), 'displayName'),
    'Related Events': joined(recordsOf(record, 'linkedEvents'), 'activityID'),
    Note: textOf(record, 'note'),
  });
  return { name: 'CME', content };
}

function analysisView(analysis: RawRecord, name: string, tabgroup: number): EventView {
  const content = known({
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
  const content = known({
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

/** One group of tabs for each analysis with its model runs. */
function analysisViews(analyses: readonly RawRecord[]): EventView[] {
  let models = 0;
  return analyses.flatMap((analysis, i) => [
    analysisView(analysis, `Analysis ${i + 1}`, i + 1),
    ...recordsOf(analysis, 'enlilList').map((model) => modelView(model, `Model ${++models}`, i + 1)),
  ]);
}

/** Null for a record without time, id or place. */
export function donkiCme(record: RawRecord): SolarEvent | null {
  const id = textOf(record, 'activityID');
  const startMs = dateOf(record, 'startTime');
  if (id === '' || startMs === null) return null;
  const analyses = recordsOf(record, 'cmeAnalyses').toSorted((a, b) => rank(a) - rank(b));
  const place = placeOf(record, analyses, startMs);
  if (place?.kind !== 'stonyhurst') return null;
  const lines = labelLines(analyses[0], textOf(record, 'startTime'));
  const page = addressOf(textOf(record, 'link'));
  return {
    source: 'CCMC',
    pin: 'C3',
    type: 'CE',
    group: CME_GROUP,
    id,
    version: textOf(record, 'catalog'),
    label: lines.join('\n'),
    shortLabel: lines.join(' '),
    startMs,
    endMs: arrivalMs(analyses[0], startMs),
    peakMs: null,
    place,
    outlines: [],
    link: page === null ? null : { url: page, text: 'Go to full analysis' },
    get views() {
      return [cmeView(record, place), ...analysisViews(recordsOf(record, 'cmeAnalyses'))];
    },
    raw: record,
  };
}
