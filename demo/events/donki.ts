// Coronal mass ejections and flares in the format of the DONKI web service.
import { goesClass } from '../../src/domain/events/x-ray-flux.ts';
import { ASTRONOMICAL_UNIT_M } from '../../src/domain/geometry.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/util/durations.ts';
import { HONESTY } from '../instruments/header.ts';
import type { Cme, Flare } from '../sun/feature-types.ts';
import { cmesBetween, flaresBetween } from '../sun/features.ts';
import { SOLAR_RADIUS_KM } from '../sun/observer.ts';
import { randomStream } from '../sun/random.ts';
import { locationText, minuteTime, plainTime, queryTime, rounded, wholeMinute } from './record-text.ts';
import { Sky } from './sky.ts';

type DonkiRecord = Readonly<Record<string, unknown>>;
const AU_KM = ASTRONOMICAL_UNIT_M / 1000;
/** Upper bound of the window; longer ones are cut to bound the work of a request. */
const LONGEST_WINDOW_MS = 60 * DAY_MS;
/** Flares weaker than C5 are not listed, W/m2. */
const LISTED_FROM_FLUX = 5e-6;
/** Degrees of longitude behind the limb up to which the source of an ejection is known. */
const KNOWN_TO_DEG = 120;
/** Degrees of longitude behind the limb up to which X-rays of a flare reach the Earth. */
const X_RAYS_TO_DEG = 100;
/** Ejections within this angle of the Earth's direction are modelled, degrees. */
const MODELLED_TO_DEG = 60;

/** Upper speeds of the classes S, C, O and R, km/s. */
const SPEED_CLASSES: readonly (readonly [name: string, below: number])[] = [
  ['S', 500],
  ['C', 1000],
  ['O', 2000],
  ['R', 3000],
  ['ER', Number.POSITIVE_INFINITY],
];

/** CMEs that start on the days of a query. Null when it has no valid days. */
export function donkiCmes(query: URLSearchParams): DonkiRecord[] | null {
  const window = daysOf(query);
  return window && cmesBetween(...window).map(cmeRecord);
}

/** Flares that start on the days of a query. Null when it has no valid days. */
export function donkiFlares(query: URLSearchParams): DonkiRecord[] | null {
  const window = daysOf(query);
  return (
    window &&
    flaresBetween(...window)
      .filter(isListed)
      .map(flareRecord)
  );
}

/** From 0 h of startDate to 24 h of endDate. */
function daysOf(query: URLSearchParams): [fromMs: number, toMs: number] | null {
  const [fromMs, lastMs] = [queryTime(query.get('startDate')), queryTime(query.get('endDate'))];
  if (fromMs === null || lastMs === null || lastMs < fromMs) return null;
  return [fromMs, Math.min(Math.floor(lastMs / DAY_MS) * DAY_MS + DAY_MS, fromMs + LONGEST_WINDOW_MS)];
}

/** `2024-05-10T06:36:00-FLR-001`; numbered within the minute. */
function idOf(kind: 'CME' | 'FLR', { startMs, id }: Cme | Flare): string {
  const minute = wholeMinute(startMs);
  const ofMinute = kind === 'CME' ? cmesBetween(minute, minute + MINUTE_MS) : flaresBetween(minute, minute + MINUTE_MS);
  const number = ofMinute.findIndex((each) => each.id === id) + 1;
  return `${plainTime(minute)}-${kind}-${String(number).padStart(3, '0')}`;
}

/** The start page of DONKI, because synthetic events have no page of their own. */
const pageOf = (kind: string, startMs: number, id: string) =>
  `https://ccmc.gsfc.nasa.gov/tools/DONKI/#${kind}-${Math.floor(startMs / 1000)}-${id.endsWith('1') ? 1 : 2}`;

const isListed = (flare: Flare) =>
  flare.peakFlux >= LISTED_FROM_FLUX && Math.abs(new Sky(flare.peakMs).seeFeature(flare).stonyhurstDeg) <= X_RAYS_TO_DEG;

/** The flare at the source of an ejection. */
function flareOfCme(cme: Cme): Flare | undefined {
  const flareId = cme.id.replace('-cme-', '-fl-');
  return flaresBetween(cme.startMs - 2 * HOUR_MS, cme.startMs + 1).find(({ id }) => id === flareId);
}

function cmeOfFlare(flare: Flare): Cme | undefined {
  const cmeId = flare.id.replace('-fl-', '-cme-');
  return cmesBetween(flare.peakMs, flare.peakMs + 1).find(({ id }) => id === cmeId);
}

const links = (ids: readonly string[]) => (ids.length > 0 ? ids.map((activityID) => ({ activityID })) : null);

