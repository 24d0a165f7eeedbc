// Costs of requests in units of processor time, about 0.3 s each, which a rate limit counts for each client, and the hashes of the
// addresses to which longer limits are charged.
import { TURNS } from '../config/limits/http.ts';
import { LISTS } from '../config/limits/images.ts';
import { MEMORY_RETRY_SECONDS } from '../config/limits/memory.ts';
import { Failure, limitExceeded } from '../domain/errors.ts';
import { isoDay } from '../domain/time.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import { hmacSha256Hex } from '../util/bytes.ts';
import { NoMemory } from '../util/memory-budget.ts';

/** @throws Failure `rate-limited` with `sentence` when the client has used up its units of this minute */
export async function spendUnits(
  limiter: RateLimitBinding | undefined,
  { key, units, sentence }: { readonly key: string; readonly units: number; readonly sentence: string },
): Promise<void> {
  for (let unit = 0; limiter && unit < units; unit++) {
    const { success, resetSeconds } = await limiter.limit({ key });
    if (!success) throw limitExceeded(sentence, limiter.policy, resetSeconds);
  }
}

/** Rethrows `NoMemory` where the client's own work has its share. */
export function asOwnShare(error: unknown): never {
  if (!(error instanceof NoMemory && error.isOwnShare)) throw error;
  const sentence = `Other requests from this address use all the memory that it may have. Try again in about ${MEMORY_RETRY_SECONDS} seconds.`;
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: MEMORY_RETRY_SECONDS });
}

/**
 * Counts the milliseconds of work, and lets other requests of the isolate go first after each step of `TURNS.stepMs`. Parts of the work that
 * go on at once, such as layers, wait for the same turn, because each would otherwise use the time of the others' turns for a step of its own.
 */
export function inSteps(turn: (ms: number) => Promise<void>): (ms: number) => Promise<void> {
  let sinceMs = 0;
  let turning: Promise<void> | null = null;
  const turnAfter = async (ms: number): Promise<void> => {
    try {
      await turn(ms);
    } finally {
      turning = null;
    }
  };
  return async (ms) => {
    sinceMs += ms;
    if (!turning && sinceMs >= TURNS.stepMs) {
      turning = turnAfter(sinceMs);
      sinceMs = 0;
    }
    await turning;
  };
}

/** Work of unknown extent, of which a client is charged a unit of a rate limit for each `perUnit`. */
export class CountedWork {
  readonly #limiter: RateLimitBinding | undefined;
  readonly #key: string;
  readonly #perUnit: number;
  readonly #sentence: string;
  #amount = 0;
  /** Whether work fails when the units are used up. Unset it when the response has begun. */
  isRefusing = true;

  constructor(
    limiter: RateLimitBinding | undefined,
    { key, perUnit, sentence }: { readonly key: string; readonly perUnit: number; readonly sentence: string },
  ) {
    this.#limiter = limiter;
    this.#key = key;
    this.#perUnit = perUnit;
    this.#sentence = sentence;
  }

  /** @throws Failure `rate-limited` */
  async add(amount: number): Promise<void> {
    this.#amount += amount;
    const units = Math.floor(this.#amount / this.#perUnit);
    this.#amount -= units * this.#perUnit;
    await spendUnits(this.#limiter, { key: this.#key, units, sentence: this.#sentence }).catch((error: unknown) => {
      if (this.isRefusing) throw error;
    });
  }
}

const MANY_LISTS = 'Too many long lists for this address. Try again in a minute, or request shorter ones.';

/** Units of long lists, counted apart from the units of pictures. */
export class ListCosts {
  readonly #limiter: RateLimitBinding | undefined;
  readonly #key: string;
  readonly #records: CountedWork;

  constructor(limiter: RateLimitBinding | undefined, client: string) {
    this.#limiter = limiter;
    this.#key = `lists ${client}`;
    this.#records = new CountedWork(limiter, { key: this.#key, perUnit: LISTS.unitRecords, sentence: MANY_LISTS });
    this.#records.isRefusing = false;
  }

  /** @throws Failure `rate-limited` */
  async spend(units: number): Promise<void> {
    await spendUnits(this.#limiter, { key: this.#key, units, sentence: MANY_LISTS });
  }

  /** The pages of a list of unknown length. Counts a unit for each `LISTS.unitRecords`, and continues when they are used up. */
  async *counted<Page extends readonly unknown[], End>(pages: AsyncGenerator<Page, End>): AsyncGenerator<Page, End> {
    for (;;) {
      const page = await pages.next();
      if (page.done) return page.value;
      await this.#records.add(page.value.length);
      yield page.value;
    }
  }
}

/** Groups of 16 bits of an IPv6 network of 48 bits, which a provider gives to a customer. */
const NETWORK_GROUPS = 3;

/** The client of an address in limits that last longer than a minute: an IPv4 address, or the first 48 bits of an IPv6 network. */
export function networkOf(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, NETWORK_GROUPS).join(':') : address;
}

/**
 * Hashes of the network of a client's address on the UTC days of `timesMs`, without duplicates and in order. They change every day, so that
 * addresses are not stored and clients cannot be tracked.
 */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map(isoDay));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${networkOf(address)}`)));
}
