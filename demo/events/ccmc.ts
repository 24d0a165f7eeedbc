// The services of CCMC over the sample Sun: ejections and flares of DONKI, and two tables of HAPI, flare predictions and the X-ray flux.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { printLocation } from '../../src/sun/coordinates/sphere.ts';
import { goesClass } from '../../src/sun/events/x-ray-flux.ts';
import { HONESTY } from '../instruments/header.ts';
import * as sun from '../sun/features.ts';
import { SOLAR_RADIUS_KM } from '../sun/observer.ts';
import { LONGEST_FLARE_MS, rounded, type SeenPosition, skyAt, stepsBetween, windowOf } from './sky.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Flares weaker than C5 are not listed, W/m2. */
const LISTED_FROM_FLUX = 5e-6;
/** Degrees of longitude from the Earth's meridian up to which X-rays reach the Earth, and up to which the source of an ejection is known. */
const X_RAYS_TO_DEG = 100;
const KNOWN_TO_DEG = 120;
/** Upper speeds of the classes S, C, O and R, km/s. */
const SPEED_CLASSES = { S: 500, C: 1000, O: 2000, R: 3000, ER: Number.POSITIVE_INFINITY };

const minuteTime = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;

const locationText = ({ latitudeDeg: latitude, stonyhurstDeg: longitude }: SeenPosition) =>
  printLocation({ latitude, longitude });

/** `2024-05-10T06:36:00-FLR-101`, numbered by the region. */
const idOf = (kind: 'CME' | 'FLR', { startMs, regionNumber }: sun.Cme | sun.Flare) =>
  `${minuteTime(startMs).slice(0, 16)}:00-${kind}-${String(regionNumber % 1000).padStart(3, '0')}`;

const seen = (feature: sun.Cme | sun.Flare, ms: number) => skyAt(ms).seeFeature(feature);
const isListed = (flare: sun.Flare) =>
  flare.peakFlux >= LISTED_FROM_FLUX && Math.abs(seen(flare, flare.peakMs).stonyhurstDeg) <= X_RAYS_TO_DEG;

/** Columns that all records have. The link is that to the start page, because synthetic events have no page of their own. */
const common = (submittedMs: number, linked: readonly string[]) => ({
  catalog: 'M2M_CATALOG',
  note: HONESTY,
  submissionTime: minuteTime(submittedMs),
  versionId: 1,
  link: 'https://ccmc.gsfc.nasa.gov/tools/DONKI/',
  linkedEvents: linked.length > 0 ? linked.map((activityID) => ({ activityID })) : null,
});

function flareRecord(flare: sun.Flare): JsonRecord {
  const { startMs, peakMs, endMs, peakFlux, regionNumber: activeRegionNum } = flare;
  const at = seen(flare, peakMs);
  const cmes = sun.cmesBetween(peakMs, peakMs + 1).filter(({ id }) => id === flare.id.replace('-fl-', '-cme-'));
  return {
    flrID: idOf('FLR', flare),
    instruments: [{ displayName: 'GOES-P: EXIS 1.0-8.0' }],
    beginTime: minuteTime(startMs),
    peakTime: minuteTime(peakMs),
    endTime: minuteTime(endMs),
    classType: goesClass(peakFlux),
    sourceLocation: at.visible ? locationText(at) : '',
    activeRegionNum,
    ...common(
      endMs + HOUR_MS,
      cmes.map((cme) => idOf('CME', cme)),
    ),
  };
}

