// Images in the order in which they were added: their numbers rise within a shard.
import { and, asc, gt, inArray, lte } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Databases } from '../../platform/storage/databases.ts';
import { imageId, SHARDS, shardOfSource } from '../../platform/storage/shards.ts';
import { Service } from '../../platform/util/service.ts';
import type { ListedImage } from '../ports.ts';
import { heldShards, images, LISTED_COLUMNS, listedFromRow } from './image-tables.ts';

interface AddedRange {
  readonly sources: readonly number[];
  readonly after: number;
  readonly through: number;
  readonly limit: number;
}

export class D1AddedImages extends Service<Databases> {
  /** The last sequence number of each shard, by shard: one statement a database. */
  async lastSequences(): Promise<ReadonlyMap<number, number>> {
    const byDatabase = Map.groupBy(SHARDS, (shard) => this.ports.ofShard(shard));
    const found = await Promise.all(
      [...byDatabase].map(([database, shards]) =>
        drizzle(database)
          .select({ shard: heldShards.shard, last: heldShards.lastSequence })
          .from(heldShards)
          .where(inArray(heldShards.shard, shards)),
      ),
    );
    return new Map(found.flat().map(({ shard, last }) => [shard, last]));
  }

  /** Added images that are in the archive now, in order. The sources have one shard. */
  async added({ sources, after, through, limit }: AddedRange): Promise<ListedImage[]> {
    const [source] = sources;
    if (source === undefined) return [];
    const rows = await drizzle(this.ports.ofShard(shardOfSource(source)))
      .select(LISTED_COLUMNS)
      .from(images)
      .where(
        and(
          gt(images.id, imageId(after, source)),
          lte(images.id, imageId(through, source)),
          inArray(images.sourceId, [...sources]),
        ),
      )
      .orderBy(asc(images.id))
      .limit(limit);
    return rows.map(listedFromRow);
  }
}
