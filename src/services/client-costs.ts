// Costs of requests in units of processor time, about 0.3 s each, which a rate limit counts for each client, and the hashes of the
// addresses to which longer limits are charged.
import { RATE_LIMIT_PERIOD_SECONDS } from '../config/limits/http.ts';
import { LISTS } from '../config/limits/images.ts';
import { Failure } from '../domain/errors.ts';
import { dayParts } from '../domain/time.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import { hmacSha256Hex } from '../util/bytes.ts';

/** @throws Failure `rate-limited` with `sentence` when the client has used up its units of this minute */
export async function spendUnits(
  limiter: RateLimitBinding | undefined,
  { key, units, sentence }: { readonly key: string; readonly units: number; readonly sentence: string },
): Promise<void> {
  for (let unit = 0; limiter && unit < units; unit++) {
    const { success } = await limiter.limit({ key });
    if (!success) throw new Failure('rate-limited', sentence, { retryAfterSeconds: RATE_LIMIT_PERIOD_SECONDS });
  }
}

/** Units of long lists, counted apart from the units of pictures. */
export class ListCosts {
  readonly #limiter: RateLimitBinding | undefined;
  readonly #key: string;
  #records = 0;

  constructor(limiter: RateLimitBinding | undefined, client: string) {
    this.#limiter = limiter;
    this.#key = `lists ${client}`;
  }

  /** @throws Failure `rate-limited` */
  async spend(units: number): Promise<void> {
    const sentence = 'Too many long lists for this address. Try again in a minute, or request shorter ones.';
    await spendUnits(this.#limiter, { key: this.#key, units, sentence });
  }

  /** The pages of a list of unknown length. Counts a unit for each `LISTS.unitRecords`, and continues when they are used up. */
  async *counted<Page extends readonly unknown[], End>(pages: AsyncGenerator<Page, End>): AsyncGenerator<Page, End> {
    for (;;) {
      const page = await pages.next();
      if (page.done) return page.value;
      this.#records += page.value.length;
      for (; this.#records >= LISTS.unitRecords; this.#records -= LISTS.unitRecords)
        await this.#limiter?.limit({ key: this.#key });
      yield page.value;
    }
  }
}

/**
 * Hashes of a client's address on the UTC days of `timesMs`, without duplicates and in order. They change every day, so that
 * addresses are not stored and clients cannot be tracked.
 */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map((ms) => dayParts(ms).join('-')));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${address}`)));
}
