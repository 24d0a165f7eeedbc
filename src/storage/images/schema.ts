// Tables of uploads and screenshots in the main database.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { LayerImages } from '../../ports/rendering.ts';

/** Uploads in progress and interrupted ones, which the sweep removes. A finished upload has no row. */
export const uploads = sqliteTable('uploads', {
  /** Object key of the JP2. */
  key: text('key').primaryKey(),
  fileName: text('file_name').notNull(),
  touchedAtMs: integer('touched_at_ms').notNull(),
  /** 1 while the sweep deletes the objects. */
  sweeping: integer('sweeping', { mode: 'boolean' }).notNull().default(false),
});

/** Screenshots, from which their files are rendered. Ids are never reused. A row takes 250 bytes, with events up to 17 kB. */
export const screenshots = sqliteTable(
  'screenshots',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Canonical string of the recipe. */
    recipe: text('recipe').notNull(),
    /** JSON of LayerImages, one for each layer. */
    images: text('images', { mode: 'json' }).$type<readonly LayerImages[]>().notNull(),
    /** Hash of the client's address. */
    client: text('client').notNull().default(''),
    /** Charges to the client: pixels of the picture, and bytes of the row. */
    pixels: integer('pixels').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
  },
  (table) => [index('screenshots_client').on(table.client, table.createdAtMs, table.pixels, table.bytes)],
);
