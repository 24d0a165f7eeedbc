// File names of the archive: `<time>__<observatory>_<instrument>_<detector>_<measurement>.jp2`.
import { dayParts, fileNameTime } from '../time.ts';
import { type DataSource, fourLevelPath } from './datasource.ts';
import { findSource, imageSources } from './sources.ts';

const ARCHIVE_NAME = /^\d{4}_\d\d_\d\d__\d\d_\d\d_\d\d(?:_\d+)?__(.+)\.jp2$/i;

const normaliseName = (name: string): string => name.toLowerCase().replace(/[- ]/g, '_');

/** Names of the levels in the archive: those of the catalogue, and their header spellings. */
function levelNames(source: DataSource): readonly [regular: string, ...others: string[]] {
  if (source.archiveName !== undefined) return [source.archiveName];
  const path = fourLevelPath(source);
  const join = (names: readonly string[]) => names.join('_').replaceAll(' ', '_');
  return [join(path.map((level) => level.name)), join(path.map((level) => level.fitsName))];
}

const byArchiveName = new Map(
  imageSources.flatMap((source) => levelNames(source).map((name) => [normaliseName(name), source] as const)),
);
const byPrefix = imageSources.flatMap((source) =>
  source.archiveNamePrefix === undefined ? [] : [{ prefix: normaliseName(source.archiveNamePrefix), source }],
);

/** The source that a file name of the archive names; undefined for other names. */
export function sourceOfFileName(fileName: string): DataSource | undefined {
  const name = normaliseName(ARCHIVE_NAME.exec(fileName)?.[1] ?? '');
  return byArchiveName.get(name) ?? byPrefix.find(({ prefix }) => name.startsWith(prefix))?.source;
}

/** Regular name, `2021_06_01__00_01_21_347__SDO_AIA_AIA_171.jp2`; null for an unknown source. Never changes: the index stores it as null. */
export function regularFileName(sourceId: number, takenAtMs: number): string | null {
  const source = findSource(sourceId);
  if (!source) return null;
  const clock = new Date(takenAtMs).toISOString().slice(11, 23).replace(/[:.]/g, '_');
  return `${dayParts(takenAtMs).join('_')}__${clock}__${levelNames(source)[0]}.jp2`;
}

/** Source and time of a regular file name; null for other names. */
export function parseRegularFileName(fileName: string): { sourceId: number; takenAtMs: number } | null {
  const source = sourceOfFileName(fileName);
  const takenAtMs = fileNameTime(fileName);
  if (!source || takenAtMs === null || regularFileName(source.id, takenAtMs) !== fileName) return null;
  return { sourceId: source.id, takenAtMs };
}
