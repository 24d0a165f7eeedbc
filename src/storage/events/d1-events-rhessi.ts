import { and, asc, count, gte, lte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { LONGEST_RHESSI_HOURS, type RhessiFlare } from '../../domain/events/rhessi.ts';
import type { RhessiFlares } from '../../ports/events.ts';
import { HOUR_MS } from '../../util/durations.ts';
import type { Databases } from '../databases.ts';
import { rhessiFlares } from './schema.ts';

/** The statement binds one JSON text, since D1 takes 100 values at most. */
const ADD = sql.raw(`INSERT OR REPLACE INTO rhessi_flares
  (id, start_ms, peak_ms, end_ms, peak_rate, total_counts, x_arcsec, y_arcsec, high_band, dsun, ntime, nen, link)
  SELECT ${[
    'id',
    'startMs',
    'peakMs',
    'endMs',
    'peakRate',
    'totalCounts',
    'xArcsec',
    'yArcsec',
    'highBand',
    'dsun',
    'ntime',
    'nen',
    'link',
  ]
    .map((name) => `value ->> '$.${name}'`)
    .join(', ')}
  FROM json_each(`);

/** Rows of one statement: their JSON has 250 bytes each, and D1 takes 2 MB. */
const ROWS_AT_ONCE = 2_000;

/** The flare list in the main database. */
export class D1RhessiFlares implements RhessiFlares {
  readonly #database: D1Database;

  constructor(databases: Databases) {
    this.#database = databases.main;
  }

  async add(flares: readonly RhessiFlare[]): Promise<void> {
    for (let i = 0; i < flares.length; i += ROWS_AT_ONCE) {
      await drizzle(this.#database).run(sql`${ADD}${JSON.stringify(flares.slice(i, i + ROWS_AT_ONCE))})`);
    }
  }

  async between(fromMs: number, toMs: number, limit: number): Promise<RhessiFlare[]> {
    const { startMs, endMs } = rhessiFlares;
    // The first bound lets the index find the few that may still go on.
    const earliestMs = fromMs - LONGEST_RHESSI_HOURS * HOUR_MS;
    return drizzle(this.#database)
      .select()
      .from(rhessiFlares)
      .where(and(gte(startMs, earliestMs), lte(startMs, toMs), gte(endMs, fromMs)))
      .orderBy(asc(startMs), asc(rhessiFlares.id))
      .limit(limit);
  }

  async count(): Promise<number> {
    const [row] = await drizzle(this.#database).select({ rows: count() }).from(rhessiFlares);
    return row?.rows ?? 0;
  }
}