function cmeRecord(cme: sun.Cme): JsonRecord {
  const { startMs, speedKmPerS: speed, halfWidthDeg, regionNumber } = cme;
  const at = seen(cme, startMs);
  const isKnown = Math.abs(at.stonyhurstDeg) <= KNOWN_TO_DEG;
  const flares = sun.flaresBetween(startMs - 2 * HOUR_MS, startMs + 1).filter(({ id }) => id === cme.id.replace('-cme-', '-fl-'));
  const passesMs = startMs + ((21.5 - 1.1) * SOLAR_RADIUS_KM * 1000) / speed;
  const analysis = {
    isMostAccurate: true,
    time21_5: minuteTime(passesMs),
    latitude: rounded(at.latitudeDeg, 1),
    longitude: rounded(at.stonyhurstDeg, 1),
    halfAngle: rounded(halfWidthDeg, 1),
    speed,
    type: Object.entries(SPEED_CLASSES).find(([, below]) => speed < below)![0],
    featureCode: 'LE',
    levelOfData: 1,
    enlilList: null,
  };
  return {
    activityID: idOf('CME', cme),
    startTime: minuteTime(startMs),
    instruments: [{ displayName: 'SOHO: LASCO/C2' }, { displayName: 'SOHO: LASCO/C3' }],
    sourceLocation: isKnown ? locationText(at) : '',
    activeRegionNum: isKnown ? regionNumber : null,
    cmeAnalyses: [analysis],
    ...common(
      startMs + 6 * HOUR_MS,
      flares.filter(isListed).map((flare) => idOf('FLR', flare)),
    ),
  };
}

/** Records of a DONKI table, which begin on the days of a query, both inclusive. Null for invalid days. */
export function donki(table: 'CME' | 'FLR', query: URLSearchParams): readonly JsonRecord[] | null {
  const window = windowOf(query, 'startDate', 'endDate');
  if (!window) return null;
  const [fromMs, toMs] = [window[0], window[1] + DAY_MS];
  return table === 'CME'
    ? sun.cmesBetween(fromMs, toMs).map(cmeRecord)
    : sun.flaresBetween(fromMs, toMs).filter(isListed).map(flareRecord);
}

interface Parameter {
  readonly name: string;
  readonly type: 'isotime' | 'double' | 'integer';
  readonly units: string | null;
  readonly length?: number;
  readonly fill: string | null;
}
const time = (name: string, length = 20): Parameter => ({ name, type: 'isotime', units: 'UTC', length, fill: '' });
const number = (name: string, fill: number, units: string | null = null): Parameter => ({
  ...{ name, type: 'double', units, fill: String(fill) },
});

/** Values by the names of parameters; those without one are filled. */
type Row = Readonly<Record<string, string | number>>;

interface Table {
  readonly parameters: readonly Parameter[];
  /** From one time to another without it. */
  rows(fromMs: number, toMs: number): readonly Row[];
}

interface Model {
  /** Hours between forecasts, each for the following 24 hours. */
  readonly everyHours: number;
  readonly classes: readonly (keyof typeof LEAST_FLUX)[];
  /** Factor on the expected number of flares. */
  readonly bias: number;
}

/** Lowest and highest flux of the classes, W/m2. */
const LEAST_FLUX = { C: [1e-6, 1e-5], M: [1e-5, 1e-4], CPlus: [1e-6, 1], MPlus: [1e-5, 1], X: [1e-4, 1] } as const;
const MODELS: Readonly<Record<string, Model>> = {
  SIDC_Operator: { everyHours: 24, classes: ['C', 'M', 'X'], bias: 1 },
  AMOS_v1: { everyHours: 24, classes: ['C', 'M', 'X'], bias: 1.3 },
  ASSA_1: { everyHours: 12, classes: ['CPlus', 'MPlus', 'X'], bias: 0.7 },
  MAG4_SHARP: { everyHours: 6, classes: ['MPlus', 'X'], bias: 1.1 },
};

/** Probability of at least one flare of the class in the window: a Poisson process at the rate of the sample Sun. */
function probability(region: sun.ActiveRegion, [least, below]: readonly [number, number], bias: number, startMs: number): number {
  const flaresPerDay = 24 * 0.004 * (region.sizeDeg * sun.regionStrength(region, startMs + DAY_MS / 2)) ** 1.6 * bias;
  const above = (flux: number) => (flux === 1 ? 0 : Math.min(1, (7e-7 / flux) ** (1 / 1.05)));
  return rounded(1 - Math.exp(-flaresPerDay * (above(least) - above(below))), 4);
}

