// Which D1 database holds which shard. One database holds all of them until it nears the 10 GB that D1 allows.
import { SHARD_COUNT } from '../domain/shards.ts';

export interface Databases {
  /** Holds everything that is not an image row. */
  readonly main: D1Database;
  /** The databases of the shards, each once. */
  readonly all: readonly D1Database[];
  ofShard(shard: number): D1Database;
}

/**
 * `shardBindings`: 16 binding names separated by commas, the n-th for shard n, or one name for all.
 * Throws when a name is not bound, since a silent default would hide images.
 */
export function databasesFrom(bindings: Readonly<Record<string, unknown>>, shardBindings: string): Databases {
  const names = shardBindings.split(',').map((name) => name.trim());
  if (names.length !== 1 && names.length !== SHARD_COUNT) {
    throw new Error(`Expected 1 or ${SHARD_COUNT} binding names for SHARD_DATABASES, got ${names.length}.`);
  }
  const byShard = Array.from({ length: SHARD_COUNT }, (_, shard) => database(bindings, names[shard % names.length]!));
  return { main: database(bindings, 'DB'), all: [...new Set(byShard)], ofShard: (shard) => byShard[shard]! };
}

function database(bindings: Readonly<Record<string, unknown>>, name: string): D1Database {
  const bound = bindings[name];
  if (!bound) throw new Error(`Expected a D1 database bound as ${name}, got none.`);
  return bound as D1Database;
}
