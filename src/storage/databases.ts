// D1 databases: the main one, and those of the image index, so that nothing that users write shares a database with the images.
import { STORAGE_VARIABLES } from '../config/settings/service.ts';
import { readVariables } from '../config/variable.ts';
import { SHARDS } from '../domain/shards.ts';
import type { Clock } from '../ports/timing.ts';
import { checkedDatabase } from './checked-database.ts';

export interface Databases {
  /** Movies, screenshots, links, sharing, uploads in progress. */
  readonly main: D1Database;
  /** The image databases that serve shards, without repetition. */
  readonly images: readonly D1Database[];
  /** The image database that serves a shard. Its statements fail when the database does not have the shard. */
  ofShard(shard: number): D1Database;
}

/** The image databases by the names of their bindings, with those that serve no shard. */
export interface ImageDatabases {
  readonly bound: ReadonlyMap<string, D1Database>;
  /** Binding of the database that serves each shard. */
  readonly serving: readonly string[];
}

/** Bindings of image databases: IMAGES locally, IMAGES_00 and so on in a deployment. */
const IMAGE_BINDING = /^IMAGES(_\w+)?$/;

/** @throws Error when a name in SHARD_DATABASES is not bound, because a default would hide images */
export function imageDatabasesFrom(env: object): ImageDatabases {
  const { shardDatabases: names } = readVariables(STORAGE_VARIABLES, env);
  const serving = SHARDS.map((shard) => names[shard % names.length]!);
  const all = new Set([...Object.keys(env).filter((name) => IMAGE_BINDING.test(name)), ...serving]);
  return { bound: new Map([...all].sort().map((name) => [name, database(env, name)])), serving };
}

/**
 * Databases of the Worker. Those of the images are checked against SHARD_DATABASES when they are first used, and then regularly.
 * @throws Error when a name in SHARD_DATABASES is not bound
 */
export function databasesFrom(env: object, clock: Clock = Date.now): Databases {
  const { bound, serving } = imageDatabasesFrom(env);
  const checked = new Map(
    [...Map.groupBy(SHARDS, (shard) => serving[shard]!)].map(([name, shards]) => [
      name,
      checkedDatabase(bound.get(name)!, { name, shards, clock }),
    ]),
  );
  return { main: database(env, 'DB'), images: [...checked.values()], ofShard: (shard) => checked.get(serving[shard]!)! };
}

function database(env: object, name: string): D1Database {
  const bound: D1Database | undefined = Reflect.get(env, name);
  if (!bound) throw new Error(`Expected a D1 database bound as ${name}, got none.`);
  return bound;
}
