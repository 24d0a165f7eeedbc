// Solar Dynamics Observatory.

import { AIA_STYLE, PLAIN_STYLE } from '../jp2/encode.ts';
import type { LookName } from '../sun/looks.ts';
import type { Instrument } from './instrument.ts';
import { archiveName, dated, distance, named, radiusArcsec, radiusPixels } from './keywords.ts';

const AIA_LOOKS: Readonly<Record<string, LookName>> = {
  '94': 'euv94',
  '131': 'euv131',
  '171': 'euv171',
  '193': 'euv193',
  '211': 'euv211',
  '304': 'euv304',
  '335': 'euv335',
  '1600': 'uv1600',
  '1700': 'uv1700',
  '4500': 'continuum',
};
const AIA_CAMERAS: Readonly<Record<string, number>> = {
  '94': 4,
  '131': 1,
  '171': 3,
  '193': 2,
  '211': 2,
  '304': 4,
  '335': 1,
  '1600': 3,
  '1700': 3,
  '4500': 3,
};

export function aia(wavelength: string): Instrument {
  return {
    look: AIA_LOOKS[wavelength] ?? 'euv171',
    place: 'earth',
    fieldArcsec: 4096 * 0.6,
    style: AIA_STYLE,
    fileName: archiveName(`SDO_AIA_AIA_${wavelength}`),
    keywords: (exposure) => [
      ...named('SDO', `AIA_${AIA_CAMERAS[wavelength]}`, [
        ['WAVELNTH', wavelength],
        ['WAVEUNIT', 'angstrom'],
        ['WAVE_STR', `${wavelength}_THIN`],
        ['IMG_TYPE', 'LIGHT'],
        ['PERCENTD', 100],
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusPixels('R_SUN', exposure),
      ...radiusArcsec('RSUN_OBS', exposure),
    ],
  };
}

export function hmi(content: string): Instrument {
  return {
    look: content === 'magnetogram' ? 'magnetogram' : 'continuum',
    place: 'earth',
    fieldArcsec: 4096 * 0.504,
    style: PLAIN_STYLE,
    fileName: archiveName(`SDO_HMI_HMI_${content}`),
    keywords: (exposure) => [
      ...named('SDO', 'HMI_FRONT2', [
        ['WAVELNTH', 6173],
        ['CONTENT', content === 'magnetogram' ? 'MAGNETOGRAM' : 'CONTINUUM INTENSITY'],
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusArcsec('RSUN_OBS', exposure),
    ],
  };
}
