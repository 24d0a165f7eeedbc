// The instruments of the sample Sun by source id.
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { regularFileName } from '../../src/sun/catalogue/archive-name.ts';
import { imageSources } from '../../src/sun/catalogue/sources.ts';
import { AIA_STYLE, OLD_STYLE, PLAIN_STYLE, ROB_STYLE } from '../jp2/encode.ts';
import type { LookName } from '../sun/looks.ts';
import { observerAt } from '../sun/observer.ts';
import { archiveName, compactTime, dated, distance, isoMs, keywords, radiusArcsec, radiusPixels, TO_SECONDS } from './header.ts';
import type { Exposure, Instrument, InstrumentRecord, Keywords } from './instrument.ts';
import { aiaLaw, hmiLaw } from './stated-law.ts';

type Looks = Readonly<Record<string, LookName>>;
/** Looks of channels by wavelength in angstrom. */
const EUV_LOOKS: Looks = {
  ...{ '94': 'euv94', '131': 'euv131', '171': 'euv171', '174': 'euv171', '193': 'euv193', '195': 'euv193', '211': 'euv211' },
  ...{ '284': 'euv284', '304': 'euv304', '335': 'euv335', '1216': 'lyman' },
  ...{ '1600': 'uv1600', '1700': 'uv1700', '4500': 'continuum' },
};
const TRACE_LOOKS: Looks = { ...EUV_LOOKS, '1550': 'uv1600', 'white-light': 'continuum' };
const IRIS_LOOKS: Looks = { '1330': 'farUv', '1400': 'farUv', '2796': 'uv2796', '2832': 'continuum', '5000': 'continuum' };
const CAMERAS: Readonly<Record<string, number>> = {
  ...{ '94': 4, '131': 1, '171': 3, '193': 2, '211': 2, '304': 4, '335': 1, '1600': 3, '1700': 3, '4500': 3 },
};
const MAGNETOGRAM = 'magnetogram';
const fullDisc = (content: string): LookName => (content === MAGNETOGRAM ? MAGNETOGRAM : 'continuum');

const aia = (wavelength: string): InstrumentRecord => {
  const own = { WAVELNTH: wavelength, WAVEUNIT: 'angstrom', WAVE_STR: `${wavelength}_THIN`, IMG_TYPE: 'LIGHT', PERCENTD: 100 };
  const camera = `AIA_${CAMERAS[wavelength]}`;
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv171',
    fieldArcsec: 4096 * 0.6,
    style: AIA_STYLE,
    law: aiaLaw(wavelength),
    keywords: keywords('SDO', camera, own, dated, distance, radiusPixels('R_SUN'), radiusArcsec('RSUN_OBS')),
  };
};

const hmi = (content: string): InstrumentRecord => {
  const own = { WAVELNTH: 6173, CONTENT: content === MAGNETOGRAM ? 'MAGNETOGRAM' : 'CONTINUUM INTENSITY' };
  return {
    look: fullDisc(content),
    fieldArcsec: 4096 * 0.504,
    law: hmiLaw(content === MAGNETOGRAM),
    keywords: keywords('SDO', 'HMI_FRONT2', own, dated, distance, radiusArcsec('RSUN_OBS')),
  };
};

const eit = (wavelength: string): InstrumentRecord => ({
  look: EUV_LOOKS[wavelength] ?? 'euv193',
  viewpoint: 'lagrange1',
  tone: 0.68,
  fieldArcsec: 1024 * 2.63,
  offset: [-6.24, 9.45],
  keywords: keywords('SOHO', 'EIT', { WAVELNTH: wavelength }, dated, radiusPixels('SOLAR_R'), () => ({ SC_ROLL: 0 })),
  notes: { HV_MEASUREMENT: wavelength },
});

