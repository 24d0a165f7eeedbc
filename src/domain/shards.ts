// Images are distributed over 16 logical shards by source. An image id contains its shard: id = sequence * 16 + shard.

export const SHARD_COUNT = 16;

/** Shard of a source's images, 0..15. */
export function shardOfSource(sourceId: number): number {
  return sourceId % SHARD_COUNT;
}

/** Shard of an image, 0..15. */
export function shardOfImage(id: number): number {
  return id % SHARD_COUNT;
}

/** Sequence number of an image within its shard. */
export function sequenceOf(id: number): number {
  return Math.floor(id / SHARD_COUNT);
}

/** Public id of an image from its sequence number within the shard of its source. */
export function imageId(sequence: number, sourceId: number): number {
  return sequence * SHARD_COUNT + shardOfSource(sourceId);
}
