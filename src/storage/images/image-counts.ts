// Sums of the counts that the triggers of an image database keep.
import { type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { CountedBin, CountedWidthMs } from '../../domain/coverage/bins.ts';
import { type GapCandidate, NEIGHBOURS } from '../../domain/coverage/gaps.ts';
import type { HeldDay, SearchedBins } from '../../ports/images.ts';
import { DAY_MS } from '../../util/durations.ts';

/** Images of a source in the bin from `startMs`. */
interface SourceCount {
  readonly sourceId: number;
  readonly startMs: number;
  readonly images: number;
}

/**
 * Numbers of images of sources in bins, or with `any` 1 for each that has some, of which one row is read: a search of the key for each source and bin, between the first and the last counted bin of the
 * source.
 */
export function countsIn(
  db: DrizzleD1Database,
  sourceIds: readonly number[],
  bins: readonly CountedBin[],
  widthMs: CountedWidthMs,
  figure: 'sum' | 'any',
): Promise<SourceCount[]> {
  const counted = (images: SQL) => sql`(SELECT ${images} FROM image_counts
        WHERE source_id = member.source_id AND width_ms = ${widthMs} AND start_ms >= from_ms AND start_ms < to_ms)`;
  const end = (order: 'min' | 'max') =>
    sql`(SELECT ${sql.raw(order)}(start_ms) FROM image_counts WHERE source_id = value AND width_ms = ${widthMs})`;
  return db.all(sql`
    WITH member AS MATERIALIZED (
      SELECT value AS source_id, ${end('min')} AS first_ms, ${end('max')} AS last_ms FROM json_each(${JSON.stringify(sourceIds)})
    ), bin AS MATERIALIZED (
      SELECT value ->> 0 AS from_ms, value ->> 1 AS to_ms FROM json_each(${JSON.stringify(bins)})
    ), counted AS MATERIALIZED (
      SELECT member.source_id AS sourceId, from_ms AS startMs, ${figure === 'any' ? sql`EXISTS ${counted(sql`1`)}` : counted(sql`sum(images)`)} AS images
      FROM member CROSS JOIN bin WHERE to_ms > first_ms AND from_ms <= last_ms
    )
    SELECT * FROM counted WHERE images > 0`);
}

/** Reads the counted bins of the range, and the images beside each interval. */
export async function gapsIn(
  db: DrizzleD1Database,
  sourceId: number,
  { fromMs, toMs, widthMs, longerMs }: SearchedBins,
  limit: number,
): Promise<GapCandidate[]> {
  const times = (condition: SQL, order: SQL) => sql`(SELECT json_group_array(at) FROM (SELECT taken_at_ms AS at FROM images
    WHERE source_id = ${sourceId} AND ${condition} ORDER BY taken_at_ms ${order} LIMIT ${NEIGHBOURS}))`;
  const rows = await db.all<{ before: string; after: string }>(sql`
    WITH bin AS (
      SELECT start_ms, lead(start_ms) OVER (ORDER BY start_ms) AS next_ms FROM image_counts
      WHERE source_id = ${sourceId} AND width_ms = ${widthMs} AND start_ms >= ${fromMs} AND start_ms <= ${toMs}
    ), gap AS MATERIALIZED (
      SELECT start_ms + ${widthMs} AS from_ms, next_ms AS to_ms FROM bin WHERE next_ms - start_ms > ${longerMs}
      ORDER BY start_ms LIMIT ${limit}
    )
    SELECT ${times(sql`taken_at_ms < gap.from_ms`, sql`DESC`)} AS before,
      ${times(sql`taken_at_ms >= gap.to_ms`, sql``)} AS after FROM gap`);
  return rows.map(({ before, after }) => ({
    beforeMs: (JSON.parse(before) as number[]).sort((a, b) => b - a),
    afterMs: (JSON.parse(after) as number[]).sort((a, b) => a - b),
  }));
}

export function heldDaysIn(
  db: DrizzleD1Database,
  sourceId: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  limit: number,
): Promise<HeldDay[]> {
  return db.all(sql`
    SELECT source_id AS sourceId, start_ms AS startMs, images, bytes, checksum FROM image_counts
    WHERE source_id = ${sourceId} AND width_ms = ${DAY_MS} AND start_ms >= ${fromMs} AND start_ms <= ${toMs}
    ORDER BY start_ms LIMIT ${limit}`);
}
