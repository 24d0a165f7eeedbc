// How a request is admitted.
//
// 1. The gateway counts every request that passes the edge cache (`limitRate`, GATEWAY_LIMIT), the service every one that it receives
//    (RENDER_LIMIT, JPIP_LIMIT), each for the client, its network and its location.
// 2. The service serves the requests of a client in its turn (`Turns.serve`).
// 3. The operation charges what it does to the `Admission` of its request: `admit` before work, `step` between its steps, `hold` for its
//    memory, `store` for what it keeps.
//
// The limits are in platform/limits/admission.ts and memory.ts. The queue of movies has its own, in megapixels (movies/d1-movies.ts).
import { asDamaged } from '../../jp2/errors.ts';
import { type BudgetName, COSTS, type CostName } from '../limits/admission.ts';
import { MEMORY_RETRY_SECONDS, MEMORY_WAIT_MS } from '../limits/memory.ts';
import { type Pace, paceOf, type Stopwatch, type WaitUntil } from '../ports/timing.ts';
import { Failure } from '../util/errors.ts';
import { boundedMap, type MemoryBudget, NoMemory } from '../util/memory-budget.ts';
import type { Budgets, MakeRoom } from './budgets.ts';
import { type RateLimitBinding, rateLimitHeaders, spend } from './rate-limit.ts';
import type { Turns } from './turns.ts';

/** What counts and holds the work of all clients in an isolate. */
export interface Limiters {
  /** Counts the requests of each client that the edge cache does not answer. */
  readonly requestLimiter: RateLimitBinding;
  /** Counts units of cost for each client (`COSTS`). */
  readonly pictureLimiter: RateLimitBinding;
  readonly turns: Pick<Turns, 'turn' | 'change'>;
  readonly memory: MemoryBudget;
  readonly budgets: Pick<Budgets, 'spend' | 'charge'>;
  /** Runs after the response to work that held memory. */
  readonly afterRendering: () => Promise<void>;
}

interface Caller {
  /** Network address of the client, by which limits are counted. */
  readonly client: string;
  readonly stopwatch: Stopwatch;
  readonly waitUntil: WaitUntil;
}

/** The parts of a request that work within the limits of its client needs. */
export interface RenderCall extends Pick<Caller, 'stopwatch' | 'waitUntil'> {
  readonly admission: Admission;
}

/** Clients whose units an isolate keeps; the longest unseen buy another one. */
const ACCOUNTS = 10_000;

interface Account {
  /** Work that is paid for; below 0 where work that could not be refused is not. */
  left: number;
}

/** Amounts that clients have left of their units, by rate and key. They outlast requests, so that none works for nothing. */
const accounts = new WeakMap<RateLimitBinding, ReturnType<typeof boundedMap<Account>>>();

export class Admission {
  readonly #limiters: Limiters;
  readonly #caller: Caller;
  /** Units that are being bought: work that goes on at once waits for one. */
  readonly #buying = new Map<CostName, Promise<void>>();

  constructor(limiters: Limiters, caller: Caller) {
    this.#limiters = limiters;
    this.#caller = caller;
  }

  /** Charges work to the client before it begins. @throws Failure `rate-limited` when its units of this minute are used up */
  async admit(cost: CostName, amount: number): Promise<void> {
    const { perUnit, rounds } = COSTS[cost];
    if (rounds === 'up') return this.#buy(cost, Math.ceil(amount / perUnit));
    if (rounds === 'kept') return this.#use(cost, amount, true);
    await this.#buy(cost, Math.floor(amount / perUnit));
    // What earlier requests owe.
    return this.#use(cost, 0, true);
  }

  /** Charges work that is already done, which the next work of the client pays for. */
  owe(cost: CostName, amount: number): void {
    this.#account(cost).left -= amount;
  }

  /** Charges work of known extent: whole units before it begins, the rest to the next work. @throws Failure as `admit` */
  async admitAll(cost: CostName, amount: number): Promise<void> {
    await this.admit(cost, amount);
    this.owe(cost, amount % COSTS[cost].perUnit);
  }

  /** The pages of a list of unknown length. Charges their records, and continues when the units are used up. */
  async *listed<Page extends readonly unknown[], End>(pages: AsyncGenerator<Page, End>): AsyncGenerator<Page, End> {
    for (;;) {
      const page = await pages.next();
      if (page.done) return page.value;
      await this.#use('lists', page.value.length, false);
      yield page.value;
    }
  }

