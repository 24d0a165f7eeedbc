// The movie workers of the local service: the program of the container as child processes that are restarted when they exit.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { MINUTE_MS } from '../../util/durations.ts';
import { projectRoot } from '../settings.ts';

const PROGRAM = 'build/movie/main.mjs';
const POLL_SECONDS = '5';
/** Pauses before a restart, doubled each time, because a worker that exits at once would be restarted in a tight loop. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran this long had started successfully. */
const SETTLED_MS = MINUTE_MS;
/** Time in which a worker returns its job. */
const STOP_TIMEOUT_MS = 1_000;

export interface MovieWorkersOptions {
  /** Port of each worker on 127.0.0.1; their number is the number of workers. */
  readonly ports: readonly number[];
  readonly serviceUrl: string;
  readonly token: string;
  readonly drawThreads: number;
  readonly say: (line: string) => void;
}

export interface MovieWorkers {
  /** Process ids of the running workers. */
  pids(): number[];
  stop(): Promise<void>;
}

/** A worker that is restarted until `stop`. */
class SupervisedWorker {
  readonly #start: () => ChildProcess;
  readonly #say: (line: string) => void;
  #child: ChildProcess | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(start: () => ChildProcess, say: (line: string) => void) {
    this.#start = start;
    this.#say = say;
    this.#run();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  #run(): void {
    const startedAt = performance.now();
    const child = this.#start();
    this.#child = child;
    child.once('error', (error) => this.#say(`a movie worker does not start: ${error.message}`));
    child.once('close', (code, signal) => {
      this.#child = null;
      if (this.#isStopping) return;
      if (performance.now() - startedAt > SETTLED_MS) this.#pauseMs = FIRST_PAUSE_MS;
      this.#say(`a movie worker ended (${signal ?? code}), another one starts`);
      this.#timer = setTimeout(() => this.#run(), this.#pauseMs);
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}

export function startMovieWorkers({ ports, serviceUrl, token, drawThreads, say }: MovieWorkersOptions): MovieWorkers {
  const workers = ports.map((port, i) => {
    const env = {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      SERVICE_URL: serviceUrl,
      MOVIE_TOKEN: token,
      WORKER_NAME: `local-${i + 1}`,
      DRAW_THREADS: String(drawThreads),
      POLL_SECONDS,
    };
    const args = ['--disable-warning=ExperimentalWarning', join(projectRoot, PROGRAM)];
    // Standard output is for the `ready` line alone. A worker exits when its IPC channel closes, which is when this process ends.
    return new SupervisedWorker(() => spawn(process.execPath, args, { env, stdio: ['ignore', 2, 2, 'ipc'] }), say);
  });
  return {
    pids: () => workers.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
