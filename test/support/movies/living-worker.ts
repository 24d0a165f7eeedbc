// A movie worker that is started again whenever it dies, as its supervisor does.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MovieWorker, startMovieWorker } from './movie-jobs.ts';

export class LivingWorker {
  readonly #serviceUrl: string;
  readonly #workDir: string;
  readonly #env: NodeJS.ProcessEnv;
  #lives: MovieWorker[] = [];
  #isOver = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(serviceUrl: string, workDir: string, env: NodeJS.ProcessEnv) {
    this.#serviceUrl = serviceUrl;
    this.#workDir = workDir;
    this.#env = env;
  }

  /** `WORKER_NAME` of the environment is followed by the number of the life. */
  static async start(serviceUrl: string, workDir: string, env: NodeJS.ProcessEnv): Promise<LivingWorker> {
    const worker = new LivingWorker(serviceUrl, workDir, env);
    await worker.#begin();
    worker.#running = worker.#keepAlive();
    return worker;
  }

  get now(): MovieWorker {
    return this.#lives.at(-1)!;
  }

  /** What all its lives have written. */
  get output(): string {
    return this.#lives.map(({ output }) => output()).join('');
  }

  /** Resolves when it is alive. */
  async listens(): Promise<void> {
    const isThere = async () => (await fetch(`${this.now.url}/health`)).ok;
    while (!(await isThere().catch(() => false))) await sleep(20);
  }

  /** Tells it to end and not to come back; gives its exit status. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#isOver = true;
    this.now.kill(signal);
    await this.#running;
    return this.now.ended;
  }

  async #begin(): Promise<void> {
    const env = { ...this.#env, WORKER_NAME: `${this.#env.WORKER_NAME}-${this.#lives.length}` };
    this.#lives.push(await startMovieWorker(this.#serviceUrl, this.#workDir, env));
    if (this.#isOver) this.now.kill('SIGTERM');
  }

  async #keepAlive(): Promise<void> {
    for (await this.now.ended; !this.#isOver; await this.now.ended) await this.#begin();
  }
}
