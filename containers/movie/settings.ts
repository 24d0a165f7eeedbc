// What the program is told by its environment.
import { randomBytes } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorkerSettings {
  /** `PORT` and `HOST`: where the program listens. Unset: 8080 on 127.0.0.1. */
  readonly port: number;
  readonly host: string;
  /** `SERVICE_URL`: where /internal/movies is. */
  readonly serviceUrl: string;
  /** `MOVIE_TOKEN`: the secret shared with the service. */
  readonly token: string;
  /** `WORKER_NAME`: for logs and the status page. Unset: a random one. */
  readonly name: string;
  /** `WORK_DIR`: below it the program makes its folder. Unset: in the folder for temporary files. */
  readonly workDir: string;
  /** `DRAW_THREADS`. Unset: one for each processor, at most 8. */
  readonly drawThreads: number;
  /** `POLL_SECONDS`: how often to look for work. Unset or 0: only when woken. Milliseconds here. */
  readonly pollMs: number;
  /** `PART_SECONDS`: work after which a segment is closed and stored. Unset: 25. Milliseconds here. */
  readonly segmentMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** More threads than this wait for the encoder. */
const MOST_DRAW_THREADS = 8;
/** A segment costs a key frame and an upload: below a hundredth of this, while a restart loses no more than this. */
const PART_SECONDS = '25';

function numberOf(env: Environment, name: string, unset: string, { min, max }: { min: number; max: number }): number {
  const text = env[name]?.trim() || unset;
  const value = Number(text);
  if (!Number.isFinite(value) || value < min || value > max) {
    throw new Error(`Expected a number from ${min} to ${max} for ${name}, got ${text}.`);
  }
  return value;
}

function urlOf(env: Environment): string {
  const text = env.SERVICE_URL?.trim() ?? '';
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error(`Expected http://<host> or https://<host> for SERVICE_URL, got ${text || 'nothing'}.`);
  }
  return text.replace(/\/+$/, '');
}

/** @throws Error with a sentence that names the variable at fault; the token is never in it. */
export function readSettings(env: Environment): WorkerSettings {
  const token = env.MOVIE_TOKEN?.trim();
  if (!token) throw new Error('Expected the secret shared with the service for MOVIE_TOKEN, got nothing.');
  const processors = Math.min(MOST_DRAW_THREADS, Math.max(1, availableParallelism()));
  return {
    port: Math.floor(numberOf(env, 'PORT', '8080', { min: 0, max: 65_535 })),
    host: env.HOST?.trim() || '127.0.0.1',
    serviceUrl: urlOf(env),
    token,
    name: env.WORKER_NAME?.trim() || `worker-${randomBytes(4).toString('hex')}`,
    workDir: env.WORK_DIR?.trim() || join(tmpdir(), 'helioedge-movies'),
    drawThreads: Math.floor(numberOf(env, 'DRAW_THREADS', String(processors), { min: 1, max: 64 })),
    pollMs: 1000 * numberOf(env, 'POLL_SECONDS', '0', { min: 0, max: 86_400 }),
    segmentMs: 1000 * numberOf(env, 'PART_SECONDS', PART_SECONDS, { min: 0.1, max: 86_400 }),
  };
}
