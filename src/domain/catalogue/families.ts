// Families of datasources by mission. Ids are those of the public service, except where the interface says otherwise:
// 88-93 are SUVI (the public service has IRIS there, and SUVI at 2000-2005), so IRIS SJI moves to 2088-2093.
import { type Family, level } from './family.ts';

const EUV = '{} Ångström extreme ultraviolet';

const SOHO = level('Observatory', 'SOHO', 'Solar and Heliospheric Observatory');
const EIT = level('Instrument', 'EIT', 'Extreme ultraviolet Imaging Telescope');
const LASCO = level('Instrument', 'LASCO', 'The Large Angle Spectrometric Coronagraph');
const MDI = level('Instrument', 'MDI', 'Michelson Doppler Imager');

const soho: Family[] = [
  {
    firstId: 0,
    above: [SOHO, EIT],
    leaves: ['171', '195', '284', '304'],
    meaning: EUV,
    nickname: 'EIT {}',
    description: 'SOHO EIT {}',
    units: 'Å',
    colourTable: 'SOHO_EIT_{}',
    archiveDirectory: 'EIT',
  },
  ...[2, 3].map((n) => ({
    firstId: 2 + n,
    above: [SOHO, LASCO, level('Detector', `C${n}`, `Coronograph ${n}`)],
    leaves: ['white-light'],
    nickname: `LASCO C${n}`,
    description: `SOHO LASCO C${n}`,
    units: 'DN',
    layeringOrder: n,
    colourTable: n === 2 ? 'Red_Temperature' : 'Blue_White_Linear',
    archiveDirectory: `LASCO-C${n}`,
  })),
  {
    firstId: 6,
    above: [SOHO, MDI],
    leaves: ['magnetogram'],
    nickname: 'MDI Mag',
    description: 'SOHO MDI Mag',
    units: 'Mx',
    colourTable: null,
    archiveDirectory: 'MDI',
  },
  {
    firstId: 7,
    above: [SOHO, MDI],
    leaves: ['continuum'],
    nickname: 'MDI Int',
    description: 'SOHO MDI Int',
    units: 'DN',
    colourTable: null,
    archiveDirectory: 'MDI',
  },
];

const SDO = level('Observatory', 'SDO', 'Solar Dynamics Observatory');
const AIA = level('Instrument', 'AIA', 'Atmospheric Imaging Assembly');
const HMI = level('Instrument', 'HMI', 'Helioseismic and Magnetic Imager');

const sdo: Family[] = [
  {
    firstId: 8,
    above: [SDO, AIA],
    leaves: ['94', '131', '171', '193', '211', '304', '335', '1600', '1700', '4500'],
    meaning: EUV,
    nickname: 'AIA {}',
    description: 'SDO AIA {}',
    units: 'Å',
    colourTable: 'SDO_AIA_{}',
    archiveDirectory: 'AIA',
  },
  {
    firstId: 18,
    above: [SDO, HMI],
    leaves: ['continuum'],
    nickname: 'HMI Int',
    description: 'SDO HMI Int',
    units: 'DN',
    colourTable: null,
    archiveDirectory: 'HMI',
  },
  {
    firstId: 19,
    above: [SDO, HMI],
    leaves: ['magnetogram'],
    nickname: 'HMI Mag',
    description: 'SDO HMI Mag',
    units: 'Mx',
    colourTable: null,
    archiveDirectory: 'HMI',
  },
];

const SECCHI = level('Instrument', 'SECCHI', 'Sun Earth Connection Coronal and Heliospheric Investigation');
const EUVI = level('Detector', 'EUVI', 'Extreme Ultraviolet Imager');

function stereo(letter: 'A' | 'B', place: string, firstEuvi: number, firstCoronagraph: number): Family[] {
  const above = [level('Observatory', `STEREO_${letter}`, `Solar Terrestrial Relations Observatory ${place}`), SECCHI];
  return [
    {
      firstId: firstEuvi,
      above: [...above, EUVI],
      leaves: ['171', '195', '284', '304'],
      meaning: EUV,
      nickname: `EUVI-${letter} {}`,
      description: `STEREO ${letter} EUVI {}`,
      units: 'Å',
      colourTable: 'STEREO_EUVI_{}',
      archiveDirectory: `EUVI-${letter}`,
    },
    ...[1, 2].map((n) => ({
      firstId: firstCoronagraph + n - 1,
      above: [...above, level('Detector', `COR${n}`, `Coronograph ${n}`)],
      leaves: ['white-light'],
      nickname: `COR${n}-${letter}`,
      description: `STEREO ${letter} COR${n}`,
      units: 'DN',
      layeringOrder: n + 1,
      colourTable: n === 1 ? 'Green-White_Linear' : 'Red_Temperature',
      archiveDirectory: `COR${n}-${letter}`,
    })),
  ];
}

const TRACE = level('Observatory', 'TRACE', 'Transition Region and Coronal Explorer');
const trace = { above: [TRACE], meaning: 'TRACE {}', nickname: 'TRACE {}', description: 'TRACE {}', archiveDirectory: 'TRACE' };

const YOHKOH = level('Observatory', 'Yohkoh', 'Yohkoh (Solar-A)');
const SXT = level('Instrument', 'SXT', 'Soft X-ray Telescope');
const sxt = {
  above: [YOHKOH, SXT],
  nickname: 'SXT {}',
  description: 'Yohkoh SXT {}',
  colourTable: 'Yohkoh_SXT_{}',
  archiveDirectory: 'SXT',
};

