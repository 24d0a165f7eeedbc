// Tables of an image database, which holds one or several shards of the image index, their rows as images, and searches by file name.
// `npm run db:generate` writes the SQL; WITHOUT ROWID is added by hand, because drizzle cannot express it. A row costs `npm run bench --
// rows` bytes, and has to fit the 10 GB of a D1 database, so columns that follow from others are null.
import { getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { customType, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { jsonEach } from '../../platform/storage/databases.ts';
import { fromHex, hex } from '../../platform/util/bytes.ts';
import { parseRegularFileName, regularFileName } from '../../sun/catalogue/archive-name.ts';
import { archiveDirectory } from '../../sun/catalogue/datasource.ts';
import { findSource } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage, NewImage, WithdrawnImage } from '../../sun/image.ts';
import { folderOf, jp2Key } from '../keys.ts';
import type { ListedImage } from '../ports.ts';

/** Hexadecimal text, stored as its bytes. D1 returns a blob as a list of numbers. */
const hexBlob = customType<{ data: string; driverData: Uint8Array | readonly number[] }>({
  dataType: () => 'blob',
  toDriver: fromHex,
  fromDriver: (bytes) => hex(Uint8Array.from(bytes)),
});

/** The image index, one row per image. Ids rise, so rows are appended to full pages; the nearest in time is one search of the index. */
export const images = sqliteTable(
  'images',
  {
    id: integer('id').primaryKey(),
    sourceId: integer('source_id').notNull(),
    takenAtMs: integer('taken_at_ms').notNull(),
    /** Null for the regular name of the source at this time (`regularFileName`). */
    fileName: text('file_name'),
    /** Object key between `jp2/` and the file name: `AIA/2021/06/01/171/v2-0a1b2c3d` for a later version; null as in the original archive. */
    folder: text('folder'),
    byteLength: integer('byte_length').notNull(),
    sha256: hexBlob('sha256').notNull(),
    scaleArcsecPerPixel: real('scale_arcsec_per_pixel').notNull(),
    scaleCorrection: real('scale_correction').notNull(),
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    refPixelX: real('ref_pixel_x').notNull(),
    refPixelY: real('ref_pixel_y').notNull(),
    offsetX: real('offset_x').notNull(),
    offsetY: real('offset_y').notNull(),
    rotationDegrees: real('rotation_degrees').notNull(),
    rsunPixels: real('rsun_pixels').notNull(),
    dsunMetres: real('dsun_metres').notNull(),
    layeringOrder: integer('layering_order').notNull(),
    /** JSON of the header strings of an XRT image; null for others. */
    sunCenterOffsetParams: text('sun_center_offset_params', { mode: 'json' }).$type<
      Record<'XCEN' | 'YCEN' | 'CDELT1' | 'CDELT2', string>
    >(),
  },
  (table) => [
    uniqueIndex('images_time').on(table.sourceId, table.takenAtMs),
    uniqueIndex('images_file_name').on(table.fileName).where(sql`${table.fileName} IS NOT NULL`),
  ],
);

/**
 * Withdrawn images, WITHOUT ROWID, in the database of their shard: an image moves here in one transaction. Its keys and ids, also those
 * that a restoration lost, are never used again. The image that has its file name now has replaced it.
 */
export const withdrawnImages = sqliteTable(
  'withdrawn_images',
  {
    id: integer('id').primaryKey(),
    sourceId: integer('source_id').notNull(),
    takenAtMs: integer('taken_at_ms').notNull(),
    fileName: text('file_name'),
    folder: text('folder'),
    withdrawnAtMs: integer('withdrawn_at_ms').notNull(),
    /** Empty for images that were withdrawn before the column existed. */
    sha256: hexBlob('sha256').notNull().default(sql`x''`),
  },
  (table) => [
    index('withdrawn_images_time').on(table.sourceId, table.takenAtMs),
    index('withdrawn_images_file_name').on(table.fileName).where(sql`${table.fileName} IS NOT NULL`),
  ],
);

/**
 * Numbers of images by source and bin, WITHOUT ROWID, kept by triggers on `images` (migrations/images/0000_baseline.sql) for every statement
 * but INSERT OR REPLACE, which runs none for the replaced row: never use it on `images`. An empty bin has no row.
 */
export const imageCounts = sqliteTable(
  'image_counts',
  {
    sourceId: integer('source_id').notNull(),
    /** 5 minutes, an hour or a day (`COUNTED_WIDTHS_MS`). */
    widthMs: integer('width_ms').notNull(),
    /** A multiple of the width. */
    startMs: integer('start_ms').notNull(),
    images: integer('images').notNull(),
    /** Bytes of the files of a day; null for others. */
    bytes: integer('bytes'),
    /** Sum of the first 40 bits of the SHA-256 of the files of a day, modulo 2^40; null for others. */
    checksum: integer('checksum'),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.widthMs, table.startMs] })],
);

