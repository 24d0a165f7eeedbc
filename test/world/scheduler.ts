// The scheduler of a world: one seed decides which of the calls that wait takes effect next, and how much time passes.
import { randomNumbers } from '../support/imaging/rasters.ts';

/** An isolate, a worker or a client, whose calls never return after its end. */
export interface Life {
  readonly name: string;
  isAlive: boolean;
}

interface Turn {
  readonly label: string;
  readonly owner: Life | null;
  readonly begin: () => void;
}

export interface Timer {
  readonly atMs: number;
  readonly turn: Turn;
}

/** Milliseconds that a step takes at most. */
const STEP_MS = 4;

export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

export class Scheduler {
  nowMs: number;
  steps = 0;
  /** A line for each step: the time and what took its turn. */
  readonly trace: string[] = [];
  readonly random: () => number;
  /** Points at which something has failed or ended: who, how, and at which call. */
  readonly points = new Set<string>();
  readonly #ready: Turn[] = [];
  readonly #timers: Timer[] = [];

  constructor(seed: number, nowMs: number) {
    this.random = randomNumbers(seed);
    this.nowMs = nowMs;
  }

  below = (count: number): number => Math.floor(this.random() * count);

  pick = <T>(values: readonly T[]): T => values[this.below(values.length)]!;

  /** Resolves when the call takes its turn; never after the end of its owner. */
  turn(label: string, owner: Life | null = null): Promise<void> {
    if (owner?.isAlive === false) return never();
    return new Promise((begin) => this.#ready.push({ label, owner, begin }));
  }

  /** Runs `begin` at a time. */
  at(atMs: number, label: string, begin: () => void, owner: Life | null = null): Timer {
    const timer = { atMs: Math.ceil(atMs), turn: { label, owner, begin } };
    let place = this.#timers.length;
    while (place > 0 && this.#timers[place - 1]!.atMs > timer.atMs) place -= 1;
    this.#timers.splice(place, 0, timer);
    return timer;
  }

  cancel(timer: Timer): void {
    const place = this.#timers.indexOf(timer);
    if (place >= 0) this.#timers.splice(place, 1);
  }

  /** Ends a life between two of its awaits. A call that is under way takes effect or not, without a record of which. */
  kill(life: Life): void {
    life.isAlive = false;
    const who = life.name.replace(/-?\d.*/, '');
    for (const { label, owner } of this.#ready) if (owner === life) this.points.add(`${who} ends at ${label}`);
    for (let i = this.#ready.length - 1; i >= 0; i -= 1) {
      if (this.#ready[i]!.owner === life && this.random() < 0.5) this.#ready.splice(i, 1);
    }
  }

  /** Runs until nothing waits and no timer is due before `untilMs`. @throws Error after too many steps */
  async run(untilMs: number, mostSteps: number): Promise<void> {
    const last = this.steps + mostSteps;
    await settled();
    while (await this.#step(untilMs)) if (this.steps > last) throw new Error(`The world is not quiet after ${mostSteps} steps.`);
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Runs at most `steps` steps of what waits now. */
  async some(steps: number): Promise<void> {
    await settled();
    for (let i = 0; i < steps && (await this.#step(this.nowMs)); i += 1);
  }

  async #step(untilMs: number): Promise<boolean> {
    while (this.#timers[0] && this.#timers[0].atMs <= this.nowMs) this.#ready.push(this.#timers.shift()!.turn);
    if (this.#ready.length === 0) {
      const next = this.#timers[0];
      if (!next || next.atMs > untilMs) return false;
      this.nowMs = next.atMs;
      return true;
    }
    const [{ label, owner, begin }] = this.#ready.splice(this.below(this.#ready.length), 1) as [Turn];
    this.nowMs += this.below(STEP_MS);
    this.steps += 1;
    const line = owner ? `${owner.name} ${label}` : label;
    this.trace.push(`${this.nowMs} ${line}`);
    begin();
    await settled();
    return true;
  }
}

const immediate = setImmediate;

/** Resolves when all that can go on without the world has done so: nothing in it waits for anything else. */
export const settled = (): Promise<void> => new Promise((resolve) => immediate(resolve));
