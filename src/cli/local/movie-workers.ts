// The movie workers of the local service: the program of the container as child processes, started again when they die.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { MINUTE_MS } from '../../util/durations.ts';
import { projectRoot } from '../settings.ts';

const PROGRAM = 'containers/movie/main.ts';
const POLL_SECONDS = '5';
/** A worker that dies at once is not started again at once. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that lived so long was no failed start. */
const SETTLED_MS = MINUTE_MS;
/** How long a worker may take to hand back its job. */
const STOP_TIMEOUT_MS = 1_000;

export interface MovieWorkersOptions {
  /** Where each worker listens, on 127.0.0.1: as many workers as ports. */
  readonly ports: readonly number[];
  readonly serviceUrl: string;
  readonly token: string;
  readonly drawThreads: number;
  readonly say: (line: string) => void;
}

export interface MovieWorkers {
  /** Process ids of those that live. */
  pids(): number[];
  stop(): Promise<void>;
}

/** A worker that is kept alive until `stop`. */
class KeptWorker {
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
    // Standard output is the service's own: it says `ready` and nothing else. By the channel a worker knows that this process lives.
    return new KeptWorker(() => spawn(process.execPath, args, { env, stdio: ['ignore', 2, 2, 'ipc'] }), say);
  });
  return {
    pids: () => workers.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
