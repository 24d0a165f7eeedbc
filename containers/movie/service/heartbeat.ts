// Reports progress, which extends the lease of a job. Without a successful report for the length of a lease, it is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovieJob, Progress } from '../../../src/domain/movies/job.ts';
import { LeaseLost, RequestRejected, type ServiceClient } from './client.ts';

/** Interval of the reports: each writes a row. */
const INTERVAL_MS = 5_000;

/** Milliseconds between reports: a quarter of a short lease, so that one may be lost. */
export const reportIntervalMs = (leaseMs: number): number => Math.min(INTERVAL_MS, leaseMs / 4);

export class Heartbeat {
  /** Content of the next report. */
  progress: Omit<Progress, 'lease'> = { framesDone: 0, framesSkipped: 0, stage: 'drawing' };
  readonly #service: ServiceClient;
  readonly #job: MovieJob;
  readonly #onLost: (reason: LeaseLost) => void;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;

  /** Starts immediately. Calls `onLost` when the lease is lost, and then stops. */
  constructor(service: ServiceClient, job: MovieJob, onLost: (reason: LeaseLost) => void) {
    this.#service = service;
    this.#job = job;
    this.#onLost = onLost;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { lease, leaseMs } = this.#job;
    const { signal } = this.#stopped;
    let heldUntil = performance.now() + leaseMs;
    while (!signal.aborted) {
      const sentAt = performance.now();
      try {
        await this.#service.progress(this.#job, { lease, ...this.progress }, leaseMs / 2);
        heldUntil = sentAt + leaseMs;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLost || error instanceof RequestRejected) return this.#onLost(new LeaseLost(error.message));
        if (performance.now() > heldUntil) {
          return this.#onLost(new LeaseLost('The lease expired, because the service did not respond.'));
        }
      }
      await sleep(reportIntervalMs(leaseMs), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the last report has ended. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
