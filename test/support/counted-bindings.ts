// Bindings of the Worker that count what a request costs.

export interface Cost {
  /** Statements that D1 ran. */
  queries: number;
  /** Of these, in a session that any replica may answer. */
  onReplicas: number;
  /** Reads of R2: heads and gets. */
  reads: number;
  /** Writes of R2: puts and multipart uploads. */
  writes: number;
}

export const noCost = (): Cost => ({ queries: 0, onReplicas: 0, reads: 0, writes: 0 });

const RUNS = ['first', 'all', 'run', 'raw'] as const;

function countedStatement(statement: D1PreparedStatement, count: () => void): D1PreparedStatement {
  return new Proxy(statement, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'bind') return (...values: unknown[]) => countedStatement(target.bind(...values), count);
      if (RUNS.some((run) => run === name)) count();
      return member.bind(target);
    },
  });
}

function countedReads<T extends D1Database | D1DatabaseSession>(database: T, count: () => void): T {
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'prepare') return (query: string) => countedStatement(target.prepare(query), count);
      return member.bind(target);
    },
  });
}

/** Batches are not counted: they write. */
export function countedDatabase(database: D1Database, cost: Cost): D1Database {
  const onReplica = () => {
    cost.queries += 1;
    cost.onReplicas += 1;
  };
  const counted = countedReads(database, () => {
    cost.queries += 1;
  });
  return new Proxy(counted, {
    get(target, name) {
      if (name !== 'withSession') return Reflect.get(target, name, target);
      return (constraint: 'first-unconstrained') => {
        const session = database.withSession(constraint);
        return constraint === 'first-unconstrained' ? countedReads(session, onReplica) : session;
      };
    },
  });
}

const READS: readonly PropertyKey[] = ['head', 'get'];
const WRITES: readonly PropertyKey[] = ['put', 'createMultipartUpload', 'resumeMultipartUpload'];

export function countedBucket(bucket: R2Bucket, cost: Cost): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        if (READS.includes(name)) cost.reads += 1;
        if (WRITES.includes(name)) cost.writes += 1;
        return member.apply(target, values);
      };
    },
  });
}
