// The rate limit for each client, its headers (draft-ietf-httpapi-ratelimit-headers-11), and the turns of the clients of an isolate.
import { RATE_LIMIT_PERIOD_SECONDS, TURNS } from '../config/limits/http.ts';
import type { ClientSettings } from '../config/settings/clients.ts';
import { type LimitScope, limitExceeded, type RateLimitPolicy } from '../domain/errors.ts';
import type { RateCounter, RateLimitBinding, RateLimitCount } from '../ports/rate-limit.ts';
import type { Clock } from '../ports/timing.ts';
import { boundedMap, Refusals } from '../util/bounded-map.ts';
import { SECOND_MS } from '../util/durations.ts';
import { ipv6Network, isInRange, networkAround } from '../util/networks.ts';
import { delay } from '../util/retry.ts';

/** Groups of 16 bits in the network of an IPv6 address that is a client. */
const CLIENT_GROUPS = 4;

/** The client of a request, as the gateway has read it: the platform may replace its own header on the way through the cache. */
export const CLIENT_HEADER = 'X-Helioedge-Client';

/** The client as the platform states it: its IPv4 address, or its IPv6 network (/64). Null where it states none. */
export function clientOf(headers: Headers): string | null {
  const address = headers.get('CF-Connecting-IP');
  if (!address?.includes(':')) return address;
  const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mappedIpv4 ?? ipv6Network(address, CLIENT_GROUPS);
}

/** The client that the gateway has named, by which everything is counted; `local` where it could name none. */
export const clientKey = (headers: Headers): string => headers.get(CLIENT_HEADER) ?? 'local';

/** Clients that an isolate counts at a time; the longest unseen are forgotten first. */
const COUNTED_CLIENTS = 10_000;

/** Counts in the isolate, in fixed periods, for the local runtime: its binding writes each count to a database, in 2 ms. */
export class IsolateRateLimit implements RateCounter {
  readonly policy: RateLimitPolicy;
  readonly #clock: Clock;
  readonly #counts = boundedMap<{ readonly period: number; readonly count: number }>(COUNTED_CLIENTS);

  constructor(policy: RateLimitPolicy, clock: Clock) {
    this.policy = policy;
    this.#clock = clock;
  }

  async limit({ key, factor = 1 }: { key: string; factor?: number }): Promise<RateLimitCount> {
    const { period, count } = this.#count(key);
    this.#counts.set(key, { period, count: count + 1 });
    return { success: count < this.policy.quota * factor, ...this.left(key, factor) };
  }

  left(key: string, factor = 1) {
    const { quota, seconds } = this.policy;
    const { period, count } = this.#count(key);
    const resetSeconds = Math.ceil((period + 1) * seconds - this.#clock() / SECOND_MS);
    return { remaining: Math.max(0, quota * factor - count), resetSeconds };
  }

  #count(key: string) {
    const period = Math.floor(this.#clock() / (this.policy.seconds * SECOND_MS));
    const known = this.#counts.get(key);
    return known?.period === period ? known : { period, count: 0 };
  }
}

/** A binding of the platform. A key with a factor is counted as several, one after the other; a refused one not again before its time. */
export class PlatformRateLimit implements RateCounter {
  readonly policy: RateLimitPolicy | undefined;
  readonly #binding: RateLimitBinding;
  readonly #refusals: Refusals;

  constructor(policy: RateLimitPolicy | undefined, binding: RateLimitBinding, clock: Clock) {
    this.policy = policy;
    this.#binding = binding;
    this.#refusals = new Refusals(clock);
  }

