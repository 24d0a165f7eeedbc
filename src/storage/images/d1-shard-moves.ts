// Moves of shards between image databases. Rows are compared and copied page by page, so that a second pass over a frozen shard proves
// that both databases have the same rows. Numbers are bound rather than sent as JSON, because SQLite may read a decimal text as a
// neighbouring double.
import { Failure } from '../../domain/errors.ts';
import { type HeldShard, type HeldShards, SHARD_COUNT, shardOfFileName } from '../../domain/shards.ts';
import { type ComparedPage, SHARD_TABLES, type ShardCursor, type ShardMove, type ShardMoves } from '../../ports/shards.ts';
import { sha256Hex } from '../../util/bytes.ts';
import type { ImageDatabases } from '../databases.ts';

const PAGE_ROWS = 500;
/** Values that D1 binds to one statement. */
const BOUND_VALUES = 100;

/** Above every file name. */
const LAST_NAME = '\u{10ffff}';

type Value = string | number | readonly number[] | null;
type Row = readonly Value[];
type Table = ShardCursor['table'];

export class D1ShardMoves implements ShardMoves {
  readonly databases: readonly string[];
  readonly serving: readonly string[];
  readonly #bound: ImageDatabases['bound'];

  constructor({ bound, serving }: ImageDatabases) {
    this.databases = [...bound.keys()];
    this.serving = serving;
    this.#bound = bound;
  }

