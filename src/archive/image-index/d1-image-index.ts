// The image index in D1. Searches read a handful of rows, which D1 bills: ORDER BY distance in time would read all of the source.
import { and, asc, desc, eq, getTableColumns, gt, inArray, lte, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { type ImageDatabases, jsonEach } from '../../platform/storage/databases.ts';
import { imageId, SHARDS, shardOfFileName, shardOfImage, shardOfSource } from '../../platform/storage/shards.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { Service } from '../../platform/util/service.ts';
import type { CountedBin, CountedWidthMs } from '../../sun/bins.ts';
import { memberSources } from '../../sun/catalogue/sources.ts';
import type { ArchivedImage, WithdrawnImage } from '../../sun/image.ts';
import type { BinCounts, GapCandidate, HeldDay, ListedImage, ListedTimes, SearchedBins } from '../ports.ts';
import {
  fileNameOf,
  foreignSourcesOf,
  heldShards,
  imageFromRow,
  images,
  imagesNamed,
  isNamed,
  LISTED_COLUMNS,
  listedFromRow,
  withdrawnFromRow,
  withdrawnImages,
} from './image-tables.ts';

/** Numbers of images by source and bin, or with `any` 1 for each that is not empty: searches of the key within the counted bins. */
function countsIn(
  db: DrizzleD1Database,
  sourceIds: readonly number[],
  bins: readonly CountedBin[],
  widthMs: CountedWidthMs,
  figure: 'sum' | 'any',
): Promise<{ sourceId: number; startMs: number; images: number }[]> {
  const counted = (images: SQL) => sql`(SELECT ${images} FROM image_counts
        WHERE source_id = member.source_id AND width_ms = ${widthMs} AND start_ms >= from_ms AND start_ms < to_ms)`;
  const end = (order: 'min' | 'max') =>
    sql`(SELECT ${sql.raw(order)}(start_ms) FROM image_counts WHERE source_id = value AND width_ms = ${widthMs})`;
  return db.all(sql`
    WITH member AS MATERIALIZED (
      SELECT value AS source_id, ${end('min')} AS first_ms, ${end('max')} AS last_ms FROM ${jsonEach(sourceIds)}
    ), bin AS MATERIALIZED (
      SELECT value ->> 0 AS from_ms, value ->> 1 AS to_ms FROM ${jsonEach(bins)}
    ), counted AS MATERIALIZED (
      SELECT member.source_id AS sourceId, from_ms AS startMs, ${figure === 'any' ? sql`EXISTS ${counted(sql`1`)}` : counted(sql`sum(images)`)} AS images
      FROM member CROSS JOIN bin WHERE to_ms > first_ms AND from_ms <= last_ms
    )
    SELECT * FROM counted WHERE images > 0`);
}

/** Members of a source group (an id above 10000), or the source alone. */
function membersOf(sourceId: number): readonly number[] {
  const members = memberSources(sourceId);
  return members.length > 0 ? members : [sourceId];
}

/** Withdrawn images of a file name that a search returns. */
const WITHDRAWN_VERSIONS = 100;

/** Images on each side from which the cadence is learned: an outlier or two do not change the median of their intervals. */
const NEIGHBOURS = 9;

/** Images of sources of one shard, by the numbers of their ids. */
interface AddedRange {
  readonly sources: readonly number[];
  readonly after: number;
  readonly through: number;
  readonly limit: number;
}

type Neighbours = { before: ArchivedImage | null; after: ArchivedImage | null };

/** Finds images by time and by id. A source id above 10000 is an XRT group. */
export class D1ImageIndex extends Service<ImageDatabases> {
  async byId(id: number): Promise<ArchivedImage | null> {
    const db = drizzle(this.ports.ofShard(shardOfImage(id)));
    const [row] = await db.select().from(images).where(eq(images.id, id)).limit(1);
    return row ? imageFromRow(row) : null;
  }

  /** The images that exist among `ids`, in any order. */
  async byIds(ids: readonly number[]): Promise<ArchivedImage[]> {
    const found = await Promise.all(
      this.#idsByDatabase(ids).map(([db, wanted]) =>
        db.select(getTableColumns(images)).from(wanted).crossJoin(images).where(sql`${images.id} = wanted.value`),
      ),
    );
    return found.flat().map(imageFromRow);
  }

  async byFileName(fileName: string): Promise<ArchivedImage | null> {
    const [image] = await this.#ofName(fileName, async (db) => (await imagesNamed(db, [fileName])).map(imageFromRow));
    return image ?? null;
  }

  /** The withdrawn images among `ids`, in any order. */
  async withdrawn(ids: readonly number[]): Promise<WithdrawnImage[]> {
    const columns = getTableColumns(withdrawnImages);
    const found = await Promise.all(
      this.#idsByDatabase(ids).map(async ([db, wanted]) => {
        const rows = db.select(columns).from(wanted).crossJoin(withdrawnImages);
        return withReplacements(db, await rows.where(sql`${withdrawnImages.id} = wanted.value`));
      }),
    );
    return found.flat();
  }

  /** The newest hundred withdrawn images of a file name, the newest first. */
  async withdrawnByFileName(fileName: string): Promise<WithdrawnImage[]> {
    const newestFirst = sql`${withdrawnImages.withdrawnAtMs} DESC, ${withdrawnImages.id} DESC`;
    const found = await this.#ofName(fileName, async (db) => {
      const named = db
        .select()
        .from(withdrawnImages)
        .where(isNamed(withdrawnImages, [fileName]));
      return withReplacements(db, await named.orderBy(newestFirst).limit(WITHDRAWN_VERSIONS));
    });
    found.sort((a, b) => b.withdrawnAtMs - a.withdrawnAtMs || b.id - a.id);
    return found.slice(0, WITHDRAWN_VERSIONS);
  }

  /** Last image strictly before `atMs` and first at or after it. */
  async neighbours(sourceId: number, atMs: number): Promise<Neighbours> {
    const [found] = await this.neighboursOfTimes(sourceId, [atMs]);
    return found!;
  }

  /** Times of the nearest images strictly before and strictly after. */
  async adjacentTimes(sourceId: number, atMs: number): Promise<{ beforeMs: number | null; afterMs: number | null }> {
    const found = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) =>
        db.get<{ beforeMs: number | null; afterMs: number | null }>(sql`
          SELECT max(${lastTime(sql`taken_at_ms < ${atMs}`)}) AS beforeMs, min(${firstTime(sql`taken_at_ms > ${atMs}`)}) AS afterMs
          FROM ${jsonEach(members)} AS member`),
      ),
    );
    return {
      beforeMs: found.flatMap(({ beforeMs }) => beforeMs ?? []).sort((a, b) => b - a)[0] ?? null,
      afterMs: found.flatMap(({ afterMs }) => afterMs ?? []).sort((a, b) => a - b)[0] ?? null,
    };
  }

  /** First image at or after `fromMs` and last at or before `toMs`. */
  async ends(sourceId: number, fromMs: number, toMs: number) {
    const found = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) => {
        const [first, last] = [firstTime(sql`taken_at_ms >= ${fromMs}`), lastTime(sql`taken_at_ms <= ${toMs}`)];
        const member = sql`FROM ${jsonEach(members)} AS member`;
        return imagesAt(
          db,
          sql`(SELECT 0 AS position, value AS source, min(${first}) AS at ${member} UNION ALL SELECT 1, value, max(${last}) ${member})`,
        );
      }),
    );
    const [firsts, lasts] = [0, 1].map((at) =>
      found.flat().flatMap((row) => (row.position === at ? imageFromRow(row.image) : [])),
    );
    return { first: firsts!.reduce(earlier, null), last: lasts!.reduce(later, null) };
  }

  /** At most `limit` images from `fromMs` to `toMs`, both included, oldest first. */
  async inRange(sourceId: number, fromMs: number, toMs: number, limit: number): Promise<ArchivedImage[]> {
    const found = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) =>
        db
          .select(getTableColumns(images))
          .from(sql`${jsonEach(members)} AS member`)
          .crossJoin(images)
          .where(inSearchedRange(fromMs, toMs, limit))
          .orderBy(images.takenAtMs)
          .limit(limit),
      ),
    );
    const inOrder = found.flat().sort((a, b) => a.takenAtMs - b.takenAtMs);
    return inOrder.slice(0, limit).map(imageFromRow);
  }

  /** At most `limit` images of one source, the oldest first unless `first` says otherwise. A source group has none of its own. */
  async listed(sourceId: number, { afterMs, toMs }: ListedTimes, limit: number, first: 'oldest' | 'newest' = 'oldest') {
    const { takenAtMs } = images;
    const rows = await drizzle(this.ports.ofShard(shardOfSource(sourceId)))
      .select(LISTED_COLUMNS)
      .from(images)
      .where(and(eq(images.sourceId, sourceId), gt(takenAtMs, afterMs), lte(takenAtMs, toMs)))
      .orderBy(first === 'oldest' ? takenAtMs : desc(takenAtMs))
      .limit(limit);
    return rows.map(listedFromRow);
  }

  /** The last sequence number of each shard, by shard: one statement a database. */
  async lastSequences(): Promise<ReadonlyMap<number, number>> {
    const { shard, lastSequence } = heldShards;
    const found = await Promise.all(
      [...Map.groupBy(SHARDS, (each) => this.ports.ofShard(each))].map(([database, shards]) =>
        drizzle(database).select({ shard, lastSequence }).from(heldShards).where(inArray(shard, shards)),
      ),
    );
    return new Map(found.flat().map((held) => [held.shard, held.lastSequence]));
  }

  /** Added images that are in the archive now, in the order in which they were added: their numbers rise within a shard. */
  async added({ sources, after, through, limit }: AddedRange): Promise<ListedImage[]> {
    const [source] = sources;
    if (source === undefined) return [];
    const isAdded = and(gt(images.id, imageId(after, source)), lte(images.id, imageId(through, source)));
    const rows = await drizzle(this.ports.ofShard(shardOfSource(source)))
      .select(LISTED_COLUMNS)
      .from(images)
      .where(and(isAdded, inArray(images.sourceId, [...sources])))
      .orderBy(asc(images.id))
      .limit(limit);
    return rows.map(listedFromRow);
  }

  /** The days of a source with images from `fromMs` to `toMs`, both starts of days, by time: from the counts, at most `limit`. */
  heldDays(sourceId: number, { fromMs, toMs }: { fromMs: number; toMs: number }, limit: number): Promise<HeldDay[]> {
    return drizzle(this.ports.ofShard(shardOfSource(sourceId))).all(sql`
      SELECT source_id AS sourceId, start_ms AS startMs, images, bytes, checksum FROM image_counts
      WHERE source_id = ${sourceId} AND width_ms = ${DAY_MS} AND start_ms >= ${fromMs} AND start_ms <= ${toMs}
      ORDER BY start_ms LIMIT ${limit}`);
  }

  /** Number of images from `fromMs` to `toMs`, both included, counted up to `atMost`. */
  async countInRange(sourceId: number, fromMs: number, toMs: number, atMost: number): Promise<number> {
    const counts = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) =>
        db.get<{ count: number }>(sql`
          SELECT count(*) AS count FROM ${jsonEach(members)} AS member CROSS JOIN images
          WHERE ${inSearchedRange(fromMs, toMs, atMost)}`),
      ),
    );
    return Math.min(
      atMost,
      counts.reduce((sum, { count }) => sum + count, 0),
    );
  }

  /** Numbers of images of sources in bins that have some, by kept counts; with `any` always 1, by a row for each source and bin. */
  async counts(
    sourceIds: readonly number[],
    bins: readonly CountedBin[],
    widthMs: CountedWidthMs,
    figure: 'sum' | 'any' = 'sum',
  ): Promise<BinCounts[]> {
    const members = [...new Set(sourceIds.flatMap((sourceId) => membersOf(sourceId)))];
    const byDatabase = Map.groupBy(members, (member) => this.ports.ofShard(shardOfSource(member)));
    const found = await Promise.all(
      [...byDatabase].map(([database, some]) => countsIn(drizzle(database), some, bins, widthMs, figure)),
    );
    const byMember = Map.groupBy(found.flat(), ({ sourceId }) => sourceId);
    return sourceIds.map((sourceId) => {
      const sums = new Map<number, number>();
      for (const { startMs, images: count } of membersOf(sourceId).flatMap((member) => byMember.get(member) ?? []))
        sums.set(startMs, (sums.get(startMs) ?? 0) + count);
      return sums;
    });
  }

  /** The first `limit` intervals with an empty bin, by time: between two bins with images whose starts are more than `longerMs` apart. */
  async gaps(sourceId: number, { fromMs, toMs, widthMs, longerMs }: SearchedBins, limit: number): Promise<GapCandidate[]> {
    const times = (condition: SQL, order: SQL) => sql`(SELECT json_group_array(at) FROM (SELECT taken_at_ms AS at FROM images
      WHERE source_id = ${sourceId} AND ${condition} ORDER BY taken_at_ms ${order} LIMIT ${NEIGHBOURS}))`;
    const rows = await drizzle(this.ports.ofShard(shardOfSource(sourceId))).all<{ before: string; after: string }>(sql`
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

  /** `neighbours` of each time, in the order of `timesMs`, in one query. */
  async neighboursOfTimes(sourceId: number, timesMs: readonly number[]): Promise<Neighbours[]> {
    const neighbours = timesMs.map((): Neighbours => ({ before: null, after: null }));
    const found = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) => {
        const searches = sql`${jsonEach(timesMs)} AS wanted, ${jsonEach(members)} AS member`;
        return imagesAt(
          db,
          sql`(
      SELECT wanted.key AS position, member.value AS source, max(${lastTime(sql`taken_at_ms < wanted.value`)}) AS at
      FROM ${searches} GROUP BY wanted.key
      UNION ALL
      SELECT wanted.key, member.value, min(${firstTime(sql`taken_at_ms >= wanted.value`)}) FROM ${searches} GROUP BY wanted.key)`,
        );
      }),
    );
    for (const { position, image: row } of found.flat()) {
      const [nearest, image] = [neighbours[position]!, imageFromRow(row)];
      if (image.takenAtMs < timesMs[position]!) nearest.before = later(nearest.before, image);
      else nearest.after = earlier(nearest.after, image);
    }
    return neighbours;
  }

  /** Oldest and newest time of every source that has images, by source id. */
  async extents(): Promise<ReadonlyMap<number, { startMs: number; endMs: number }>> {
    type Extent = { readonly sourceId: number; readonly startMs: number; readonly endMs: number };
    // Loose index scan of the primary key: three searches per source instead of a scan of the table.
    const extents = sql`
      WITH RECURSIVE present(value) AS (
        SELECT min(source_id) FROM images
        UNION ALL
        SELECT (SELECT min(source_id) FROM images WHERE source_id > present.value) FROM present WHERE present.value IS NOT NULL
      )
      SELECT member.value AS sourceId, ${firstTime(sql`1`)} AS startMs, ${lastTime(sql`1`)} AS endMs
      FROM present AS member WHERE member.value IS NOT NULL`;
    const found = await Promise.all(
      this.ports.images.map(async (database) => this.#heldIn(database, await drizzle(database).all<Extent>(extents))),
    );
    return new Map(found.flat().map(({ sourceId, startMs, endMs }) => [sourceId, { startMs, endMs }]));
  }

  #idsByDatabase(ids: readonly number[]): [DrizzleD1Database, SQL][] {
    const byDatabase = Map.groupBy(new Set(ids), (id) => this.ports.ofShard(shardOfImage(id)));
    return [...byDatabase].map(([database, wanted]) => [drizzle(database), sql`${jsonEach(wanted)} AS wanted`]);
  }

  #membersByDatabase(sourceId: number): [DrizzleD1Database, number[]][] {
    const byDatabase = Map.groupBy(membersOf(sourceId), (member) => this.ports.ofShard(shardOfSource(member)));
    return [...byDatabase].map(([database, members]) => [drizzle(database), members]);
  }

  /** Results of a search by name in the database of the name's shard, and in those of sources with images of this name. */
  async #ofName<Found extends { readonly sourceId: number }>(
    fileName: string,
    search: (db: DrizzleD1Database) => Promise<Found[]>,
  ): Promise<Found[]> {
    const first = this.ports.ofShard(shardOfFileName(fileName));
    const db = drizzle(first);
    const [found, foreign] = await Promise.all([search(db), foreignSourcesOf(db, fileName)]);
    const others = new Set(foreign.map(({ sourceId }) => this.ports.ofShard(shardOfSource(sourceId))));
    others.delete(first);
    const elsewhere = await Promise.all(
      [...others].map(async (database) => this.#heldIn(database, await search(drizzle(database)))),
    );
    return [...this.#heldIn(first, found), ...elsewhere.flat()];
  }

  /** The items of shards that this database holds. It may have rows of a shard that has been moved to another one. */
  #heldIn<Item extends { readonly sourceId: number }>(database: D1Database, items: readonly Item[]): Item[] {
    return items.filter(({ sourceId }) => this.ports.ofShard(shardOfSource(sourceId)) === database);
  }
}

/** The index, here or cached. */
export type ImageIndex = Pick<D1ImageIndex, keyof D1ImageIndex>;

async function withReplacements(db: DrizzleD1Database, rows: readonly (typeof withdrawnImages.$inferSelect)[]) {
  if (rows.length === 0) return [];
  const current = (await imagesNamed(db, [...new Set(rows.map(fileNameOf))])).map(imageFromRow);
  return rows.map((row) => {
    const fileName = fileNameOf(row);
    const replacement = current.find((image) => image.fileName === fileName && image.sourceId === row.sourceId);
    return withdrawnFromRow({ ...row, replacedBy: replacement?.id ?? null });
  });
}

/** Latest time of `member.value` that meets `condition`: one search of the primary key. */
const lastTime = (condition: SQL) =>
  sql`(SELECT taken_at_ms FROM images WHERE source_id = member.value AND ${condition} ORDER BY taken_at_ms DESC LIMIT 1)`;

const firstTime = (condition: SQL) =>
  sql`(SELECT taken_at_ms FROM images WHERE source_id = member.value AND ${condition} ORDER BY taken_at_ms LIMIT 1)`;

/**
 * Images at the `source` and `at` of each row of `places`, with its `position`. With max() or min(), SQLite takes the bare column `source` of a
 * group from the row with that time.
 */
const imagesAt = (db: DrizzleD1Database, places: SQL) =>
  db
    .select({ position: sql<number>`place.position`, image: getTableColumns(images) })
    .from(sql`${places} AS place`)
    .innerJoin(images, sql`source_id = place.source AND taken_at_ms = place.at`);

/** Images of `member.value` from `fromMs` to `toMs`, at most `limit` of each member. The OFFSET along the key spares the rows behind. */
const inSearchedRange = (fromMs: number, toMs: number, limit: number) => sql`
  source_id = member.value AND taken_at_ms >= ${fromMs} AND taken_at_ms <= min(${toMs}, coalesce((
    SELECT taken_at_ms FROM images WHERE source_id = member.value AND taken_at_ms >= ${fromMs}
    ORDER BY taken_at_ms LIMIT 1 OFFSET ${limit - 1}), ${toMs}))`;

function later(a: ArchivedImage | null, b: ArchivedImage | null): ArchivedImage | null {
  if (!a || !b) return a ?? b;
  return b.takenAtMs > a.takenAtMs ? b : a;
}

function earlier(a: ArchivedImage | null, b: ArchivedImage | null): ArchivedImage | null {
  if (!a || !b) return a ?? b;
  return b.takenAtMs < a.takenAtMs ? b : a;
}
