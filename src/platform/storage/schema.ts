// Whether the schema of a database fits a version of the service. Migrations only add, so that the version before works as well; what a
// version no longer uses is removed by a later migration, whose name says so.

/** A migration that the previous version of the service cannot work with. */
const CONTRACT = /^\d{4}_contract-/;

/**
 * Whether a database has the last migration that a version needs, and since then none that removes something.
 * @param applied Names in the table `d1_migrations`
 * @param migration Name without `.sql`
 */
export function fitsSchema(applied: readonly string[], migration: string): boolean {
  const names = applied.map((name) => name.replace(/\.sql$/, ''));
  return names.includes(migration) && !names.some((name) => name > migration && CONTRACT.test(name));
}
