// Adds rows to the image index. Ids come from a sequence outside the database; the database has its own high-water mark beside
// it, so that the loss of either is harmless.
import { and, eq, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { ArchivedImage } from '../../domain/image.ts';
import { imageId, SHARD_COUNT, sequenceOf, shardOfSource } from '../../domain/shards.ts';
import { formatIso } from '../../domain/time.ts';
import type { IdSequences, ImageRegister, Registration } from '../../ports/images.ts';
import type { Databases } from '../databases.ts';
import { imageFromRow, rowFromImage } from './image-row.ts';
import { images, sequences } from './schema.ts';

type NewImage = Omit<ArchivedImage, 'id'>;

export class D1ImageRegister implements ImageRegister {
  readonly #databases: Databases;
  readonly #ids: IdSequences;

  constructor(databases: Databases, ids: IdSequences) {
    this.#databases = databases;
    this.#ids = ids;
  }

  async add(image: NewImage): Promise<Registration> {
    const shard = shardOfSource(image.sourceId);
    const db = drizzle(this.#databases.ofShard(shard));
    const sequenceName = `images-${shard}`;
    const issued = await this.#ids.next(sequenceName);
    const sequence = sql`max(${issued}, (SELECT coalesce(max(last), 0) + 1 FROM sequences WHERE shard = ${shard}))`;
    const [inserted, , rows] = await db.batch([
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
    ]);
    const present = rows.map(imageFromRow);
    const sameName = present.find((other) => other.fileName === image.fileName);
    if (sameName && sequenceOf(sameName.id) > issued) await this.#ids.raise(sequenceName, sequenceOf(sameName.id));
    if (sameName && inserted.meta.changes === 1) return { outcome: 'added', image: sameName };
    if (sameName?.sha256 === image.sha256) return { outcome: 'known', image: sameName };
    if (sameName) return { outcome: 'conflict', reason: sameNameOtherContent(image), image: sameName };
    return { outcome: 'conflict', reason: sameInstantOtherName(image, present[0]!), image: present[0]! };
  }
}

const sameNameOtherContent = (image: NewImage) =>
  `${image.fileName} is archived with other content, and an archived image cannot be replaced.`;

const sameInstantOtherName = (image: NewImage, present: ArchivedImage) =>
  `Source ${image.sourceId} has an image at ${formatIso(image.takenAtMs)} already (${present.fileName}), so ${image.fileName} is refused.`;