const mdi = (content: string): InstrumentRecord => {
  const own = { DPC_OBSR: content === MAGNETOGRAM ? 'FD_Magnetogram' : 'FD_Continuum' };
  return {
    look: fullDisc(content),
    viewpoint: 'lagrange1',
    fieldArcsec: 1024 * 1.9856373,
    offset: [0.354, -0.52],
    keywords: keywords('SOHO', 'MDI', own, dated, radiusPixels('R_SUN')),
  };
};

/** SOHO is turned upside down every three months since the motor of its antenna failed. */
const FIRST_TURN_MS = Date.UTC(2003, 6, 8);
const QUARTER_MS = 91.3 * DAY_MS;

/** Roll of SOHO, degrees: its north is that of the ecliptic. Headers of LASCO state it, though the pixels are turned to solar north. */
function rollOf(timeMs: number): number {
  const isUpsideDown = timeMs > FIRST_TURN_MS && Math.floor((timeMs - FIRST_TURN_MS) / QUARTER_MS) % 2 === 0;
  return Number((observerAt('lagrange1', timeMs).eclipticRollDeg + (isUpsideDown ? 180 : 0)).toFixed(5));
}

/** LASCO headers split day and time of day into two keywords and omit the distance. */
const lasco = (detector: string): InstrumentRecord => {
  const isC2 = detector === 'C2';
  const own = { DETECTOR: detector, FILTER: isC2 ? 'Orange' : 'Clear', POLAR: 'Clear', HCOMP_SF: 0 };
  const timed = ({ shot: { timeMs } }: Exposure) => {
    const [roll, time] = [rollOf(timeMs), isoMs(timeMs)];
    return {
      ...{ DATE_OBS: time.slice(0, 10).replaceAll('-', '/'), TIME_OBS: time.slice(11) },
      ...{ CROTA: roll, CROTA1: roll, CROTA2: roll, RSUN: 0 },
    };
  };
  return {
    look: isC2 ? 'lascoC2' : 'lascoC3',
    viewpoint: 'lagrange1',
    fieldArcsec: 1024 * (isC2 ? 11.9 : 56),
    offset: isC2 ? [-0.3, -6.7] : [5.7, 20.5],
    keywords: keywords('SOHO', 'LASCO', own, timed),
    notes: {
      ...{ HV_OBSERVATORY: 'SOHO', HV_INSTRUMENT: 'LASCO', HV_DETECTOR: detector, HV_MEASUREMENT: 'white-light' },
      ...{ HV_ROCC_INNER: isC2 ? 2.2 : 4.4, HV_ROCC_OUTER: isC2 ? 6.9 : 31 },
    },
  };
};

const secchi = (spacecraft: 'A' | 'B', detector: string, measurement: string): InstrumentRecord => {
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
};

const SWAP_PALETTES_END_MS = Date.UTC(2013, 5, 27);
function imageCentre({ framing: { width, height, sunX, sunY, scaleArcsecPerPixel } }: Exposure): Keywords {
  const arcsec = (side: number, sun: number) => Number((((side + 1) / 2 - sun) * scaleArcsecPerPixel).toFixed(4));
  return { XCEN: arcsec(width, sunX), YCEN: arcsec(height, sunY) };
}

const SXT_CODES: Readonly<Record<string, string>> = { AlMgMn: 'AlMg', 'thin-Al': 'Al.1', 'white-light': 'Open' };

/** CCOR headers give the plate scale in degrees. */
const ccor = (telescope: string, number: 1 | 2): InstrumentRecord => ({
  look: 'lascoC3',
  viewpoint: number === 1 ? 'earth' : 'lagrange1',
  fieldArcsec: 2048 * 19.3,
  unit: 'deg',
  fileName: archiveName(`${telescope}_CCOR-${number}_CCOR-${number}_white-light`, TO_SECONDS),
  keywords: keywords(telescope, `CCOR${number}`, { DETECTOR: String(number) }, dated, distance),
});

