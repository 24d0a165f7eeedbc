// Bindings of the Worker that count what a request or a job costs.

/** Calls that leave the Worker, and what they are: a batch of statements is one call. */
export interface CallCount {
  calls: number;
  statements: number;
  /** Statements among these in a session that any replica may answer. */
  onReplicas: number;
  /** Rows of D1. Results of reads by `first` and `raw` say nothing of them: those that they return are counted. */
  rowsRead: number;
  rowsWritten: number;
  /** Reads of R2, and its writes and lists. */
  reads: number;
  writes: number;
}

export const noCalls = (): CallCount => ({
  calls: 0,
  statements: 0,
  onReplicas: 0,
  rowsRead: 0,
  rowsWritten: 0,
  reads: 0,
  writes: 0,
});

/** Members that make an object of the platform without a call. */
const MADE: readonly PropertyKey[] = ['prepare', 'bind', 'withSession', 'getBookmark'];
const RUNS: readonly PropertyKey[] = ['first', 'all', 'run', 'raw'];
const READS: readonly PropertyKey[] = ['head', 'get'];
const WRITES: readonly PropertyKey[] = ['put', 'createMultipartUpload', 'resumeMultipartUpload', 'list'];

/** The statements behind counted ones, which D1 takes in a batch. */
const statementOf = new WeakMap<object, object>();
/** Texts of statements, of which those that change rows return what they have changed. */
const textOf = new WeakMap<object, string>();
const WRITING = /^\s*(insert|update|delete)/i;

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
export function countedCalls<Binding extends object>(binding: Binding, count: CallCount, isOnReplica = false): Binding {
  const run = (statements: number) => {
    count.statements += statements;
    if (isOnReplica) count.onReplicas += statements;
  };
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]) => {
        if (!MADE.includes(name)) count.calls += 1;
        if (name === 'batch') {
          const statements = (values[0] as object[]).map((each) => statementOf.get(each) ?? each);
          run(statements.length);
          return withRows(member.call(target, statements), count);
        }
        if (RUNS.includes(name)) run(1);
        if (READS.includes(name)) count.reads += 1;
        if (WRITES.includes(name)) count.writes += 1;
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
        if (!MADE.includes(name) || typeof result !== 'object' || result === null) return result;
        const counted = countedCalls(result, count, isOnReplica || values[0] === 'first-unconstrained');
        statementOf.set(counted, result);
        textOf.set(result, name === 'prepare' ? String(values[0]) : (textOf.get(target) ?? ''));
        return counted;
      };
    },
  });
}

/** The bindings of databases and of the bucket, all of which count. */
export function countedBindings<Names extends 'DB' | 'OPERATIONS' | 'IMAGES' | 'IMAGES_ODD' | 'ARCHIVE' | 'LONG_JOBS'>(
  env: Readonly<Record<Names, object>>,
  count: CallCount,
  names: readonly Names[] = ['DB', 'OPERATIONS', 'IMAGES', 'IMAGES_ODD', 'ARCHIVE'] as Names[],
): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, countedCalls(env[name], count)]));
}
