// Statements that adapters send to a database, and their query plans.

/** The database, and the texts of all statements that are prepared on it. */
export function recorded(database: D1Database): { readonly texts: Set<string>; readonly recording: D1Database } {
  const texts = new Set<string>();
  const prepare = (text: string) => {
    texts.add(text);
    return database.prepare(text);
  };
  const recording = new Proxy(database, {
    get: (target, name) => (name === 'prepare' ? prepare : Reflect.get(target, name).bind(target)),
  });
  return { texts, recording };
}

/** Steps of the query plans that read a whole table or index, except for the named tables, with the statements. */
export async function scansIn(database: D1Database, texts: Iterable<string>, allowed: readonly string[]): Promise<string[]> {
  const { results: tables } = await database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all<{ name: string }>();
  const found: string[] = [];
  for (const text of texts) {
    const { results } = await database.prepare(`EXPLAIN QUERY PLAN ${text}`).all<{ detail: string }>();
    for (const { detail } of results) {
      const scanned = /^SCAN (?:TABLE )?(\w+)/.exec(detail)?.[1];
      if (scanned === undefined || allowed.includes(scanned)) continue;
      const alias = new RegExp(`\\b(\\w+)["\`]? (?:AS )?["\`]?${scanned}\\b`, 'gi');
      const names = [scanned, ...[...text.matchAll(alias)].map((match) => match[1]!)];
      if (tables.some(({ name }) => names.includes(name))) found.push(`${detail}: ${text}`);
    }
  }
  return found;
}
