// Adds rows to the image index in bulk: one round trip and one transaction for about a hundred rows of each database. Each row is a
// statement of its own, because D1 takes at most 100 values a statement and JSON would not keep every bit of a number.
import { getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { parseRegularFileName } from '../../domain/catalogue/archive-name.ts';
import type { ArchivedImage, WithdrawnImage } from '../../domain/image.ts';
import { SHARD_COUNT, sequenceOf, shardOfFileName, shardOfSource } from '../../domain/shards.ts';
import type { BulkRegister, BulkRegistration, KnownNames } from '../../ports/bulk.ts';
import type { IdSequences } from '../../ports/images.ts';
import type { Databases } from '../databases.ts';
import { holdsOpen, sameInstantOtherName } from './d1-image-register.ts';
import { imageFromRow, rowFromImage, withdrawnFromRow } from './image-row.ts';
import { foreignNames, images, withdrawnImages } from './image-tables.ts';
import { imagesNamed, isNamed } from './named-images.ts';

type NewImage = Omit<ArchivedImage, 'id'>;

/** Rows of a transaction. */
const BATCH_ROWS = 100;

const { id: _id, ...COLUMNS } = getTableColumns(images);
const FIRST_VALUE = 7;

/**
 * Adds a row if its shard is open and no other image of the database has its name. Values: 1 number issued to the first row of the
 * batch, 2 position of this row, 3 shard, 4 file name, 5 and 6 source and time of a regular file name, then the columns.
 */
const INSERT = `INSERT INTO images (id, ${Object.values(COLUMNS)
  .map(({ name }) => name)
  .join(', ')})
  SELECT (max(?1, last_sequence + 1) + ?2) * ${SHARD_COUNT} + ?3, ${Object.keys(COLUMNS)
    .map((_, i) => `?${FIRST_VALUE + i}`)
    .join(', ')}
  FROM held_shards WHERE shard = ?3 AND state = 'open' AND NOT EXISTS (SELECT 1 FROM images WHERE file_name = ?4)
    AND NOT EXISTS (SELECT 1 FROM images WHERE source_id = ?5 AND taken_at_ms = ?6 AND file_name IS NULL)
  ON CONFLICT DO NOTHING RETURNING id`;

/** Records the last number that is in use. Values: 1 shard, 2 list of its sources and times. */
const KEEP_SEQUENCE = `UPDATE held_shards SET last_sequence = max(last_sequence, coalesce((
    SELECT CAST(max(images.id) / ${SHARD_COUNT} AS INTEGER) FROM json_each(?2) AS place CROSS JOIN images
    WHERE source_id = place.value ->> 0 AND taken_at_ms = place.value ->> 1), 0))
  WHERE shard = ?1 AND state = 'open'`;

export class D1BulkRegister implements BulkRegister {
  readonly #databases: Databases;
  readonly #ids: IdSequences;

  constructor(databases: Databases, ids: IdSequences) {
    this.#databases = databases;
    this.#ids = ids;
  }

  async lookUp(fileNames: readonly string[]): Promise<KnownNames> {
    const byDatabase = Map.groupBy(fileNames, (name) => this.#databases.ofShard(shardOfFileName(name)));
    const found = await Promise.all([...byDatabase].map(([database, names]) => this.#lookUpIn(database, names)));
    const foreign = Map.groupBy(
      found.flatMap((each) => each.foreign),
      ({ sourceId }) => this.#databases.ofShard(shardOfSource(sourceId)),
    );
    const elsewhere = await Promise.all(
      [...foreign].map(([database, names]) =>
        this.#lookUpIn(
          database,
          names.map(({ fileName }) => fileName),
        ),
      ),
    );
    const all = [...found, ...elsewhere];
    return {
      images: new Map(all.flatMap((each) => each.images.map((image) => [image.fileName, image] as const))),
      withdrawnKeys: new Set(all.flatMap((each) => each.withdrawn.map(({ key }) => key))),
    };
  }

  async #lookUpIn(database: D1Database, names: readonly string[]) {
    const db = drizzle(database);
    const [rows, withdrawn, foreign] = await db.batch([
      imagesNamed(db, names),
      db.select().from(withdrawnImages).where(isNamed(withdrawnImages, names)),
      db
        .select()
        .from(foreignNames)
        .where(sql`${foreignNames.fileName} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`),
    ]);
    // The database may have rows of a shard that has been moved to another one.
    const isHeld = ({ sourceId }: { readonly sourceId: number }) => this.#databases.ofShard(shardOfSource(sourceId)) === database;
    return {
      images: rows.filter(isHeld).map(imageFromRow),
      withdrawn: withdrawn.filter(isHeld).map((row): WithdrawnImage => withdrawnFromRow({ ...row, replacedBy: null })),
      foreign: foreign.filter(({ sourceId }) => !isHeld({ sourceId })),
    };
  }

  async addAll(added: readonly NewImage[]): Promise<BulkRegistration[]> {
    const results = new Map<NewImage, BulkRegistration>();
    const byDatabase = Map.groupBy(added, ({ sourceId }) => this.#databases.ofShard(shardOfSource(sourceId)));
    const listed = await this.#listForeignNames(added);
    await Promise.all(
      [...byDatabase].map(async ([database, rows]) => {
        const ready = rows.filter((image) => listed(image));
        for (let i = 0; i < ready.length; i += BATCH_ROWS) {
          await this.#addTo(database, ready.slice(i, i + BATCH_ROWS), results);
        }
      }),
    );
    return added.map((image) => results.get(image) ?? { outcome: 'moving' });
  }

  /** Adds at most BATCH_ROWS images to a database in one transaction. */
  async #addTo(database: D1Database, added: readonly NewImage[], results: Map<NewImage, BulkRegistration>): Promise<void> {
    const shards = await Promise.all(
      [...Map.groupBy(added, ({ sourceId }) => shardOfSource(sourceId))].map(async ([shard, rows]) => {
        const issued = await this.#ids.next(sequenceName(shard), rows.length);
        return { shard, rows, issued };
      }),
    );
    const inserts = shards.flatMap(({ shard, rows, issued }) =>
      rows.map((image, i) => ({ image, statement: database.prepare(INSERT).bind(issued, i, shard, ...insertedValues(image)) })),
    );
    const sequences = shards.map(({ shard, rows }) =>
      database.prepare(KEEP_SEQUENCE).bind(shard, JSON.stringify(rows.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]))),
    );
    const present = presentRows(drizzle(database), added);
    const { sql: text, params } = present.toSQL();
    const outcomes = await database.batch([
      ...inserts.map(({ statement }) => statement),
      ...sequences,
      database.prepare(text).bind(...params),
    ]);
    const rows = present.prepare().mapResult(outcomes.at(-1), true) as (typeof images.$inferSelect)[];
    const found = rows.map(imageFromRow);
    inserts.forEach(({ image }, i) => {
      const isAdded = (outcomes[i] as D1Result).results.length === 1;
      const result = registrationOf(image, isAdded, found);
      if (result) results.set(image, result);
    });
    for (const { shard, rows: ofShard, issued } of shards) {
      const sequencesInUse = found.filter(({ sourceId }) => shardOfSource(sourceId) === shard).map(({ id }) => sequenceOf(id));
      const last = Math.max(0, ...sequencesInUse);
      if (last >= issued + ofShard.length) await this.#ids.raise(sequenceName(shard), last);
    }
  }

  /**
   * Lists names that belong to another shard than their image, before the images are found.
   * @returns whether an image needed no listing, or is listed
   */
  async #listForeignNames(added: readonly NewImage[]): Promise<(image: NewImage) => boolean> {
    const foreign = added.filter(({ fileName, sourceId }) => shardOfFileName(fileName) !== shardOfSource(sourceId));
    const listed = new Set<NewImage>();
    await Promise.all(
      [...Map.groupBy(foreign, ({ fileName }) => shardOfFileName(fileName))].map(async ([shard, named]) => {
        const db = drizzle(this.#databases.ofShard(shard));
        const places = JSON.stringify(named.map(({ fileName, sourceId }) => [fileName, sourceId]));
        const values = sql`SELECT value ->> 0, value ->> 1 FROM json_each(${places}) WHERE ${holdsOpen(shard)}`;
        const [, open] = await db.batch([
          db.insert(foreignNames).select(values).onConflictDoNothing(),
          db.select({ isOpen: sql<number>`${holdsOpen(shard)}` }).from(sql`(SELECT 1)`),
        ]);
        if (open[0]?.isOpen === 1) for (const image of named) listed.add(image);
      }),
    );
    return (image) => shardOfFileName(image.fileName) === shardOfSource(image.sourceId) || listed.has(image);
  }
}

