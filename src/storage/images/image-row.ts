// Conversion between image rows and ArchivedImage.
import type { ArchivedImage, WithdrawnImage } from '../../domain/image.ts';
import { folderOf, jp2Key } from '../keys.ts';
import type { images, withdrawnImages } from './schema.ts';

type ImageRow = typeof images.$inferSelect;
type WithdrawnRow = typeof withdrawnImages.$inferSelect & Pick<WithdrawnImage, 'replacedBy'>;

export function imageFromRow(row: ImageRow): ArchivedImage {
  const { id, sourceId, takenAtMs, fileName, folder, byteLength, sha256, sunCenterOffsetParams, ...geometry } = row;
  return {
    id,
    sourceId,
    takenAtMs,
    fileName,
    key: jp2Key(folder, fileName),
    byteLength,
    sha256,
    geometry: { ...geometry, sunCenterOffsetParams: sunCenterOffsetParams ?? [] },
  };
}

export function rowFromImage(image: Omit<ArchivedImage, 'id'>): Omit<ImageRow, 'id'> {
  const { key, geometry, ...rest } = image;
  const { sunCenterOffsetParams, ...numbers } = geometry;
  return {
    ...rest,
    ...numbers,
    folder: folderOf(key),
    sunCenterOffsetParams: 'XCEN' in sunCenterOffsetParams ? sunCenterOffsetParams : null,
  };
}

export function withdrawnFromRow({ folder, ...row }: WithdrawnRow): WithdrawnImage {
  return { ...row, key: jp2Key(folder, row.fileName) };
}
