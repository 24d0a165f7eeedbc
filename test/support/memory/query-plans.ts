// Query plans of the statements that the service sends to a database of a test.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { projectRoot } from '../../../src/cli/command.ts';

/** Tables of which a statement may read every row, because they have few. */
const SMALL = [
  // Sixteen rows, and the uploads that are in progress or were interrupted.
  ...['held_shards', 'uploads', 'movie_uploads'],
  // A row for each upstream and job, subject of the status and mirrored source, and the files and dead letters that may wait.
  ...['heartbeats', 'status_states', 'mirror_sources', 'mirror_files', 'dead_letters'],
  // A row for each worker, and one.
  ...['movie_workers', 'movie_arrivals'],
  // At most 16 webhooks, and what an earlier version has left of theirs.
  ...['webhooks', 'webhook_deliveries'],
];

/** Statements that read all rows or entries of an index on purpose. */
const MEANT = [
  // The oldest or newest rows only, in the order of the key.
  /\(select "id" from "audit_entries" order by "(?:audit_entries"\.")?id" limit \?\)/,
  /^select [^()]* from "status_changes" order by "(?:status_changes"\.")?id" desc limit \?$/,
  // The number of flares for an operator, and whether there is room for more events.
  /^select count\(\*\) .*from "rhessi_flares"$/,
  /\(SELECT count\(\*\) FROM webhook_events\) \+ json_each\.key < \?/,
];

/** Steps of the query plan of a statement that read a whole table or index of many rows. */
export function scansOf(database: DatabaseSync, text: string): string[] {
  if (MEANT.some((pattern) => pattern.test(text))) return [];
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .flatMap(({ detail }) => {
      const scanned = /^SCAN (?:TABLE )?(\w+)/.exec(String(detail))?.[1];
      if (scanned === undefined || SMALL.includes(scanned)) return [];
      const alias = new RegExp(`\\b(\\w+)["\`]? (?:AS )?["\`]?${scanned}\\b`, 'gi');
      const names = [scanned, ...[...text.matchAll(alias)].map((match) => match[1]!)];
      return tables.some(({ name }) => names.includes(String(name))) ? [`${detail}: ${text}`] : [];
    });
}

/** Statements that have been looked at in this process. */
const known = new Set<string>();

/** What the service has on its stack, and a test has not. */
const SERVICE = ['drizzle-orm', join(projectRoot, 'src', '/')];
/** Has statements of its own below those of the service, in processes of its own. */
const WORLD = join(projectRoot, 'test', 'world', '/');

/**
 * Looks once at the plan of each statement of the service, whichever test sends it.
 * @throws Error for one that searches no index
 */
export function expectSearch(database: DatabaseSync, text: string): void {
  if (known.has(text)) return;
  const stack = new Error().stack!;
  const isOfWorld = stack.includes(WORLD);
  if (!isOfWorld && !SERVICE.some((part) => stack.includes(part))) return;
  const scans = isOfWorld ? [] : scansOf(database, text);
  if (scans.length > 0) throw new Error(`A statement reads every row of a table. ${scans.join()}`);
  known.add(text);
}
