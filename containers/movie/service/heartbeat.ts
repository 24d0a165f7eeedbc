// Reports progress and so keeps the lease. Without an answer for as long as the lease lasts, it counts as lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { MovieJob, Progress } from '../../../src/domain/movies/job.ts';
import { LeaseLost, type ServiceClient, ServiceRefused } from './client.ts';

/** Milliseconds between reports; with a short lease a quarter of it. */
const INTERVAL_MS = 1_000;

export class Heartbeat {
  /** What the next report says. */
  progress: Omit<Progress, 'lease'> = { framesDone: 0, framesSkipped: 0, stage: 'drawing' };
  readonly #service: ServiceClient;
  readonly #job: MovieJob;
  readonly #lost: (reason: LeaseLost) => void;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;

  /** Starts at once. `lost` is called when the lease is. */
  constructor(service: ServiceClient, job: MovieJob, lost: (reason: LeaseLost) => void) {
    this.#service = service;
    this.#job = job;
    this.#lost = lost;
    this.#running = this.#beat();
  }

  async #beat(): Promise<void> {
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
        if (error instanceof LeaseLost || error instanceof ServiceRefused) return this.#lost(new LeaseLost(error.message));
        if (performance.now() > heldUntil) return this.#lost(new LeaseLost('The service did not answer while the lease lasted.'));
      }
      await sleep(Math.min(INTERVAL_MS, leaseMs / 4), undefined, { signal }).catch(() => undefined);
    }
  }

  /** No report is under way when this resolves. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }
}
