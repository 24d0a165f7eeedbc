// Tables of images, uploads and screenshots. `npm run db:generate` writes the SQL; WITHOUT ROWID is added by hand, because drizzle
// cannot express it.
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { LayerImages } from '../../ports/rendering.ts';

/**
 * The image index, one row per archived image, WITHOUT ROWID: the nearest image in time is one search of the primary key.
 * Geometry is stored in columns rather than as JSON, because a row then takes about 100 bytes instead of 350, and rows must fit
 * the 10 GB of a D1 database.
 */
export const images = sqliteTable(
  'images',
  {
    sourceId: integer('source_id').notNull(),
    takenAtMs: integer('taken_at_ms').notNull(),
    id: integer('id').notNull(),
    fileName: text('file_name').notNull(),
    /**
     * Part of the object key between `jp2/` and the file name: `AIA/2021/06/01/171`, or `AIA/2021/06/01/171/v2-0a1b2c3d` for a
     * later version of the file.
     */
    folder: text('folder').notNull(),
    byteLength: integer('byte_length').notNull(),
    sha256: text('sha256').notNull(),
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
    primaryKey({ columns: [table.sourceId, table.takenAtMs] }),
    uniqueIndex('images_id').on(table.id),
    uniqueIndex('images_file_name').on(table.fileName),
  ],
);

/**
 * Withdrawn images, WITHOUT ROWID, in the database of their shard, so that an image moves here in one transaction. Their ids and
 * keys are never used again. The image that replaced one is the one that has its file name now.
 */
export const withdrawnImages = sqliteTable(
  'withdrawn_images',
  {
    id: integer('id').primaryKey(),
    sourceId: integer('source_id').notNull(),
    takenAtMs: integer('taken_at_ms').notNull(),
    fileName: text('file_name').notNull(),
    folder: text('folder').notNull(),
    withdrawnAtMs: integer('withdrawn_at_ms').notNull(),
  },
  (table) => [index('withdrawn_images_file_name').on(table.fileName)],
);

/** Last assigned sequence number of each shard; numbers are never reused. */
export const sequences = sqliteTable('sequences', {
  shard: integer('shard').primaryKey(),
  last: integer('last').notNull(),
});

/** Uploads in progress and interrupted ones, which the sweep removes. A finished upload has no row. */
export const uploads = sqliteTable('uploads', {
  /** Object key of the JP2. */
  key: text('key').primaryKey(),
  fileName: text('file_name').notNull(),
  touchedAtMs: integer('touched_at_ms').notNull(),
  /** 1 while the sweep deletes the objects. */
  sweeping: integer('sweeping', { mode: 'boolean' }).notNull().default(false),
});

/**
 * Screenshots, from which an expired file is rendered again. Ids are never reused. A row takes 150 bytes without an event
 * selection and up to a megabyte with one.
 */
export const screenshots = sqliteTable('screenshots', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  createdAtMs: integer('created_at_ms').notNull(),
  /** Canonical string of the recipe. */
  recipe: text('recipe').notNull(),
  /** JSON of LayerImages, one for each layer. */
  images: text('images', { mode: 'json' }).$type<readonly LayerImages[]>().notNull(),
});
