// Turns for days of events, so that those that are under way fit the memory of one isolate together.
import type { EVENT_CONCURRENCY } from '../../config/limits/events.ts';

export type ConcurrencyLimits = { readonly [K in keyof typeof EVENT_CONCURRENCY]: number };

export interface Turn {
  readonly feed: string;
  readonly endsAtMs: number;
}

const POLL_MS = 50;

export class Turns {
  readonly #limits: ConcurrencyLimits;
  readonly #turns = new Set<Turn>();

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  /**
   * A turn for a day of a feed, which is over when it is ended, or after `leaseMs`: the platform may stop who has it. Null when
   * none comes in time. Who waits asks again and again, rather than be woken by another request.
   */
  async take(feed: string): Promise<Turn | null> {
    const { waitMs, leaseMs } = this.#limits;
    const givesUpAtMs = performance.now() + waitMs;
    while (!this.#isFree(feed)) {
      if (performance.now() >= givesUpAtMs) return null;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const turn = { feed, endsAtMs: performance.now() + leaseMs };
    this.#turns.add(turn);
    return turn;
  }

  end(turn: Turn): void {
    this.#turns.delete(turn);
  }

  #isFree(feed: string): boolean {
    for (const turn of this.#turns) if (turn.endsAtMs <= performance.now()) this.#turns.delete(turn);
    const ofFeed = [...this.#turns].filter((turn) => turn.feed === feed);
    return this.#turns.size < this.#limits.total && ofFeed.length < this.#limits.perFeed;
  }
}
