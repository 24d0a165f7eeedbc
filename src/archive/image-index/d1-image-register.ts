// Adds rows to the image index and withdraws them. Rows are added in bulk: one round trip and one transaction for about a hundred rows of
// each database. Each row is a statement of its own, because D1 takes at most 100 values a statement and JSON would not keep every bit of
// a number. Ids come from a sequence outside the database; the database has its own high-water mark beside it, so that the loss of
// either is harmless. A shard that is being moved takes no rows.
import { and, eq, getTableColumns, or, type Query, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { type Databases, jsonEach } from '../../platform/storage/databases.ts';
import { imageId, SHARD_COUNT, sequenceOf, shardOfFileName, shardOfImage, shardOfSource } from '../../platform/storage/shards.ts';
import { SECOND_MS } from '../../platform/util/durations.ts';
import { Failure, isTransient } from '../../platform/util/errors.ts';
import { Service } from '../../platform/util/service.ts';
import { parseRegularFileName } from '../../sun/catalogue/archive-name.ts';
import type { ArchivedImage, NewImage, WithdrawnImage } from '../../sun/image.ts';
import { formatIso } from '../../sun/time.ts';
import type { IngestResult } from '../ingest/ingest-result.ts';
import { D1Withdrawals } from './d1-withdrawals.ts';
import type { IdSequences } from './durable-id-sequences.ts';
import {
  foreignNames,
  heldShards,
  imageFromRow,
  images,
  imagesNamed,
  isNamed,
  rowFromImage,
  withdrawnFromRow,
  withdrawnImages,
} from './image-tables.ts';

export interface KnownNames {
  readonly images: ReadonlyMap<string, ArchivedImage>;
  /** Keys of withdrawn images that have one of the names, those that a restored database has forgotten included. Keys are never used again. */
  readonly withdrawnKeys: ReadonlySet<string>;
}

type Registration = Extract<IngestResult, { readonly outcome: 'added' | 'known' | 'conflict' }> & {
  readonly image: ArchivedImage;
};

type Busy = Extract<IngestResult, { readonly outcome: 'busy' }>;

type Failed = { readonly outcome: 'failed'; readonly error: unknown };

type AddedImage = NewImage & {
  /** The id that the archive states for its file (`statedIds`): the image gets it unless the id belongs to another one. */
  readonly statedId?: number | undefined;
  /** When the withdrawals of its content were read: it is not added where an image of its source and time with its content was withdrawn since then. */
  readonly checkedAtMs?: number | undefined;
};

interface Withdrawal {
  readonly id: number;
  /** Other ids of the same content, which a restoration of the database has lost. */
  readonly lostIds?: readonly number[];
  readonly atMs: number;
}

const BATCH_ROWS = 100;

/** Most that the clocks of two isolates differ. */
export const SKEW_MS = 10 * SECOND_MS;

const { id: _id, ...COLUMNS } = getTableColumns(images);
/** A column among the values of INSERT. */
const placeholderOf = (column: string) => `?${9 + Object.keys(COLUMNS).indexOf(column)}`;

const IS_STATED_FREE = `?7 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM images WHERE id = ?7)
      AND NOT EXISTS (SELECT 1 FROM withdrawn_images WHERE id = ?7)`;

/**
 * Adds a row if its shard is open, no other image of the database has its name, and a condition holds. Issued numbers rise, and come from the sequence
 * alone: any other could be issued again once the database is restored. Values: 1 number issued to the first row of the batch, 2 position of this row,
 * 3 shard, 4 file name, 5 and 6 source and time of a regular file name, 7 stated id, 8 time or null, then the columns.
 */
const insertWhere = (condition: string) => `INSERT INTO images (id, ${Object.values(COLUMNS)
  .map(({ name }) => name)
  .join(', ')})
  SELECT iif(${IS_STATED_FREE}, ?7, (?1 + ?2) * ${SHARD_COUNT} + ?3), ${Object.keys(COLUMNS).map(placeholderOf).join(', ')}
  FROM held_shards WHERE shard = ?3 AND state = 'open'
    AND NOT EXISTS (SELECT 1 FROM images WHERE file_name = ?4)
    AND NOT EXISTS (SELECT 1 FROM images WHERE source_id = ?5 AND taken_at_ms = ?6 AND file_name IS NULL)
    AND ${condition}
  ON CONFLICT DO NOTHING RETURNING id`;

/** For an index: its content was not withdrawn since the withdrawals were read. */
const INSERT = insertWhere(`(last_sequence < ?1 OR ${IS_STATED_FREE})
    AND NOT EXISTS (SELECT 1 FROM withdrawn_images WHERE source_id = ${placeholderOf('sourceId')}
      AND taken_at_ms = ${placeholderOf('takenAtMs')} AND sha256 = ${placeholderOf('sha256')} AND withdrawn_at_ms >= ?8)`);

/** For an upload: no later change of its shard is there (`overtake`), and no withdrawn image has its key, whose objects are being deleted. */
const INSERT_UPLOADED = insertWhere(`last_sequence < ?1
    AND NOT EXISTS (SELECT 1 FROM withdrawn_images WHERE source_id % ${SHARD_COUNT} = ?3 AND folder IS ${placeholderOf('folder')}
      AND (file_name = ?4 OR source_id = ?5 AND taken_at_ms = ?6 AND file_name IS NULL))`);

/** Records the last number that is in use, and returns it. Values: 1 shard, 2 list of its sources and times. */
const KEEP_SEQUENCE = `UPDATE held_shards SET last_sequence = max(last_sequence, coalesce((
    SELECT CAST(max(images.id) / ${SHARD_COUNT} AS INTEGER) FROM json_each(?2) AS place CROSS JOIN images
    WHERE source_id = place.value ->> 0 AND taken_at_ms = place.value ->> 1), 0))
  WHERE shard = ?1 AND state = 'open' RETURNING last_sequence`;

const WAITING: Busy = {
  outcome: 'busy',
  sentence: 'The image is being withdrawn, or those of its source are being moved to another database.',
};

/** Seconds after which a moved shard may take images again: a move is completed within minutes. */
const MOVE_RETRY_SECONDS = 30;
const REMOVAL_RETRY_SECONDS = 5;

export class D1ImageRegister extends Service<{ readonly databases: Databases; readonly ids: IdSequences }> {
  readonly #withdrawals = new D1Withdrawals(this.ports.databases);

  async lookUp(fileNames: readonly string[]): Promise<KnownNames> {
    const [recorded, found] = await Promise.all([this.#withdrawals.ofNames(fileNames), this.#find(fileNames)]);
    return {
      images: new Map(found.flatMap((each) => each.images.map((image) => [image.fileName, image] as const))),
      withdrawnKeys: new Set([...recorded, ...found.flatMap((each) => each.withdrawn)].map(({ key }) => key)),
    };
  }

  /** The names that the archive has, or an operator has withdrawn: a mirror brings back what a reconciliation has withdrawn for its file. */
  async known(fileNames: readonly string[]): Promise<ReadonlySet<string>> {
    const [recorded, found] = await Promise.all([this.#withdrawals.ofNames(fileNames), this.#find(fileNames)]);
    return new Set([...recorded, ...found.flatMap(({ images }) => images)].map(({ fileName }) => fileName));
  }

  /** Images and withdrawn images of the names, by the databases that have some. */
  async #find(fileNames: readonly string[]) {
    const byDatabase = Map.groupBy(fileNames, (name) => this.ports.databases.ofShard(shardOfFileName(name)));
    const found = await Promise.all([...byDatabase].map(([database, names]) => this.#lookUpIn(database, names)));
    const foreign = Map.groupBy(
      found.flatMap((each) => each.foreign),
      ({ sourceId }) => this.ports.databases.ofShard(shardOfSource(sourceId)),
    );
    const namesOf = (rows: readonly { readonly fileName: string }[]) => rows.map(({ fileName }) => fileName);
    const elsewhere = [...foreign].map(([database, rows]) => this.#lookUpIn(database, namesOf(rows)));
    return [...found, ...(await Promise.all(elsewhere))];
  }

  async #lookUpIn(database: D1Database, names: readonly string[]) {
    const db = drizzle(database);
    const [rows, withdrawn, foreign] = await db.batch([
      imagesNamed(db, names),
      db.select().from(withdrawnImages).where(isNamed(withdrawnImages, names)),
      db
        .select()
        .from(foreignNames)
        .where(sql`${foreignNames.fileName} IN (SELECT value FROM ${jsonEach(names)})`),
    ]);
    // The database may have rows of a shard that has been moved to another one.
    const isHeld = ({ sourceId }: { readonly sourceId: number }) =>
      this.ports.databases.ofShard(shardOfSource(sourceId)) === database;
    return {
      images: rows.filter(isHeld).map(imageFromRow),
      withdrawn: withdrawn.filter(isHeld).map((row): WithdrawnImage => withdrawnFromRow({ ...row, replacedBy: null })),
      foreign: foreign.filter(({ sourceId }) => !isHeld({ sourceId })),
    };
  }

  /** An id that no other image has or will have. The image gets a later one when one of its shard with a later id is added before it. */
  async reserve({ sourceId }: Pick<NewImage, 'sourceId'>): Promise<number> {
    return imageId(await this.#issue(shardOfSource(sourceId), 1), sourceId);
  }

  /** Has the statement of an upload refused that began before and comes later: one that is still under way repeats it with another number. */
  async overtake({ sourceId }: Pick<NewImage, 'sourceId'>): Promise<void> {
    const shard = shardOfSource(sourceId);
    const lastSequence = sql`max(${heldShards.lastSequence}, ${await this.#issue(shard, 1)})`;
    await drizzle(this.ports.databases.ofShard(shard)).update(heldShards).set({ lastSequence }).where(isOpen(shard));
  }

  /** The first of `count` numbers of a shard, all above a number that the archive states. */
  async #issue(shard: number, count: number, stated = 0): Promise<number> {
    const first = await this.#next(shard, count);
    if (first > stated) return first;
    await this.ports.ids.raise(sequenceName(shard), stated);
    return this.#next(shard, count);
  }

  #next(shard: number, count: number): Promise<number> {
    return this.ports.ids.next(sequenceName(shard), count, async () => {
      const held = drizzle(this.ports.databases.ofShard(shard)).select({ last: heldShards.lastSequence }).from(heldShards);
      return (await held.where(eq(heldShards.shard, shard)))[0]?.last ?? 0;
    });
  }

  /**
   * Adds an image; the same content twice is one row.
   * @param replaced Withdrawn in the same transaction, or kept when another image of the source has the time of the new one
   * @param reservedId Of `reserve`
   * @throws Failure `busy` while the shard is being moved, and where an image with its key was withdrawn meanwhile
   */
  async add(image: AddedImage, replaced: Withdrawal | null = null, reservedId?: number): Promise<Registration> {
    const shard = shardOfSource(image.sourceId);
    const isReady = await this.#listForeignNames([image]);
    if (!isReady(image)) throw beingMoved(shardOfFileName(image.fileName));
    const results = new Map<NewImage, Registration>();
    await this.#addTo(this.ports.databases.ofShard(shard), [image], results, { replaced, reservedId });
    const result = results.get(image);
    if (result) return result;
    const { withdrawnKeys } = await this.lookUp([image.fileName]);
    throw withdrawnKeys.has(image.key) ? beingRemoved(image) : beingMoved(shard);
  }

  /** Adds images as `add` does, with results in their order; one that fails does not affect the others. */
  async addAll(added: readonly AddedImage[]): Promise<(Registration | Busy | Failed)[]> {
    const results = new Map<NewImage, Registration | Failed>();
    const byDatabase = Map.groupBy(added, ({ sourceId }) => this.ports.databases.ofShard(shardOfSource(sourceId)));
    const listed = await this.#listForeignNames(added);
    await Promise.all(
      [...byDatabase].map(async ([database, rows]) => {
        const ready = rows.filter((image) => listed(image));
        for (let i = 0; i < ready.length; i += BATCH_ROWS)
          await this.#addApart(database, ready.slice(i, i + BATCH_ROWS), results);
      }),
    );
    return added.map((image) => results.get(image) ?? WAITING);
  }

  /** Withdraws an image; no effect on one that is withdrawn already. @throws Failure `busy` while the shard is being moved */
  async withdraw(withdrawal: Withdrawal): Promise<void> {
    const shard = shardOfImage(withdrawal.id);
    const db = drizzle(this.ports.databases.ofShard(shard));
    const [, , open] = await db.batch([
      ...moveToWithdrawn(db, withdrawal, holdsOpen(shard)),
      db.select({ shard: heldShards.shard }).from(heldShards).where(isOpen(shard)),
    ]);
    if (open.length === 0) throw beingMoved(shard);
  }

  /** Adds at most BATCH_ROWS images in one transaction; a refused batch is halved until the row at fault is alone. */
  async #addApart(database: D1Database, added: readonly AddedImage[], results: Map<NewImage, Registration | Failed>) {
    try {
      await this.#addTo(database, added, results);
    } catch (error) {
      if (added.length === 1 || isTransient(error)) {
        for (const image of added) results.set(image, { outcome: 'failed', error });
        return;
      }
      const half = Math.ceil(added.length / 2);
      for (const part of [added.slice(0, half), added.slice(half)]) await this.#addApart(database, part, results);
    }
  }

  /** Adds at most BATCH_ROWS images to a database in one transaction, in which the first one may replace another image. */
  async #addTo(
    database: D1Database,
    added: readonly AddedImage[],
    results: Map<NewImage, Registration | Failed>,
    {
      replaced = null,
      reservedId,
      above = 0,
    }: { replaced?: Withdrawal | null; reservedId?: number | undefined; above?: number } = {},
  ): Promise<void> {
    const db = drizzle(database);
    const shards = await Promise.all(
      [...Map.groupBy(added, ({ sourceId }) => shardOfSource(sourceId))].map(async ([shard, rows]) => {
        const stated = Math.max(above, ...rows.map(({ statedId = 0 }) => sequenceOf(statedId)));
        const isReserved = reservedId !== undefined && above === 0;
        const issued = isReserved ? sequenceOf(reservedId) : await this.#issue(shard, rows.length, stated);
        return { shard, rows, issued };
      }),
    );
    const inserts = shards.flatMap(({ shard, rows, issued }) =>
      rows.map((image, i) => ({
        image,
        statement: database
          .prepare(reservedId === undefined ? INSERT : INSERT_UPLOADED)
          .bind(issued, i, shard, ...insertedValues(image)),
      })),
    );
    const sequences = shards.map(({ shard, rows }) =>
      database.prepare(KEEP_SEQUENCE).bind(shard, JSON.stringify(rows.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]))),
    );
    const bound = (query: { toSQL(): Query }) => {
      const { sql: text, params } = query.toSQL();
      return database.prepare(text).bind(...params);
    };
    const present = presentRows(db, added);
    const moves = replaced ? moveToWithdrawn(db, replaced, isFreeFor(added[0]!, replaced, shards[0]!.issued)) : [];
    const all = await database.batch([
      ...moves.map(bound),
      ...inserts.map(({ statement }) => statement),
      ...sequences,
      bound(present),
    ]);
    const outcomes = all.slice(moves.length);
    const rows = present.prepare().mapResult(outcomes.at(-1), true) as (typeof images.$inferSelect)[];
    const found = rows.map(imageFromRow);
    inserts.forEach(({ image }, i) => {
      const isAdded = (outcomes[i] as D1Result).results.length === 1;
      const result = registrationOf(image, isAdded, found);
      if (result) results.set(image, result);
    });
    for (const [i, { shard, rows: ofShard, issued }] of shards.entries()) {
      const sequencesInUse = found.filter(({ sourceId }) => shardOfSource(sourceId) === shard).map(({ id }) => sequenceOf(id));
      const last = Math.max(0, ...sequencesInUse);
      if (last >= issued + ofShard.length) await this.ports.ids.raise(sequenceName(shard), last);
      const [kept] = (outcomes[inserts.length + i] as D1Result<{ last_sequence: number }>).results;
      if (!kept || kept.last_sequence < issued) continue;
      // A replaced image is still in the way.
      if (replaced && results.get(added[0]!)?.outcome === 'conflict') results.delete(added[0]!);
      const overtaken = ofShard.filter((image) => !results.has(image));
      if (overtaken.length > 0)
        await this.#addTo(database, overtaken, results, { replaced, reservedId, above: kept.last_sequence });
    }
  }

  /** Lists names that belong to another shard than their image, first. @returns whether an image needed no listing, or is listed */
  async #listForeignNames(added: readonly NewImage[]): Promise<(image: NewImage) => boolean> {
    const foreign = added.filter(({ fileName, sourceId }) => shardOfFileName(fileName) !== shardOfSource(sourceId));
    const listed = new Set<NewImage>();
    await Promise.all(
      [...Map.groupBy(foreign, ({ fileName }) => shardOfFileName(fileName))].map(async ([shard, named]) => {
        const db = drizzle(this.ports.databases.ofShard(shard));
        const places = jsonEach(named.map(({ fileName, sourceId }) => [fileName, sourceId]));
        const values = sql`SELECT value ->> 0, value ->> 1 FROM ${places} WHERE ${holdsOpen(shard)}`;
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
function insertedValues(image: AddedImage): unknown[] {
  const row = rowFromImage(image);
  const regular = parseRegularFileName(image.fileName);
  const columns = Object.entries(COLUMNS).map(([name, column]) => {
    const value = row[name as keyof typeof row];
    return value === null ? null : column.mapToDriverValue(value);
  });
  const { statedId = null, checkedAtMs } = image;
  const sinceMs = checkedAtMs === undefined ? null : checkedAtMs - SKEW_MS;
  return [image.fileName, regular?.sourceId ?? null, regular?.takenAtMs ?? null, statedId, sinceMs, ...columns];
}

/** Rows that have the source and time, or the name, of one of the images. */
function presentRows(db: DrizzleD1Database, added: readonly NewImage[]) {
  const places = jsonEach(added.map(({ sourceId, takenAtMs }) => [sourceId, takenAtMs]));
  const isSame: SQL = sql`(${images.sourceId}, ${images.takenAtMs}) IN (SELECT value ->> 0, value ->> 1 FROM ${places})`;
  const names = added.map(({ fileName }) => fileName);
  return db
    .select(getTableColumns(images))
    .from(images)
    .where(or(isSame, isNamed(images, names)));
}

/** Null when no row is in the way of the image. */
function registrationOf(image: NewImage, isAdded: boolean, found: readonly ArchivedImage[]): Registration | null {
  const sameName = found.find(({ fileName }) => fileName === image.fileName);
  if (isAdded && sameName) return { outcome: 'added', image: sameName };
  if (sameName?.sha256 === image.sha256) return { outcome: 'known', image: sameName };
  const sameInstant = found.find(
    ({ sourceId, takenAtMs, fileName }) =>
      sourceId === image.sourceId && takenAtMs === image.takenAtMs && fileName !== image.fileName,
  );
  if (sameInstant) return { outcome: 'conflict', sentence: sameInstantOtherName(image, sameInstant), image: sameInstant };
  if (sameName) return { outcome: 'conflict', sentence: `${image.fileName} is archived with other content.`, image: sameName };
  return null;
}

const isOpen = (shard: number): SQL => sql`${heldShards.shard} = ${shard} AND ${heldShards.state} = 'open'`;

/** Whether the database of a statement holds the shard and takes rows of it. */
const holdsOpen = (shard: number): SQL => sql`EXISTS (SELECT 1 FROM ${heldShards} WHERE ${isOpen(shard)})`;

const beingRemoved = ({ fileName }: NewImage): Failure =>
  new Failure('busy', `${fileName} is being withdrawn. Try again in a few seconds.`, {
    retryAfterSeconds: REMOVAL_RETRY_SECONDS,
  });

const beingMoved = (shard: number) =>
  new Failure('busy', `Shard ${shard} of the image index is being moved. Try again later.`, {
    retryAfterSeconds: MOVE_RETRY_SECONDS,
  });

/** Statements that move an image to the withdrawn ones under a condition, with its lost ids that no other image has. */
function moveToWithdrawn(db: DrizzleD1Database, { id, lostIds = [], atMs }: Withdrawal, condition: SQL) {
  const { sourceId, takenAtMs, fileName, folder, sha256 } = images;
  const withdrawnAtMs = sql<number>`${atMs}`.as('withdrawn_at_ms');
  const isOther = sql`EXISTS (SELECT 1 FROM images AS other WHERE other.id = known.value AND other.id <> ${id})`;
  const moved = db
    .select({ id: sql<number>`known.value`.as('id'), sourceId, takenAtMs, fileName, folder, withdrawnAtMs, sha256 })
    .from(sql`${jsonEach([id, ...lostIds])} AS known`)
    .crossJoin(images)
    .where(and(eq(images.id, id), condition, sql`NOT ${isOther}`));
  return [
    db.insert(withdrawnImages).select(moved).onConflictDoNothing(),
    db.delete(images).where(and(eq(images.id, id), sql`EXISTS (SELECT 1 FROM withdrawn_images WHERE id = ${id})`)),
  ] as const;
}

/** Whether the shard takes a row of that number, and no image but the replaced one has the source and the time of the new one. */
const isFreeFor = ({ sourceId, takenAtMs }: NewImage, { id }: Withdrawal, issued: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM images WHERE source_id = ${sourceId} AND taken_at_ms = ${takenAtMs} AND id <> ${id})
    AND EXISTS (SELECT 1 FROM ${heldShards} WHERE ${isOpen(shardOfSource(sourceId))} AND ${heldShards.lastSequence} < ${issued})`;

const sameInstantOtherName = (image: NewImage, present: ArchivedImage) =>
  `Source ${image.sourceId} has an image at ${formatIso(image.takenAtMs)} already (${present.fileName}), so ${image.fileName} is refused.`;
