import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tokenFile } from './settings.ts';

const TOKEN_BYTES = 24;

/** A token that nobody guesses, in characters that need no quoting. */
export function newAdminToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** $ADMIN_TOKEN, else the token of this state folder, made at the first start and readable by its owner alone. */
export async function localAdminToken(stateDir: string): Promise<string> {
  const file = tokenFile(stateDir);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const token = process.env.ADMIN_TOKEN || kept || newAdminToken();
  if (token !== kept) await writeFile(file, `${token}\n`, { mode: 0o600 });
  return token;
}
