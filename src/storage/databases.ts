// D1 databases: the main one, and those of the image index, so that nothing that users write shares a database with the images.
import { STORAGE_VARIABLES } from '../config/settings/service.ts';
import { readVariables } from '../config/variable.ts';
import { SHARD_COUNT } from '../domain/shards.ts';

export interface Databases {
  /** Movies, screenshots, links, sharing, uploads in progress. */
  readonly main: D1Database;
  /** The image databases without repetition. */
  readonly images: readonly D1Database[];
  /** The image database of a shard. */
  ofShard(shard: number): D1Database;
}

/**
 * Databases that SHARD_DATABASES names.
 * @throws Error when a name is not bound, because a default would hide images
 */
export function databasesFrom(env: object): Databases {
  const { shardDatabases: names } = readVariables(STORAGE_VARIABLES, env);
  const byShard = Array.from({ length: SHARD_COUNT }, (_, shard) => database(env, names[shard % names.length]!));
  return { main: database(env, 'DB'), images: [...new Set(byShard)], ofShard: (shard) => byShard[shard]! };
}

function database(env: object, name: string): D1Database {
  const bound: D1Database | undefined = Reflect.get(env, name);
  if (!bound) throw new Error(`Expected a D1 database bound as ${name}, got none.`);
  return bound;
}
