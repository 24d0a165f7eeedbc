// Tables of an image database, which holds one or several shards of the image index. `npm run db:generate` writes the SQL; WITHOUT
// ROWID is added by hand, because drizzle cannot express it. A row costs `npm run bench -- rows` bytes, and has to fit the 10 GB of
// a D1 database, so columns that follow from others are null.
import { sql } from 'drizzle-orm';
import { customType, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { fromHex, hex } from '../../platform/util/bytes.ts';

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