const sequenceName = (shard: number) => `images-${shard}`;

/** Values 4 and following of INSERT. */
function insertedValues(image: NewImage): unknown[] {
  const row = rowFromImage(image);
  const regular = parseRegularFileName(image.fileName);
  const columns = Object.entries(COLUMNS).map(([name, column]) => {
    const value = row[name as keyof typeof row];
    return value === null ? null : column.mapToDriverValue(value);
  });
  return [image.fileName, regular?.sourceId ?? null, regular?.takenAtMs ?? null, ...columns];
}

/** Rows that have the source and time, or the name, of one of the images. */
function presentRows(db: DrizzleD1Database, added: readonly NewImage[]) {
  const places = JSON.stringify(added.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]));
  const isSame: SQL = sql`(${images.sourceId}, ${images.takenAtMs}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${places}))`;
  const names = added.map(({ fileName }) => fileName);
  return db
    .select(getTableColumns(images))
    .from(images)
    .where(or(isSame, isNamed(images, names)));
}

/** The result for an image, as `ImageRegister.add` gives it; null when no row stands in its way. */
function registrationOf(image: NewImage, isAdded: boolean, found: readonly ArchivedImage[]): BulkRegistration | null {
  const sameName = found.find(({ fileName }) => fileName === image.fileName);
  if (isAdded && sameName) return { outcome: 'added', image: sameName };
  if (sameName?.sha256 === image.sha256) return { outcome: 'known', image: sameName };
  const sameInstant = found.find(
    ({ sourceId, takenAtMs, fileName }) =>
      sourceId === image.sourceId && takenAtMs === image.takenAtMs && fileName !== image.fileName,
  );
  if (sameInstant) return { outcome: 'conflict', reason: sameInstantOtherName(image, sameInstant), image: sameInstant };
  if (sameName) return { outcome: 'conflict', reason: `${image.fileName} is archived with other content.`, image: sameName };
  return null;
}
