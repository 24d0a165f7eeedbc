// The outcomes of earlier runs of `npm run ingest`, in SQLite because they are millions, so that a repeated run reads no file twice.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { UploadOutcome } from './admin-client.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS outcomes (
  service TEXT NOT NULL, file TEXT NOT NULL, version TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT, sentence TEXT,
  PRIMARY KEY (service, file)) WITHOUT ROWID`;

/** A refusal that depends on the archive and not on the file alone. */
const PASSING_REASON = 'conflict';

export class IngestState {
  readonly #database: DatabaseSync;
  readonly #service: string;
  readonly #find: StatementSync;
  readonly #keep: StatementSync;

  /** @param service Address of the service, because each has outcomes of its own */
  constructor(file: string, service: string) {
    this.#database = new DatabaseSync(file);
    this.#service = service;
    // A lost outcome costs a look-up, so none waits for the disk.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000');
    this.#database.exec(TABLE);
    this.#find = this.#database.prepare(
      'SELECT outcome, reason, sentence FROM outcomes WHERE service = ? AND file = ? AND version = ?',
    );
    this.#keep = this.#database.prepare('REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)');
  }

  find(file: string, version: string): UploadOutcome | null {
    const row = this.#find.get(this.#service, file, version);
    if (!row) return null;
    const { outcome, reason, sentence } = row;
    if (outcome === 'refused') return { outcome, reason: String(reason), sentence: String(sentence) };
    return { outcome: outcome === 'added' ? 'added' : 'known' };
  }

  /** Keeps an outcome that stays the same as long as the file does. */
  keep(file: string, version: string, outcome: UploadOutcome): void {
    const { reason, sentence } = outcome.outcome === 'refused' ? outcome : { reason: null, sentence: null };
    if (reason === PASSING_REASON) return;
    this.#keep.run(this.#service, file, version, outcome.outcome, reason, sentence);
  }

  close(): void {
    this.#database.close();
  }
}
