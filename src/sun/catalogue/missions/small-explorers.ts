// Small Explorers of NASA: IRIS, RHESSI with six energy bands for each reconstruction method, TRACE, and PUNCH. TRACE has no instrument level, so
// the ingestion status leaves it out.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule, SourceHeader } from '../datasource.ts';
import { dataSource, family, integerText, level, measurement, numbered, wavelength } from '../mission-records.ts';

/** `1330` from TWAVE1 or from a TDESC1 of `SJI_1330`; undefined in a file of the spectrograph. */
const channelOf = ({ fits }: SourceHeader): string | undefined =>
  integerText(fits.get('TWAVE1')) ?? /^SJI_(\d+)/.exec(fits.get('TDESC1') ?? '')?.[1];

export const IRIS_SOURCES: readonly DataSource[] = family({
  // The public service has these at 88-93, where the interface has SUVI.
  firstId: 2088,
  above: [level('Observatory', 'IRIS', 'IRIS'), level('Instrument', 'SJI', 'Slit Jaw Imager')],
  leaves: ['1330', '2796', '1400', '1600', '2832', '5000'],
  meaning: '{} Ångström',
  credit: CREDITS.iris,
  nickname: 'IRIS SJI {}',
  description: 'IRIS SJI {}',
  headerLevels: (header, telescope, instrument) =>
    instrument === 'SJI' || /\bIRIS\b/.test(telescope) ? ['IRIS', 'SJI', channelOf(header) ?? wavelength(header)] : null,
  colourTable: 'SJI_{}',
  archiveDirectory: 'SJI',
  product: '^iris_{}A_',
});

const FIRST_RHESSI = 95;
const ENERGY_BANDS_KEV = [
  [3, 6],
  [6, 12],
  [12, 25],
  [25, 50],
  [50, 100],
  [100, 300],
] as const;

/** Name in the catalogue, in headers, and in the description. */
const RECONSTRUCTIONS = [
  ['Back Projection', 'Back_Projection', 'Back Projection'],
  ['Clean', 'Clean', 'Clean'],
  ['Clean 59', 'Clean59', 'Clean 59'],
  ['MEM GE', 'MEM_GE', 'MEM_GE'],
  ['VIS CS', 'VIS_CS', 'VIS CS'],
  ['VIS FWDFIT', 'VIS_FWDFIT', 'VIS FWDFIT'],
] as const;

/** `25.0_50.0` and the reconstruction method. */
const rhessiLevels: HeaderRule = ({ fits, helioviewer }, telescope, instrument) => {
  if (![telescope, instrument].some((name) => name.includes('RHESSI'))) return null;
  const [low, high] = [fits.get('ENERGY_L'), fits.get('ENERGY_H')];
  const band = low && high && `${Number(low).toFixed(1)}_${Number(high).toFixed(1)}`;
  return ['RHESSI', band, helioviewer.get('HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD')?.replaceAll(' ', '_')];
};

export const RHESSI_SOURCES: readonly DataSource[] = RECONSTRUCTIONS.flatMap(([name, fitsName, described], method) =>
  ENERGY_BANDS_KEV.map(([low, high], band) =>
    dataSource({
      id: FIRST_RHESSI + method * ENERGY_BANDS_KEV.length + band,
      credit: CREDITS.rhessi,
      nickname: 'RHESSI',
      description: `RHESSI ${low}-${high}keV ${described}`,
      levels: numbered([
        level('Observatory', 'RHESSI', 'RHESSI'),
        level('Energy Band', `${low}-${high}keV`, `${low}keV to ${high}keV`, `${low}.0_${high}.0`),
        level('Reconstruction', name, name, fitsName),
      ]),
      headerLevels: rhessiLevels,
      colourTable: 'RHESSI',
      archiveDirectory: 'RHESSI',
      leafDirectory: fitsName,
      archiveName: `RHESSI_RHESSI_${fitsName}_${low}-${high}keV`,
      statusName: 'RHESSI',
    }),
  ),
);

const traceLevels: HeaderRule = (header, telescope, instrument) => {
  if (!/\bTRACE\b/.test(telescope) && instrument !== 'TRACE') return null;
  const channel = header.fits.get('WAVE_LEN') ?? measurement(header);
  return ['TRACE', channel?.toUpperCase() === 'WL' ? 'white-light' : integerText(channel)];
};

