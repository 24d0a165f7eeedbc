// A movie worker under a supervisor that restarts it when it dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MovieWorker, startMovieWorker } from './planned-builds.ts';

export class LivingWorker {
  readonly #serviceUrl: string;
  readonly #workDir: string;
  readonly #env: NodeJS.ProcessEnv;
  #processes: MovieWorker[] = [];
  #isOver = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(serviceUrl: string, workDir: string, env: NodeJS.ProcessEnv) {
    this.#serviceUrl = serviceUrl;
    this.#workDir = workDir;
    this.#env = env;
  }

  /** Appends the number of restarts to `WORKER_NAME`. */
  static async start(serviceUrl: string, workDir: string, env: NodeJS.ProcessEnv): Promise<LivingWorker> {
    const worker = new LivingWorker(serviceUrl, workDir, env);
    await worker.#startProcess();
    worker.#running = worker.#keepAlive();
    return worker;
  }

  /** The running process. */
  get now(): MovieWorker {
    return this.#processes.at(-1)!;
  }

  /** Resolves when the worker responds. */
  async listens(): Promise<void> {
    const responds = async () => (await fetch(`${this.now.url}/health`)).ok;
    while (!(await responds().catch(() => false))) await sleep(20);
  }

  /** Ends the worker for good; returns its exit status. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#isOver = true;
    this.now.kill(signal);
    await this.#running;
    return this.now.ended;
  }

  async #startProcess(): Promise<void> {
    const env = { ...this.#env, WORKER_NAME: `${this.#env.WORKER_NAME}-${this.#processes.length}` };
    this.#processes.push(await startMovieWorker(this.#serviceUrl, this.#workDir, env));
    if (this.#isOver) this.now.kill('SIGTERM');
  }

  async #keepAlive(): Promise<void> {
    for (await this.now.ended; !this.#isOver; await this.now.ended) await this.#startProcess();
  }
}
