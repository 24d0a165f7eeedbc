// The image index in D1. Every search reads a handful of rows, since D1 bills and waits by rows read: an ORDER BY on the
// distance in time would read every image of the source.
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { ArchivedImage } from '../domain/image.ts';
import { shardOfImage, shardOfSource } from '../domain/shards.ts';
import type { ImageIndex } from '../ports.ts';
import type { Databases } from './databases.ts';
import { imageFromRow } from './image-row.ts';
import { images } from './schema.ts';

/** Members of a group of sources (an id above 10000), or the source alone. */
export type SourceMembers = (sourceId: number) => readonly number[];

type Neighbours = { before: ArchivedImage | null; after: ArchivedImage | null };

export class D1ImageIndex implements ImageIndex {
  readonly #databases: Databases;
  readonly #membersOf: SourceMembers;

  constructor(databases: Databases, membersOf: SourceMembers) {
    this.#databases = databases;
    this.#membersOf = membersOf;
  }

  async byId(id: number): Promise<ArchivedImage | null> {
    const db = drizzle(this.#databases.ofShard(shardOfImage(id)));
    const [row] = await db.select().from(images).where(eq(images.id, id)).limit(1);
    return row ? imageFromRow(row) : null;
  }

  async byFileName(fileName: string): Promise<ArchivedImage | null> {
    const found = await Promise.all(
      this.#databases.all.map((database) =>
        drizzle(database).select().from(images).where(eq(images.fileName, fileName)).limit(1),
      ),
    );
    const row = found.flat()[0];
    return row ? imageFromRow(row) : null;
  }

  async neighbours(sourceId: number, atMs: number): Promise<Neighbours> {
    const found = await Promise.all(this.#membersByDatabase(sourceId).map(([db, members]) => neighboursIn(db, members, atMs)));
    return found.reduce((best, one) => ({ before: later(best.before, one.before), after: earlier(best.after, one.after) }));
  }

  async adjacentTimes(sourceId: number, atMs: number): Promise<{ beforeMs: number | null; afterMs: number | null }> {
    const found = await Promise.all(
      this.#membersByDatabase(sourceId).map(([db, members]) =>
        db.get<{ beforeMs: number | null; afterMs: number | null }>(sql`
          SELECT max(${lastTime(sql`taken_at_ms < ${atMs}`)}) AS beforeMs, min(${firstTime(sql`taken_at_ms > ${atMs}`)}) AS afterMs
          FROM json_each(${JSON.stringify(members)}) AS member`),
      ),
    );
    const befores = found.flatMap((times) => times.beforeMs ?? []);
    const afters = found.flatMap((times) => times.afterMs ?? []);
    return {
      beforeMs: befores.length > 0 ? Math.max(...befores) : null,
      afterMs: afters.length > 0 ? Math.min(...afters) : null,
    };
  }

  async extents(): Promise<ReadonlyMap<number, { startMs: number; endMs: number }>> {
    const found = await Promise.all(this.#databases.all.map((database) => extentsIn(drizzle(database))));
    return new Map(found.flat().map(({ sourceId, startMs, endMs }) => [sourceId, { startMs, endMs }]));
  }

  /** The members of a source or group, by the database that holds them. */
  #membersByDatabase(sourceId: number): [DrizzleD1Database, number[]][] {
    const groups = new Map<D1Database, number[]>();
    for (const member of this.#membersOf(sourceId)) {
      const database = this.#databases.ofShard(shardOfSource(member));
      groups.set(database, [...(groups.get(database) ?? []), member]);
    }
    if (groups.size === 0) groups.set(this.#databases.main, []);
    return [...groups].map(([database, members]) => [drizzle(database), members]);
  }
}

/** Newest time of `member.value` for which `condition` holds: one search of the primary key. */
const lastTime = (condition: ReturnType<typeof sql>) =>
  sql`(SELECT taken_at_ms FROM images WHERE source_id = member.value AND ${condition} ORDER BY taken_at_ms DESC LIMIT 1)`;

const firstTime = (condition: ReturnType<typeof sql>) =>
  sql`(SELECT taken_at_ms FROM images WHERE source_id = member.value AND ${condition} ORDER BY taken_at_ms LIMIT 1)`;

async function neighboursIn(db: DrizzleD1Database, members: readonly number[], atMs: number): Promise<Neighbours> {
  const list = JSON.stringify(members);
  const nearest = sql`(
    SELECT * FROM (SELECT member.value AS source, ${lastTime(sql`taken_at_ms < ${atMs}`)} AS at
      FROM json_each(${list}) AS member ORDER BY at DESC NULLS LAST LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT member.value AS source, ${firstTime(sql`taken_at_ms >= ${atMs}`)} AS at
      FROM json_each(${list}) AS member ORDER BY at NULLS LAST LIMIT 1)) AS nearest`;
  const rows = await db
    .select(getTableColumns(images))
    .from(nearest)
    .innerJoin(images, sql`source_id = nearest.source AND taken_at_ms = nearest.at`);
  const found = rows.map(imageFromRow);
  return {
    before: found.find((image) => image.takenAtMs < atMs) ?? null,
    after: found.find((image) => image.takenAtMs >= atMs) ?? null,
  };
}

/** Jumps from source to source along the primary key: three searches per source instead of a scan of the table. */
function extentsIn(db: DrizzleD1Database): Promise<{ sourceId: number; startMs: number; endMs: number }[]> {
  return db.all(sql`
    WITH RECURSIVE present(value) AS (
      SELECT min(source_id) FROM images
      UNION ALL
      SELECT (SELECT min(source_id) FROM images WHERE source_id > present.value) FROM present WHERE present.value IS NOT NULL
    )
    SELECT member.value AS sourceId, ${firstTime(sql`1`)} AS startMs, ${lastTime(sql`1`)} AS endMs
    FROM present AS member WHERE member.value IS NOT NULL`);
}

function later(a: ArchivedImage | null, b: ArchivedImage | null): ArchivedImage | null {
  if (!a || !b) return a ?? b;
  return b.takenAtMs > a.takenAtMs ? b : a;
}

function earlier(a: ArchivedImage | null, b: ArchivedImage | null): ArchivedImage | null {
  if (!a || !b) return a ?? b;
  return b.takenAtMs < a.takenAtMs ? b : a;
}
