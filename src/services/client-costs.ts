// Costs of requests in units of about 0.3 s of processor time, which a rate limit counts, and hashes of addresses for longer limits.
import { TURNS } from '../config/limits/http.ts';
import { LISTS } from '../config/limits/images.ts';
import { MEMORY_RETRY_SECONDS } from '../config/limits/memory.ts';
import { Failure, limitExceeded } from '../domain/errors.ts';
import { isoDay } from '../domain/time.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import { boundedMap } from '../util/bounded-map.ts';
import { hmacSha256Hex } from '../util/bytes.ts';
import { NoMemory } from '../util/memory-budget.ts';

/** @throws Failure `rate-limited` with `sentence` when the client has used up its units of this minute */
export async function spendUnits(
  limiter: RateLimitBinding | undefined,
  { key, units, sentence }: { readonly key: string; readonly units: number; readonly sentence: string },
): Promise<void> {
  for (let unit = 0; limiter && unit < units; unit++) {
    const { success, resetSeconds, policy = limiter.policy, scope } = await limiter.limit({ key });
    if (!success) throw limitExceeded(sentence, policy, resetSeconds, scope);
  }
}

/** Rethrows `NoMemory` where the client's own work has its share. */
export function asOwnShare(error: unknown): never {
  if (!(error instanceof NoMemory && error.isOwnShare)) throw error;
  const sentence = `Other requests from this address use all the memory that it may have. Try again in about ${MEMORY_RETRY_SECONDS} seconds.`;
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: MEMORY_RETRY_SECONDS });
}

/** Lets other requests go first after each step of `TURNS.stepMs`. Parts that go on at once wait for the same turn. */
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

/** Clients whose units an isolate keeps; the longest unseen buy another one. */
const ACCOUNTS = 10_000;

interface Account {
  /** Work that is paid for; below 0 where work that could not be refused is not. */
  left: number;
}

/** Units that clients have left, by limit and key. They outlast requests, so that none works for nothing. */
const accounts = new WeakMap<RateLimitBinding, ReturnType<typeof boundedMap<Account>>>();

function accountOf(limiter: RateLimitBinding | undefined, key: string, left: number): Account {
  const opened: Account = { left };
  if (!limiter) return opened;
  const known = accounts.get(limiter) ?? boundedMap<Account>(ACCOUNTS);
  accounts.set(limiter, known);
  const account = known.get(key) ?? opened;
  known.set(key, account);
  return account;
}

interface CountedWorkOptions {
  readonly key: string;
  readonly perUnit: number;
  readonly sentence: string;
  /** Work that a client unknown to the isolate has for nothing. */
  readonly free?: number;
}

/** Work of unknown extent, for which a client buys units of a rate limit of `perUnit` each, one before it begins to use it. */
export class CountedWork {
  readonly #limiter: RateLimitBinding | undefined;
  readonly #key: string;
  readonly #perUnit: number;
  readonly #sentence: string;
  readonly #account: Account;
  #buying: Promise<void> | undefined;
  /** Whether work fails when the units are used up. */
  isRefusing = true;

  constructor(limiter: RateLimitBinding | undefined, { key, perUnit, sentence, free = 0 }: CountedWorkOptions) {
    this.#limiter = limiter;
    this.#key = key;
    this.#perUnit = perUnit;
    this.#sentence = sentence;
    this.#account = accountOf(limiter, key, free);
  }

  /** Precedes work. @throws Failure `rate-limited` */
  async add(amount: number): Promise<void> {
    const account = this.#account;
    while (account.left < amount) {
      try {
        // Work that goes on at once waits for one unit.
        this.#buying ??= this.#buy();
        await this.#buying;
      } catch (error) {
        // Another request of the client may have bought the last unit meanwhile.
        if (account.left >= amount) break;
        if (this.isRefusing) throw error;
        account.left += this.#perUnit;
      }
    }
    account.left -= amount;
  }

  async #buy(): Promise<void> {
    try {
      await spendUnits(this.#limiter, { key: this.#key, units: 1, sentence: this.#sentence });
      this.#account.left += this.#perUnit;
    } finally {
      this.#buying = undefined;
    }
  }

  /** Charges work that is already done, which the next work of the client pays for. */
  owe(amount: number): void {
    this.#account.left -= amount;
  }
}

const MANY_LISTS = 'Too many long lists for this address. Try again in a minute, or request shorter ones.';

/** Units of lists, counted apart from the units of pictures. */
export class ListCosts {
  readonly #limiter: RateLimitBinding | undefined;
  readonly #key: string;
  readonly #records: CountedWork;

  constructor(limiter: RateLimitBinding | undefined, client: string) {
    const perUnit = LISTS.unitRecords;
    this.#limiter = limiter;
    this.#key = `lists ${client}`;
    this.#records = new CountedWork(limiter, { key: this.#key, perUnit, sentence: MANY_LISTS, free: perUnit - 1 });
  }

  /** Charges a list of at most so many records the whole units among them, and what earlier ones owe. @throws Failure `rate-limited` */
  async spend(records: number): Promise<void> {
    const units = Math.floor(records / LISTS.unitRecords);
    await spendUnits(this.#limiter, { key: this.#key, units, sentence: MANY_LISTS });
    await this.#records.add(0);
  }

  /** Charges records that no unit has paid for. */
  owe(records: number): void {
    this.#records.owe(records);
  }

  /** The pages of a list of unknown length. Counts their records, and continues when the units are used up. */
  async *counted<Page extends readonly unknown[], End>(pages: AsyncGenerator<Page, End>): AsyncGenerator<Page, End> {
    this.#records.isRefusing = false;
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

/** Hashes of the network of a client on the UTC days of `timesMs`, each once. They change every day, so that clients cannot be tracked. */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map(isoDay));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${networkOf(address)}`)));
}
