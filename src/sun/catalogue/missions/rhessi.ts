// Reuven Ramaty High Energy Solar Spectroscopic Imager: six energy bands for each reconstruction method.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { dataSource, level, numbered } from '../mission-records.ts';

const FIRST_ID = 95;
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
const headerLevels: HeaderRule = ({ fits, helioviewer }, telescope, instrument) => {
  if (![telescope, instrument].some((name) => name.includes('RHESSI'))) return null;
  const [low, high] = [fits.get('ENERGY_L'), fits.get('ENERGY_H')];
  const band = low && high && `${Number(low).toFixed(1)}_${Number(high).toFixed(1)}`;
  return ['RHESSI', band, helioviewer.get('HV_RHESSI_IMAGE_RECONSTRUCTION_METHOD')?.replaceAll(' ', '_')];
};

export const RHESSI_SOURCES: readonly DataSource[] = RECONSTRUCTIONS.flatMap(([name, fitsName, described], method) =>
  ENERGY_BANDS_KEV.map(([low, high], band) =>
    dataSource({
      id: FIRST_ID + method * ENERGY_BANDS_KEV.length + band,
      credit: CREDITS.rhessi,
      nickname: 'RHESSI',
      description: `RHESSI ${low}-${high}keV ${described}`,
      levels: numbered([
        level('Observatory', 'RHESSI', 'RHESSI'),
        level('Energy Band', `${low}-${high}keV`, `${low}keV to ${high}keV`, `${low}.0_${high}.0`),
        level('Reconstruction', name, name, fitsName),
      ]),
      headerLevels,
      colourTable: 'RHESSI',
      archiveDirectory: 'RHESSI',
      leafDirectory: fitsName,
      archiveName: `RHESSI_RHESSI_${fitsName}_${low}-${high}keV`,
      statusName: 'RHESSI',
    }),
  ),
);
