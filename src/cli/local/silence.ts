// The silence of a process: one that does not respond is stuck, unless it computes, waits for a processor or waits for a disk.
import { type Activity, activityOf } from './processes.ts';

/** Limits of a silence, in milliseconds. */
export interface Patience {
  /** Time in which the process does nothing. */
  readonly idleMs: number;
  /** Processor time of the main thread in which it neither reads nor writes: it computes for ever. A machine under load stretches it. */
  readonly spinMs: number;
  /** Time in all, because a process that works and never responds is of no use. */
  readonly mostMs: number;
}

export const PATIENCE: Patience = { idleMs: 5_000, spinMs: 7_000, mostMs: 60_000 };

/** Share of the time from which a main thread that computes, or waits for a processor, is active. */
const ACTIVE_SHARE = 0.3;

export interface SilenceOptions {
  /** Time between two checks, in milliseconds. */
  readonly checkMs: number;
  readonly patience?: Patience;
  readonly activity?: (pid: number) => Activity | null;
}

/** Watches one process. The checks are called at an interval, with the time of each in milliseconds. */
export class Silence {
  readonly #options: Required<SilenceOptions>;
  readonly #pid: number;
  #checkedAt: number;
  #before: Activity | null;
  #isActive = false;
  #silentMs = 0;
  #idleMs = 0;
  #spinMs = 0;

  constructor(pid: number, nowMs: number, options: SilenceOptions) {
    this.#options = { patience: PATIENCE, activity: activityOf, ...options };
    this.#pid = pid;
    this.#checkedAt = nowMs;
    this.#before = this.#options.activity(pid);
  }

  /** Length of the silence so far. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /** Whether the process was active between the last two checks; false where nothing is known of it. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** @param hasResponded whether there was a response since the last check. @returns whether the process is stuck */
  isStuck(hasResponded: boolean, nowMs: number): boolean {
    const { checkMs, patience, activity } = this.#options;
    const elapsedMs = nowMs - this.#checkedAt;
    // A check that is late itself, because this process was stopped or had no processor, does not count for all of the time.
    const countedMs = Math.min(elapsedMs, 2 * checkMs);
    const [before, after] = [this.#before, activity(this.#pid)];
    [this.#checkedAt, this.#before] = [nowMs, after];
    // Elsewhere than on Linux nothing is known, and only the longest time counts.
    const isKnown = before !== null && after !== null;
    const computedMs = isKnown ? after.computedMs - before.computedMs : 0;
    const queuedMs = isKnown ? after.queuedMs - before.queuedMs : 0;
    this.#isActive = isKnown && (after.isAtDisk || computedMs + queuedMs > ACTIVE_SHARE * elapsedMs);
    if (hasResponded) {
      [this.#silentMs, this.#idleMs, this.#spinMs] = [0, 0, 0];
      return false;
    }
    this.#silentMs += countedMs;
    this.#idleMs = isKnown && !this.#isActive ? this.#idleMs + countedMs : 0;
    this.#spinMs = isKnown && after.transfers === before.transfers ? this.#spinMs + computedMs : 0;
    return this.#silentMs > patience.mostMs || this.#idleMs > patience.idleMs || this.#spinMs > patience.spinMs;
  }
}
