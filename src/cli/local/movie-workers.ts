// The movie workers of the local service: the program of the container as child processes that are restarted when they exit or are stuck.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../settings.ts';
import { HealthPoll } from './health-poll.ts';
import { PATIENCE, type Patience, Silence } from './silence.ts';

const PROGRAM = 'build/movie/main.mjs';
const POLL_SECONDS = '5';
/** Pauses before a restart, doubled each time, because a worker that exits at once would be restarted in a tight loop. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran this long had started successfully. */
const SETTLED_MS = 10_000;
/** Time in which a worker returns its job. */
const STOP_TIMEOUT_MS = 1_000;
/** Interval of the checks of a worker. */
const CHECK_MS = 1_000;
/** Before its first response, a worker waits for the encoders that it tries. */
const PATIENCE_AT_START: Patience = { ...PATIENCE, idleMs: 30_000 };

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

interface WorkerProgram {
  /** Address of its health. */
  readonly healthUrl: string;
  readonly start: () => ChildProcess;
}

/** A worker that is restarted until `stop`. */
class SupervisedWorker {
  readonly #program: WorkerProgram;
  readonly #say: (line: string) => void;
  #child: ChildProcess | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(program: WorkerProgram, say: (line: string) => void) {
    this.#program = program;
    this.#say = say;
    this.#run();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  #run(): void {
    const startedAt = performance.now();
    const child = this.#program.start();
    this.#child = child;
    const watch = this.#watch(child);
    child.once('error', (error) => this.#say(`a movie worker does not start: ${error.message}`));
    child.once('close', (code, signal) => {
      clearInterval(watch);
      this.#child = null;
      if (this.#isStopping) return;
      if (performance.now() - startedAt > SETTLED_MS) this.#pauseMs = FIRST_PAUSE_MS;
      this.#say(`a movie worker ended (${signal ?? code}), another one starts`);
      this.#timer = setTimeout(() => this.#run(), this.#pauseMs);
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    });
  }

  /** Kills a worker that is stuck. */
  #watch(child: ChildProcess): NodeJS.Timeout | undefined {
    if (child.pid === undefined) return undefined;
    const pid = child.pid;
    const poll = new HealthPoll(this.#program.healthUrl, PATIENCE.idleMs);
    const silenceOf = (patience: Patience) => new Silence(pid, performance.now(), { checkMs: CHECK_MS, patience });
    let silence = silenceOf(PATIENCE_AT_START);
    let hasStarted = false;
    return setInterval(() => {
      const hasResponded = poll.take();
      if (hasResponded && !hasStarted) [hasStarted, silence] = [true, silenceOf(PATIENCE)];
      if (!silence.isStuck(hasResponded, performance.now())) return;
      this.#say(`a movie worker has not responded for ${Math.round(silence.silentMs / 1000)} s`);
      child.kill('SIGKILL');
    }, CHECK_MS);
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
    const start = () => spawn(process.execPath, args, { env, stdio: ['ignore', 2, 2, 'ipc'] });
    return new SupervisedWorker({ healthUrl: `http://127.0.0.1:${port}/health`, start }, say);
  });
  return {
    pids: () => workers.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
