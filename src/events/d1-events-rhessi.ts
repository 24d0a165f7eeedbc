import { and, asc, getTableColumns, gte, lte, sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type Databases, jsonEach, OnOperations } from '../platform/storage/databases.ts';
import { HOUR_MS } from '../platform/util/durations.ts';
import { D1EventCounts } from './d1-event-counts.ts';
import { LONGEST_RHESSI_HOURS, RHESSI_FEED, type RhessiFlare } from './records/rhessi.ts';

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

/** Rows of one statement: their JSON has 250 bytes each, and D1 accepts 2 MB. */
const ROWS_PER_STATEMENT = 2_000;

const COLUMNS = Object.entries(getTableColumns(rhessiFlares));
const NAMES = sql.raw(COLUMNS.map(([, { name }]) => name).join());
const VALUES = sql.raw(COLUMNS.map(([member]) => `value ->> '$.${member}'`).join());

/** Binds the rows as one JSON text, because D1 accepts 100 values at most. */
const insertRows = (rows: readonly RhessiFlare[]) =>
  sql`INSERT OR REPLACE INTO rhessi_flares (${NAMES}) SELECT ${VALUES} FROM ${jsonEach(rows)}`;

export class D1RhessiFlares extends OnOperations {
  readonly #counts: D1EventCounts;

  constructor(databases: Pick<Databases, 'main' | 'operations'>) {
    super(databases);
    this.#counts = new D1EventCounts(databases);
  }

  /** Adds flares, replacing those with known ids. Their days are counted again for timelines. */
  async add(flares: readonly RhessiFlare[]): Promise<void> {
    for (let i = 0; i < flares.length; i += ROWS_PER_STATEMENT)
      await this.db.run(insertRows(flares.slice(i, i + ROWS_PER_STATEMENT)));
    await this.#counts.forget(RHESSI_FEED);
  }

  /** At most `limit` flares in progress between two instants, by start. */
  async between(fromMs: number, toMs: number, limit: number): Promise<RhessiFlare[]> {
    const { startMs, endMs } = rhessiFlares;
    // Bounds the index search to the flares that may still be in progress.
    const earliestMs = fromMs - LONGEST_RHESSI_HOURS * HOUR_MS;
    return this.db
      .select()
      .from(rhessiFlares)
      .where(and(gte(startMs, earliestMs), lte(startMs, toMs), gte(endMs, fromMs)))
      .orderBy(asc(startMs), asc(rhessiFlares.id))
      .limit(limit);
  }

  async count(): Promise<number> {
    return this.db.$count(rhessiFlares);
  }
}
