// Secrets of the local service, made at its first start and readable by their owner alone.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { secretFile } from '../settings.ts';

const SECRET_BYTES = 24;

/** A secret that nobody guesses, in characters that need no quoting. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** `given`, or else the secret of that name in the state folder. */
export async function localSecret(stateDir: string, name: string, given: string | undefined): Promise<string> {
  const file = secretFile(stateDir, name);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const secret = given || kept || newSecret();
  if (secret !== kept) await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