/** Sources of images whose names belong to another shard, in the database of the name's (`shardOfFileName`), WITHOUT ROWID, for good. */
export const foreignNames = sqliteTable(
  'foreign_names',
  { fileName: text('file_name').notNull(), sourceId: integer('source_id').notNull() },
  (table) => [primaryKey({ columns: [table.fileName, table.sourceId] })],
);

/** The shards that this database holds. A shard is moved with the rows of its images and the names that belong to it. */
export const heldShards = sqliteTable('held_shards', {
  shard: integer('shard').primaryKey(),
  /** Rises by 1 with each move, so that the latest of several databases is known after one has been restored. */
  generation: integer('generation').notNull(),
  state: text('state', { enum: ['open', 'frozen', 'moved'] }).notNull(),
  /** Last assigned sequence number; numbers are never reused. */
  lastSequence: integer('last_sequence').notNull(),
});

/** Condition on the rows of a table that have one of the file names: searches of two indexes. */
export function isNamed(table: typeof images | typeof withdrawnImages, fileNames: readonly string[]): SQL {
  const regular = fileNames.flatMap((name) => parseRegularFileName(name) ?? []);
  const places = jsonEach(regular.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]));
  return or(
    sql`${table.fileName} IN (SELECT value FROM ${jsonEach(fileNames)})`,
    sql`(${table.sourceId}, ${table.takenAtMs}) IN (SELECT value ->> 0, value ->> 1 FROM ${places}) AND ${table.fileName} IS NULL`,
  )!;
}

export const imagesNamed = (db: DrizzleD1Database, fileNames: readonly string[]) =>
  db.select(getTableColumns(images)).from(images).where(isNamed(images, fileNames));

/** Sources outside of the shard of the name that have, or had, an image of this name. */
export const foreignSourcesOf = (db: DrizzleD1Database, fileName: string) =>
  db.select({ sourceId: foreignNames.sourceId }).from(foreignNames).where(sql`${foreignNames.fileName} = ${fileName}`);

type ImageRow = typeof images.$inferSelect;
type WithdrawnRow = typeof withdrawnImages.$inferSelect & Pick<WithdrawnImage, 'replacedBy'>;
type Named = Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'fileName'>;

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

function placeOf({ sourceId, takenAtMs, folder: stored, fileName: own }: Pick<ImageRow, keyof Named | 'folder'>) {
  const fileName = fileNameOf({ sourceId, takenAtMs, fileName: own });
  const folder = stored ?? archiveFolder({ sourceId, takenAtMs, fileName });
  if (folder === null) throw new Error(`A row without a folder has the source ${sourceId}, which the catalogue lacks.`);
  return { fileName, key: jp2Key(folder, fileName) };
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
    fileName: image.fileName === regularFileName(image.sourceId, image.takenAtMs) ? null : image.fileName,
    folder: folder === archiveFolder(image) ? null : folder,
    sunCenterOffsetParams: 'XCEN' in sunCenterOffsetParams ? sunCenterOffsetParams : null,
  };
}

export function withdrawnFromRow(row: WithdrawnRow): WithdrawnImage {
  const { id, sourceId, takenAtMs, withdrawnAtMs, sha256, replacedBy } = row;
  return { id, sourceId, takenAtMs, ...placeOf(row), withdrawnAtMs, sha256, replacedBy };
}