/** Instruments by the observatory of their sources, from the further levels. */
const OBSERVATORIES: Readonly<Record<string, (first: string, second: string, third: string) => InstrumentRecord>> = {
  SDO: (instrument, channel) => (instrument === 'AIA' ? aia(channel) : hmi(channel)),
  SOHO: (instrument, second) => (instrument === 'EIT' ? eit : instrument === 'MDI' ? mdi : lasco)(second),
  STEREO_A: (_, detector, measurement) => secchi('A', detector, measurement),
  STEREO_B: (_, detector, measurement) => secchi('B', detector, measurement),
  PROBA2: () => ({
    look: 'euv171',
    fieldArcsec: 1024 * 3.1622955,
    style: ROB_STYLE,
    hasPalette: (timeMs) => timeMs < SWAP_PALETTES_END_MS,
    keywords: keywords('PROBA2', 'SWAP', { DETECTOR: 'SWAP', WAVELNTH: 174 }, dated, distance, radiusArcsec('RSUN_ARC')),
  }),
  Yohkoh: (_, filter) => ({
    look: filter === 'white-light' ? 'continuum' : 'xray',
    fieldArcsec: 1024 * 2.46,
    style: OLD_STYLE,
    largestSize: 1024,
    keywords: keywords('YOHKOH', 'SXT', { WAVELNTH: SXT_CODES[filter] ?? filter }, dated, distance, radiusPixels('R_SUN')),
  }),
  Hinode: (_, wheel1, wheel2) => ({
    look: wheel2 === 'Gband' ? 'continuum' : 'xray',
    fieldArcsec: 2048 * 1.0286,
    offset: [-9.75, 14.5],
    fileName: archiveName('HINODE_XRT'),
    keywords: keywords('HINODE', 'XRT', { EC_FW1_: wheel1, EC_FW2_: wheel2 }, dated, distance, imageCentre),
  }),
  TRACE: (measurement) => ({
    look: TRACE_LOOKS[measurement] ?? 'euv171',
    fieldArcsec: 1024 * 0.5,
    target: 'region',
    keywords: keywords('TRACE', 'TRACE', { WAVE_LEN: measurement === 'white-light' ? 'WL' : measurement }, dated, distance),
  }),
  MLSO: () => ({
    look: 'kCor',
    fieldArcsec: 1024 * 5.643,
    fileName: archiveName('MLSO_KCOR_KCOR_white-light-pB', TO_SECONDS),
    keywords: keywords('COSMO K-Coronagraph', 'COSMO K-Coronagraph', { WAVELNTH: 735 }, dated, distance, radiusPixels('R_SUN')),
  }),
  /** The full Sun imager points slightly off the Sun's centre, as its header states. */
  Solar_Orbiter: (_, detector, measurement) => {
    const isFull = detector === 'FSI';
    const product = isFull ? `fsi${measurement}` : detector === 'HRI_EUV' ? 'hrieuv174' : 'hrilya1216';
    // SunPy reads EUI images by this matrix alone.
    const matrix = { PC1_1: 1, PC1_2: 0, PC2_1: 0, PC2_2: 1 };
    const own = { OBSRVTRY: 'Solar Orbiter', DETECTOR: detector, WAVELNTH: measurement, ...matrix };
    return {
      look: EUV_LOOKS[measurement] ?? 'euv171',
      viewpoint: 'solarOrbiter',
      fieldArcsec: isFull ? 1024 * 6 : 2048 * 0.492,
      ...(isFull ? { offset: [21.4, -12.8] as const } : { target: 'region' as const }),
      style: ROB_STYLE,
      fileName: (timeMs) => `solo_L3_eui-${product}-image_${compactTime(timeMs)}_V01.jp2`,
      keywords: keywords(`SOLO/EUI/${detector}`, 'EUI', own, dated, distance, radiusArcsec('RSUN_ARC')),
    };
  },
  'GOES-R': (_, wavelength) => ({
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    fieldArcsec: 1280 * 2.5,
    offset: [0.45, 0.62],
    fileName: archiveName(`GOES-R_SUVI_SUVI_${wavelength}`, TO_SECONDS),
    keywords: keywords('GOES-R', 'SUVI', { OBSRVTRY: 'GOES-R', WAVELNTH: wavelength }, dated, distance),
  }),
  IRIS: (_, wavelength) => ({
    look: IRIS_LOOKS[wavelength] ?? 'uv1600',
    fieldArcsec: 120,
    target: 'region',
    largestSize: 360,
    fileName: (timeMs) => `iris_${wavelength}A_${isoMs(timeMs).slice(0, 19).replace('T', '_').replace(/[-:]/g, '')}.jp2`,
    keywords: keywords('IRIS', 'SJI', { TWAVE1: `${wavelength}.0000`, TDESC1: `SJI_${wavelength}` }, dated, distance),
  }),
  'NSO-GONG': () => ({
    look: 'hAlpha',
    fieldArcsec: 2048 * 1.07,
    fileName: archiveName('NSO-GONG_GONG_H-alpha_6562', TO_SECONDS),
    keywords: keywords('NSO-GONG', 'GONG', { DETECTOR: 'H-alpha', WAVELNTH: 6562.8 }, dated, radiusPixels('RADIUS')),
  }),
  RHESSI: (band, reconstruction) => {
    const [low = '', high = ''] = band.split('_');
    const seen = ({ shot, observer }: Exposure) => ({ DATE_OBS: isoMs(shot.timeMs), DSUN: Math.round(observer.distanceM) });
    return {
      look: 'hardXray',
      fieldArcsec: 256,
      target: 'region',
      largestSize: 128,
      style: { ...OLD_STYLE, layerRatios: [64, 16, 8] },
      keywords: keywords('RHESSI', 'RHESSI', { ENERGY_L: low, ENERGY_H: high }, seen),
      notes: { HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD: reconstruction },
    };
  },
  'GOES-19': () => ccor('GOES-19', 1),
  'SWFO-L1': () => ccor('SWFO-L1', 2),
  PUNCH: (_, title) => {
    const product = title.includes('Unpolarized') ? 'CAM' : 'PAM';
    return {
      look: 'punch',
      fieldArcsec: 4096 * 81,
      style: AIA_STYLE,
      unit: 'deg',
      fileName: (timeMs) => `PUNCH_L3_${product}_${isoMs(timeMs).slice(0, 19).replace(/[-T:]/g, '')}_v0s.jp2`,
      keywords: keywords('PUNCH', 'WFI+NFI', { TITLE: title }, dated, distance),
    };
  },
};

/** An instrument whose header names the levels of its source, for sources that have none of their own. */
const commonInstrument = (
  [telescope = '', instrument = '', ...rest]: readonly string[],
  isCoronagraph: boolean,
): InstrumentRecord => ({
  look: isCoronagraph ? 'lascoC3' : 'euv171',
  fieldArcsec: 1024 * (isCoronagraph ? 56 : 2.5),
  keywords: keywords(telescope, instrument, { WAVELNTH: rest.at(-1) ?? '', DETECTOR: rest.at(-2) ?? '' }, dated, distance),
});

const instruments: ReadonlyMap<number, Instrument> = new Map(
  imageSources.map(({ id, levels, mask }) => {
    const path = levels.map((level) => level.fitsName);
    const [observatory = '', first = '', second = '', third = ''] = path;
    const record = OBSERVATORIES[observatory]?.(first, second, third) ?? commonInstrument(path, mask !== null);
    const fileName = (timeMs: number) => regularFileName(id, timeMs) ?? '';
    return [id, { viewpoint: 'earth', style: PLAIN_STYLE, fileName, ...record }];
  }),
);

/** The instrument of a source; undefined for groups of sources and unknown ids. */
export const findInstrument = (sourceId: number): Instrument | undefined => instruments.get(sourceId);
