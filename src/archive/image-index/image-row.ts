// Conversion between image rows and ArchivedImage. Names and folders that follow from source and time are null in a row.
import { sql } from 'drizzle-orm';
import { regularFileName } from '../../sun/catalogue/archive-name.ts';
import { archiveDirectory } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage, NewImage, WithdrawnImage } from '../../sun/image.ts';
import { folderOf, jp2Key } from '../keys.ts';
import type { ListedImage } from '../ports.ts';
import { images, type withdrawnImages } from './image-tables.ts';

type ImageRow = typeof images.$inferSelect;
type WithdrawnRow = typeof withdrawnImages.$inferSelect & Pick<WithdrawnImage, 'replacedBy'>;
type Named = Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'fileName'>;

/** File name as it is stored: null for the regular one. */
const storedFileName = ({ sourceId, takenAtMs, fileName }: Named): string | null =>
  fileName === regularFileName(sourceId, takenAtMs) ? null : fileName;

/** @throws Error for a row that has no name and an unknown source */
export function fileNameOf({ sourceId, takenAtMs, fileName }: Pick<ImageRow, 'sourceId' | 'takenAtMs' | 'fileName'>): string {
  const name = fileName ?? regularFileName(sourceId, takenAtMs);
  if (name === null) throw new Error(`A row without a name has the source ${sourceId}, which the catalogue lacks.`);
  return name;
}

/** Folder in the layout of the original archive. */
function archiveFolder({ sourceId, takenAtMs, fileName }: Named): string | null {
  const source = findSource(sourceId);
  return source ? archiveDirectory(source, takenAtMs, fileName) : null;
}

/** The columns that lists show. The hash is text, which D1 returns in a quarter of the bytes of a blob. */
export const LISTED_COLUMNS = {
  id: images.id,
  sourceId: images.sourceId,
  takenAtMs: images.takenAtMs,
  fileName: images.fileName,
  folder: images.folder,
  byteLength: images.byteLength,
  dsunMetres: images.dsunMetres,
  sha256: sql<string>`lower(hex(${images.sha256}))`,
};

/** `sha256` in hexadecimal. */
type ListedRow = Pick<ImageRow, 'id' | 'sourceId' | 'takenAtMs' | 'fileName' | 'folder' | 'byteLength' | 'dsunMetres' | 'sha256'>;

function placeOf({ sourceId, takenAtMs, folder, fileName: stored }: Pick<ImageRow, keyof Named | 'folder'>) {
  const fileName = fileNameOf({ sourceId, takenAtMs, fileName: stored });
  return { fileName, key: jp2Key(folderFrom({ sourceId, takenAtMs, fileName }, folder), fileName) };
}

export const listedFromRow = ({ folder, ...row }: ListedRow): ListedImage => ({ ...row, ...placeOf({ ...row, folder }) });

export function imageFromRow(row: ImageRow): ArchivedImage {
  const { id, sourceId, takenAtMs, folder: _folder, fileName: _stored, byteLength, sha256, sunCenterOffsetParams, ...own } = row;
  const geometry: ArchivedImage['geometry'] = { ...own, sunCenterOffsetParams: sunCenterOffsetParams ?? [] };
  return { id, sourceId, takenAtMs, ...placeOf(row), byteLength, sha256, geometry };
}

export function rowFromImage(image: NewImage): Omit<ImageRow, 'id'> {
  const { key, geometry, ...rest } = image;
  const { sunCenterOffsetParams, ...numbers } = geometry;
  const folder = folderOf(key);
  return {
    ...rest,
    ...numbers,
    fileName: storedFileName(image),
    folder: folder === archiveFolder(image) ? null : folder,
    sunCenterOffsetParams: 'XCEN' in sunCenterOffsetParams ? sunCenterOffsetParams : null,
  };
}

export function withdrawnFromRow(row: WithdrawnRow): WithdrawnImage {
  const { id, sourceId, takenAtMs, withdrawnAtMs, sha256, replacedBy } = row;
  return { id, sourceId, takenAtMs, ...placeOf(row), withdrawnAtMs, sha256, replacedBy };
}

function folderFrom(named: Named, stored: string | null): string {
  const folder = stored ?? archiveFolder(named);
  if (folder === null) throw new Error(`A row without a folder has the source ${named.sourceId}, which the catalogue lacks.`);
  return folder;
}
