// Adds rows to the image index. A batch is one D1 transaction, so that ids have no gaps and are unique.
import { and, eq, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { ArchivedImage } from '../../domain/image.ts';
import { imageId, SHARD_COUNT, shardOfSource } from '../../domain/shards.ts';
import { formatIso } from '../../domain/time.ts';
import type { ImageRegister, Registration } from '../../ports/images.ts';
import type { Databases } from '../databases.ts';
import { imageFromRow, rowFromImage } from './image-row.ts';
import { images, sequences } from './schema.ts';

type NewImage = Omit<ArchivedImage, 'id'>;

export class D1ImageRegister implements ImageRegister {
  readonly #databases: Databases;

  constructor(databases: Databases) {
    this.#databases = databases;
  }

  async add(image: NewImage): Promise<Registration> {
    const shard = shardOfSource(image.sourceId);
    const db = drizzle(this.#databases.ofShard(shard));
    const nextSequence = sql`(SELECT coalesce(max(last), 0) + 1 FROM sequences WHERE shard = ${shard})`;
    const [inserted, , rows] = await db.batch([
      db
        .insert(images)
        .values({ ...rowFromImage(image), id: sql`${nextSequence} * ${SHARD_COUNT} + ${imageId(0, image.sourceId)}` })
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
