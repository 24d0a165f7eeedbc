// Settings of the movie worker from its environment, and its work folder.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_DEFAULT_DRAW_THREADS, MOVIE_WORKER_VARIABLES } from '../../src/platform/settings/movie-worker.ts';
import { readVariables } from '../../src/platform/settings/variable.ts';

/** @throws Failure that names the variable and what it has to be, without the value of the token */
export function readSettings(env: object) {
  const values = readVariables(MOVIE_WORKER_VARIABLES, env);
  return {
    ...values,
    name: values.WORKER_NAME ?? `worker-${randomBytes(4).toString('hex')}`,
    // One folder for each user of a machine, who may not write to those of others.
    workDir: values.WORK_DIR ?? join(tmpdir(), `helioedge-movies-${process.getuid?.()}`),
    drawThreads: values.DRAW_THREADS ?? Math.min(MAX_DEFAULT_DRAW_THREADS, availableParallelism()),
    /** 0: the worker waits for wake requests. */
    pollMs: 1000 * values.POLL_SECONDS,
  };
}

/** `<process id>-<random characters>`. */
const FOLDER_NAME = /^(\d+)-/;
/** Retries, because an encoder that outlived its worker may still be writing. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, REMOVAL);

/** Creates the folder of this process in `root`, after removing those of dead processes. */
export async function openWorkFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  for (const name of await readdir(root)) {
    const pid = Number(FOLDER_NAME.exec(name)?.[1] ?? Number.NaN);
    // A folder with the id of this process is a leftover too: in a container, each process gets the same id.
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await removeFolder(join(root, name)).catch(() => undefined);
  }
  return mkdtemp(join(root, `${process.pid}-`));
}
