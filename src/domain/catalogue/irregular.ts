// Datasources whose ids or levels do not follow the pattern of a family.
import type { DataSource } from './datasource.ts';
import { level, numbered } from './family.ts';

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

/** Ids 95-130: six energy bands for each reconstruction method. */
const rhessi: DataSource[] = RECONSTRUCTIONS.flatMap(([name, fitsName, described], method) =>
  ENERGY_BANDS_KEV.map(([low, high], band) => ({
    id: 95 + method * ENERGY_BANDS_KEV.length + band,
    nickname: 'RHESSI',
    description: `RHESSI ${low}-${high}keV ${described}`,
    units: null,
    layeringOrder: 1,
    displayOrder: 0,
    levels: numbered([
      level('Observatory', 'RHESSI', 'RHESSI'),
      level('Energy Band', `${low}-${high}keV`, `${low}keV to ${high}keV`, `${low}.0_${high}.0`),
      level('Reconstruction', name, name, fitsName),
    ]),
    colourTable: 'RHESSI',
    archiveDirectory: 'RHESSI',
  })),
);

/** Header values are the titles of the mosaics, two for each kind. */
function punch(id: number, kind: 'Total' | 'Polarized', mosaic: string, description: string): DataSource {
  const polarisation = kind === 'Total' ? 'Unpolarized' : 'Polarized';
  const measurement = (title: string) => ({
    order: 3,
    ...level('Measurement', `${kind} Brightness`, '', `PUNCH Level-3 ${title}`),
  });
  return {
    id,
    nickname: 'PUNCH',
    description: `PUNCH WFI+NFI ${mosaic} Mosaic`,
    units: null,
    layeringOrder: 1,
    displayOrder: 0,
    levels: [
      ...numbered([level('Observatory', 'PUNCH', 'PUNCH'), level('Instrument', 'WFI+NFI', description)]),
      measurement(`Intermediate F-corona Subtracted ${polarisation} Mosaic`),
      measurement(`${polarisation} Mosaic`),
    ],
    colourTable: 'PUNCH',
    archiveDirectory: 'PUNCH',
  };
}

/** Instrument and detector of CCOR-2 share one level. */
const ccor2: DataSource = {
  id: 133,
  nickname: 'SWFO-L1',
  description: 'CCOR-2',
  units: null,
  layeringOrder: 1,
  displayOrder: 0,
  levels: [
    { order: 1, ...level('Observatory', 'SWFO-L1', 'SWFO-L1 Observatory') },
    { order: 2, ...level('Instrument', 'CCOR-2', 'CCOR-2', 'CCOR2') },
    { order: 2, ...level('Detector', 'CCOR-2', 'CCOR-2', '1') },
    { order: 3, ...level('Measurement', 'white-light', 'White Light') },
  ],
  colourTable: 'Blue_White_Linear',
  archiveDirectory: 'CCOR-2',
};

export const IRREGULAR: readonly DataSource[] = [
  ...rhessi,
  punch(131, 'Total', 'CAM', 'Clear low-noise science mosaic, bkg-sub & resolved into B & uncertainty layer'),
  punch(134, 'Polarized', 'PAM', 'Polarized low-noise science mosaic, bkg-sub & resolved into B, pB, & uncertainty layer'),
  ccor2,
];