const earlier: Family[] = [
  {
    firstId: 32,
    above: [
      level('Observatory', 'PROBA2', 'Project for OnBoard Autonomy 2'),
      level('Instrument', 'SWAP', 'Sun watcher using APS detectors and image processing'),
    ],
    leaves: ['174'],
    meaning: EUV,
    nickname: 'SWAP {}',
    description: 'PROBA-2 SWAP {}',
    units: 'Å',
    colourTable: 'PROBA2_SWAP_174',
    archiveDirectory: 'SWAP',
  },
  {
    ...sxt,
    firstId: 33,
    leaves: ['AlMgMn'],
    leafLabel: 'Filter',
    meaning: 'Al/Mg/Mn filter (2.4 Å - 32 Å pass band)',
    units: 'Å',
  },
  { ...sxt, firstId: 34, leaves: ['thin-Al'], meaning: '11.6 μm Al filter (2.4 Å - 13 Å pass band)', units: 'Å' },
  { ...sxt, firstId: 35, leaves: ['white-light'], meaning: 'No filter', units: '' },
  {
    ...trace,
    firstId: 75,
    leaves: ['171', '195', '284', '1216', '1550', '1600', '1700'],
    units: 'Å',
    colourTable: 'TRACE_{}',
  },
  { ...trace, firstId: 82, leaves: ['white-light'], units: '', colourTable: 'TRACE_{}' },
];

const EUI = level('Instrument', 'EUI', 'Extreme Ultraviolet Imager');
const FSI = level('Detector', 'FSI', 'Full Sun Imager');
const HRI_EUV = level('Detector', 'HRI', 'High Resolution Imager Extreme Ultraviolet', 'HRI_EUV');
const HRI_LYA = level('Detector', 'HRI', 'High Resolution Imager Lyman-a', 'HRI_LYA');
const eui = (detector: typeof FSI) => ({
  above: [level('Observatory', 'SOLO', 'Solar Orbiter', 'Solar_Orbiter'), EUI, detector],
  nickname: `EUI ${detector.name} {}`,
  description: `Solar Orbiter EUI ${detector.name} {}`,
  units: null,
  archiveDirectory: detector.fitsName,
});

const later: Family[] = [
  {
    firstId: 83,
    above: [level('Observatory', 'MLSO', 'MLSO'), level('Instrument', 'COSMO', 'COSMO'), level('Detector', 'KCor', 'KCor')],
    leaves: ['735'],
    nickname: 'COSMO KCor',
    description: 'COSMO KCor',
    units: 'NM',
    colourTable: 'kcor_colortable',
    archiveDirectory: 'KCor',
  },
  { ...eui(FSI), firstId: 84, leaves: ['174', '304'], meaning: EUV, colourTable: 'EUI_{}' },
  { ...eui(HRI_EUV), firstId: 86, leaves: ['174'], meaning: EUV, colourTable: 'EUI_{}' },
  { ...eui(HRI_LYA), firstId: 87, leaves: ['1216'], meaning: '{} Ångström', colourTable: 'EUI_{}' },
  {
    firstId: 88,
    above: [level('Observatory', 'GOES', 'GOES-R', 'GOES-R'), level('Instrument', 'SUVI', 'Solar UltraViolet Imager')],
    leaves: ['94', '131', '171', '195', '284', '304'],
    meaning: '{} Ångström',
    nickname: 'SUVI {}',
    description: 'GOES-R SUVI {}',
    units: null,
    colourTable: 'SUVI_{}',
    archiveDirectory: 'SUVI',
  },
  {
    firstId: 2088,
    above: [level('Observatory', 'IRIS', 'IRIS'), level('Instrument', 'SJI', 'Slit Jaw Imager')],
    leaves: ['1330', '2796', '1400', '1600', '2832', '5000'],
    meaning: '{} Ångström',
    nickname: 'IRIS SJI {}',
    description: 'IRIS SJI {}',
    units: null,
    colourTable: 'SJI_{}',
    archiveDirectory: 'SJI',
  },
  {
    firstId: 94,
    above: [
      level('Observatory', 'GONG', 'GONG', 'NSO-GONG'),
      level('Instrument', 'GONG', 'GONG'),
      level('Detector', 'H-alpha', 'H-alpha'),
    ],
    leaves: ['6562'],
    meaning: 'H-alpha {} angstrom',
    nickname: 'GONG H-alpha',
    description: 'GONG H-Alpha',
    units: null,
    colourTable: null,
    archiveDirectory: 'NSO-GONG',
  },
  {
    firstId: 132,
    above: [
      level('Observatory', 'GOES', 'GOES Observatory', 'GOES-19'),
      level('Instrument', 'CCOR-1', 'CCOR-1', 'CCOR1'),
      level('Detector', 'CCOR-1', 'CCOR-1', '1'),
    ],
    leaves: ['white-light'],
    nickname: 'GOES',
    description: 'CCOR-1',
    units: null,
    // As LASCO C3: the public service has no colour table for CCOR.
    colourTable: 'Blue_White_Linear',
    archiveDirectory: 'CCOR-1',
  },
];

export const FAMILIES: readonly Family[] = [
  ...soho,
  ...sdo,
  ...stereo('A', 'Ahead', 20, 28),
  ...stereo('B', 'Behind', 24, 30),
  ...earlier,
  ...later,
];