function flareRecord(flare: Flare): DonkiRecord {
  const position = new Sky(flare.peakMs).seeFeature(flare);
  const cme = cmeOfFlare(flare);
  const flrID = idOf('FLR', flare);
  return {
    flrID,
    catalog: 'M2M_CATALOG',
    instruments: [{ displayName: 'GOES-P: EXIS 1.0-8.0' }],
    beginTime: minuteTime(flare.startMs),
    peakTime: minuteTime(flare.peakMs),
    endTime: minuteTime(flare.endMs),
    classType: goesClass(flare.peakFlux),
    sourceLocation: position.visible ? locationText(position.latitudeDeg, position.stonyhurstDeg) : '',
    activeRegionNum: flare.regionNumber,
    note: HONESTY,
    submissionTime: minuteTime(flare.endMs + HOUR_MS),
    versionId: 1,
    link: pageOf('FLR', flare.startMs, flrID),
    linkedEvents: links(cme ? [idOf('CME', cme)] : []),
  };
}

function cmeRecord(cme: Cme): DonkiRecord {
  const position = new Sky(cme.startMs).seeFeature(cme);
  const flare = flareOfCme(cme);
  const activityID = idOf('CME', cme);
  const isKnown = Math.abs(position.stonyhurstDeg) <= KNOWN_TO_DEG;
  return {
    activityID,
    catalog: 'M2M_CATALOG',
    startTime: minuteTime(cme.startMs),
    instruments: [{ displayName: 'SOHO: LASCO/C2' }, { displayName: 'SOHO: LASCO/C3' }],
    sourceLocation: isKnown ? locationText(position.latitudeDeg, position.stonyhurstDeg) : '',
    activeRegionNum: isKnown ? cme.regionNumber : null,
    note: HONESTY,
    submissionTime: minuteTime(cme.startMs + 6 * HOUR_MS),
    versionId: 1,
    link: pageOf('CME', cme.startMs, activityID),
    cmeAnalyses: [analysisOf(cme, 'best'), analysisOf(cme, 'first')],
    linkedEvents: links(flare && isListed(flare) ? [idOf('FLR', flare)] : []),
  };
}

/** The most accurate measurement, or the first, less accurate one. */
function analysisOf(cme: Cme, which: 'best' | 'first'): DonkiRecord {
  const random = randomStream(920, Math.round(cme.startMs / 1000));
  const { latitudeDeg, stonyhurstDeg } = new Sky(cme.startMs).seeFeature(cme);
  const isBest = which === 'best';
  const speed = Math.round(isBest ? cme.speedKmPerS : cme.speedKmPerS * random.between(0.8, 1.2));
  const passesMs = cme.startMs + ((21.5 - 1.1) * SOLAR_RADIUS_KM * 1000) / speed;
  const isModelled = isBest && Math.hypot(latitudeDeg, stonyhurstDeg) <= MODELLED_TO_DEG;
  return {
    isMostAccurate: isBest,
    time21_5: minuteTime(passesMs),
    latitude: rounded(latitudeDeg + (isBest ? 0 : random.normal(0, 3)), 1),
    longitude: rounded(stonyhurstDeg + (isBest ? 0 : random.normal(0, 4)), 1),
    halfAngle: rounded(cme.halfWidthDeg, 1),
    speed,
    type: SPEED_CLASSES.find(([, below]) => speed < below)![0],
    featureCode: 'LE',
    imageType: 'running difference',
    measurementTechnique: 'SWPC_CAT',
    note: '',
    levelOfData: isBest ? 1 : 0,
    tilt: null,
    minorHalfWidth: null,
    speedMeasuredAtHeight: 21.5,
    submissionTime: minuteTime(passesMs + HOUR_MS),
    link: pageOf('CMEAnalysis', cme.startMs, which === 'best' ? '1' : '2'),
    enlilList: isModelled ? [modelOf(cme, passesMs)] : null,
  };
}

/** A model run that assumes a constant speed. */
function modelOf(cme: Cme, passesMs: number): DonkiRecord {
  const arrivesMs = passesMs + ((AU_KM - 21.5 * SOLAR_RADIUS_KM) * 1000) / cme.speedKmPerS;
  return {
    modelCompletionTime: minuteTime(passesMs + 3 * HOUR_MS),
    au: 2,
    estimatedShockArrivalTime: minuteTime(arrivesMs),
    estimatedDuration: null,
    rmin_re: null,
    kp_18: null,
    kp_90: Math.min(9, Math.round(cme.speedKmPerS / 200)),
    kp_135: null,
    kp_180: Math.min(9, Math.round(cme.speedKmPerS / 150)),
    isEarthGB: false,
    link: pageOf('WSA-ENLIL', cme.startMs, '1'),
    impactList: [{ isGlancingBlow: false, location: 'STEREO A', arrivalTime: minuteTime(arrivesMs - 2 * HOUR_MS) }],
    cmeIDs: [idOf('CME', cme)],
  };
}
