// Contents of databases, as an export or Time Travel has them.

export type Tables = ReadonlyMap<string, readonly Record<string, unknown>[]>;

/** Tables of a database but for those of the platform, and the numbers of rows that are issued next. */
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'
  AND (name NOT LIKE 'sqlite%' OR name = 'sqlite_sequence')`;

/** The rows of all tables. */
export async function stateOf(database: D1Database): Promise<Tables> {
  const { results } = await database.prepare(TABLES).all<{ name: string }>();
  const rows = results.map(
    async ({ name }) =>
      [name, (await database.prepare(`SELECT * FROM "${name}"`).all<Record<string, unknown>>()).results] as const,
  );
  return new Map(await Promise.all(rows));
}

/** Replaces all rows, as Time Travel does. Triggers do not run, as with an export, which has them after the rows. */
export async function restore(database: D1Database, tables: Tables): Promise<void> {
  const { results: triggers } = await database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all<{ name: string; sql: string }>();
  const statements = [...tables].flatMap(([name, rows]) => [
    database.prepare(`DELETE FROM "${name}"`),
    ...rows.map((row) => {
      const values = Object.values(row).map((value) => (Array.isArray(value) ? Uint8Array.from(value) : value));
      return database.prepare(`INSERT INTO "${name}" VALUES (${values.map(() => '?').join(', ')})`).bind(...values);
    }),
  ]);
  await database.batch([
    ...triggers.map(({ name }) => database.prepare(`DROP TRIGGER "${name}"`)),
    ...statements,
    ...triggers.map(({ sql }) => database.prepare(sql)),
  ]);
}