  async limit({ key, factor = 1 }: { key: string; factor?: number }): Promise<RateLimitCount> {
    let resetSeconds = RATE_LIMIT_PERIOD_SECONDS;
    for (let part = 0; part < factor; part += 1) {
      const counted = part === 0 ? key : `${key} part ${part}`;
      const secondsLeft = this.#refusals.secondsLeft(counted);
      if (secondsLeft === null) {
        if ((await this.#binding.limit({ key: counted })).success) return { success: true };
        this.#refusals.add(counted, RATE_LIMIT_PERIOD_SECONDS);
      } else resetSeconds = Math.min(resetSeconds, secondsLeft);
    }
    return { success: false, remaining: 0, resetSeconds };
  }
}

const ALL_CLIENTS = 'all clients';

/** A limit of each client, of its network and of all clients of a location. What stands before the client in a key is counted apart. */
export class ClientRateLimit implements RateLimitBinding {
  readonly policy: RateLimitPolicy | undefined;
  readonly #counter: RateCounter;
  readonly #settings: ClientSettings;
  readonly #hasLocation: boolean;

  /** `hasLocation`: whether all clients of a location have a limit together. */
  constructor(counter: RateCounter, settings: ClientSettings, hasLocation: boolean) {
    this.policy = counter.policy;
    this.#counter = counter;
    this.#settings = settings;
    this.#hasLocation = hasLocation;
  }

  async limit({ key }: { key: string }): Promise<RateLimitCount> {
    const client = clientIn(key);
    const factor = this.#factorOf(client);
    const policy = this.#policy(factor);
    const count = await this.#counter.limit({ key, factor });
    if (!count.success) return { ...count, policy };
    const { networkFactor, locationFactor } = this.#settings;
    const network = networkAround(client);
    const shared = [
      ...(network === null ? [] : [{ scope: 'network', holder: network, times: factor * networkFactor } as const]),
      ...(this.#hasLocation ? [{ scope: 'location', holder: ALL_CLIENTS, times: locationFactor } as const] : []),
    ];
    for (const { scope, holder, times } of shared) {
      const ofAll = await this.#counter.limit({ key: key.slice(0, -client.length) + holder, factor: times });
      if (!ofAll.success) return { ...ofAll, scope, policy: this.#policy(times, scope) };
    }
    return { ...count, policy };
  }

  left(key: string): Omit<RateLimitCount, 'success'> {
    const factor = this.#factorOf(clientIn(key));
    return { ...this.#counter.left?.(key, factor), policy: this.#policy(factor) };
  }

  #policy(factor: number, scope?: LimitScope): RateLimitPolicy | undefined {
    const { policy } = this;
    return policy && { ...policy, name: scope ? `${policy.name}-${scope}` : policy.name, quota: policy.quota * factor };
  }

  #factorOf(client: string): number {
    const { trustedNetworks, clientTokens } = this.#settings;
    const ofToken = clientTokens.find(({ name }) => tokenClient(name) === client)?.factor;
    const trusted = trustedNetworks.filter((network) => isInRange(client, network.bits)).map(({ factor }) => factor);
    return ofToken ?? Math.max(1, ...trusted);
  }
}

/** The client of a token, which no address is. */
export const tokenClient = (name: string): string => `@${name}`;

const clientIn = (key: string) => key.slice(key.lastIndexOf(' ') + 1);

/** The requests as which one counts by its body. One without a length counts as the longest. */
export function unitsOf(
  { body, headers }: Request,
  { bodyBytes, bodyUnitBytes }: { readonly bodyBytes: number; readonly bodyUnitBytes: number },
): number {
  if (!body) return 1;
  const bytes = Number(headers.get('Content-Length') ?? bodyBytes);
  return Math.max(1, Math.ceil(Math.min(bytes, bodyBytes) / bodyUnitBytes));
}

/** Counts a request, or one that counts as several. @throws Failure `rate-limited` when the client has exceeded its limit */
export async function limitRate(limiter: RateLimitBinding, headers: Headers, units = 1): Promise<RateLimitCount> {
  let count: RateLimitCount;
  do {
    count = await limiter.limit({ key: clientKey(headers) });
    units -= 1;
  } while (count.success && units > 0);
  if (count.success) return count;
  const { policy = limiter.policy, resetSeconds, scope } = count;
  throw limitExceeded('Too many requests from this address. Try again in a minute.', policy, resetSeconds, scope);
}

/** The limit, and what is left of it where that is known. */
export function rateLimitHeaders(
  ofBinding: RateLimitPolicy | undefined,
  { remaining, resetSeconds, policy = ofBinding }: Omit<RateLimitCount, 'success'>,
): Record<string, string> {
  if (!policy) return {};
  const item = `"${policy.name}"`;
  return {
    'RateLimit-Policy': `${item};q=${policy.quota};w=${policy.seconds}`,
    ...(remaining === undefined ? {} : { RateLimit: `${item};r=${remaining};t=${resetSeconds}` }),
  };
}

/** Seconds after which a client has fewer waiting requests. */
const RETRY_SECONDS = 1;

/** Milliseconds of a request, and on top of one that changes what is stored. Each kind waits in a line of its own. */
const LINE_MS = { request: TURNS.requestMs, change: TURNS.changeMs } as const;
type Line = keyof typeof LINE_MS;

interface Use {
  served: number;
  /** Time of its last request or step. */
  seenMs: number;
  /** Time by which its use so far would equal its share (`TURNS.share`). */
  dueMs: number;
  /** Due time of the last of its requests in each line. */
  readonly lines: Record<Line, number>;
}

/**
 * The order in which an isolate serves its clients: start-time fair queueing on estimated times.
 *
 * A client that has used more than `burstMs` waits before each further request and each step of a drawing, while clients that have used less
 * are served or have just been, and at most until its own share is due. Its requests wait one behind the other, because those that are due at
 * once would hold up the others together. The client that has used the least never waits, and a client that is alone does not wait either, so
 * that no time remains unused. Waiting requests poll, because a Worker cannot be woken from another request.
 */
export class Turns {
  readonly #now: () => number;
  readonly #uses = boundedMap<Use>(TURNS.clients);
  /** Clients whose requests are served, or were within `TURNS.reservedMs`. */
  readonly #served = boundedMap<Use>(TURNS.clients);

  /** @param now Milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for the turn of a program of the service, for which no client waits. */
  async admit(program: string, ms: number): Promise<void> {
    await this.#wait(program, ms);
  }

  /** Serves a request of a client when it is its turn. @throws Failure `rate-limited` for one behind too many others of the client */
  async serve<T>(client: string, work: () => Promise<T>): Promise<T> {
    await this.#inLine(client, 'request');
    const use = this.#useOf(client);
    use.served += 1;
    this.#served.set(client, use);
    try {
      return await work();
    } finally {
      use.served -= 1;
      use.seenMs = this.#now();
    }
  }

  /** Marks a client as just served, also when the edge cache answers: clients that use much wait for it as well. */
  see(client: string): void {
    this.#served.set(client, this.#useOf(client));
  }

  /** Waits for the turn of a served request that changes what is stored. @throws Failure as `serve` */
  change(client: string): Promise<void> {
    return this.#inLine(client, 'change');
  }

  /** Lets other requests go on before a step of about `ms` milliseconds, and waits for the client's turn. */
  async turn(client: string, ms: number): Promise<void> {
    if (!(await this.#wait(client, ms))) await delay(0);
  }

  /** Waits for the turn of a request, behind those of the client that wait in the same line. */
  async #inLine(client: string, line: Line): Promise<void> {
    const { share, longestLineMs } = TURNS;
    const use = this.#charged(client, LINE_MS[line]);
    if (!this.#isAnotherFirst(use, use.dueMs)) return;
    const nowMs = this.#now();
    const isFirst = use.lines[line] <= nowMs;
    const dueMs = isFirst ? use.dueMs : use.lines[line] + LINE_MS[line] / share;
    if (dueMs > nowMs + longestLineMs) {
      const sentence = 'Too many requests from this address are waiting. Send fewer at once, and try again in a second.';
      throw limitExceeded(sentence, undefined, RETRY_SECONDS);
    }
    use.lines[line] = dueMs;
    await this.#waitUntil(use, dueMs);
  }

  /** Counts `ms` milliseconds of a client and waits for its turn; false when it was its turn at once. */
  #wait(client: string, ms: number): Promise<boolean> {
    const use = this.#charged(client, ms);
    return this.#waitUntil(use, use.dueMs);
  }

  /** Waits while others are first, at most until `dueMs`; false when none was. */
  async #waitUntil(use: Use, dueMs: number): Promise<boolean> {
    const { pollMs, longestPollMs } = TURNS;
    let hasWaited = false;
    for (let waitMs: number = pollMs; this.#isAnotherFirst(use, dueMs); waitMs = Math.min(2 * waitMs, longestPollMs)) {
      hasWaited = true;
      await delay(Math.min(waitMs, dueMs - this.#now()));
    }
    return hasWaited;
  }

  #charged(client: string, ms: number): Use {
    const { share, burstMs, longestWaitMs } = TURNS;
    const use = this.#useOf(client);
    const nowMs = this.#now();
    use.dueMs = Math.min(Math.max(use.dueMs, nowMs - burstMs / share) + ms / share, nowMs + longestWaitMs);
    return use;
  }

  #useOf(client: string): Use {
    const use = this.#uses.get(client) ?? {
      served: 0,
      seenMs: 0,
      dueMs: Number.NEGATIVE_INFINITY,
      lines: { request: Number.NEGATIVE_INFINITY, change: Number.NEGATIVE_INFINITY },
    };
    use.seenMs = this.#now();
    this.#uses.set(client, use);
    return use;
  }

  /** Whether a client that has used less than `use` is being served, or may send its next request, until `dueMs`. */
  #isAnotherFirst(use: Use, dueMs: number): boolean {
    const nowMs = this.#now();
    use.seenMs = nowMs;
    if (nowMs >= dueMs) return false;
    for (const [client, other] of this.#served.entries()) {
      if (nowMs - other.seenMs > (other.served > 0 ? TURNS.goneMs : TURNS.reservedMs)) this.#served.delete(client);
      else if (other !== use && other.dueMs < use.dueMs) return true;
    }
    return false;
  }
}
