// The rate limit for each client, and its headers (draft-ietf-httpapi-ratelimit-headers-11).
import { type CostName, tooMuch } from '../limits/admission.ts';
import { RATE_LIMIT_PERIOD_SECONDS } from '../limits/http.ts';
import type { Clock } from '../ports/timing.ts';
import type { ClientSettings } from '../settings/clients.ts';
import { SECOND_MS } from '../util/durations.ts';
import { type LimitScope, limitExceeded, type RateLimitPolicy } from '../util/errors.ts';
import { boundedMap } from '../util/memory-budget.ts';
import { ipv6Network, isInRange, networkAround } from '../util/networks.ts';

/** Whether a unit was admitted, and what is left of the period, which the platform's bindings do not say. */
interface RateLimitCount {
  readonly success: boolean;
  readonly remaining?: number;
  readonly resetSeconds?: number | undefined;
  /** The limit of this client, where it is not that of the binding. */
  readonly policy?: RateLimitPolicy | undefined;
  readonly scope?: LimitScope;
}

/** The part of a Workers rate limiting binding that is used, and what it admits, where the settings say that. */
export interface RateLimitBinding {
  readonly policy?: RateLimitPolicy | undefined;
  /** Counts one unit of the key, of which a client with a factor has so many times as much; not successful when they are used up. */
  limit(options: { key: string; factor?: number }): Promise<RateLimitCount>;
  left?(key: string, factor?: number): Omit<RateLimitCount, 'success'>;
}

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
export class IsolateRateLimit implements RateLimitBinding {
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

/** What has been refused, so that it is refused again without asking a database or the platform. */
export class Refusals {
  readonly #clock: () => number;
  readonly #refusals = boundedMap<{ readonly untilMs: number; readonly amount: number }>(COUNTED_CLIENTS);

  /** @param clock Milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Refuses an amount of a key, and more than it, for so many seconds. */
  add(key: string, seconds: number, amount = 1): void {
    this.#refusals.set(key, { untilMs: this.#clock() + seconds * SECOND_MS, amount });
  }

  /** Whole seconds for which an amount of a key is still refused; null where it is not. */
  secondsLeft(key: string, amount = 1): number | null {
    const refusal = this.#refusals.get(key);
    const leftMs = refusal && amount >= refusal.amount ? refusal.untilMs - this.#clock() : 0;
    return leftMs > 0 ? Math.ceil(leftMs / SECOND_MS) : null;
  }
}

/** A binding of the platform. A key with a factor is counted as several, one after the other; a refused one not again before its time. */
export class PlatformRateLimit implements RateLimitBinding {
  readonly policy: RateLimitPolicy;
  readonly #binding: RateLimitBinding;
  readonly #refusals: Refusals;

  constructor(policy: RateLimitPolicy, binding: RateLimitBinding, clock: Clock) {
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
  readonly #counter: RateLimitBinding;
  readonly #settings: ClientSettings;
  readonly #hasLocation: boolean;

  /** `hasLocation`: whether all clients of a location have a limit together. */
  constructor(counter: RateLimitBinding, settings: ClientSettings, hasLocation: boolean) {
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

/** Counts units of a key, one after the other. @throws Failure `rate-limited` with the sentence of the cost when they are used up */
export async function spend(limiter: RateLimitBinding, key: string, units: number, cost: CostName): Promise<RateLimitCount> {
  let count: RateLimitCount = { success: true };
  for (let unit = 0; unit < units; unit++) {
    count = await limiter.limit({ key });
    const { success, policy = limiter.policy, resetSeconds, scope } = count;
    if (!success) throw limitExceeded(tooMuch(cost), policy, resetSeconds, scope);
  }
  return count;
}

/** Counts a request, or one that counts as several. @throws Failure `rate-limited` when the client has exceeded its limit */
export const limitRate = (limiter: RateLimitBinding, headers: Headers, units = 1): Promise<RateLimitCount> =>
  spend(limiter, clientKey(headers), units, 'requests');

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
