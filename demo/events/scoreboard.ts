// Flare predictions in the format of the flare scoreboard's HAPI server: a table per model, a row per region and window.
import { DAY_MS, HOUR_MS } from '../../src/util/durations.ts';
import type { ActiveRegion } from '../sun/feature-types.ts';
import { regionStrength, regionsAt } from '../sun/features.ts';
import { type HapiResponse, hapiTable } from './hapi.ts';
import { rounded, stepsBetween } from './record-text.ts';
import { Sky } from './sky.ts';

type FlareClass = 'C' | 'M' | 'CPlus' | 'MPlus' | 'X';
type RegionCatalogue = 'NOAA' | 'Catania' | 'Model';
type Row = Readonly<Record<string, string | number>>;

interface Model {
  readonly id: string;
  /** Hours between forecasts, each for the following 24 hours. */
  readonly everyHours: number;
  readonly classes: readonly FlareClass[];
  /** Catalogue that supplies the names and positions of the regions. */
  readonly observer: RegionCatalogue;
  /** Factor on the expected number of flares. */
  readonly bias: number;
}

const MODELS: readonly Model[] = [
  { id: 'SIDC_Operator', everyHours: 24, classes: ['C', 'M', 'X'], observer: 'Catania', bias: 1 },
  { id: 'AMOS_v1', everyHours: 24, classes: ['C', 'M', 'X'], observer: 'NOAA', bias: 1.3 },
  { id: 'ASSA_1', everyHours: 12, classes: ['CPlus', 'MPlus', 'X'], observer: 'Model', bias: 0.7 },
  { id: 'MAG4_SHARP', everyHours: 6, classes: ['MPlus', 'X'], observer: 'NOAA', bias: 1.1 },
];

const CLASSES: readonly FlareClass[] = ['C', 'M', 'CPlus', 'MPlus', 'X'];
const CATALOGUES: readonly RegionCatalogue[] = ['NOAA', 'Catania', 'Model'];
const NO_PROBABILITY = -1;
const NO_REGION = -1;
const NO_DEGREES = 999;
const NO_TIME = '';
/** Upper bound of the window; longer ones are cut to bound the work of a request. */
const LONGEST_WINDOW_MS = 31 * DAY_MS;

const time = (name: string) => ({ name, type: 'isotime', units: 'UTC', length: 20, fill: NO_TIME });
const number = (name: string, type: 'double' | 'integer', units: string | null, fill: number) => ({
  name,
  type,
  units,
  fill: String(fill),
});

/** Columns of all tables, in their order. */
const PARAMETERS = [
  time('start_window'),
  time('end_window'),
  time('issue_time'),
  ...CLASSES.map((name) => number(name, 'double', null, NO_PROBABILITY)),
  ...CATALOGUES.flatMap((name) => [
    number(`${name}RegionId`, 'integer', null, NO_REGION),
    time(`${name}LocationTime`),
    number(`${name}Latitude`, 'double', 'degrees', NO_DEGREES),
    number(`${name}Longitude`, 'double', 'degrees', NO_DEGREES),
  ]),
];

/** The rows of a table whose windows begin from `time.min` to `time.max`. */
export function scoreboardData(query: URLSearchParams): HapiResponse {
  const id = query.get('id')?.replace(/_REGIONS$/, '');
  const model = MODELS.find((each) => each.id === id);
  return hapiTable(query, model !== undefined, PARAMETERS, (fromMs, toMs) => {
    const rows = rowsBetween(model!, fromMs, Math.min(toMs, fromMs + LONGEST_WINDOW_MS));
    return rows.map((row) => PARAMETERS.map(({ name, fill }) => row[name] ?? (fill === NO_TIME ? NO_TIME : Number(fill))));
  });
}

function rowsBetween(model: Model, fromMs: number, toMs: number): Row[] {
  return stepsBetween(fromMs, toMs, model.everyHours * HOUR_MS)
    .filter((startMs) => startMs >= fromMs && startMs < toMs)
    .flatMap((startMs) => {
      const issuedMs = startMs - HOUR_MS / 2;
      return regionsAt(issuedMs).flatMap((region) => rowOf(model, region, startMs, issuedMs));
    });
}

/** Empty for a region that is not visible at the time of the forecast. */
function rowOf(model: Model, region: ActiveRegion, startMs: number, issuedMs: number): Row[] {
  const position = new Sky(issuedMs).seeFeature(region);
  if (!position.visible) return [];
  const zuluTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return [
    {
      start_window: zuluTime(startMs),
      end_window: zuluTime(startMs + DAY_MS),
      issue_time: zuluTime(issuedMs),
      ...Object.fromEntries(model.classes.map((name) => [name, rounded(probability(model, region, name, startMs), 4)])),
      [`${model.observer}RegionId`]: region.number,
      [`${model.observer}LocationTime`]: zuluTime(issuedMs),
      [`${model.observer}Latitude`]: rounded(position.latitudeDeg, 2),
      [`${model.observer}Longitude`]: rounded(position.stonyhurstDeg, 2),
    },
  ];
}

/** Probability of at least one flare of the class in the window: a Poisson process at the rate of the sample Sun. */
function probability({ bias }: Model, region: ActiveRegion, name: FlareClass, startMs: number): number {
  const power = region.sizeDeg * regionStrength(region, startMs + DAY_MS / 2);
  const flaresPerDay = 24 * 0.004 * power ** 1.6 * bias;
  const shareAbove = (flux: number) => Math.min(1, (7e-7 / flux) ** (1 / 1.05));
  const share = {
    C: shareAbove(1e-6) - shareAbove(1e-5),
    M: shareAbove(1e-5) - shareAbove(1e-4),
    CPlus: shareAbove(1e-6),
    MPlus: shareAbove(1e-5),
    X: shareAbove(1e-4),
  }[name];
  return 1 - Math.exp(-flaresPerDay * share);
}
