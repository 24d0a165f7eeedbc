// Adds rows to the image index and withdraws them. Ids come from a sequence outside the database; the database has its own high-water
// mark beside it, so that the loss of either is harmless. A shard that is being moved takes no rows.
import { and, eq, getTableColumns, notExists, or, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { Failure } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { imageId, SHARD_COUNT, sequenceOf, shardOfFileName, shardOfImage, shardOfSource } from '../../domain/shards.ts';
import { formatIso } from '../../domain/time.ts';
import type { IdSequences, ImageRegister, Registration, Withdrawal } from '../../ports/images.ts';
import type { Databases } from '../databases.ts';
import { imageFromRow, rowFromImage } from './image-row.ts';
import { foreignNames, heldShards, images, withdrawnImages } from './image-tables.ts';
import { isNamed } from './named-images.ts';

type NewImage = Omit<ArchivedImage, 'id'>;

/** Seconds after which a moved shard may take images again: a move is completed within minutes. */
const MOVE_RETRY_SECONDS = 30;

export class D1ImageRegister implements ImageRegister {
  readonly #databases: Databases;
  readonly #ids: IdSequences;

  constructor(databases: Databases, ids: IdSequences) {
    this.#databases = databases;
    this.#ids = ids;
  }

  async add(image: NewImage, replaced: Withdrawal | null = null): Promise<Registration> {
    const shard = shardOfSource(image.sourceId);
    const db = drizzle(this.#databases.ofShard(shard));
    const sequenceName = `images-${shard}`;
    await this.#listForeignName(image);
    const issued = await this.#ids.next(sequenceName);
    const isFree = notExists(
      db
        .select({ id: images.id })
        .from(images)
        .where(isNamed(images, [image.fileName])),
    );
    const isSame = and(eq(images.sourceId, image.sourceId), eq(images.takenAtMs, image.takenAtMs));
    const sequence = sql`max(${issued}, ${heldShards.lastSequence} + 1)`;
    const addition = [
      db
        .insert(images)
        .select(
          sql`SELECT ${rowValues(image, sql`${sequence} * ${SHARD_COUNT} + ${imageId(0, image.sourceId)}`)} FROM ${heldShards}
            WHERE ${and(isOpen(shard), isFree)}`,
        )
        .onConflictDoNothing()
        // Not the number of changes, because the triggers of the table make others.
        .returning({ id: images.id }),
      db
        .update(heldShards)
        .set({
          lastSequence: sql`max(${heldShards.lastSequence},
            coalesce((SELECT CAST(id / ${SHARD_COUNT} AS INTEGER) FROM ${images} WHERE ${isSame}), 0))`,
        })
        .where(isOpen(shard)),
      db
        .select()
        .from(images)
        .where(or(isSame, isNamed(images, [image.fileName]))),
    ] as const;
    const run = async () => {
      if (!replaced) return db.batch(addition);
      const condition = sql`${isFreeFor(image, replaced)} AND ${holdsOpen(shard)}`;
      const [, , ...results] = await db.batch([...moveToWithdrawn(db, replaced, condition), ...addition]);
      return results;
    };
    const [inserted, , rows] = await run();
    const present = rows.map(imageFromRow);
    const sameName = present.find((other) => other.fileName === image.fileName);
    if (sameName && sequenceOf(sameName.id) > issued) await this.#ids.raise(sequenceName, sequenceOf(sameName.id));
    if (sameName && inserted.length === 1) return { outcome: 'added', image: sameName };
    if (sameName?.sha256 === image.sha256) return { outcome: 'known', image: sameName };
    const sameInstant = present.find((other) => other.fileName !== image.fileName);
    if (sameInstant) return { outcome: 'conflict', reason: sameInstantOtherName(image, sameInstant), image: sameInstant };
    if (sameName) return { outcome: 'conflict', reason: `${image.fileName} is archived with other content.`, image: sameName };
    throw beingMoved(shard);
  }

  async withdraw(withdrawal: Withdrawal): Promise<void> {
    const shard = shardOfImage(withdrawal.id);
    const db = drizzle(this.#databases.ofShard(shard));
    const [, , open] = await db.batch([
      ...moveToWithdrawn(db, withdrawal, holdsOpen(shard)),
      db.select({ shard: heldShards.shard }).from(heldShards).where(isOpen(shard)),
    ]);
    if (open.length === 0) throw beingMoved(shard);
  }

  /** Lists a name that belongs to another shard than its image, before the image is found. */
  async #listForeignName({ fileName, sourceId }: NewImage): Promise<void> {
    const shard = shardOfFileName(fileName);
    if (shard === shardOfSource(sourceId)) return;
    const db = drizzle(this.#databases.ofShard(shard));
    const values = sql`SELECT ${fileName}, ${sourceId} WHERE ${holdsOpen(shard)}`;
    const [, open] = await db.batch([
      db.insert(foreignNames).select(values).onConflictDoNothing(),
      db.select({ shard: heldShards.shard }).from(heldShards).where(isOpen(shard)),
    ]);
    if (open.length === 0) throw beingMoved(shard);
  }
}

/** Values of a row in the order of the columns. */
function rowValues(image: NewImage, id: SQL): SQL {
  const row = rowFromImage(image);
  const { id: _id, ...columns } = getTableColumns(images);
  const values = Object.entries(columns).map(([name, column]) => {
    const value = row[name as keyof typeof row];
    return value === null ? sql`NULL` : sql`${sql.param(value, column)}`;
  });
  return sql.join([id, ...values], sql`, `);
}

const isOpen = (shard: number): SQL => sql`${heldShards.shard} = ${shard} AND ${heldShards.state} = 'open'`;

/** Whether the database of a statement holds the shard and takes rows of it. */
export const holdsOpen = (shard: number): SQL => sql`EXISTS (SELECT 1 FROM ${heldShards} WHERE ${isOpen(shard)})`;

const beingMoved = (shard: number) =>
  new Failure('archive-busy', `Shard ${shard} of the image index is being moved. Try again later.`, {
    retryAfterSeconds: MOVE_RETRY_SECONDS,
  });

/** Statements that move an image to the withdrawn ones under a condition. */
function moveToWithdrawn(db: DrizzleD1Database, { id, atMs }: Withdrawal, condition: SQL) {
  const { sourceId, takenAtMs, fileName, folder } = images;
  const moved = db
    .select({ id: images.id, sourceId, takenAtMs, fileName, folder, withdrawnAtMs: sql<number>`${atMs}`.as('withdrawn_at_ms') })
    .from(images)
    .where(and(eq(images.id, id), condition));
  return [
    db.insert(withdrawnImages).select(moved).onConflictDoNothing(),
    db.delete(images).where(and(eq(images.id, id), sql`EXISTS (SELECT 1 FROM withdrawn_images WHERE id = ${id})`)),
  ] as const;
}

/** Whether no image but the replaced one has the source and the time of the new one. */
const isFreeFor = ({ sourceId, takenAtMs }: NewImage, { id }: Withdrawal): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM images WHERE source_id = ${sourceId} AND taken_at_ms = ${takenAtMs} AND id <> ${id})`;

export const sameInstantOtherName = (image: NewImage, present: ArchivedImage) =>
  `Source ${image.sourceId} has an image at ${formatIso(image.takenAtMs)} already (${present.fileName}), so ${image.fileName} is refused.`;
