// Images are distributed over 16 logical shards by source: id = sequence * 16 + shard. Each database says which shards it holds.
// Apart from the tables: commands would load drizzle with them, which takes a second.
import { sourceOfFileName } from '../../sun/catalogue/archive-name.ts';

export const SHARD_COUNT = 16;

export const SHARDS: readonly number[] = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/** Shard of a source's images, 0..15. */
export const shardOfSource = (sourceId: number): number => sourceId % SHARD_COUNT;

export const shardOfImage = (id: number): number => id % SHARD_COUNT;

/** Shard that is asked for a file name, 0..15: that of the source in the name, or one that follows from its characters. */
export function shardOfFileName(fileName: string): number {
  const source = sourceOfFileName(fileName);
  if (source) return shardOfSource(source.id);
  let hash = 0;
  for (const character of fileName) hash = (hash * 31 + character.codePointAt(0)!) % 65_521;
  return hash % SHARD_COUNT;
}

export const sequenceOf = (id: number): number => Math.floor(id / SHARD_COUNT);

/** Public id of an image from its sequence number within the shard of its source. */
export const imageId = (sequence: number, sourceId: number): number => sequence * SHARD_COUNT + shardOfSource(sourceId);

/** A shard in a database. Writes are refused unless it is open; once moved, another database serves it. */
export interface HeldShard {
  readonly shard: number;
  readonly generation: number;
  readonly state: 'open' | 'frozen' | 'moved';
}

/**
 * The database of each shard, in order: the one with the highest generation, unless the shard has been moved on from there.
 * @throws Error that names the first shard without a database, or with two
 */
export const databasesOfShards = (held: ReadonlyMap<string, readonly HeldShard[]>): readonly string[] =>
  SHARDS.map((shard) => {
    const holders = [...held].flatMap(([database, shards]) =>
      shards.filter((each) => each.shard === shard).map((each) => ({ ...each, database })),
    );
    const generation = Math.max(...holders.map((holder) => holder.generation));
    const latest = holders.filter((holder) => holder.generation === generation);
    const serving = latest.filter(({ state }) => state !== 'moved');
    const names = latest.map(({ database }) => database).join(' and ');
    if (serving.length === 1) return serving[0]!.database;
    if (serving.length > 1) throw new Error(`Shard ${shard} is in more than one database: ${names}.`);
    const moved = latest.length > 0 ? `It has been moved out of ${names} to a database that does not have it.` : '';
    throw new Error(`No database has shard ${shard}. ${moved}`.trim());
  });

/** Distribution of the shards of an empty index over databases, by the name of the database. */
export const distributedShards = (databases: readonly string[]): ReadonlyMap<string, readonly number[]> =>
  Map.groupBy(SHARDS, (shard) => databases[shard % databases.length]!);

/** Statement by which an image database takes shards that no database holds. */
export const claimStatement = (shards: readonly number[]) => `INSERT INTO held_shards (shard, generation, state, last_sequence)
    SELECT value, 1, 'open', 0 FROM json_each('${JSON.stringify(shards)}') WHERE true ON CONFLICT DO NOTHING`;
