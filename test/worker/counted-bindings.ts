// Bindings of the Worker that count what a request costs.

export interface Cost {
  /** Statements that D1 ran. */
  queries: number;
  /** Statements among these in a session that any replica may answer. */
  onReplicas: number;
  /** Reads of R2: heads and gets. */
  reads: number;
  /** Writes of R2: puts and multipart uploads. */
  writes: number;
  /** All calls of R2 and D1, of which an invocation has a limited number: a batch is one. */
  calls: number;
}

export const noCost = (): Cost => ({ queries: 0, onReplicas: 0, reads: 0, writes: 0, calls: 0 });

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

function countedReads<T extends D1Database | D1DatabaseSession>(database: T, count: () => void, batched: () => void): T {
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'prepare') return (query: string) => countedStatement(target.prepare(query), count);
      if (name === 'batch') batched();
      return member.bind(target);
    },
  });
}

/** Batches are not counted as queries: they write. */
export function countedDatabase(database: D1Database, cost: Cost): D1Database {
  const call = () => {
    cost.calls += 1;
  };
  const query = () => {
    cost.queries += 1;
    call();
  };
  const onReplica = () => {
    cost.onReplicas += 1;
    query();
  };
  const counted = countedReads(database, query, call);
  return new Proxy(counted, {
    get(target, name) {
      if (name !== 'withSession') return Reflect.get(target, name, target);
      return (constraint: 'first-unconstrained') => {
        const session = database.withSession(constraint);
        return constraint === 'first-unconstrained' ? countedReads(session, onReplica, call) : session;
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
        cost.calls += 1;
        if (READS.includes(name)) cost.reads += 1;
        if (WRITES.includes(name)) cost.writes += 1;
        return member.apply(target, values);
      };
    },
  });
}

/** Calls that leave the Worker, and statements of D1 among them: a batch of statements is one call. */
export interface CallCount {
  calls: number;
  statements: number;
  /** Rows of D1. Results of reads by `first` and `raw` say nothing of them: those that they return are counted. */
  rowsRead: number;
  rowsWritten: number;
  /** Reads of R2, and its writes and lists. */
  reads: number;
  writes: number;
}

export const noCalls = (): CallCount => ({ calls: 0, statements: 0, rowsRead: 0, rowsWritten: 0, reads: 0, writes: 0 });

/** Adds the rows of a result of D1, or of those of a batch. */
async function withRows<Result>(result: Promise<Result>, count: CallCount): Promise<Result> {
  const settled = await result;
  for (const each of [settled].flat() as { meta?: D1Meta }[]) {
    count.rowsRead += each?.meta?.rows_read ?? 0;
    count.rowsWritten += each?.meta?.rows_written ?? 0;
  }
  return settled;
}

/** A binding of D1, R2 or a queue that counts. */
export function countedCalls<Binding extends object>(binding: Binding, count: CallCount): Binding {
  const made: readonly PropertyKey[] = ['prepare', 'bind', 'withSession', 'getBookmark'];
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        if (name === 'batch') {
          count.calls += 1;
          count.statements += (values[0] as object[]).length;
          const statements = (values[0] as object[]).map((statement) => statementOf.get(statement) ?? statement);
          return withRows(member.call(target, statements), count);
        }
        if (!made.includes(name)) count.calls += 1;
        if (RUNS.some((run) => run === name)) count.statements += 1;
        if (READS.includes(name)) count.reads += 1;
        if (name === 'list' || WRITES.includes(name)) count.writes += 1;
        if ((name === 'raw' || name === 'first') && WRITING.test(textOf.get(target) ?? '')) {
          const rows = withRows((target as D1PreparedStatement).all(), count).then(({ results }) => results.map(Object.values));
          return name === 'raw' ? rows : rows.then(([row]) => row ?? null);
        }
        const result: unknown = member.apply(target, values);
        if (name === 'raw' || name === 'first')
          void (result as Promise<unknown>).then(
            (rows) => (count.rowsRead += [rows].flat().length),
            () => undefined,
          );
        if (name === 'run' || name === 'all') return withRows(result as Promise<unknown>, count);
        if (!made.includes(name) || typeof result !== 'object' || result === null) return result;
        const counted = countedCalls(result, count);
        statementOf.set(counted, result);
        textOf.set(result, name === 'prepare' ? String(values[0]) : (textOf.get(target) ?? ''));
        return counted;
      };
    },
  });
}

/** The statements behind counted ones, which D1 takes in a batch. */
const statementOf = new WeakMap<object, object>();
/** Texts of statements, of which those that change rows return what they have changed. */
const textOf = new WeakMap<object, string>();
const WRITING = /^\s*(insert|update|delete)/i;