  /** RateLimit headers of a cost. */
  headers(cost: CostName): Record<string, string> {
    const limiter = this.#limiterOf(cost);
    return rateLimitHeaders(limiter.policy, limiter.left?.(this.#key(cost)) ?? {});
  }

  /** Lets other requests go first before a step of about so many milliseconds. */
  step(ms: number): Promise<void> {
    return this.#limiters.turns.turn(this.#caller.client, ms);
  }

  /** Waits for the turn of a request that changes what is stored. @throws Failure `rate-limited` behind too many others of the client */
  change(): Promise<void> {
    return this.#limiters.turns.change(this.#caller.client);
  }

  /**
   * Works when there are `bytes` of memory. Continues when the client disconnects, because other requests may share the result and the
   * memory must be released. `isShared`: takes no share of the client, as work of the size of a tile that others wait for. `reads`: whether
   * it reads images, whose missing records and sidecars are made after the response.
   * @throws NoMemory; Failure `rate-limited` when other work of the client has its share, `damaged-image` when an image cannot be decoded
   */
  async hold<T>(bytes: number, work: (pace: Pace) => Promise<T>, { isShared = false, reads = true } = {}): Promise<T> {
    const { memory, afterRendering } = this.#limiters;
    const { client, stopwatch, waitUntil } = this.#caller;
    const pace = paceOf({
      stopwatch,
      step: (ms) => this.step(ms),
      charge: (pixels) => this.admit('pictures', pixels),
    });
    const running = memory.run(bytes, MEMORY_WAIT_MS.request, () => work(pace), isShared ? undefined : client).catch(asDamaged);
    waitUntil(running.catch(() => undefined));
    const result = await running.catch(asOwnShare);
    if (reads) waitUntil(afterRendering());
    return result;
  }

  /** Charges what is stored for longer to the client. @throws Failure `rate-limited` for its budget, `storage-full` for that of all */
  store(budget: BudgetName, amount: number, makeRoom?: MakeRoom): Promise<void> {
    return this.#limiters.budgets.spend({ budget, client: this.#caller.client, amount, makeRoom });
  }

  /** Charges what may be stored; false where a budget does not have it. */
  async mayStore(budget: BudgetName, amount: number, makeRoom?: MakeRoom): Promise<boolean> {
    return (await this.#limiters.budgets.charge({ budget, client: this.#caller.client, amount, makeRoom })) === 'charged';
  }

  #limiterOf(cost: CostName): RateLimitBinding {
    return COSTS[cost].rate === 'PICTURE_LIMIT' ? this.#limiters.pictureLimiter : this.#limiters.requestLimiter;
  }

  #key(cost: CostName): string {
    return COSTS[cost].apart + this.#caller.client;
  }

  async #buy(cost: CostName, units: number): Promise<void> {
    await spend(this.#limiterOf(cost), this.#key(cost), units, cost);
  }

  #account(cost: CostName): Account {
    const limiter = this.#limiterOf(cost);
    const known = accounts.get(limiter) ?? boundedMap<Account>(ACCOUNTS);
    accounts.set(limiter, known);
    const { rounds, perUnit } = COSTS[cost];
    const account = known.get(this.#key(cost)) ?? { left: rounds === 'down' ? perUnit - 1 : 0 };
    known.set(this.#key(cost), account);
    return account;
  }

  /** Uses an amount of the units of the client, and buys some where it has less; for nothing where there are none and it may not be refused. */
  async #use(cost: CostName, amount: number, isRefusing: boolean): Promise<void> {
    const account = this.#account(cost);
    while (account.left < amount) {
      try {
        const buying = this.#buying.get(cost) ?? this.#buyOne(cost, account);
        this.#buying.set(cost, buying);
        await buying;
      } catch (error) {
        // Another request of the client may have bought the last unit meanwhile.
        if (account.left >= amount) break;
        if (isRefusing) throw error;
        account.left += COSTS[cost].perUnit;
      }
    }
    account.left -= amount;
  }

  async #buyOne(cost: CostName, account: Account): Promise<void> {
    try {
      await this.#buy(cost, 1);
      account.left += COSTS[cost].perUnit;
    } finally {
      this.#buying.delete(cost);
    }
  }
}

/** Rethrows `NoMemory` where the client's own work has its share. */
function asOwnShare(error: unknown): never {
  if (!(error instanceof NoMemory && error.isOwnShare)) throw error;
  const sentence = `Other requests from this address use all the memory that it may have. Try again in about ${MEMORY_RETRY_SECONDS} seconds.`;
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: MEMORY_RETRY_SECONDS });
}
