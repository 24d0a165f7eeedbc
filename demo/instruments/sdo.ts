// Solar Dynamics Observatory.
import { AIA_STYLE } from '../jp2/encode.ts';
import type { LookName } from '../sun/looks.ts';
import { dated, distance, keywords, radiusArcsec, radiusPixels } from './header.ts';
import type { InstrumentRecord } from './instrument.ts';
import { aiaLaw, hmiLaw } from './stated-law.ts';

const AIA_CHANNELS: Readonly<Record<string, { readonly look: LookName; readonly camera: number }>> = {
  '94': { look: 'euv94', camera: 4 },
  '131': { look: 'euv131', camera: 1 },
  '171': { look: 'euv171', camera: 3 },
  '193': { look: 'euv193', camera: 2 },
  '211': { look: 'euv211', camera: 2 },
  '304': { look: 'euv304', camera: 4 },
  '335': { look: 'euv335', camera: 1 },
  '1600': { look: 'uv1600', camera: 3 },
  '1700': { look: 'uv1700', camera: 3 },
  '4500': { look: 'continuum', camera: 3 },
};

export function aia(wavelength: string): InstrumentRecord {
  const channel = AIA_CHANNELS[wavelength];
  const own = {
    WAVELNTH: wavelength,
    WAVEUNIT: 'angstrom',
    WAVE_STR: `${wavelength}_THIN`,
    IMG_TYPE: 'LIGHT',
    PERCENTD: 100,
  };
  return {
    look: channel?.look ?? 'euv171',
    fieldArcsec: 4096 * 0.6,
    style: AIA_STYLE,
    law: aiaLaw(wavelength),
    keywords: keywords('SDO', `AIA_${channel?.camera}`, own, dated, distance, radiusPixels('R_SUN'), radiusArcsec('RSUN_OBS')),
  };
}

export function hmi(content: string): InstrumentRecord {
  const isMagnetogram = content === 'magnetogram';
  const own = { WAVELNTH: 6173, CONTENT: isMagnetogram ? 'MAGNETOGRAM' : 'CONTINUUM INTENSITY' };
  return {
    look: isMagnetogram ? 'magnetogram' : 'continuum',
    fieldArcsec: 4096 * 0.504,
    law: hmiLaw(isMagnetogram),
    keywords: keywords('SDO', 'HMI_FRONT2', own, dated, distance, radiusArcsec('RSUN_OBS')),
  };
}