  async held(): Promise<HeldShards> {
    const entries = [...this.#bound].map(async ([name, database]) => {
      const { results } = await database.prepare('SELECT shard, generation, state FROM held_shards').all<HeldShard>();
      return [name, results] as const;
    });
    return new Map(await Promise.all(entries));
  }

  async freeze({ shard, from }: ShardMove): Promise<void> {
    const state = await this.#setState(from, shard, 'frozen', ['open', 'frozen']);
    if (state === null) throw notReady(`${from} does not serve shard ${shard}`);
  }

  async copyPage({ shard, from, to }: ShardMove, { table, after }: ShardCursor): Promise<ComparedPage> {
    const source = this.#database(from);
    const target = this.#database(to);
    if ((await stateIn(target, shard)) === 'open') throw notReady(`${to} serves shard ${shard} already`);
    const { rows, isLast } = await pageAfter(source, { table, shard, after });
    const upTo = isLast ? null : keyOf(rows.at(-1)!);
    const present = await rowsAfter(target, { table, shard, after, upTo, limit: null });
    const text = JSON.stringify(rows);
    const wasCopied = JSON.stringify(present) !== text;
    if (wasCopied) await replaceRows(target, table, present, rows);
    const following = SHARD_TABLES[SHARD_TABLES.indexOf(table) + 1];
    const next = isLast ? following && { table: following, after: '' } : { table, after: String(upTo) };
    return { rows: rows.length, wasCopied, sha256: await sha256Hex(text), next: next ?? null };
  }

  async enter({ shard, from, to }: ShardMove): Promise<void> {
    const held = await this.#database(from)
      .prepare("SELECT generation, last_sequence AS last FROM held_shards WHERE shard = ? AND state = 'frozen'")
      .bind(shard)
      .first<{ generation: number; last: number }>();
    if (!held) throw notReady(`shard ${shard} is not frozen in ${from}`);
    await this.#database(to)
      .prepare(`INSERT INTO held_shards (shard, generation, state, last_sequence) VALUES (?1, ?2, 'frozen', ?3)
        ON CONFLICT (shard) DO UPDATE SET generation = ?2, state = 'frozen', last_sequence = max(last_sequence, ?3)
        WHERE generation < ?2`)
      .bind(shard, held.generation + 1, held.last)
      .run();
  }

  async leave({ shard, from, to }: ShardMove): Promise<void> {
    if (this.serving[shard] !== to) throw notReady(`this version of the service has shard ${shard} in ${this.serving[shard]}`);
    if ((await stateIn(this.#database(to), shard)) === null) throw notReady(`${to} does not have shard ${shard}`);
    const state = await this.#setState(from, shard, 'moved', ['frozen', 'moved']);
    if (state === null) throw notReady(`shard ${shard} is not frozen in ${from}`);
  }

  async open({ shard, from, to }: ShardMove): Promise<void> {
    if ((await stateIn(this.#database(from), shard)) !== 'moved') throw notReady(`shard ${shard} has not left ${from}`);
    const state = await this.#setState(to, shard, 'open', ['frozen', 'open']);
    if (state === null) throw notReady(`${to} does not have shard ${shard}`);
  }

  async cancel({ shard, from, to }: ShardMove): Promise<void> {
    if (this.serving[shard] !== from) throw notReady(`this version of the service has shard ${shard} in ${this.serving[shard]}`);
    if ((await stateIn(this.#database(to), shard)) === 'open') throw notReady(`${to} serves shard ${shard} already`);
    await this.#database(to).prepare('DELETE FROM held_shards WHERE shard = ?').bind(shard).run();
    const state = await this.#setState(from, shard, 'open', ['frozen', 'open']);
    if (state === null) throw notReady(`${from} does not serve shard ${shard}`);
  }

  async deleteRows({ shard, from }: ShardMove): Promise<boolean> {
    const database = this.#database(from);
    const state = await stateIn(database, shard);
    if (this.serving[shard] === from || state === 'open' || state === 'frozen') throw notReady(`${from} serves shard ${shard}`);
    for (const table of SHARD_TABLES) {
      const { rows } = await pageAfter(database, { table, shard, after: '' });
      if (rows.length === 0) continue;
      await replaceRows(database, table, rows, []);
      return true;
    }
    await database.prepare('DELETE FROM held_shards WHERE shard = ?').bind(shard).run();
    return false;
  }

  #database(name: string): D1Database {
    return this.#bound.get(name)!;
  }

  /** Changes the state of a shard from one of several. @returns null when it was in none of them */
  async #setState(name: string, shard: number, state: HeldShard['state'], earlier: readonly string[]): Promise<string | null> {
    return this.#database(name)
      .prepare(`UPDATE held_shards SET state = ? WHERE shard = ? AND state IN (SELECT value FROM json_each(?)) RETURNING state`)
      .bind(state, shard, JSON.stringify(earlier))
      .first<string>('state');
  }
}

const notReady = (reason: string) => new Failure('conflict', `This step of a move is not possible, because ${reason}.`);

/** State of a shard in a database; null when the database does not have it. */
function stateIn(database: D1Database, shard: number): Promise<string | null> {
  return database.prepare('SELECT state FROM held_shards WHERE shard = ?').bind(shard).first<string>('state');
}

interface PageStart {
  readonly table: Table;
  readonly shard: number;
  /** Key before the first row; empty for the beginning. */
  readonly after: string;
}

interface RowRange extends PageStart {
  /** Key of the last row; null for the end of the table. */
  readonly upTo: Value;
  readonly limit: number | null;
}

/** The next rows of a shard. Rows with the same key are on one page. */
async function pageAfter(database: D1Database, start: PageStart): Promise<{ rows: Row[]; isLast: boolean }> {
  const rows = await rowsAfter(database, { ...start, upTo: null, limit: PAGE_ROWS });
  if (rows.length < PAGE_ROWS) return { rows, isLast: true };
  const last = keyOf(rows.at(-1)!);
  return { rows: start.table === 'foreign_names' ? rows.filter((row) => keyOf(row) !== last) : rows, isLast: false };
}

/** Rows of a shard in the order of their keys, the key first. */
async function rowsAfter(database: D1Database, { table, shard, after, upTo, limit }: RowRange): Promise<Row[]> {
  if (table === 'foreign_names') return namesAfter(database, { shard, after, upTo, limit });
  const statement = database.prepare(`SELECT * FROM ${table} WHERE id > ?1 AND id <= ?2 AND id % ${SHARD_COUNT} = ?3
    ORDER BY id LIMIT ?4`);
  return statement.bind(Number(after), upTo ?? Number.MAX_SAFE_INTEGER, shard, limit ?? -1).raw<Value[]>();
}

/** The shard of a name follows from its characters, so that the names of other shards are left out here. */
async function namesAfter(database: D1Database, { shard, after, upTo, limit }: Omit<RowRange, 'table'>): Promise<Row[]> {
  const found: Row[] = [];
  let from: Row = [after, Number.MAX_SAFE_INTEGER];
  while (limit === null || found.length < limit) {
    const page = await database
      .prepare(`SELECT * FROM foreign_names WHERE (file_name, source_id) > (?1, ?2) AND file_name <= ?3
        ORDER BY file_name, source_id LIMIT ${PAGE_ROWS}`)
      .bind(...from, upTo ?? LAST_NAME)
      .raw<Value[]>();
    found.push(...page.filter(([name]) => shardOfFileName(String(name)) === shard));
    if (page.length < PAGE_ROWS) break;
    from = page.at(-1)!;
  }
  return found;
}

const keyOf = (row: Row): Value => row[0]!;

/** Replaces rows of a database by others, in one transaction. */
async function replaceRows(database: D1Database, table: Table, present: readonly Row[], rows: readonly Row[]): Promise<void> {
  const key = table === 'foreign_names' ? 'file_name' : 'id';
  const statements = [];
  if (present.length > 0) {
    const keys = JSON.stringify(present.map(keyOf));
    statements.push(database.prepare(`DELETE FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?))`).bind(keys));
  }
  if (table === 'images') statements.push(...deletionOfDisplaced(database, rows));
  const width = rows[0]?.length ?? 1;
  const rowsAtOnce = Math.floor(BOUND_VALUES / width);
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    const some = rows.slice(i, i + rowsAtOnce);
    const placeholders = some.map(() => `(${Array(width).fill('?').join(', ')})`).join(', ');
    const values = some.flat().map((value) => (Array.isArray(value) ? Uint8Array.from(value) : value));
    statements.push(
      database.prepare(`INSERT ${table === 'images' ? '' : 'OR REPLACE '}INTO ${table} VALUES ${placeholders}`).bind(...values),
    );
  }
  if (statements.length > 0) await database.batch(statements);
}

/** Columns of an image row after its id. */
const [TAKEN_AT, SOURCE, NAME] = [2, 1, 3];

/**
 * Deletes the rows that have the source and time, or the name, of one of `rows`: those of images that were copied earlier and have
 * been replaced since. INSERT OR REPLACE would delete them without the trigger that counts.
 */
function deletionOfDisplaced(database: D1Database, rows: readonly Row[]): D1PreparedStatement[] {
  const rowsAtOnce = Math.floor(BOUND_VALUES / 2);
  const statements = [];
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    const some = rows.slice(i, i + rowsAtOnce);
    const placeholders = some.map(() => '(?, ?)').join(', ');
    const statement = database.prepare(`DELETE FROM images WHERE (source_id, taken_at_ms) IN (VALUES ${placeholders})`);
    statements.push(statement.bind(...some.flatMap((row) => [row[SOURCE], row[TAKEN_AT]])));
  }
  const names = rows.flatMap((row) => row[NAME] ?? []);
  if (names.length === 0) return statements;
  const named = database.prepare('DELETE FROM images WHERE file_name IN (SELECT value FROM json_each(?))');
  return [...statements, named.bind(JSON.stringify(names))];
}
