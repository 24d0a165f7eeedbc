// Looks for work when it is woken, or from time to time, and does it, one job after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovieTools } from './build-movie.ts';
import { RunningJob } from './run-job.ts';

export interface WorkLoopOptions {
  readonly tools: MovieTools;
  readonly name: string;
  readonly workFolder: string;
  /** Milliseconds between looks; 0: only when woken. */
  readonly pollMs: number;
}

/** Milliseconds between claims that fail, and how long a worker that was woken tries. */
const CLAIM_PAUSE_MS = { first: 500, longest: 20_000 };
const CLAIM_PATIENCE_MS = 600_000;
/** Milliseconds after a failed job: a worker on which everything fails must not use up the attempts of all movies. */
const SICK_PAUSE_MS = { first: 500, longest: 30_000 };

const doubled = (ms: number, { first, longest }: { first: number; longest: number }) =>
  ms === 0 ? first : Math.min(2 * ms, longest);

export class WorkLoop {
  readonly #options: WorkLoopOptions;
  readonly #stopping = new AbortController();
  #running: RunningJob | null = null;
  #sickPauseMs = 0;
  #isWoken = true;
  #rouse: () => void = () => undefined;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  get running(): RunningJob | null {
    return this.#running;
  }

  /** There may be work. */
  wake(): void {
    this.#isWoken = true;
    this.#rouse();
  }

  /** The job under way ends soon, and no other is begun. */
  stop(): void {
    this.#stopping.abort();
    this.#running?.stop();
    this.#rouse();
  }

  /** Resolves after `stop`, when no job is under way. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      await this.#workUntilNothingWaits(signal);
      if (!this.#isWoken && !signal.aborted) await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    const { pollMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rouse = resolve;
    const timer = pollMs > 0 ? setTimeout(resolve, pollMs) : undefined;
    await promise;
    clearTimeout(timer);
  }

  async #workUntilNothingWaits(signal: AbortSignal): Promise<void> {
    const { tools, name, workFolder } = this.#options;
    for (let job = await this.#claim(signal); job; job = await this.#claim(signal)) {
      tools.say(`build ${job.build}: ${job.frames.length} frames, attempt ${job.attempt} (${name})`);
      const startedAt = performance.now();
      this.#running = new RunningJob(tools, job, workFolder);
      if (signal.aborted) this.#running.stop();
      const outcome = await this.#running.outcome;
      this.#running = null;
      tools.say(`build ${job.build}: ${outcome} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      this.#sickPauseMs = outcome === 'failed' ? doubled(this.#sickPauseMs, SICK_PAUSE_MS) : 0;
      if (this.#sickPauseMs > 0) await sleep(this.#sickPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The next job; null when none waits, when the service does not answer for long, or when the program is to end. */
  async #claim(signal: AbortSignal) {
    const { tools, name } = this.#options;
    const until = performance.now() + CLAIM_PATIENCE_MS;
    for (let pauseMs = 0; !signal.aborted && performance.now() < until; ) {
      try {
        return await tools.service.claim(name, signal);
      } catch (error) {
        if (signal.aborted) return null;
        if (pauseMs === 0) tools.say(`no answer to a claim: ${(error as Error).message}`);
        pauseMs = doubled(pauseMs, CLAIM_PAUSE_MS);
        await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }
}
