// Claims and runs jobs one after the other, when woken or at a polling interval.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovieJob } from '../../src/domain/movies/job.ts';
import type { WorkerContext } from './build-movie.ts';
import { type Outcome, RunningJob } from './run-job.ts';
import { withJitter } from './service/connection.ts';

export interface WorkLoopOptions {
  readonly context: WorkerContext;
  /** Name of the worker, for logs and the status page. */
  readonly name: string;
  readonly workFolder: string;
  /** Polling interval in milliseconds; 0 waits for `wake`. */
  readonly pollMs: number;
}

/** Delays between failed claims, and the time after which a worker gives up until it is woken again. */
const CLAIM_DELAY_MS = { first: 500, longest: 20_000 };
const CLAIM_FOR_MS = 600_000;
/** Delays after failed jobs, so that a broken worker does not use up the attempts of all movies. */
const FAILURE_DELAY_MS = { first: 500, longest: 30_000 };

const doubled = (ms: number, { first, longest }: { first: number; longest: number }) =>
  ms === 0 ? first : Math.min(2 * ms, longest);

/** Milliseconds until the next claim. `beforeMs`: those after the previous job. A worker with a full disk leaves its jobs to others. */
function delayAfter(outcome: Outcome, beforeMs: number): number {
  if (outcome === 'no-space') return FAILURE_DELAY_MS.longest;
  return outcome === 'failed' ? doubled(beforeMs, FAILURE_DELAY_MS) : 0;
}

export class WorkLoop {
  readonly #options: WorkLoopOptions;
  readonly #stopping = new AbortController();
  #running: RunningJob | null = null;
  #failureDelayMs = 0;
  #isWoken = true;
  #endIdling: () => void = () => undefined;

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  get running(): RunningJob | null {
    return this.#running;
  }

  /** Looks for work, even if a job is running. */
  wake(): void {
    this.#isWoken = true;
    this.#endIdling();
  }

  /** Stops the running job and starts no other. */
  stop(): void {
    this.#stopping.abort();
    this.#running?.stop();
    this.#endIdling();
  }

  /** Resolves after `stop`, when no job is running. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isWoken = false;
      await this.#runQueuedJobs(signal);
      if (!this.#isWoken && !signal.aborted) await this.#idle();
    }
  }

  async #idle(): Promise<void> {
    const { pollMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endIdling = resolve;
    const timer = pollMs > 0 ? setTimeout(resolve, pollMs) : undefined;
    await promise;
    clearTimeout(timer);
  }

  async #runQueuedJobs(signal: AbortSignal): Promise<void> {
    const { context, name, workFolder } = this.#options;
    for (let job = await this.#claim(signal); job; job = await this.#claim(signal)) {
      context.log(`build ${job.build}: ${job.frames.length} frames, attempt ${job.attempt} (${name})`);
      const startedAt = performance.now();
      this.#running = new RunningJob(context, job, workFolder);
      if (signal.aborted) this.#running.stop();
      const outcome = await this.#running.outcome;
      this.#running = null;
      context.log(`build ${job.build}: ${outcome} after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      this.#failureDelayMs = delayAfter(outcome, this.#failureDelayMs);
      if (this.#failureDelayMs > 0) await sleep(this.#failureDelayMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The next job; null if none is queued, the service fails for too long, or the program is to end. */
  async #claim(signal: AbortSignal): Promise<MovieJob | null> {
    const { context, name } = this.#options;
    const until = performance.now() + CLAIM_FOR_MS;
    for (let delayMs = 0; !signal.aborted && performance.now() < until; ) {
      try {
        return await context.service.claim(name, signal);
      } catch (error) {
        if (signal.aborted) return null;
        if (delayMs === 0) context.log(`cannot claim a job: ${(error as Error).message}`);
        delayMs = doubled(delayMs, CLAIM_DELAY_MS);
        await sleep(withJitter(delayMs), undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }
}
