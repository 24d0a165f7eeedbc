// Settings and secrets of the npm commands.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readLauncherSettings } from '../platform/settings/launcher.ts';
import { readMirrorSettings } from '../platform/settings/mirror.ts';
import { SCHEMA } from '../platform/settings/schema.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { isLoopback } from '../platform/util/url.ts';

/** The lines of a help text about the variables that `serviceAccess` reads. */
export const SERVICE_HELP = `  HELIOEDGE_URL   the service (http://127.0.0.1:$PORT, where PORT is 8787 unless set)
  ADMIN_TOKEN     its token; not needed for a service started on this machine with the same STATE_DIR`;

const SECRET_BYTES = 24;

export const projectRoot = resolve(import.meta.dirname, '..', '..');

/** Folder of the databases, objects, sample and secrets of the local service. */
export const stateDirFrom = (env: NodeJS.ProcessEnv): string =>
  resolve(readLauncherSettings(env).stateDir ?? join(projectRoot, '.wrangler', 'state'));

/** $HELIOEDGE_URL, or the local service. Without a slash at the end. */
export function serviceUrlFrom(env: NodeJS.ProcessEnv): string {
  const { serviceUrl, port } = readLauncherSettings(env);
  return serviceUrl ?? `http://127.0.0.1:${port}`;
}

/** A secret of 192 random bits, in characters that need no quoting. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** A secret of the local service: `given`, else that in the state folder, else a new one. It is stored there, readable by its owner alone. */
export async function localSecret(stateDir: string, name: string, given: string | undefined): Promise<string> {
  const file = join(stateDir, name);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const secret = given || kept || newSecret();
  if (secret !== kept) await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/** Address of the service, and $ADMIN_TOKEN; for a service on this machine, the token that it made for itself. */
export async function serviceAccess(env: NodeJS.ProcessEnv): Promise<[serviceUrl: string, token: string]> {
  const serviceUrl = serviceUrlFrom(env);
  if (env.ADMIN_TOKEN) return [serviceUrl, env.ADMIN_TOKEN];
  const file = join(stateDirFrom(env), 'admin-token');
  const token = isLoopback(new URL(serviceUrl)) ? await readFile(file, 'utf8').catch(() => '') : '';
  if (token.trim() === '') throw new Error(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got nothing.`);
  return [serviceUrl, token.trim()];
}

/** Checks the variables that the Worker gets from this environment. @throws Failure that names the variable, without the value of a secret */
export function checkWorkerVariables(env: NodeJS.ProcessEnv): void {
  const given = SCHEMA.worker.filter(({ name }) => env[name]?.trim());
  readVariables(Object.fromEntries(given.map((variable) => [variable.name, variable])), env);
  readMirrorSettings(env);
}

const PASSED_ON = SCHEMA.worker.filter(({ isChosenByStart }) => !isChosenByStart).map(({ name }) => name);

/** Variables and secrets that `npm start` passes on from its environment to the Worker. */
export const workerVariables = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
