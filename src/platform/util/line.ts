import { delay } from './retry.ts';

const POLL_MS = 20;
/** Milliseconds without a look at the line after which one that waits in it counts as cancelled with its request. */
const GONE_MS = 2_000;

/**
 * A line whose first `count` have their turn. A cancelled request never leaves it, so that a turn ends after `leaseMs`; one that waits
 * polls, as no other request may wake it.
 */
export class Line {
  readonly #count: number;
  readonly #leaseMs: number;
  /** In the order of their arrival. */
  readonly #places = new Set<{ endsAtMs: number }>();

  constructor(count: number, leaseMs: number) {
    this.#count = count;
    this.#leaseMs = leaseMs;
  }

  /** Waits for a turn. @returns what ends it; null when there was none within `waitMs` */
  async enter(waitMs: number): Promise<(() => void) | null> {
    const place = { endsAtMs: 0 };
    const leave = () => void this.#places.delete(place);
    for (const stopsAtMs = performance.now() + waitMs; ; await delay(POLL_MS)) {
      const nowMs = performance.now();
      place.endsAtMs = nowMs + GONE_MS;
      this.#places.add(place);
      for (const other of this.#places) if (other.endsAtMs < nowMs) this.#places.delete(other);
      if ([...this.#places].indexOf(place) < this.#count) {
        place.endsAtMs = nowMs + this.#leaseMs;
        return leave;
      }
      if (nowMs < stopsAtMs) continue;
      leave();
      return null;
    }
  }
}
