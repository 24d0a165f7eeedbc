// Where a file lies in the archive: `<instrument>/<YYYY>/<MM>/<DD>/<leaf>`.
import { dayParts } from '../time.ts';
import { type DataSource, levelName } from './datasource.ts';

/** The product of a PUNCH file is at this place of its name: `PUNCH_L3_CAM_2025...`. */
const PUNCH_PRODUCT = /^.{9}([A-Z]{3})/;

function leafOf(source: DataSource, fileName: string): string {
  switch (levelName(source, 'Observatory')) {
    case 'Hinode':
      return `${levelName(source, 'Filter Wheel 1')}/${levelName(source, 'Filter Wheel 2')}`;
    case 'PUNCH':
      return PUNCH_PRODUCT.exec(fileName)?.[1] ?? (levelName(source, 'Measurement') === 'Total Brightness' ? 'CAM' : 'PAM');
    case 'RHESSI':
      return source.levels.at(-1)!.fitsName;
    default:
      return source.levels.at(-1)!.name;
  }
}

/** Directory of an image in the archive, without slashes at the ends. The file name matters for PUNCH only. */
export function archiveDirectory(source: DataSource, takenAtMs: number, fileName: string): string {
  return [source.archiveDirectory, ...dayParts(takenAtMs), leafOf(source, fileName)].join('/');
}
