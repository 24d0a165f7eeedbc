// Polarimeter to Unify the Corona and Heliosphere.
import type { DataSource } from '../datasource.ts';
import { dataSource, level, numbered } from '../family.ts';

/** Product code in a file name: `CAM` in `PUNCH_L3_CAM_2025...`. */
const PRODUCT = /^.{9}([A-Z]{3})/;

/** Header values are the titles of the mosaics, two for each kind. */
function punch(id: number, kind: 'Total' | 'Polarized', mosaic: string, description: string): DataSource {
  const polarisation = kind === 'Total' ? 'Unpolarized' : 'Polarized';
  const measurement = (title: string) => ({
    order: 3,
    ...level('Measurement', `${kind} Brightness`, '', `PUNCH Level-3 ${title}`),
  });
  return dataSource({
    id,
    nickname: 'PUNCH',
    description: `PUNCH WFI+NFI ${mosaic} Mosaic`,
    units: null,
    levels: [
      ...numbered([level('Observatory', 'PUNCH', 'PUNCH'), level('Instrument', 'WFI+NFI', description)]),
      measurement(`Intermediate F-corona Subtracted ${polarisation} Mosaic`),
      measurement(`${polarisation} Mosaic`),
    ],
    headerLevels: ({ fits }, telescope) => {
      const title = fits.get('TITLE');
      return telescope.startsWith('PUNCH') || title?.startsWith('PUNCH') ? ['PUNCH', 'WFI+NFI', title] : null;
    },
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
