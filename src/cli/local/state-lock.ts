// The state folder and its lock, one service at a time: of SQLite on a file, which the system releases when the process ends in any way.

import { createHash, createHmac } from 'node:crypto';
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

/** Creates the state folder where it does not exist. @throws Error that says why it cannot be used */
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

/** Primary result codes of SQLite for a lock that another connection holds. */
const BUSY_CODES = [5, 6];
/** An extended result code has the primary one in its lowest byte. */
const PRIMARY = 0xff;

function lockError(error: unknown, stateDir: string): Error {
  const { errcode = 0, message } = error as Error & { readonly errcode?: number };
  const isHeld = BUSY_CODES.includes(errcode & PRIMARY);
  const sentence = isHeld
    ? `The state in ${stateDir} is in use by ${holder(stateDir)}. Stop that service, or set STATE_DIR.`
    : `The file "${FILE}" in ${stateDir} cannot be locked: ${message}.`;
  return new Error(sentence, { cause: error });
}

/** Files of the locks of this process: one that is collected as garbage is closed, and its lock with it. */
const held = new Set<DatabaseSync>();

/** Locks the state folder for this process. @throws Error that names the process which holds the lock, or tells why there can be none */
export function lockState(stateDir: string, port: number): { stop(): void } {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(join(stateDir, FILE));
    file.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    file?.close();
    throw lockError(error, stateDir);
  }
  held.add(file);
  writeFileSync(join(stateDir, HOLDER_FILE), `the service at port ${port} (${process.pid})\n`);
  return {
    stop() {
      held.delete(file);
      file.close();
    },
  };
}

const NAMESPACE = 'miniflare-D1DatabaseObject';
/** Bytes of each half of the name. */
const HALF_BYTES = 16;

/** The folder in which wrangler keeps the resources of a state folder. */
export const resourcesIn = (stateDir: string): string => join(stateDir, 'v3');

/** File of the database with this id; it exists once the database has been used. */
export function databaseFile(stateDir: string, databaseId: string): string {
  const key = createHash('sha256').update(NAMESPACE).digest();
  const half = (content: string | Buffer) => createHmac('sha256', key).update(content).digest().subarray(0, HALF_BYTES);
  const name = half(databaseId);
  return join(resourcesIn(stateDir), 'd1', NAMESPACE, `${Buffer.concat([name, half(name)]).toString('hex')}.sqlite`);
}
