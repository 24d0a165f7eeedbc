import { CREDITS } from '../credits.ts';
import type { BrightnessCurve, DataSource, SourceHeader } from '../datasource.ts';
import { ANGSTROM_EUV, family, level, observable, wavelength } from '../mission-records.ts';

const SDO = level('Observatory', 'SDO', 'Solar Dynamics Observatory');

const sdo = {
  knownGaps: [{ reason: 'not-launched', to: '2010-02-11', sentence: 'SDO was launched on 11 February 2010.' }],
  hasEclipseSeasons: true,
} as const;

const LEAST_AIA_PERCENT = 50;

function aiaRefusal(fits: SourceHeader['fits']): string | null {
  if (fits.get('IMG_TYPE')?.toUpperCase() === 'DARK') return 'Expected an image of the Sun for IMG_TYPE, got DARK.';
  const percent = fits.get('PERCENTD');
  if (percent !== undefined && Number(percent) < LEAST_AIA_PERCENT)
    return `Expected at least ${LEAST_AIA_PERCENT} per cent of the pixels for PERCENTD, got ${percent}.`;
  const filter = fits.get('WAVE_STR');
  return filter?.endsWith('_OPEN') ? `Expected a filter for WAVE_STR, got ${filter}.` : null;
}

/** AIA 304 has lost sensitivity since launch. */
const BRIGHTNESS_304: BrightnessCurve = [
  ['2010-06-02', 0.9519],
  ['2011-01-26', 0.9821],
  ['2011-02-12', 0.9281],
  ['2011-09-15', 1.0078],
  ['2011-12-22', 0.998],
  ['2012-04-13', 1.0029],
  ['2013-01-21', 0.9772],
  ['2014-04-04', 1.04],
  ['2014-08-18', 1.097],
  ['2014-12-27', 1.1052],
  ['2015-10-13', 1.2325],
  ['2015-10-29', 1.2228],
  ['2016-02-15', 1.2465],
  ['2016-07-06', 1.3166],
  ['2017-01-25', 1.3394],
  ['2017-05-20', 1.3714],
  ['2017-10-31', 1.3599],
  ['2018-08-26', 1.3962],
  ['2019-09-03', 1.4049],
];

const HMI_STARTS_MS = Date.UTC(2010, 11, 6, 6, 53, 41);

export const SDO_SOURCES: readonly DataSource[] = [
  ...family({
    ...sdo,
    firstId: 8,
    above: [SDO, level('Instrument', 'AIA', 'Atmospheric Imaging Assembly')],
    leaves: ['94', '131', '171', '193', '211', '304', '335', '1600', '1700', '4500'],
    meaning: ANGSTROM_EUV,
    credit: CREDITS.aia,
    nickname: 'AIA {}',
    description: 'SDO AIA {}',
    units: 'Å',
    headerLevels: (header, telescope, instrument) =>
      instrument.startsWith('AIA') || /\bAIA\b/.test(telescope) ? ['SDO', 'AIA', wavelength(header)] : null,
    refusalOf: aiaRefusal,
    colourTable: 'SDO_AIA_{}',
    archiveDirectory: 'AIA',
    search: (leaf) => ({ instrument: 'AIA', wavelengthAngstrom: Number(leaf) }),
    byLeaf: {
      '171': { predecessor: { sourceId: 0, untilMs: Date.UTC(2010, 5, 2, 0, 5, 36) } },
      '193': { predecessor: { sourceId: 1, untilMs: Date.UTC(2010, 5, 2, 0, 5, 31) } },
      '304': { brightness: BRIGHTNESS_304, predecessor: { sourceId: 3, untilMs: Date.UTC(2010, 5, 2, 0, 5, 39) } },
    },
  }),
  ...family({
    ...sdo,
    firstId: 18,
    above: [SDO, level('Instrument', 'HMI', 'Helioseismic and Magnetic Imager')],
    leaves: ['continuum', 'magnetogram'],
    credit: CREDITS.hmi,
    endsAtLimb: true,
    nickname: 'HMI Int',
    description: 'SDO HMI Int',
    units: 'DN',
    headerLevels: (header, telescope, instrument) =>
      instrument.startsWith('HMI') || /\bHMI\b/.test(telescope) ? ['SDO', 'HMI', observable(header)] : null,
    archiveDirectory: 'HMI',
    search: () => ({ instrument: 'HMI', observable: 'intensity' }),
    statusHours: [4, 8, 24],
    byLeaf: {
      continuum: { predecessor: { sourceId: 7, untilMs: HMI_STARTS_MS } },
      magnetogram: {
        nickname: 'HMI Mag',
        description: 'SDO HMI Mag',
        units: 'Mx',
        displayOrder: 1,
        search: { instrument: 'HMI', observable: 'LOS_magnetic_field' },
        predecessor: { sourceId: 6, untilMs: HMI_STARTS_MS },
      },
    },
  }),
];
