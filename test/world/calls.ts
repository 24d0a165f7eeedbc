// Calls of an isolate to the platform: each waits for its turn, may fail before or after its effect, and is counted for its invocation.
import type { Life, Scheduler } from './scheduler.ts';
import { never } from './scheduler.ts';

export type Service = 'd1' | 'r2' | 'queue' | 'ids' | 'cache' | 'encoder';
/** `end`: the caller ends, before the call takes effect or after. */
export type FaultKind = 'before' | 'after' | 'special' | 'slow' | 'end';

/** A fault that waits for a call of a service. */
export interface Armed {
  readonly on: Service;
  readonly kind: FaultKind;
  /** Calls of the service that it lets pass. */
  skip: number;
}

/** Times in milliseconds until which each call of a service fails. */
export type Outages = Map<Service, number>;

/** The faults of a world: those to come, and the numbers of those that have happened. */
export interface Faults {
  readonly armed: Armed[];
  readonly outages: Outages;
  readonly happened: Map<string, number>;
}

/** Longest time that a slow call takes. */
const SLOW_MS = 40_000;

export interface Caller {
  readonly random: () => number;
  pick<T>(values: readonly T[]): T;
  nowMs(): number;
  /**
   * @param errorOf An error as the platform throws it
   * @param weight Statements of the call
   * @param special The call with the fault of its kind; without one, such a call is slow
   */
  call<T>(
    on: Service,
    label: string,
    errorOf: () => Error,
    weight: number,
    work: () => Promise<T> | T,
    special?: () => Promise<T> | T,
  ): Promise<T>;
}

/** Most calls and statements of one invocation so far. */
export interface Costs {
  calls: number;
  statements: number;
}

export class Calls implements Caller {
  readonly random: () => number;
  readonly #scheduler: Scheduler;
  readonly #life: Life;
  /** Kind of the invocation. */
  readonly #what: string;
  readonly #armed: Armed[];
  readonly #outages: Outages;
  readonly #end: () => void;
  readonly costs: Costs = { calls: 0, statements: 0 };
  /** Faults that have happened, by service and kind. */
  readonly #happened: Map<string, number>;

  constructor(scheduler: Scheduler, life: Life, what: string, { armed, outages, happened }: Faults, end: () => void) {
    this.#scheduler = scheduler;
    this.#life = life;
    this.#what = what;
    this.#end = end;
    this.#armed = armed;
    this.#outages = outages;
    this.#happened = happened;
    this.random = scheduler.random;
  }

  pick<T>(values: readonly T[]): T {
    return this.#scheduler.pick(values);
  }

  nowMs(): number {
    return this.#scheduler.nowMs;
  }

  async call<T>(
    on: Service,
    label: string,
    errorOf: () => Error,
    weight: number,
    work: () => Promise<T> | T,
    special?: () => Promise<T> | T,
  ): Promise<T> {
    const life = this.#life;
    this.costs.calls += 1;
    if (on === 'd1') this.costs.statements += weight;
    await this.#scheduler.turn(label, life);
    const kind = this.fault(on, special !== undefined);
    if (kind) this.#scheduler.points.add(`${this.#what}: ${kind} at ${label}`);
    if (kind === 'slow') await this.#pause(label);
    if (kind === 'before') throw errorOf();
    if (kind === 'end') {
      if (this.random() < 0.5) await (async () => work())().catch(() => undefined);
      return this.end();
    }
    const result = await (kind === 'special' ? special!() : work());
    if (!life.isAlive) return never();
    if (kind === 'after') throw errorOf();
    return result;
  }

  /** Ends the caller. */
  end(): Promise<never> {
    this.#end();
    return never();
  }

  #pause(label: string): Promise<void> {
    const { nowMs } = this.#scheduler;
    return new Promise((resolve) => this.#scheduler.at(nowMs + this.random() * SLOW_MS, `slow ${label}`, resolve, this.#life));
  }

  /** The fault that meets a call of a service now. */
  fault(on: Service, hasSpecial = false): FaultKind | null {
    if ((this.#outages.get(on) ?? 0) > this.#scheduler.nowMs) return 'before';
    const armed = this.#armed.find((each) => each.on === on && each.skip-- <= 0);
    if (!armed) return null;
    this.#armed.splice(this.#armed.indexOf(armed), 1);
    const kind = armed.kind === 'special' && !hasSpecial ? 'slow' : armed.kind;
    const name = `${on} ${kind}`;
    this.#happened.set(name, (this.#happened.get(name) ?? 0) + 1);
    return kind;
  }
}
