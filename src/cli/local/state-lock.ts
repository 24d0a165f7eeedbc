// The state folder and its lock: one service at a time. It is a lock of SQLite on a file, which the system releases when the process
// ends in any way.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const FILE = 'lock';
/** Readable while the lock is held, unlike the locked file itself. */
const HOLDER_FILE = 'lock-holder';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'which is a file',
  ENOTDIR: 'whose path contains a file',
  EACCES: 'where this user may not write',
  EROFS: 'which is on a read-only file system',
  ENOSPC: 'where no space is left',
};

/**
 * Creates the state folder where it does not exist.
 * @throws Error that says why it cannot be used
 */
export function openStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, HOLDER_FILE), '', { flag: 'a' });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(
      `Expected a folder that can be written for STATE_DIR, got ${stateDir}, ${REASONS[code] ?? `which fails with ${code}`}.`,
    );
  }
}

function holder(stateDir: string): string {
  try {
    return readFileSync(join(stateDir, HOLDER_FILE), 'utf8').trim();
  } catch {
    return 'another process';
  }
}

/**
 * Locks the state folder for this process.
 * @throws Error that names the process which holds the lock
 */
export function lockState(stateDir: string, port: number): { stop(): void } {
  const file = new DatabaseSync(join(stateDir, FILE));
  try {
    file.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch {
    file.close();
    throw new Error(`Expected a state folder of its own for STATE_DIR, got ${stateDir}, which is in use by ${holder(stateDir)}.`);
  }
  writeFileSync(join(stateDir, HOLDER_FILE), `the service at port ${port} (process ${process.pid})\n`);
  return { stop: () => file.close() };
}
