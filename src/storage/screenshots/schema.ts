// Table of screenshots, in the visitors' database.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { LayerImages } from '../../picture/screenshot.ts';

/** Screenshots, from which their files are rendered. A row takes 500 bytes, with events up to 17 kB. */
export const screenshots = sqliteTable(
  'screenshots',
  {
    /** Random, so that screenshots cannot be enumerated; ids of earlier versions count from 1. */
    id: integer('id').primaryKey(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Canonical string of the recipe. */
    recipe: text('recipe').notNull(),
    /** JSON of LayerImages, one for each layer. */
    images: text('images', { mode: 'json' }).$type<readonly LayerImages[]>().notNull(),
  },
  (table) => [index('screenshots_created').on(table.createdAtMs)],
);
