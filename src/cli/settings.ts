// What the environment says to the commands: where the service is, where its state lies, which token opens it.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const DEFAULT_PORT = 8787;

/** Repository root. */
export const projectRoot = resolve(import.meta.dirname, '..', '..');

/** $PORT, or 8787. Throws for anything that is not a port. */
export function portFrom(env: NodeJS.ProcessEnv): number {
  const text = env.PORT || String(DEFAULT_PORT);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`Expected a port from 1 to 65535 for PORT, got ${text}.`);
  return port;
}

/** $STATE_DIR, or .wrangler/state in the repository: databases, objects, the sample and the token of the local service. */
export function stateDirFrom(env: NodeJS.ProcessEnv): string {
  return resolve(env.STATE_DIR || join(projectRoot, '.wrangler', 'state'));
}

/** $HELIOEDGE_URL, or the local service. Without a slash at the end. */
export function serviceUrlFrom(env: NodeJS.ProcessEnv): string {
  const text = env.HELIOEDGE_URL || `http://127.0.0.1:${portFrom(env)}`;
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new Error(`Expected an http address for HELIOEDGE_URL, got ${text}.`);
  return text.replace(/\/+$/, '');
}

export function tokenFile(stateDir: string): string {
  return join(stateDir, 'admin-token');
}

/** $ADMIN_TOKEN; for a service on this machine, the token that it made for itself. */
export async function adminTokenFrom(env: NodeJS.ProcessEnv, serviceUrl: string): Promise<string> {
  if (env.ADMIN_TOKEN) return env.ADMIN_TOKEN;
  const file = tokenFile(stateDirFrom(env));
  const token = isLoopback(serviceUrl) ? await readFile(file, 'utf8').catch(() => '') : '';
  if (token.trim() === '') throw new Error(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got nothing.`);
  return token.trim();
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
