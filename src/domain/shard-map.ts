// Which database serves each shard. The databases say so themselves: each has the shards that it holds.
import { SHARDS } from './shards.ts';

/** A shard in a database. Writes are refused unless it is open; once moved, another database serves it. */
export interface HeldShard {
  readonly shard: number;
  /** Rises by 1 with each move. */
  readonly generation: number;
  readonly state: 'open' | 'frozen' | 'moved';
}

/** Shards that each database holds, by the name of the database. */
export type HeldShards = ReadonlyMap<string, readonly HeldShard[]>;

/**
 * The database of each shard, in order: the one with the highest generation, unless the shard has been moved on from there.
 * @throws Error that names the first shard without a database, or with two
 */
export function databasesOfShards(held: HeldShards): readonly string[] {
  return SHARDS.map((shard) => {
    const holders = [...held].flatMap(([database, shards]) =>
      shards.filter((each) => each.shard === shard).map((each) => ({ ...each, database })),
    );
    const generation = Math.max(...holders.map((holder) => holder.generation));
    const latest = holders.filter((holder) => holder.generation === generation);
    const serving = latest.filter(({ state }) => state !== 'moved');
    const names = latest.map(({ database }) => database).join(' and ');
    if (serving.length === 1) return serving[0]!.database;
    if (serving.length > 1) throw new Error(`Expected one database for shard ${shard}, got ${names}.`);
    const moved = latest.length > 0 ? `It has been moved out of ${names} to a database that does not have it.` : '';
    throw new Error(`Expected a database for shard ${shard}, got none. ${moved}`.trim());
  });
}

/** Distribution of the shards of an empty index over databases, by the name of the database. */
export function distributedShards(databases: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(SHARDS, (shard) => databases[shard % databases.length]!);
}
