// Settings of the movie worker from its environment.
import { randomBytes } from 'node:crypto';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_DEFAULT_DRAW_THREADS, MOVIE_WORKER_VARIABLES } from '../../src/config/settings/movie-worker.ts';
import { readVariables } from '../../src/config/variable.ts';

export interface WorkerSettings {
  readonly port: number;
  readonly host: string;
  /** Without a slash at the end. */
  readonly serviceUrl: string;
  readonly token: string;
  readonly name: string;
  readonly workDir: string;
  readonly drawThreads: number;
  /** 0: the worker waits for wake requests. */
  readonly pollMs: number;
  /** Work after which the encoded segment is uploaded. */
  readonly segmentMs: number;
  /** Time without progress after which ffmpeg is killed. */
  readonly stallMs: number;
  readonly ffmpegPath: string;
}

/** @throws Failure that names the variable and what it has to be, without the value of the token */
export function readSettings(env: object): WorkerSettings {
  const { pollSeconds, partSeconds, stallSeconds, ...values } = readVariables(MOVIE_WORKER_VARIABLES, env);
  return {
    ...values,
    name: values.name ?? `worker-${randomBytes(4).toString('hex')}`,
    workDir: values.workDir ?? join(tmpdir(), 'helioedge-movies'),
    drawThreads: values.drawThreads ?? Math.min(MAX_DEFAULT_DRAW_THREADS, availableParallelism()),
    pollMs: 1000 * pollSeconds,
    segmentMs: 1000 * partSeconds,
    stallMs: 1000 * stallSeconds,
  };
}
