// Telescopes on the ground, and spacecraft other than SDO and SOHO.
import { AIA_STYLE, OLD_STYLE, PLAIN_STYLE, ROB_STYLE } from '../jp2/encode.ts';
import type { LookName } from '../sun/looks.ts';
import { archiveName, compactTime, dated, distance, EUV_LOOKS, isoMs, keywords, radiusArcsec, radiusPixels } from './header.ts';
import type { Exposure, InstrumentRecord, Keywords } from './instrument.ts';

export function kCor(): InstrumentRecord {
  return {
    look: 'kCor',
    fieldArcsec: 1024 * 5.643,
    fileName: archiveName('MLSO_KCOR_KCOR_white-light-pB', 'none'),
    keywords: keywords('COSMO K-Coronagraph', 'COSMO K-Coronagraph', { WAVELNTH: 735 }, dated, distance, radiusPixels('R_SUN')),
  };
}

export function gong(): InstrumentRecord {
  return {
    look: 'hAlpha',
    fieldArcsec: 2048 * 1.07,
    fileName: archiveName('NSO-GONG_GONG_H-alpha_6562', 'none'),
    keywords: keywords('NSO-GONG', 'GONG', { DETECTOR: 'H-alpha', WAVELNTH: 6562.8 }, dated, radiusPixels('RADIUS')),
  };
}

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

export function secchi(spacecraft: 'A' | 'B', detector: string, measurement: string): InstrumentRecord {
  const isEuvi = detector === 'EUVI';
  const [look, fieldArcsec]: [LookName, number] = isEuvi
    ? [EUV_LOOKS[measurement] ?? 'euv193', 2048 * 1.588]
    : detector === 'COR1'
      ? ['cor1', 512 * 15]
      : ['cor2', 2048 * 14.7];
  const own = { OBSRVTRY: `STEREO_${spacecraft}`, DETECTOR: detector, ...(isEuvi ? { WAVELNTH: measurement } : {}) };
  return {
    look,
    viewpoint: spacecraft === 'A' ? 'stereoA' : 'stereoB',
    tone: isEuvi && measurement === '304' ? 0.55 : 0.8,
    fieldArcsec,
    offset: isEuvi ? [0.31, -0.87] : [0, 0],
    style: isEuvi ? AIA_STYLE : PLAIN_STYLE,
    keywords: keywords('STEREO', 'SECCHI', own, dated, distance, radiusArcsec('RSUN')),
  };
}

export function swap(): InstrumentRecord {
  return {
    look: 'euv171',
    fieldArcsec: 1024 * 3.1622955,
    style: ROB_STYLE,
    hasPalette: (timeMs) => timeMs < SWAP_PALETTES_END_MS,
    keywords: keywords('PROBA2', 'SWAP', { DETECTOR: 'SWAP', WAVELNTH: 174 }, dated, distance, radiusArcsec('RSUN_ARC')),
  };
}

export function sxt(filter: string): InstrumentRecord {
  const codes: Readonly<Record<string, string>> = { AlMgMn: 'AlMg', 'thin-Al': 'Al.1', 'white-light': 'Open' };
  return {
    look: filter === 'white-light' ? 'continuum' : 'xray',
    fieldArcsec: 1024 * 2.46,
    style: OLD_STYLE,
    largestSize: 1024,
    keywords: keywords('YOHKOH', 'SXT', { WAVELNTH: codes[filter] ?? filter }, dated, distance, radiusPixels('R_SUN')),
  };
}

/** Helioprojective arcseconds of the image centre. */
function imageCentre({ framing: { width, height, sunX, sunY, scaleArcsecPerPixel } }: Exposure): Keywords {
  const arcsec = (side: number, sun: number) => Number((((side + 1) / 2 - sun) * scaleArcsecPerPixel).toFixed(4));
  return { XCEN: arcsec(width, sunX), YCEN: arcsec(height, sunY) };
}

export function xrt(wheel1: string, wheel2: string): InstrumentRecord {
  return {
    look: wheel2 === 'Gband' ? 'continuum' : 'xray',
    fieldArcsec: 2048 * 1.0286,
    offset: [-9.75, 14.5],
    fileName: archiveName('HINODE_XRT'),
    keywords: keywords('HINODE', 'XRT', { EC_FW1_: wheel1, EC_FW2_: wheel2 }, dated, distance, imageCentre),
  };
}

