// The RHESSI flare list, which is imported once because the mission is over.
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row per flare, about 100 bytes; the list has 120 000. Columns from peak_rate on are those of the list. */
export const rhessiFlares = sqliteTable(
  'rhessi_flares',
  {
    id: integer('id').primaryKey(),
    startMs: integer('start_ms').notNull(),
    peakMs: integer('peak_ms').notNull(),
    endMs: integer('end_ms').notNull(),
    peakRate: real('peak_rate'),
    totalCounts: real('total_counts'),
    /** Arcseconds from the centre of the disk at the peak, x west, y north. */
    xArcsec: real('x_arcsec').notNull(),
    yArcsec: real('y_arcsec').notNull(),
    /** Highest energy band in which the flare was observed in keV, such as `12-25`. */
    highBand: text('high_band').notNull(),
    /** Remaining columns as in the list. */
    dsun: text('dsun').notNull(),
    ntime: text('ntime').notNull(),
    nen: text('nen').notNull(),
    /** Path of the flare's pages in the image archive of RHESSI. */
    link: text('link').notNull(),
  },
  (table) => [index('rhessi_flares_time').on(table.startMs, table.endMs)],
);
