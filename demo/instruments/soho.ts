// Solar and Heliospheric Observatory.

import { PLAIN_STYLE } from '../jp2/encode.ts';
import { isoMs } from './header.ts';
import type { Instrument } from './instrument.ts';
import { archiveName, dated, EUV_LOOKS, named, radiusPixels } from './keywords.ts';

export function eit(wavelength: string): Instrument {
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    place: 'lagrange1',
    tone: 0.68,
    fieldArcsec: 1024 * 2.63,
    offset: [-6.24, 9.45],
    style: PLAIN_STYLE,
    fileName: archiveName(`SOHO_EIT_EIT_${wavelength}`),
    keywords: (exposure) => [
      ...named('SOHO', 'EIT', [['WAVELNTH', wavelength]]),
      ...dated(exposure),
      ...radiusPixels('SOLAR_R', exposure),
      ['SC_ROLL', 0],
    ],
    notes: [['HV_MEASUREMENT', wavelength]],
  };
}

export function mdi(content: string): Instrument {
  return {
    look: content === 'magnetogram' ? 'magnetogram' : 'continuum',
    place: 'lagrange1',
    fieldArcsec: 1024 * 1.9856373,
    offset: [0.354, -0.52],
    style: PLAIN_STYLE,
    fileName: archiveName(`SOHO_MDI_MDI_${content}`),
    keywords: (exposure) => [
      ...named('SOHO', 'MDI', [['DPC_OBSR', content === 'magnetogram' ? 'FD_Magnetogram' : 'FD_Continuum']]),
      ...dated(exposure),
      ...radiusPixels('R_SUN', exposure),
    ],
  };
}

/** LASCO headers split day and time of day into two keywords and omit the distance. */
export function lasco(detector: 'C2' | 'C3'): Instrument {
  return {
    look: detector === 'C2' ? 'lascoC2' : 'lascoC3',
    place: 'lagrange1',
    fieldArcsec: 1024 * (detector === 'C2' ? 11.9 : 56),
    offset: detector === 'C2' ? [-0.3, -6.7] : [5.7, 20.5],
    style: PLAIN_STYLE,
    fileName: archiveName(`SOHO_LASCO_${detector}_white-light`),
    keywords: ({ shot }) => [
      ...named('SOHO', 'LASCO', [
        ['DETECTOR', detector],
        ['FILTER', detector === 'C2' ? 'Orange' : 'Clear'],
        ['POLAR', 'Clear'],
        ['HCOMP_SF', 0],
      ]),
      ['DATE_OBS', isoMs(shot.timeMs).slice(0, 10).replaceAll('-', '/')],
      ['TIME_OBS', isoMs(shot.timeMs).slice(11)],
      ['CROTA1', 0],
      ['RSUN', 0],
    ],
    notes: [
      ['HV_OBSERVATORY', 'SOHO'],
      ['HV_INSTRUMENT', 'LASCO'],
      ['HV_DETECTOR', detector],
      ['HV_MEASUREMENT', 'white-light'],
      ['HV_ROCC_INNER', detector === 'C2' ? 2.2 : 4.4],
      ['HV_ROCC_OUTER', detector === 'C2' ? 6.9 : 31],
    ],
  };
}
