// A datasource: one leaf of the catalogue.
import { dayParts } from '../time.ts';

/** One level of the path from observatory to leaf. A level may have two rows: two spellings in headers, or two labels. */
export interface Level {
  /** 1 at the observatory. Two rows of one level share it. */
  readonly order: number;
  readonly label: string;
  readonly name: string;
  /** Value in FITS headers. */
  readonly fitsName: string;
  readonly description: string;
}

export interface DataSource {
  readonly id: number;
  readonly nickname: string;
  readonly description: string | null;
  /** Unit of the measurement's name or of its values; null where the catalogue states none. */
  readonly units: string | null;
  /** Order of composition in the catalogue, 1..3; each image has its own, computed from its header. */
  readonly layeringOrder: number;
  /** Rank in the default catalogue. */
  readonly displayOrder: number;
  readonly levels: readonly Level[];
  /** Name in imaging/colour/tables.ts; null means grayscale. */
  readonly colourTable: string | null;
  /** First directory of its files in the archive. */
  readonly archiveDirectory: string;
}

/** The first row of every level, top down, as the catalogue shows it. */
export function pathOf(source: DataSource): readonly Level[] {
  return source.levels.filter((level, i) => level.order !== source.levels[i - 1]?.order);
}

/** The name at the level with this label, if the source has one. */
export function levelName(source: DataSource, label: string): string | undefined {
  return source.levels.find((level) => level.label === label)?.name;
}

/**
 * The four levels of a source in v1. A source with fewer levels repeats its instrument, or its observatory if it has no
 * instrument, with the name as description.
 */
export function fourLevelPath(source: DataSource): readonly Level[] {
  const path = pathOf(source);
  const repeated = Math.max(
    path.findIndex((level) => level.label === 'Instrument'),
    0,
  );
  const level = path[repeated]!;
  const copies = Array.from({ length: 4 - path.length }, () => ({ ...level, description: level.name }));
  return [...path.slice(0, repeated + 1), ...copies, ...path.slice(repeated + 1)];
}

/** Product code in a PUNCH file name: `CAM` in `PUNCH_L3_CAM_2025...`. */
const PUNCH_PRODUCT = /^.{9}([A-Z]{3})/;

function leafDirectory(source: DataSource, fileName: string): string {
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

/**
 * Archive directory of an image, `<instrument>/<YYYY>/<MM>/<DD>/<leaf>`, without leading or trailing slash. The file name
 * matters for PUNCH only.
 */
export function archiveDirectory(source: DataSource, takenAtMs: number, fileName: string): string {
  return [source.archiveDirectory, ...dayParts(takenAtMs), leafDirectory(source, fileName)].join('/');
}
