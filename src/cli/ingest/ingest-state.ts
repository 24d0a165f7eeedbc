// The outcomes of earlier runs of `npm run ingest`, in SQLite because they are millions, so that a repeated run reads no file twice.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UploadOutcome } from './admin-client.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS outcomes (
  service TEXT NOT NULL, file TEXT NOT NULL, version TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT, sentence TEXT,
  PRIMARY KEY (service, file)) WITHOUT ROWID`;

/** Reasons of refusals that depend on the archive, on the token or on a proxy, and not on the file alone. */
const PASSING = /^(conflict|withdrawn|status \d+)$/;

export type IngestState = ReturnType<typeof openIngestState>;

/** @param service Address of the service, because each has outcomes of its own */
export function openIngestState(path: string, service: string) {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  // A lost outcome costs a look-up, so none waits for the disk.
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000; ${TABLE}`);
  const select = database.prepare(
    'SELECT outcome, reason, sentence FROM outcomes WHERE service = ? AND file = ? AND version = ?',
  );
  const replace = database.prepare('REPLACE INTO outcomes VALUES (?, ?, ?, ?, ?, ?)');
  return {
    find(file: string, version: string): UploadOutcome | null {
      const row = select.get(service, file, version);
      if (!row) return null;
      const { outcome, reason, sentence } = row;
      if (outcome === 'refused') return { outcome, reason: String(reason), sentence: String(sentence) };
      return { outcome: outcome === 'added' ? 'added' : 'known' };
    },

    /** Keeps an outcome that stays the same as long as the file does. */
    keep(file: string, version: string, outcome: UploadOutcome): void {
      const { reason, sentence } = outcome.outcome === 'refused' ? outcome : { reason: null, sentence: null };
      if (!PASSING.test(reason ?? '')) replace.run(service, file, version, outcome.outcome, reason, sentence);
    },

    close: () => database.close(),
  };
}
