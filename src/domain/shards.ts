// Images are distributed over 16 logical shards by source. An image id contains its shard: id = sequence * 16 + shard.
import { sourceOfFileName } from './catalogue/archive-name.ts';

export const SHARD_COUNT = 16;

/** All shards, in order. */
export const SHARDS: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** Shard of a source's images, 0..15. */
export function shardOfSource(sourceId: number): number {
  return sourceId % SHARD_COUNT;
}

/** Shard of an image, 0..15. */
export function shardOfImage(id: number): number {
  return id % SHARD_COUNT;
}

/** Shard that is asked for a file name, 0..15: that of the source in the name, or one that follows from its characters. */
export function shardOfFileName(fileName: string): number {
  const source = sourceOfFileName(fileName);
  if (source) return shardOfSource(source.id);
  let hash = 0;
  for (const character of fileName) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hash % SHARD_COUNT;
}

/** Sequence number of an image within its shard. */
export function sequenceOf(id: number): number {
  return Math.floor(id / SHARD_COUNT);
}

/** Public id of an image from its sequence number within the shard of its source. */
export function imageId(sequence: number, sourceId: number): number {
  return sequence * SHARD_COUNT + shardOfSource(sourceId);
}
