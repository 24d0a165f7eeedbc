// Polarimeter to Unify the Corona and Heliosphere.
import { CREDITS } from '../credits.ts';
import type { DataSource, HeaderRule } from '../datasource.ts';
import { dataSource, level, numbered } from '../mission-records.ts';

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

const headerLevels: HeaderRule = ({ fits }, telescope, _, named) => {
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
    headerLevels,
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
