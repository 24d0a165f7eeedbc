// Batches of drizzle queries that are built once, because building the text of a long query takes milliseconds of processor time.
import { fillPlaceholders, type SQL, sql } from 'drizzle-orm';
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch';
import type { PreparedQueryConfig, SQLitePreparedQuery } from 'drizzle-orm/sqlite-core';

type PreparableQuery = BatchItem<'sqlite'> & { prepare(): SQLitePreparedQuery<PreparedQueryConfig> };

/** Queries whose values are placeholders, built when they run first. They run as one batch, which is one transaction. */
export class PreparedBatch<const Queries extends readonly PreparableQuery[]> {
  readonly #build: () => Queries;
  #queries: readonly SQLitePreparedQuery<PreparedQueryConfig>[] | undefined;

  constructor(build: () => Queries) {
    this.#build = build;
  }

  /** Results of the queries. @param values of the placeholders, by name */
  async run(database: D1Database, values: Readonly<Record<string, unknown>>): Promise<BatchResponse<Queries>> {
    this.#queries ??= this.#build().map((query) => query.prepare());
    const queries = this.#queries;
    const statements = queries.map((query) => {
      const { sql: text, params } = query.getQuery();
      return database.prepare(text).bind(...fillPlaceholders(params, values));
    });
    const results = await database.batch(statements);
    return results.map((result, i) => queries[i]!.mapResult(result, true)) as BatchResponse<Queries>;
  }
}

/** A value that `PreparedBatch.run` gets under this name. */
export const given = <T>(name: string): SQL<T> => sql<T>`${sql.placeholder(name)}`;
