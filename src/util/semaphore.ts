import { delay } from './timeout.ts';

export interface SemaphoreLimits {
  /** Total weight of the leases held at once. */
  readonly capacity: number;
  /** Total weight of the leases of one group; unset for no limit. */
  readonly groupCapacity?: number;
  /** Milliseconds that `acquire` waits. */
  readonly waitMs: number;
  /** Milliseconds after which a lease that was not released ends by itself. */
  readonly leaseMs: number;
}

/** A share of a semaphore, valid until released or expired. */
export interface SemaphoreLease {
  readonly weight: number;
  readonly group: string;
  readonly endsAtMs: number;
}

const POLL_MS = 50;

/**
 * Counting semaphore with weighted, expiring leases.
 *
 * A Worker may be cancelled with its request: a cancelled holder never releases, so leases expire; a waiter cannot rely on
 * being woken from another request, so it polls.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #now: () => number;
  readonly #leases = new Set<SemaphoreLease>();

  /** @param now Milliseconds, monotonic */
  constructor(limits: SemaphoreLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** A lease of `weight`, at most the whole capacity; null when there is no room within `waitMs`. */
  async acquire({ weight = 1, group = '' }: { weight?: number; group?: string } = {}): Promise<SemaphoreLease | null> {
    const { capacity, groupCapacity = capacity, waitMs, leaseMs } = this.#limits;
    const bounded = Math.min(weight, capacity);
    const stopsAtMs = this.#now() + waitMs;
    while (this.#held() + bounded > capacity || this.#held(group) + bounded > groupCapacity) {
      if (this.#now() >= stopsAtMs) return null;
      await delay(POLL_MS);
    }
    const lease = { weight: bounded, group, endsAtMs: this.#now() + leaseMs };
    this.#leases.add(lease);
    return lease;
  }

  release(lease: SemaphoreLease): void {
    this.#leases.delete(lease);
  }

  /** Weight of the leases of a group, or of all; forgets expired ones. */
  #held(group?: string): number {
    let sum = 0;
    for (const lease of this.#leases) {
      if (lease.endsAtMs <= this.#now()) this.#leases.delete(lease);
      else if (group === undefined || lease.group === group) sum += lease.weight;
    }
    return sum;
  }
}