export function trace(measurement: string): InstrumentRecord {
  const own = { WAVE_LEN: measurement === 'white-light' ? 'WL' : measurement };
  return {
    look: TRACE_LOOKS[measurement] ?? 'euv171',
    fieldArcsec: 1024 * 0.5,
    target: 'region',
    keywords: keywords('TRACE', 'TRACE', own, dated, distance),
  };
}

/** The full Sun imager points slightly off the Sun's centre, as its header states. */
export function eui(detector: string, measurement: string): InstrumentRecord {
  const isFull = detector === 'FSI';
  const product = isFull ? `fsi${measurement}` : detector === 'HRI_EUV' ? 'hrieuv174' : 'hrilya1216';
  // SunPy reads EUI images by this matrix alone.
  const matrix = { PC1_1: 1, PC1_2: 0, PC2_1: 0, PC2_2: 1 };
  const own = { OBSRVTRY: 'Solar Orbiter', DETECTOR: detector, WAVELNTH: measurement, ...matrix };
  return {
    look: measurement === '1216' ? 'lyman' : (EUV_LOOKS[measurement] ?? 'euv171'),
    viewpoint: 'solarOrbiter',
    fieldArcsec: isFull ? 1024 * 6 : 2048 * 0.492,
    ...(isFull ? { offset: [21.4, -12.8] as const } : { target: 'region' as const }),
    style: ROB_STYLE,
    fileName: (timeMs) => `solo_L3_eui-${product}-image_${compactTime(timeMs)}_V01.jp2`,
    keywords: keywords(`SOLO/EUI/${detector}`, 'EUI', own, dated, distance, radiusArcsec('RSUN_ARC')),
  };
}

export function suvi(wavelength: string): InstrumentRecord {
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    fieldArcsec: 1280 * 2.5,
    offset: [0.45, 0.62],
    fileName: archiveName(`GOES-R_SUVI_SUVI_${wavelength}`, 'none'),
    keywords: keywords('GOES-R', 'SUVI', { OBSRVTRY: 'GOES-R', WAVELNTH: wavelength }, dated, distance),
  };
}

export function iris(wavelength: string): InstrumentRecord {
  return {
    look: IRIS_LOOKS[wavelength] ?? 'uv1600',
    fieldArcsec: 120,
    target: 'region',
    largestSize: 360,
    fileName: (timeMs) => `iris_${wavelength}A_${isoMs(timeMs).slice(0, 19).replace('T', '_').replace(/[-:]/g, '')}.jp2`,
    keywords: keywords('IRIS', 'SJI', { TWAVE1: `${wavelength}.0000`, TDESC1: `SJI_${wavelength}` }, dated, distance),
  };
}

export function rhessi(band: string, reconstruction: string): InstrumentRecord {
  const [low = '', high = ''] = band.split('_');
  const dateAndDistance = ({ shot, observer }: Exposure) => ({
    DATE_OBS: isoMs(shot.timeMs),
    DSUN: Math.round(observer.distanceM),
  });
  return {
    look: 'hardXray',
    fieldArcsec: 256,
    target: 'region',
    largestSize: 128,
    style: { ...OLD_STYLE, layerRatios: [64, 16, 8] },
    keywords: keywords('RHESSI', 'RHESSI', { ENERGY_L: low, ENERGY_H: high }, dateAndDistance),
    notes: { HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD: reconstruction },
  };
}

/** CCOR headers give the plate scale in degrees. */
export function ccor(telescope: string, number: 1 | 2): InstrumentRecord {
  return {
    look: 'lascoC3',
    viewpoint: number === 1 ? 'earth' : 'lagrange1',
    fieldArcsec: 2048 * 19.3,
    unit: 'deg',
    fileName: archiveName(`${telescope}_CCOR-${number}_CCOR-${number}_white-light`, 'none'),
    keywords: keywords(telescope, `CCOR${number}`, { DETECTOR: String(number) }, dated, distance),
  };
}

export function punch(title: string, product: string): InstrumentRecord {
  return {
    look: 'punch',
    fieldArcsec: 4096 * 81,
    style: AIA_STYLE,
    unit: 'deg',
    fileName: (timeMs) => `PUNCH_L3_${product}_${isoMs(timeMs).slice(0, 19).replace(/[-T:]/g, '')}_v0s.jp2`,
    keywords: keywords('PUNCH', 'WFI+NFI', { TITLE: title }, dated, distance),
  };
}