export const TRACE_SOURCES: readonly DataSource[] = family({
  firstId: 75,
  above: [level('Observatory', 'TRACE', 'Transition Region and Coronal Explorer')],
  leaves: ['171', '195', '284', '1216', '1550', '1600', '1700', 'white-light'],
  meaning: 'TRACE {}',
  credit: CREDITS.trace,
  nickname: 'TRACE {}',
  description: 'TRACE {}',
  units: 'Å',
  displayOrder: 8,
  headerLevels: traceLevels,
  colourTable: 'TRACE_{}',
  archiveDirectory: 'TRACE',
  search: (leaf) => ({ source: 'TRACE', instrument: 'TRACE', wavelengthAngstrom: Number(leaf) }),
  knownGaps: [
    { reason: 'not-launched', to: '1998-04-02', sentence: 'TRACE was launched on 2 April 1998.' },
    { reason: 'mission-ended', from: '2010-06-21', sentence: 'TRACE took its last image on 21 June 2010.' },
  ],
  byLeaf: { 'white-light': { units: '', search: { source: 'TRACE', instrument: 'TRACE' } } },
});

/** Product code in a file name: `CAM` in `PUNCH_L3_CAM_2025...`. */
const PRODUCT = /^.{9}([A-Z]{3})/;

const mosaicTitle = (polarisation: string) => `PUNCH Level-3 ${polarisation} Mosaic`;
const TITLE = /^PUNCH Level-3 (?:.+ )?(Unpolarized|Polarized)(?: Low Noise)? Mosaic$/;

/** The title that stands for TYPECODE, as `CA` or `PT`, and OBSCODE `M` of level 3; a text of no source for other codes. */
function titleOfCodes(fits: ReadonlyMap<string, string>): string | undefined {
  const [type, observatory, level] = [fits.get('TYPECODE'), fits.get('OBSCODE'), fits.get('LEVEL') ?? '3'];
  if (!type || !observatory) return undefined;
  const [, clear] = /^(?:(C)|P)[AIT]M3$/.exec(`${type}${observatory}${level}`) ?? ['', null];
  return clear === null ? `${type}${observatory}` : mosaicTitle(clear ? 'Unpolarized' : 'Polarized');
}

const punchLevels: HeaderRule = ({ fits }, telescope, _, named) => {
  const title = fits.get('TITLE') ?? '';
  if (!telescope.includes('PUNCH') && !title.startsWith('PUNCH')) return null;
  const [, polarisation] = TITLE.exec(title) ?? [];
  const stated = named?.archiveDirectory === 'PUNCH' ? undefined : polarisation ? mosaicTitle(polarisation) : title;
  return ['PUNCH', 'WFI+NFI', titleOfCodes(fits) ?? stated];
};

/** Header values are the titles of the mosaics, two for each kind. */
function punch(id: number, kind: 'Total' | 'Polarized', mosaic: string, description: string): DataSource {
  const polarisation = kind === 'Total' ? 'Unpolarized' : 'Polarized';
  const measurement = (title: string) => ({
    order: 3,
    ...level('Measurement', `${kind} Brightness`, '', `PUNCH Level-3 ${title}`),
  });
  return dataSource({
    id,
    credit: CREDITS.punch,
    nickname: 'PUNCH',
    description: `PUNCH WFI+NFI ${mosaic} Mosaic`,
    levels: [
      ...numbered([level('Observatory', 'PUNCH', 'PUNCH'), level('Instrument', 'WFI+NFI', description)]),
      measurement(`Intermediate F-corona Subtracted ${polarisation} Mosaic`),
      measurement(`${polarisation} Mosaic`),
    ],
    headerLevels: punchLevels,
    product: `PUNCH_L3_${mosaic[0]}[AIT]M_`,
    colourTable: 'PUNCH',
    isBlackTransparent: true,
    archiveDirectory: 'PUNCH',
    leafDirectory: (fileName) => PRODUCT.exec(fileName)?.[1] ?? mosaic,
  });
}

export const PUNCH_SOURCES: readonly DataSource[] = [
  punch(131, 'Total', 'CAM', 'Clear low-noise science mosaic, bkg-sub & resolved into B & uncertainty layer'),
  punch(134, 'Polarized', 'PAM', 'Polarized low-noise science mosaic, bkg-sub & resolved into B, pB, & uncertainty layer'),
];
