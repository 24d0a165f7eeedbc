// Spacecraft other than SDO and SOHO.

import { AIA_STYLE, OLD_STYLE, PLAIN_STYLE, ROB_STYLE } from '../jp2/encode.ts';
import type { LookName } from '../sun/looks.ts';
import { isoMs } from './header.ts';
import type { Instrument } from './instrument.ts';
import { archiveName, compactTime, dated, distance, EUV_LOOKS, named, radiusArcsec, radiusPixels } from './keywords.ts';

const SWAP_PALETTES_END_MS = Date.UTC(2013, 5, 27);
const TRACE_LOOKS: Readonly<Record<string, LookName>> = {
  ...EUV_LOOKS,
  '1216': 'lyman',
  '1550': 'uv1600',
  '1600': 'uv1600',
  '1700': 'uv1700',
  'white-light': 'continuum',
};
const IRIS_LOOKS: Readonly<Record<string, LookName>> = {
  '1330': 'farUv',
  '1400': 'farUv',
  '1600': 'uv1600',
  '2796': 'uv2796',
  '2832': 'continuum',
  '5000': 'continuum',
};

export function secchi(spacecraft: 'A' | 'B', detector: string, measurement: string): Instrument {
  const [look, fieldArcsec]: [LookName, number] =
    detector === 'EUVI'
      ? [EUV_LOOKS[measurement] ?? 'euv193', 2048 * 1.588]
      : detector === 'COR1'
        ? ['cor1', 512 * 15]
        : ['cor2', 2048 * 14.7];
  return {
    look,
    place: spacecraft === 'A' ? 'stereoA' : 'stereoB',
    tone: detector === 'EUVI' && measurement === '304' ? 0.55 : 0.8,
    fieldArcsec,
    offset: detector === 'EUVI' ? [0.31, -0.87] : [0, 0],
    style: detector === 'EUVI' ? AIA_STYLE : PLAIN_STYLE,
    fileName: archiveName(`STEREO_${spacecraft}_SECCHI_${detector}_${measurement}`),
    keywords: (exposure) => [
      ...named('STEREO', 'SECCHI', [
        ['OBSRVTRY', `STEREO_${spacecraft}`],
        ['DETECTOR', detector],
        ...(detector === 'EUVI' ? ([['WAVELNTH', measurement]] as const) : []),
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusArcsec('RSUN', exposure),
    ],
  };
}

export function swap(): Instrument {
  return {
    look: 'euv171',
    place: 'earth',
    fieldArcsec: 1024 * 3.1622955,
    style: ROB_STYLE,
    fileName: archiveName('PROBA2_SWAP_SWAP_174'),
    hasPalette: (timeMs) => timeMs < SWAP_PALETTES_END_MS,
    keywords: (exposure) => [
      ...named('PROBA2', 'SWAP', [
        ['DETECTOR', 'SWAP'],
        ['WAVELNTH', 174],
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusArcsec('RSUN_ARC', exposure),
    ],
  };
}

export function sxt(filter: string): Instrument {
  const codes: Readonly<Record<string, string>> = { AlMgMn: 'AlMg', 'thin-Al': 'Al.1', 'white-light': 'Open' };
  return {
    look: filter === 'white-light' ? 'continuum' : 'xray',
    place: 'earth',
    fieldArcsec: 1024 * 2.46,
    style: OLD_STYLE,
    largestSize: 1024,
    fileName: archiveName(`Yohkoh_SXT_SXT_${filter}`),
    keywords: (exposure) => [
      ...named('YOHKOH', 'SXT', [['WAVELNTH', codes[filter] ?? filter]]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusPixels('R_SUN', exposure),
    ],
  };
}

export function xrt(wheel1: string, wheel2: string): Instrument {
  return {
    look: wheel2 === 'Gband' ? 'continuum' : 'xray',
    place: 'earth',
    fieldArcsec: 2048 * 1.0286,
    offset: [-9.75, 14.5],
    style: PLAIN_STYLE,
    fileName: archiveName('HINODE_XRT'),
    keywords: (exposure) => [
      ...named('HINODE', 'XRT', [
        ['EC_FW1_', wheel1],
        ['EC_FW2_', wheel2],
      ]),
      ...dated(exposure),
      ...distance(exposure),
      [
        'XCEN',
        Number((((exposure.framing.width + 1) / 2 - exposure.framing.sunX) * exposure.framing.scaleArcsecPerPixel).toFixed(4)),
      ],
      [
        'YCEN',
        Number((((exposure.framing.height + 1) / 2 - exposure.framing.sunY) * exposure.framing.scaleArcsecPerPixel).toFixed(4)),
      ],
    ],
  };
}

export function trace(measurement: string): Instrument {
  return {
    look: TRACE_LOOKS[measurement] ?? 'euv171',
    place: 'earth',
    fieldArcsec: 1024 * 0.5,
    target: 'region',
    style: PLAIN_STYLE,
    fileName: archiveName(`TRACE_TRACE_TRACE_${measurement}`),
    keywords: (exposure) => [
      ...named('TRACE', 'TRACE', [['WAVE_LEN', measurement === 'white-light' ? 'WL' : measurement]]),
      ...dated(exposure),
      ...distance(exposure),
    ],
  };
}

/** The full Sun imager points slightly off the Sun's centre, as its header states. */
export function eui(detector: string, measurement: string): Instrument {
  const isFull = detector === 'FSI';
  const product = isFull ? `fsi${measurement}` : detector === 'HRI_EUV' ? 'hrieuv174' : 'hrilya1216';
  return {
    look: measurement === '1216' ? 'lyman' : (EUV_LOOKS[measurement] ?? 'euv171'),
    place: 'solarOrbiter',
    fieldArcsec: isFull ? 1024 * 6 : 2048 * 0.492,
    ...(isFull ? { offset: [21.4, -12.8] as const } : { target: 'region' as const }),
    style: ROB_STYLE,
    fileName: (timeMs) => `solo_L3_eui-${product}-image_${compactTime(timeMs)}_V01.jp2`,
    keywords: (exposure) => [
      ...named(`SOLO/EUI/${detector}`, 'EUI', [
        ['OBSRVTRY', 'Solar Orbiter'],
        ['DETECTOR', detector],
        ['WAVELNTH', measurement],
        // SunPy reads EUI images by this matrix alone.
        ['PC1_1', 1],
        ['PC1_2', 0],
        ['PC2_1', 0],
        ['PC2_2', 1],
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusArcsec('RSUN_ARC', exposure),
    ],
  };
}

export function suvi(wavelength: string): Instrument {
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    place: 'earth',
    fieldArcsec: 1280 * 2.5,
    offset: [0.45, 0.62],
    style: PLAIN_STYLE,
    fileName: archiveName(`GOES-R_SUVI_SUVI_${wavelength}`, 'none'),
    keywords: (exposure) => [
      ...named('GOES-R', 'SUVI', [
        ['OBSRVTRY', 'GOES-R'],
        ['WAVELNTH', wavelength],
      ]),
      ...dated(exposure),
      ...distance(exposure),
    ],
  };
}

export function iris(wavelength: string): Instrument {
  return {
    look: IRIS_LOOKS[wavelength] ?? 'uv1600',
    place: 'earth',
    fieldArcsec: 120,
    target: 'region',
    largestSize: 360,
    style: PLAIN_STYLE,
    fileName: (timeMs) => `iris_${wavelength}A_${isoMs(timeMs).slice(0, 19).replace('T', '_').replace(/[-:]/g, '')}.jp2`,
    keywords: (exposure) => [
      ...named('IRIS', 'SJI', [
        ['TWAVE1', `${wavelength}.0000`],
        ['TDESC1', `SJI_${wavelength}`],
      ]),
      ...dated(exposure),
      ...distance(exposure),
    ],
  };
}

export function rhessi(band: string, reconstruction: string): Instrument {
  const [low, high] = band.split('_');
  return {
    look: 'hardXray',
    place: 'earth',
    fieldArcsec: 256,
    target: 'region',
    largestSize: 128,
    style: { ...OLD_STYLE, layerRatios: [64, 16, 8] },
    fileName: archiveName(`RHESSI_RHESSI_${reconstruction}_${Number(low)}-${Number(high)}keV`),
    keywords: (exposure) => [
      ...named('RHESSI', 'RHESSI', [
        ['ENERGY_L', low ?? ''],
        ['ENERGY_H', high ?? ''],
      ]),
      ['DATE_OBS', isoMs(exposure.shot.timeMs)],
      ['DSUN', Math.round(exposure.observer.distanceM)],
    ],
    notes: [['HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD', reconstruction]],
  };
}

/** CCOR headers give the plate scale in degrees. */
export function ccor(telescope: string, number: 1 | 2): Instrument {
  return {
    look: 'lascoC3',
    place: number === 1 ? 'earth' : 'lagrange1',
    fieldArcsec: 2048 * 19.3,
    style: PLAIN_STYLE,
    unit: 'deg',
    fileName: archiveName(`${telescope}_CCOR-${number}_CCOR-${number}_white-light`, 'none'),
    keywords: (exposure) => [
      ...named(telescope, `CCOR${number}`, [['DETECTOR', String(number)]]),
      ...dated(exposure),
      ...distance(exposure),
    ],
  };
}

export function punch(title: string, product: string): Instrument {
  return {
    look: 'punch',
    place: 'earth',
    fieldArcsec: 4096 * 81,
    style: AIA_STYLE,
    unit: 'deg',
    fileName: (timeMs) => `PUNCH_L3_${product}_${isoMs(timeMs).slice(0, 19).replace(/[-T:]/g, '')}_v0s.jp2`,
    keywords: (exposure) => [...named('PUNCH', 'WFI+NFI', [['TITLE', title]]), ...dated(exposure), ...distance(exposure)],
  };
}
