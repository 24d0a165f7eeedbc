// What the environment says to the commands: where the service is, where its state lies, which token opens it.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const DEFAULT_PORT = 8787;
const DEFAULT_MOVIE_WORKERS = 2;

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

/** $MOVIE_WORKERS, or 2: how many movie workers run beside the service. Throws for anything but 0 to 8. */
export function movieWorkersFrom(env: NodeJS.ProcessEnv): number {
  const text = env.MOVIE_WORKERS || String(DEFAULT_MOVIE_WORKERS);
  if (!/^[0-8]$/.test(text)) throw new Error(`Expected a number from 0 to 8 for MOVIE_WORKERS, got ${text}.`);
  return Number(text);
}

/** Where a secret of the local service lies: `admin-token`, `movie-token`, `session-key`. */
export function secretFile(stateDir: string, name: string): string {
  return join(stateDir, name);
}

/** $ADMIN_TOKEN; for a service on this machine, the token that it made for itself. */
export async function adminTokenFrom(env: NodeJS.ProcessEnv, serviceUrl: string): Promise<string> {
  if (env.ADMIN_TOKEN) return env.ADMIN_TOKEN;
  const file = secretFile(stateDirFrom(env), 'admin-token');
  const token = isLoopback(serviceUrl) ? await readFile(file, 'utf8').catch(() => '') : '';
  if (token.trim() === '') throw new Error(`Expected the token of ${serviceUrl} for ADMIN_TOKEN, got nothing.`);
  return token.trim();
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** Settings and secrets of the Worker that `npm start` takes from the environment. */
const WORKER_VARIABLES = [
  'EVENTS_DONKI_URL',
  'EVENTS_HEK_URL',
  'EVENTS_SCOREBOARD_URL',
  'EVENTS_UPSTREAM',
  'FAR_IMAGE_SECONDS',
  'JPIP_ROOT',
  'JPX_STYLE',
  'LINK_ORIGINS',
  'MOVIE_CLIENT_COST',
  'MOVIE_QUEUE_LIMIT',
  'NEWS_FEED_URL',
  'PUBLIC_ORIGIN',
  'SHORTENER_TOKEN',
  'SHORTENER_URL',
  'VIDEO_HOST_AUTH_URL',
  'VIDEO_HOST_CLIENT_ID',
  'VIDEO_HOST_CLIENT_SECRET',
  'VIDEO_HOST_OEMBED_URL',
  'VIDEO_HOST_TOKEN_URL',
  'VIDEO_HOST_UPLOAD_URL',
  'VIDEO_HOST_WATCH_URL',
] as const;

/** Those of them that are set. */
export function workerVariables(env: NodeJS.ProcessEnv): Partial<Record<(typeof WORKER_VARIABLES)[number], string>> {
  return Object.fromEntries(WORKER_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
