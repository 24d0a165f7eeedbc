// Secrets of the local service, created at its first start and readable only by their owner.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { secretFile } from '../settings.ts';

const SECRET_BYTES = 24;

/** A secret of 192 random bits, in characters that need no quoting. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** `given`, else the secret of that name in the state folder, else a new one. The result is stored there. */
export async function localSecret(stateDir: string, name: string, given: string | undefined): Promise<string> {
  const file = secretFile(stateDir, name);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const secret = given || kept || newSecret();
  if (secret !== kept) await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
