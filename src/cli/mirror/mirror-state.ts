// State of `npm run mirror` between runs, for each upstream: in SQLite, because a full archive has millions of files.
import { DatabaseSync } from 'node:sqlite';
import type { MirrorScope, MirrorState, OpenSpan, Refusal, TimeSpan } from '../../ports/mirror.ts';

const TABLES = `
CREATE TABLE IF NOT EXISTS cursors (
  mirror TEXT NOT NULL, scope TEXT NOT NULL, through_ms INTEGER NOT NULL, PRIMARY KEY (mirror, scope)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
  mirror TEXT NOT NULL, page TEXT NOT NULL, version TEXT NOT NULL, PRIMARY KEY (mirror, page)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (
  mirror TEXT NOT NULL, file TEXT NOT NULL, source INTEGER NOT NULL, reason TEXT NOT NULL, sentence TEXT NOT NULL,
  PRIMARY KEY (mirror, file)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spans (
  mirror TEXT NOT NULL, scope TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, attempts INTEGER NOT NULL,
  sentence TEXT NOT NULL, PRIMARY KEY (mirror, scope, from_ms, to_ms)) WITHOUT ROWID`;

const scopeKey = ({ sourceId, cadenceMs, fromMs }: MirrorScope) => `${sourceId} ${cadenceMs ?? 0} ${fromMs}`;

type Value = string | number;

export class SqliteMirrorState implements MirrorState {
  readonly #database: DatabaseSync;
  readonly #mirror: string;

  /** @param mirror Service and upstream: each pair has a state of its own */
  constructor(file: string, mirror: { readonly serviceUrl: string; readonly upstream: string }) {
    this.#database = new DatabaseSync(file);
    this.#mirror = `${mirror.serviceUrl} ${mirror.upstream}`;
    // A lost entry costs a look-up, so none waits for the disk.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000');
    this.#database.exec(TABLES);
  }

  async cursor(scope: MirrorScope): Promise<number | null> {
    const row = this.#row('SELECT through_ms FROM cursors WHERE mirror = ? AND scope = ?', scopeKey(scope));
    return row ? Number(row.through_ms) : null;
  }

  async moveCursor(scope: MirrorScope, throughMs: number): Promise<void> {
    this.#run(
      `INSERT INTO cursors VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET through_ms = max(through_ms, excluded.through_ms)`,
      scopeKey(scope),
      throughMs,
    );
  }

  async pageVersion(key: string): Promise<string | null> {
    const row = this.#row('SELECT version FROM pages WHERE mirror = ? AND page = ?', key);
    return row ? String(row.version) : null;
  }

  async keepPage(key: string, version: string): Promise<void> {
    this.#run('REPLACE INTO pages VALUES (?, ?, ?)', key, version);
  }

  async refusals(fileNames: readonly string[]): Promise<ReadonlyMap<string, Refusal>> {
    const rows = this.#database
      .prepare('SELECT * FROM refusals WHERE mirror = ? AND file IN (SELECT value FROM json_each(?))')
      .all(this.#mirror, JSON.stringify(fileNames));
    return new Map(
      rows.map(({ file, reason, sentence }) => [String(file), { reason: String(reason), sentence: String(sentence) }]),
    );
  }

  async keepRefusal(sourceId: number, fileName: string, { reason, sentence }: Refusal): Promise<void> {
    this.#run('REPLACE INTO refusals VALUES (?, ?, ?, ?, ?)', fileName, sourceId, reason, sentence);
  }

  async openSpans(scope: MirrorScope): Promise<readonly OpenSpan[]> {
    const rows = this.#database
      .prepare('SELECT from_ms, to_ms, attempts FROM spans WHERE mirror = ? AND scope = ? ORDER BY from_ms')
      .all(this.#mirror, scopeKey(scope));
    return rows.map((row) => ({ fromMs: Number(row.from_ms), toMs: Number(row.to_ms), attempts: Number(row.attempts) }));
  }

  async openSpan(scope: MirrorScope, { fromMs, toMs, attempts }: OpenSpan, sentence: string): Promise<void> {
    this.#run('REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?)', scopeKey(scope), fromMs, toMs, attempts, sentence);
  }

  async closeSpan(scope: MirrorScope, { fromMs, toMs }: TimeSpan): Promise<void> {
    this.#run('DELETE FROM spans WHERE mirror = ? AND scope = ? AND from_ms = ? AND to_ms = ?', scopeKey(scope), fromMs, toMs);
  }

  /** Parts of the list that the next run tries again. */
  openCount(): number {
    return Number(this.#row('SELECT count(*) AS n FROM spans WHERE mirror = ?')!.n);
  }

  /** Forgets refusals and the versions of pages, so that a run looks at every file again. */
  forget(): void {
    for (const table of ['pages', 'refusals']) this.#run(`DELETE FROM ${table} WHERE mirror = ?`);
  }

  close(): void {
    this.#database.close();
  }

  #row(query: string, ...values: readonly Value[]) {
    return this.#database.prepare(query).get(this.#mirror, ...values);
  }

  #run(query: string, ...values: readonly Value[]): void {
    this.#database.prepare(query).run(this.#mirror, ...values);
  }
}
