// Solar and Heliospheric Observatory.
import { DAY_MS } from '../../src/util/durations.ts';
import { observerAt } from '../sun/observer.ts';
import { dated, EUV_LOOKS, isoMs, keywords, radiusPixels } from './header.ts';
import type { InstrumentRecord } from './instrument.ts';

export function eit(wavelength: string): InstrumentRecord {
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    viewpoint: 'lagrange1',
    tone: 0.68,
    fieldArcsec: 1024 * 2.63,
    offset: [-6.24, 9.45],
    keywords: keywords('SOHO', 'EIT', { WAVELNTH: wavelength }, dated, radiusPixels('SOLAR_R'), () => ({ SC_ROLL: 0 })),
    notes: { HV_MEASUREMENT: wavelength },
  };
}

export function mdi(content: string): InstrumentRecord {
  const isMagnetogram = content === 'magnetogram';
  const own = { DPC_OBSR: isMagnetogram ? 'FD_Magnetogram' : 'FD_Continuum' };
  return {
    look: isMagnetogram ? 'magnetogram' : 'continuum',
    viewpoint: 'lagrange1',
    fieldArcsec: 1024 * 1.9856373,
    offset: [0.354, -0.52],
    keywords: keywords('SOHO', 'MDI', own, dated, radiusPixels('R_SUN')),
  };
}

/** SOHO is turned upside down every three months since the motor of its antenna failed. */
const FIRST_TURN_MS = Date.UTC(2003, 6, 8);
const QUARTER_MS = 91.3 * DAY_MS;

/** Roll of SOHO, degrees: its north is that of the ecliptic. Headers of LASCO state it, though the pixels are turned to solar north. */
function rollOf(timeMs: number): number {
  const isUpsideDown = timeMs > FIRST_TURN_MS && Math.floor((timeMs - FIRST_TURN_MS) / QUARTER_MS) % 2 === 0;
  return Number((observerAt('lagrange1', timeMs).eclipticRollDeg + (isUpsideDown ? 180 : 0)).toFixed(5));
}

/** LASCO headers split day and time of day into two keywords and omit the distance. */
export function lasco(detector: 'C2' | 'C3'): InstrumentRecord {
  const isC2 = detector === 'C2';
  return {
    look: isC2 ? 'lascoC2' : 'lascoC3',
    viewpoint: 'lagrange1',
    fieldArcsec: 1024 * (isC2 ? 11.9 : 56),
    offset: isC2 ? [-0.3, -6.7] : [5.7, 20.5],
    keywords: ({ shot }) => ({
      TELESCOP: 'SOHO',
      INSTRUME: 'LASCO',
      DETECTOR: detector,
      FILTER: isC2 ? 'Orange' : 'Clear',
      POLAR: 'Clear',
      HCOMP_SF: 0,
      DATE_OBS: isoMs(shot.timeMs).slice(0, 10).replaceAll('-', '/'),
      TIME_OBS: isoMs(shot.timeMs).slice(11),
      CROTA: rollOf(shot.timeMs),
      CROTA1: rollOf(shot.timeMs),
      CROTA2: rollOf(shot.timeMs),
      RSUN: 0,
    }),
    notes: {
      HV_OBSERVATORY: 'SOHO',
      HV_INSTRUMENT: 'LASCO',
      HV_DETECTOR: detector,
      HV_MEASUREMENT: 'white-light',
      HV_ROCC_INNER: isC2 ? 2.2 : 4.4,
      HV_ROCC_OUTER: isC2 ? 6.9 : 31,
    },
  };
}
