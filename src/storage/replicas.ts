// Reads from the nearest replica of D1, where a row that is some seconds old is a right answer.
import type { Databases } from './databases.ts';

/** The databases for reads only. A row that was just written may be absent, and one that was just deleted may be there. */
export function replicasOf({ main, images, ofShard }: Databases): Databases {
  const known = new Map([main, ...images].map((database) => [database, replicaOf(database)]));
  const replica = (database: D1Database) => known.get(database) ?? replicaOf(database);
  return { main: replica(main), images: images.map(replica), ofShard: (shard) => replica(ofShard(shard)) };
}

/** Each statement begins a session of its own, which no earlier statement binds to a replica. */
function replicaOf(database: D1Database): D1Database {
  const session = () => database.withSession('first-unconstrained');
  const reads: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (query) => session().prepare(query),
    batch: (statements) => session().batch(statements),
  };
  return reads as D1Database;
}
