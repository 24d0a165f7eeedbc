// The instruments that the sample can stand in for, by source id.

import { allSources } from '../../domain/catalogue/sources.ts';
import { isoMs } from './header.ts';
import type { Exposure, Instrument, Keywords } from './instrument.ts';
import { AIA_STYLE, OLD_STYLE, PLAIN_STYLE, ROB_STYLE } from './jp2-encode.ts';
import type { LookName } from './sun-looks.ts';

const SWAP_PALETTES_END_MS = Date.UTC(2013, 5, 27);

/** `2024_05_10__12_00_09_350` */
const archiveTime = (timeMs: number, digits = 3) =>
  isoMs(timeMs)
    .replace('T', '__')
    .replace(/[-:.]/g, '_')
    .slice(0, digits === 0 ? 20 : 21 + digits);
const archiveName =
  (rest: string, digits = 3) =>
  (timeMs: number) =>
    `${archiveTime(timeMs, digits)}__${rest}.jp2`;
const compactTime = (timeMs: number) => isoMs(timeMs).replace(/[-:.]/g, '');

const dated = ({ shot }: Exposure): Keywords => [
  ['DATE-OBS', isoMs(shot.timeMs)],
  ['DATE_OBS', isoMs(shot.timeMs)],
];
const distance = ({ observer }: Exposure): Keywords => [
  ['DSUN_OBS', Math.round(observer.distanceM)],
  ['CRLN_OBS', Number(observer.longitudeDeg.toFixed(5))],
  ['CRLT_OBS', Number(observer.latitudeDeg.toFixed(5))],
];
const radiusPixels = (keyword: string, exposure: Exposure): Keywords => [[keyword, Number(exposure.limbPixels.toFixed(4))]];
const radiusArcsec = (keyword: string, exposure: Exposure): Keywords => [[keyword, Number(exposure.limbArcsec.toFixed(5))]];
const named = (telescope: string, instrument: string, rest: Keywords = []): Keywords => [
  ['TELESCOP', telescope],
  ['INSTRUME', instrument],
  ...rest,
];

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
const EUV_LOOKS: Readonly<Record<string, LookName>> = {
  '94': 'euv94',
  '131': 'euv131',
  '171': 'euv171',
  '174': 'euv171',
  '195': 'euv193',
  '284': 'euv284',
  '304': 'euv304',
};
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

function aia(wavelength: string): Instrument {
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

function hmi(content: string): Instrument {
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

function eit(wavelength: string): Instrument {
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

function mdi(content: string): Instrument {
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

/** LASCO gives the day and the time of day apart, and no distance. */
function lasco(detector: 'C2' | 'C3'): Instrument {
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

function secchi(spacecraft: 'A' | 'B', detector: string, measurement: string): Instrument {
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

function swap(): Instrument {
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

function sxt(filter: string): Instrument {
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

function xrt(wheel1: string, wheel2: string): Instrument {
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

function trace(measurement: string): Instrument {
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

function kCor(): Instrument {
  return {
    look: 'kCor',
    place: 'earth',
    fieldArcsec: 1024 * 5.643,
    style: PLAIN_STYLE,
    fileName: archiveName('MLSO_KCOR_KCOR_white-light-pB', 0),
    keywords: (exposure) => [
      ...named('COSMO K-Coronagraph', 'COSMO K-Coronagraph', [['WAVELNTH', 735]]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusPixels('R_SUN', exposure),
    ],
  };
}

/** The full Sun imager points a little off the Sun's centre, as the header tells. */
function eui(detector: string, measurement: string): Instrument {
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
      ]),
      ...dated(exposure),
      ...distance(exposure),
      ...radiusArcsec('RSUN_ARC', exposure),
    ],
  };
}

function suvi(wavelength: string): Instrument {
  return {
    look: EUV_LOOKS[wavelength] ?? 'euv193',
    place: 'earth',
    fieldArcsec: 1280 * 2.5,
    offset: [0.45, 0.62],
    style: PLAIN_STYLE,
    fileName: archiveName(`GOES-R_SUVI_SUVI_${wavelength}`, 0),
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

function iris(wavelength: string): Instrument {
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

function gong(): Instrument {
  return {
    look: 'hAlpha',
    place: 'earth',
    fieldArcsec: 2048 * 1.07,
    style: PLAIN_STYLE,
    fileName: archiveName('NSO-GONG_GONG_H-alpha_6562', 0),
    keywords: (exposure) => [
      ...named('NSO-GONG', 'GONG', [
        ['DETECTOR', 'H-alpha'],
        ['WAVELNTH', 6562.8],
      ]),
      ...dated(exposure),
      ...radiusPixels('RADIUS', exposure),
    ],
  };
}

function rhessi(band: string, reconstruction: string): Instrument {
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
function ccor(telescope: string, number: 1 | 2): Instrument {
  return {
    look: 'lascoC3',
    place: number === 1 ? 'earth' : 'lagrange1',
    fieldArcsec: 2048 * 19.3,
    style: PLAIN_STYLE,
    unit: 'deg',
    fileName: archiveName(`${telescope}_CCOR-${number}_CCOR-${number}_white-light`, 0),
    keywords: (exposure) => [
      ...named(telescope, `CCOR${number}`, [['DETECTOR', String(number)]]),
      ...dated(exposure),
      ...distance(exposure),
    ],
  };
}

function punch(title: string, product: string): Instrument {
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

function instrumentOf(path: readonly string[]): Instrument | undefined {
  const [observatory = '', first = '', second = '', third = ''] = path;
  switch (observatory) {
    case 'SDO':
      return first === 'AIA' ? aia(second) : hmi(second);
    case 'SOHO':
      return first === 'EIT' ? eit(second) : first === 'MDI' ? mdi(second) : lasco(second === 'C2' ? 'C2' : 'C3');
    case 'STEREO_A':
    case 'STEREO_B':
      return secchi(observatory === 'STEREO_A' ? 'A' : 'B', second, third);
    case 'PROBA2':
      return swap();
    case 'Yohkoh':
      return sxt(second);
    case 'Hinode':
      return xrt(second, third);
    case 'TRACE':
      return trace(first);
    case 'MLSO':
      return kCor();
    case 'Solar_Orbiter':
      return eui(second, third);
    case 'GOES-R':
      return suvi(second);
    case 'IRIS':
      return iris(second);
    case 'NSO-GONG':
      return gong();
    case 'RHESSI':
      return rhessi(first, second);
    case 'GOES-19':
      return ccor(observatory, 1);
    case 'SWFO-L1':
      return ccor(observatory, 2);
    case 'PUNCH':
      return punch(second, second.includes('Unpolarized') ? 'CAM' : 'PAM');
    default:
      return undefined;
  }
}

const instruments = new Map<number, Instrument>();
for (const source of allSources) {
  const instrument = source.id > 10_000 ? undefined : instrumentOf(source.levels.map((level) => level.fitsName));
  if (instrument) instruments.set(source.id, instrument);
}

/** The stand-in for a source; undefined for groups of sources and unknown ids. */
export function findInstrument(sourceId: number): Instrument | undefined {
  return instruments.get(sourceId);
}
