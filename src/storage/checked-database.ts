// An image database that responds only while it has the shards that the Worker expects in it. A version of the Worker from before a
// move, or one with a wrong SHARD_DATABASES, then fails with 503 instead of answering from rows that are no longer kept up to date.

import { SHARD_CHECK_MS } from '../config/limits/images.ts';
import { Failure } from '../domain/errors.ts';
import type { Clock } from '../ports/timing.ts';

interface Expected {
  /** Name of the binding, for the log. */
  readonly name: string;
  readonly shards: readonly number[];
  readonly clock: Clock;
}

const RETRY_SECONDS = 5;

/**
 * The database, with a check at its first use and then every SHARD_CHECK_MS. The check runs beside the statement, whose results are
 * dropped if it fails: reads wait for nothing, and writes have a condition of their own on the state of the shard.
 */
export function checkedDatabase(database: D1Database, { name, shards, clock }: Expected): D1Database {
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const statements = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  async function check(): Promise<void> {
    const startMs = clock();
    const query = "SELECT shard FROM held_shards WHERE state IN ('open', 'frozen')";
    const { results } = await database.prepare(query).all<{ shard: number }>();
    const held = new Set(results.map(({ shard }) => shard));
    const missing = shards.filter((shard) => !held.has(shard));
    if (missing.length > 0) throw misfit(name, missing);
    checkedAtMs = startMs;
  }

  /** Result of the work, unless the check fails. */
  async function checked<T>(work: () => Promise<T>): Promise<T> {
    if (clock() - checkedAtMs < SHARD_CHECK_MS) return work();
    const [result] = await Promise.all([work(), check()]);
    return result;
  }

  function wrapped(statement: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(statement, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (member === 'bind') return (...values: unknown[]) => wrapped(target.bind(...values));
        return (...values: unknown[]) => checked(() => value.apply(target, values));
      },
    });
    statements.set(proxy, statement);
    return proxy;
  }

  /** The database or a session with it. */
  function guarded<T extends D1Database | D1DatabaseSession>(guardedTarget: T): T {
    return new Proxy(guardedTarget, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        if (member === 'prepare') return (query: string) => wrapped(target.prepare(query));
        if (member === 'withSession')
          return (...constraint: unknown[]) => guarded(value.apply(target, constraint) as D1DatabaseSession);
        if (member !== 'batch') return value.bind(target);
        return (batch: D1PreparedStatement[]) => checked(() => target.batch(batch.map((each) => statements.get(each) ?? each)));
      },
    });
  }

  return guarded(database);
}

function misfit(name: string, missing: readonly number[]): Failure {
  const cause = new Error(
    `Expected the shards ${missing.join(', ')} in ${name}, which SHARD_DATABASES says to have them, got none.`,
  );
  return new Failure('index-moved', 'A part of the image index is being moved. Try again in a few seconds.', {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}
