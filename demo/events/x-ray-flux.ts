// Soft X-ray flux of the sample Sun, as GOES measures it: a background that follows the active regions, and the visible flares.
import { DAY_MS, MINUTE_MS } from '../../src/util/durations.ts';
import { flareFlux, flaresBetween, regionStrength, regionsAt } from '../sun/features.ts';
import { type HapiResponse, hapiTable } from './hapi.ts';
import { LONGEST_FLARE_MS, stepsBetween } from './record-text.ts';
import { Sky } from './sky.ts';

const DATASET = 'goesp_xray_flux_P1M';
/** Fill value of a minute without a measurement. */
const NO_FLUX = -99_999;
const PARAMETERS = [
  { name: 'Time', type: 'isotime', units: 'UTC', length: 24, fill: null },
  { name: 'Long_Wave', type: 'double', units: 'Watts m^-2', fill: String(NO_FLUX), description: '0.1-0.8 nm' },
];
/** Upper bound of the window; longer ones are cut to bound the work of a request. */
const LONGEST_WINDOW_MS = 31 * DAY_MS;
/** Flux without active regions, W/m2, and that of a region of one degree at its full strength. */
const QUIET_FLUX = 6e-8;
const REGION_FLUX = 4e-9;
/** Minutes of each day without a measurement, because the Sun passes behind the Earth or the instrument is calibrated. */
const GAP = { startMinute: 500, endMinute: 508 };

const isGap = (ms: number): boolean => {
  const minute = Math.floor((ms % DAY_MS) / MINUTE_MS);
  return minute >= GAP.startMinute && minute < GAP.endMinute;
};

/** Flux of the regions on the visible side, W/m2. */
function background(timeMs: number): number {
  const sky = new Sky(timeMs);
  const visible = regionsAt(timeMs).filter((region) => sky.seeFeature(region).visible);
  return visible.reduce(
    (sum, region) => sum + REGION_FLUX * (region.sizeDeg * regionStrength(region, timeMs)) ** 1.5,
    QUIET_FLUX,
  );
}

/** Rows of the minutes that begin from a time to another one without it. */
function rowsBetween(fromMs: number, toMs: number): (readonly [time: string, flux: number])[] {
  const flares = flaresBetween(fromMs - LONGEST_FLARE_MS, toMs).filter(
    (flare) => new Sky(flare.peakMs).seeFeature(flare).visible,
  );
  // The regions change over days.
  const steady = background((fromMs + toMs) / 2);
  return stepsBetween(fromMs, toMs, MINUTE_MS)
    .filter((ms) => ms >= fromMs && ms < toMs)
    .map((ms) => {
      const flux = flares.reduce((sum, flare) => sum + flareFlux(flare, ms), steady);
      return [new Date(ms).toISOString(), isGap(ms) ? NO_FLUX : Number(flux.toPrecision(4))];
    });
}

/** One-minute values of the band 0.1-0.8 nm from `time.min` to `time.max`. */
export function xrayData(query: URLSearchParams): HapiResponse {
  return hapiTable(query, query.get('id') === DATASET, PARAMETERS, (fromMs, toMs) =>
    rowsBetween(fromMs, Math.min(toMs, fromMs + LONGEST_WINDOW_MS)),
  );
}
