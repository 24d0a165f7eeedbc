// Settings of the npm commands from their environment.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SCHEMA } from '../config/schema.ts';
import { readLauncherSettings } from '../config/settings/launcher.ts';
import { isLoopback } from '../util/url.ts';

/** Repository root. */
export const projectRoot = resolve(import.meta.dirname, '..', '..');

/** Folder of the databases, objects, sample and secrets of the local service. */
export function stateDirFrom(env: NodeJS.ProcessEnv): string {
  return resolve(readLauncherSettings(env).stateDir ?? join(projectRoot, '.wrangler', 'state'));
}

/** $HELIOEDGE_URL, or the local service. Without a slash at the end. */
export function serviceUrlFrom(env: NodeJS.ProcessEnv): string {
  const { serviceUrl, port } = readLauncherSettings(env);
  return serviceUrl ?? `http://127.0.0.1:${port}`;
}

/** File of a secret of the local service: `admin-token`, `movie-token`, `session-key`. */
export function secretFile(stateDir: string, name: string): string {
  return join(stateDir, name);
}

/** $ADMIN_TOKEN; for a service on this machine, the token that it made for itself. */
export async function adminTokenFrom(env: NodeJS.ProcessEnv, serviceUrl: string): Promise<string> {
  if (env.ADMIN_TOKEN) return env.ADMIN_TOKEN;
  const file = secretFile(stateDirFrom(env), 'admin-token');
  const token = isLoopback(new URL(serviceUrl)) ? await readFile(file, 'utf8').catch(() => '') : '';
  if (token.trim() === '') throw new Error(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got nothing.`);
  return token.trim();
}

const PASSED_ON = SCHEMA.worker.filter(({ isChosenByStart }) => !isChosenByStart).map(({ name }) => name);

/** Variables and secrets that `npm start` passes on from its environment to the Worker. */
export function workerVariables(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