/** The predictions of a model: a row for each visible region and window. */
const scoreboard = ({ everyHours, classes, bias }: Model): Table => ({
  parameters: [
    ...['start_window', 'end_window', 'issue_time', 'NOAALocationTime'].map((name) => time(name)),
    ...Object.keys(LEAST_FLUX).map((name) => number(name, -1)),
    number('NOAARegionId', -1),
    ...['NOAALatitude', 'NOAALongitude'].map((name) => number(name, 999, 'degrees')),
  ],
  rows: (fromMs, toMs) =>
    stepsBetween(fromMs, toMs, everyHours * HOUR_MS)
      .filter((startMs) => startMs >= fromMs && startMs < toMs)
      .flatMap((startMs) => {
        const sky = skyAt(startMs - HOUR_MS / 2);
        const [start_window, end_window, issue_time] = [startMs, startMs + DAY_MS, sky.timeMs].map(
          (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
        ) as [string, string, string];
        const visible = sun.regionsAt(sky.timeMs).filter((region) => sky.seeFeature(region).visible);
        return visible.map((region) => ({
          ...{ start_window, end_window, issue_time, NOAALocationTime: issue_time, NOAARegionId: region.number },
          ...Object.fromEntries(classes.map((name) => [name, probability(region, LEAST_FLUX[name], bias, startMs)])),
          NOAALatitude: rounded(region.latitudeDeg, 2),
          NOAALongitude: rounded(sky.seeFeature(region).stonyhurstDeg, 2),
        }));
      }),
});

const NO_FLUX = -99_999;
/** Flux without active regions, W/m2, and that of a region of one degree at its full strength. */
const QUIET_FLUX = 6e-8;
const REGION_FLUX = 4e-9;
/** Minutes of each day without a measurement, because the Sun passes behind the Earth or the instrument is calibrated. */
const isGap = (ms: number) => ms % DAY_MS >= 500 * MINUTE_MS && ms % DAY_MS < 508 * MINUTE_MS;

/** The soft X-ray flux as GOES measures it each minute: a background that follows the active regions in view, and the visible flares. */
const XRAYS: Table = {
  parameters: [time('Time', 24), number('Long_Wave', NO_FLUX, 'Watts m^-2')],
  rows(fromMs, toMs) {
    const flares = sun.flaresBetween(fromMs - LONGEST_FLARE_MS, toMs).filter((flare) => seen(flare, flare.peakMs).visible);
    // The regions change over days.
    const sky = skyAt((fromMs + toMs) / 2);
    const steady = sun
      .regionsAt(sky.timeMs)
      .filter((region) => sky.seeFeature(region).visible)
      .reduce((sum, region) => sum + REGION_FLUX * (region.sizeDeg * sun.regionStrength(region, sky.timeMs)) ** 1.5, QUIET_FLUX);
    return stepsBetween(fromMs, toMs - 1, MINUTE_MS).map((ms): Row => {
      const flux = flares.reduce((sum, flare) => sum + sun.flareFlux(flare, ms), steady);
      return { Time: new Date(ms).toISOString(), ...(isGap(ms) ? {} : { Long_Wave: Number(flux.toPrecision(4)) }) };
    });
  },
};

/** The response of a HAPI server: a table between two times, or an error of HAPI 2.0, section 4. */
export function hapiData(query: URLSearchParams): { readonly status: 200 | 400 | 404; readonly body: JsonRecord } {
  const id = query.get('id')?.replace(/_REGIONS$/, '') ?? '';
  const table = id === 'goesp_xray_flux_P1M' ? XRAYS : Object.hasOwn(MODELS, id) ? scoreboard(MODELS[id]!) : null;
  const failure = (status: 400 | 404, code: number, message: string) => ({
    status,
    body: { HAPI: '2.0', status: { code, message } },
  });
  if (!table) return failure(404, 1406, 'Bad request - unknown dataset id');
  const window = windowOf(query, 'time.min', 'time.max');
  if (!window || window[0] === window[1]) return failure(400, 1402, 'Bad request - error in start time or stop time');
  const { parameters, rows } = table;
  const data = rows(...window).map((row) =>
    parameters.map(({ name, type, fill }) => row[name] ?? (type === 'isotime' ? fill : Number(fill))),
  );
  const status = data.length > 0 ? { code: 1200, message: 'OK' } : { code: 1201, message: 'OK - no data for time range' };
  return { status: 200, body: { HAPI: '2.0', status, parameters, format: 'json', data } };
}
