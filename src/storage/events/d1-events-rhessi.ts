import { and, asc, gte, lte, sql } from 'drizzle-orm';
import { LONGEST_RHESSI_HOURS, RHESSI_FEED, type RhessiFlare } from '../../domain/events/rhessi.ts';
import type { RhessiFlares } from '../../ports/events.ts';
import { HOUR_MS } from '../../util/durations.ts';
import type { Databases } from '../databases.ts';
import { OnOperations } from '../on-database.ts';
import { rhessiFlares } from '../operations-tables.ts';
import { D1EventCounts } from './d1-event-counts.ts';

/** Rows of one statement: their JSON has 250 bytes each, and D1 accepts 2 MB. */
const ROWS_PER_STATEMENT = 2_000;

/** Binds the rows as one JSON text, because D1 accepts 100 values at most. */
const insertRows = (rows: readonly RhessiFlare[]) => sql`
  INSERT OR REPLACE INTO rhessi_flares
    (id, start_ms, peak_ms, end_ms, peak_rate, total_counts, x_arcsec, y_arcsec, high_band, dsun, ntime, nen, link)
  SELECT value ->> '$.id', value ->> '$.startMs', value ->> '$.peakMs', value ->> '$.endMs', value ->> '$.peakRate',
    value ->> '$.totalCounts', value ->> '$.xArcsec', value ->> '$.yArcsec', value ->> '$.highBand', value ->> '$.dsun',
    value ->> '$.ntime', value ->> '$.nen', value ->> '$.link'
  FROM json_each(${JSON.stringify(rows)})`;

export class D1RhessiFlares extends OnOperations implements RhessiFlares {
  readonly #counts: D1EventCounts;

  constructor(databases: Pick<Databases, 'main' | 'operations'>) {
    super(databases);
    this.#counts = new D1EventCounts(databases);
  }

  async add(flares: readonly RhessiFlare[]): Promise<void> {
    for (let i = 0; i < flares.length; i += ROWS_PER_STATEMENT) {
      await this.db.run(insertRows(flares.slice(i, i + ROWS_PER_STATEMENT)));
    }
    await this.#counts.forget(RHESSI_FEED);
  }

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
