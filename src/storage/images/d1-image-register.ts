// Adds rows to the image index and withdraws them. Ids come from a sequence outside the database; the database has its own high-water mark beside
// it, so that the loss of either is harmless.
import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { ArchivedImage } from '../../domain/image.ts';
import { imageId, SHARD_COUNT, sequenceOf, shardOfImage, shardOfSource } from '../../domain/shards.ts';
import { formatIso } from '../../domain/time.ts';
import type { IdSequences, ImageRegister, Registration, Withdrawal } from '../../ports/images.ts';
import type { Databases } from '../databases.ts';
import { imageFromRow, rowFromImage } from './image-row.ts';
import { images, sequences, withdrawnImages } from './schema.ts';

type NewImage = Omit<ArchivedImage, 'id'>;

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
    const issued = await this.#ids.next(sequenceName);
    const sequence = sql`max(${issued}, (SELECT coalesce(max(last), 0) + 1 FROM sequences WHERE shard = ${shard}))`;
    const addition = [
      db
        .insert(images)
        .values({ ...rowFromImage(image), id: sql`${sequence} * ${SHARD_COUNT} + ${imageId(0, image.sourceId)}` })
        .onConflictDoNothing(),
      db
        .insert(sequences)
        .select(
          db
            .select({
              shard: sql<number>`${shard}`.as('shard'),
              last: sql<number>`CAST(${images.id} / ${SHARD_COUNT} AS INTEGER)`.as('last'),
            })
            .from(images)
            .where(eq(images.fileName, image.fileName)),
        )
        .onConflictDoUpdate({ target: sequences.shard, set: { last: sql`max(${sequences.last}, excluded.last)` } }),
      db
        .select()
        .from(images)
        .where(
          or(
            eq(images.fileName, image.fileName),
            and(eq(images.sourceId, image.sourceId), eq(images.takenAtMs, image.takenAtMs)),
          ),
        ),
    ] as const;
    const run = async () => {
      if (!replaced) return db.batch(addition);
      const [, , ...results] = await db.batch([...moveToWithdrawn(db, replaced, isFreeFor(image, replaced)), ...addition]);
      return results;
    };
    const [inserted, , rows] = await run();
    const present = rows.map(imageFromRow);
    const sameName = present.find((other) => other.fileName === image.fileName);
    if (sameName && sequenceOf(sameName.id) > issued) await this.#ids.raise(sequenceName, sequenceOf(sameName.id));
    if (sameName && inserted.meta.changes === 1) return { outcome: 'added', image: sameName };
    if (sameName?.sha256 === image.sha256) return { outcome: 'known', image: sameName };
    const sameInstant = present.find((other) => other.fileName !== image.fileName);
    if (sameInstant) return { outcome: 'conflict', reason: sameInstantOtherName(image, sameInstant), image: sameInstant };
    return { outcome: 'conflict', reason: `${image.fileName} is archived with other content.`, image: sameName! };
  }

  async withdraw(withdrawal: Withdrawal): Promise<void> {
    const db = drizzle(this.#databases.ofShard(shardOfImage(withdrawal.id)));
    await db.batch(moveToWithdrawn(db, withdrawal, sql`1`));
  }
}

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

const sameInstantOtherName = (image: NewImage, present: ArchivedImage) =>
  `Source ${image.sourceId} has an image at ${formatIso(image.takenAtMs)} already (${present.fileName}), so ${image.fileName} is refused.`;
