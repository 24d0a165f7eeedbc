import { CREDITS } from '../credits.ts';
import type { DataSource, KnownGap } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, observable, wavelength } from '../mission-records.ts';

const SOHO = level('Observatory', 'SOHO', 'Solar and Heliospheric Observatory');
const LASCO = level('Instrument', 'LASCO', 'The Large Angle Spectrometric Coronagraph');

/** From the announcements of ESA and NASA. */
const GAPS: readonly KnownGap[] = [
  { reason: 'not-launched', to: '1995-12-02', sentence: 'SOHO was launched on 2 December 1995.' },
  {
    reason: 'outage',
    from: '1998-06-24',
    to: '1998-11-05',
    sentence: 'Contact with SOHO was lost on 24 June 1998; all instruments worked again in early November.',
  },
  {
    reason: 'outage',
    from: '1998-12-21',
    to: '1999-02-28',
    sentence: 'SOHO lost its last gyroscope in December 1998 and was without observations until February 1999.',
  },
];

/** Circles about the Sun, measured on the masks of the original service. */
function lasco(n: 2 | 3, innerRadius: number, outerRadius: number, tooCoarse: number, displayOrder = 0): DataSource[] {
  return family({
    firstId: 2 + n,
    above: [SOHO, LASCO, level('Detector', `C${n}`, `Coronograph ${n}`)],
    leaves: ['white-light'],
    credit: CREDITS.lasco,
    nickname: `LASCO C${n}`,
    description: `SOHO LASCO C${n}`,
    units: 'DN',
    layeringOrder: n,
    displayOrder,
    headerLevels: ({ fits }, telescope, instrument) => {
      const detector = fits.get('DETECTOR');
      const isLasco = instrument === 'LASCO' || (/\bSOHO\b/.test(telescope) && /^C[1-3]$/i.test(detector ?? ''));
      return isLasco ? ['SOHO', 'LASCO', detector, 'white-light'] : null;
    },
    refusalOf: (fits) => {
      const factor = fits.get('HCOMP_SF');
      if (Number(factor) !== tooCoarse) return null;
      return `Expected a compression factor other than ${tooCoarse} for HCOMP_SF, got ${factor}.`;
    },
    colourTable: n === 2 ? 'Red_Temperature' : 'Blue_White_Linear',
    archiveDirectory: `LASCO-C${n}`,
    mask: {
      unit: 1024,
      anchor: 'sun',
      inner: [0, 0, innerRadius],
      outer: [0, 0, outerRadius],
      // As in the original service.
      masksDownloads: false,
    },
    search: () => ({ source: 'SOHO', instrument: 'LASCO', detector: `C${n}` }),
    knownGaps: GAPS,
    statusHours: [8, 12, 24],
  });
}

export const SOHO_SOURCES: readonly DataSource[] = [
  ...family({
    firstId: 0,
    above: [SOHO, level('Instrument', 'EIT', 'Extreme ultraviolet Imaging Telescope')],
    leaves: ['171', '195', '284', '304'],
    meaning: ANGSTROM_EUV,
    credit: CREDITS.eit,
    nickname: 'EIT {}',
    description: 'SOHO EIT {}',
    units: 'Å',
    displayOrder: 2,
    headerLevels: (header, _, instrument) => (instrument === 'EIT' ? ['SOHO', 'EIT', wavelength(header)] : null),
    colourTable: 'SOHO_EIT_{}',
    archiveDirectory: 'EIT',
    search: (leaf) => ({ source: 'SOHO', instrument: 'EIT', wavelengthAngstrom: Number(leaf) }),
    knownGaps: GAPS,
    statusHours: [14, 24, 48],
  }),
  ...lasco(2, 194, 620, 32),
  ...lasco(3, 79, 519, 64, 1),
  ...family({
    firstId: 6,
    above: [SOHO, level('Instrument', 'MDI', 'Michelson Doppler Imager')],
    leaves: ['magnetogram', 'continuum'],
    credit: CREDITS.mdi,
    endsAtLimb: true,
    nickname: 'MDI Mag',
    description: 'SOHO MDI Mag',
    units: 'Mx',
    displayOrder: 1,
    headerLevels: (header, _, instrument) => (instrument === 'MDI' ? ['SOHO', 'MDI', observable(header)] : null),
    archiveDirectory: 'MDI',
    search: () => ({ source: 'SOHO', instrument: 'MDI', observable: 'LOS_magnetic_field' }),
    knownGaps: [
      ...GAPS,
      { reason: 'mission-ended', from: '2011-04-12', sentence: 'MDI ended its observations on 12 April 2011.' },
    ],
    byLeaf: {
      continuum: {
        nickname: 'MDI Int',
        description: 'SOHO MDI Int',
        units: 'DN',
        search: { source: 'SOHO', instrument: 'MDI', observable: 'intensity' },
      },
    },
  }),
];
