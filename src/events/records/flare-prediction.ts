// Predictions of the flare scoreboard (CCMC): one row of a HAPI table for each region, window and model.
import { DAY_MS } from '../../platform/util/durations.ts';
import type { MeasuredPosition, SolarEvent } from '../../sun/events/solar-event.ts';
import { dateOf, dateWithin, locationOf, numberOf, type RawRecord, withoutNulls } from './record.ts';

export interface PredictionModel {
  readonly dataset: string;
  /** Display name, which is the name of its event group. */
  readonly name: string;
}

const DATASETS = `
SIDC_Operator|SIDC Operator
BoM_flare1|Bureau of Meteorology
ASSA_1|ASSA
AMOS_v1|AMOS
ASAP_1|ASAP
MAG4_LOS_FEr|MAG4 LoS FEr
MAG4_LOS_r|MAG4 LoS r
DAFFS|DAFFS
MAG4_SHARP_FE|MAG4 Sharp FE
MAG4_SHARP|MAG4 Sharp
MAG4_SHARP_HMI|MAG4 Sharp HMI
AEffort|AEffort`;

export const PREDICTION_MODELS: readonly PredictionModel[] = [...DATASETS.matchAll(/^(\w+)\|(.+)$/gm)].map(([, id, name]) => ({
  dataset: `${id}_REGIONS`,
  name: name!,
}));

const SCOREBOARD_PAGE = 'https://ccmc.gsfc.nasa.gov/scoreboards/flare/';

export const predictionGroup = (name: string) => ({ name, contact: '', url: SCOREBOARD_PAGE });

/** Observers that locate the region, most accurate first. */
const OBSERVERS = ['NOAA', 'Catania', 'Model', 'HARP'] as const;

/** Fill value of ASSA in the columns of an absent observer, which differs from the fill value that it declares. */
const UNDECLARED_FILL = -1;

/** Columns of the classes; `CPlus` is C and above. */
const CLASSES = ['C', 'CPlus', 'M', 'MPlus', 'X'];

/** Days before a window within which its region may have been located: more than half of a disk passage. */
const MEASURED_DAYS_BEFORE = 10;

/** Length of the longest window, and the look-back of queries. */
export const LONGEST_PREDICTION_DAYS = 2;

function positionIn(row: RawRecord, startMs: number, endMs: number): MeasuredPosition | null {
  const timeOf = (column: string) => dateWithin(row, column, startMs - MEASURED_DAYS_BEFORE * DAY_MS, endMs);
  for (const observer of OBSERVERS) {
    const [latitude, longitude] = [numberOf(row, `${observer}Latitude`), numberOf(row, `${observer}Longitude`)];
    const measuredAt = `${observer}LocationTime`;
    const isFilled = latitude === UNDECLARED_FILL && longitude === UNDECLARED_FILL && dateOf(row, measuredAt) === null;
    const location = isFilled ? null : locationOf(latitude, longitude);
    // DAFFS locates HMI patches at the start of the window.
    const defaultMs = observer === 'HARP' ? startMs : timeOf('issue_time');
    if (location) return { kind: 'stonyhurst', ...location, atMs: timeOf(measuredAt) ?? defaultMs ?? startMs };
  }
  return null;
}

/** Probabilities from 0 to 1 as percentages with at most two decimals: `5%`. */
const probabilities = (row: RawRecord): string[] =>
  CLASSES.flatMap((column) => {
    const probability = numberOf(row, column);
    if (probability === null || probability < 0 || probability > 1) return [];
    return [`${column.replace('Plus', '+')}: ${Number((probability * 100).toFixed(2))}%`];
  });

/** Null for a row without window or location. `id`: derived from the content, because rows have none. */
export function flarePrediction(row: RawRecord, model: string, id: string): SolarEvent | null {
  const [startMs, endMs] = [dateOf(row, 'start_window'), dateOf(row, 'end_window')];
  if (startMs === null || endMs === null || endMs < startMs) return null;
  const position = positionIn(row, startMs, endMs);
  if (!position) return null;
  const lines = probabilities(row);
  const text = lines.length > 0 ? lines : ['No probabilities given'];
  return {
    source: 'CCMC',
    pin: 'FP',
    type: 'FP',
    group: predictionGroup(model),
    id,
    version: '',
    label: [model, ...text].join('\n'),
    shortLabel: [model, ...text].join(' '),
    startMs,
    endMs,
    peakMs: null,
    position,
    outlines: [],
    link: null,
    views: () => [{ name: 'Flare Prediction', content: withoutNulls(row) }],
    raw: row,
  };
}
