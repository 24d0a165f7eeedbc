// The rate limit for each client, and its headers (draft-ietf-httpapi-ratelimit-headers-11).
import { type CostName, tooMuch } from '../limits/admission.ts';
import { RATE_LIMIT_PERIOD_SECONDS } from '../limits/http.ts';
import type { Clock } from '../ports/timing.ts';
import type { ClientSettings } from '../settings/clients.ts';
import { SECOND_MS } from '../util/durations.ts';
import { type LimitScope, limitExceeded, type RateLimitPolicy } from '../util/errors.ts';
import { boundedMap } from '../util/memory-budget.ts';
import { CLIENT_GROUPS, ipv6Network, isInRange, networkAround } from '../util/networks.ts';

/** Whether a unit was admitted, and what is left of the period, which the platform's bindings do not say. */
interface RateLimitCount {
  readonly success: boolean;
  readonly remaining?: number;
  readonly resetSeconds?: number | undefined;
  /** The limit of this client, where it is not that of the binding. */
  readonly policy?: RateLimitPolicy | undefined;
  readonly scope?: LimitScope;
}

/** The used part of a Workers rate limiting binding, and its limit as far as the settings state it. */
export interface RateLimitBinding {
  readonly policy?: RateLimitPolicy | undefined;
  /** Counts one unit of the key, of which a client with a factor has so many times as much; not successful when they are used up. */
  limit(options: { key: string; factor?: number }): Promise<RateLimitCount>;
  left?(key: string, factor?: number): Omit<RateLimitCount, 'success'>;
}

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
export function isolateRateLimit(policy: RateLimitPolicy, clock: Clock) {
  const { quota, seconds } = policy;
  const counts = boundedMap<{ readonly period: number; readonly count: number }>(COUNTED_CLIENTS);
  const countOf = (key: string) => {
    const period = Math.floor(clock() / (seconds * SECOND_MS));
    const known = counts.get(key);
    return known?.period === period ? known : { period, count: 0 };
  };
  const left = (key: string, factor = 1) => {
    const { period, count } = countOf(key);
    const resetSeconds = Math.ceil((period + 1) * seconds - clock() / SECOND_MS);
    return { remaining: Math.max(0, quota * factor - count), resetSeconds };
  };
  return {
    policy,
    left,
    async limit({ key, factor = 1 }) {
      const { period, count } = countOf(key);
      counts.set(key, { period, count: count + 1 });
      return { success: count < quota * factor, ...left(key, factor) };
    },
  } satisfies RateLimitBinding;
}

/** What has been refused, so that it is refused again without asking a database or the platform. */
export function refusals(clock: Clock) {
  const refused = boundedMap<{ readonly untilMs: number; readonly amount: number }>(COUNTED_CLIENTS);
  return {
    /** Refuses an amount of a key, and more than it, for so many seconds. */
    add(key: string, seconds: number, amount = 1): void {
      refused.set(key, { untilMs: clock() + seconds * SECOND_MS, amount });
    },
    /** Whole seconds for which an amount of a key is still refused; null where it is not. */
    secondsLeft(key: string, amount = 1): number | null {
      const refusal = refused.get(key);
      const leftMs = refusal && amount >= refusal.amount ? refusal.untilMs - clock() : 0;
      return leftMs > 0 ? Math.ceil(leftMs / SECOND_MS) : null;
    },
  };
}

/** A binding of the platform. A key with a factor is counted as several, one after the other; a refused one not again before its time. */
export function platformRateLimit(policy: RateLimitPolicy, binding: RateLimitBinding, clock: Clock): RateLimitBinding {
  const refused = refusals(clock);
  return {
    policy,
    async limit({ key, factor = 1 }) {
      let resetSeconds = RATE_LIMIT_PERIOD_SECONDS;
      for (let part = 0; part < factor; part += 1) {
        const counted = part === 0 ? key : `${key} part ${part}`;
        const secondsLeft = refused.secondsLeft(counted);
        if (secondsLeft === null) {
          if ((await binding.limit({ key: counted })).success) return { success: true };
          refused.add(counted, RATE_LIMIT_PERIOD_SECONDS);
        } else resetSeconds = Math.min(resetSeconds, secondsLeft);
      }
      return { success: false, remaining: 0, resetSeconds };
    },
  };
}

const ALL_CLIENTS = 'all clients';
const TRUSTED_CLIENTS = 'trusted clients';

/**
 * A limit of each client, of its network and, with `hasLocation`, of all clients of a location. Clients with a factor share neither with others,
 * whose part they would use up. What stands before the client in a key is counted apart.
 */
export function clientRateLimit(counter: RateLimitBinding, settings: ClientSettings, hasLocation: boolean): RateLimitBinding {
  const { policy } = counter;
  const policyOf = (factor: number, scope?: LimitScope): RateLimitPolicy | undefined =>
    policy && { ...policy, name: scope ? `${policy.name}-${scope}` : policy.name, quota: policy.quota * factor };
  const factorOf = (client: string): number => {
    const ofToken = settings.CLIENT_TOKENS.find(({ name }) => tokenClient(name) === client)?.factor;
    const trusted = settings.TRUSTED_NETWORKS.filter((network) => isInRange(client, network.bits)).map(({ factor }) => factor);
    return ofToken ?? Math.max(1, ...trusted);
  };
  return {
    policy,
    async limit({ key }) {
      const client = clientIn(key);
      const factor = factorOf(client);
      const count = await counter.limit({ key, factor });
      if (!count.success) return { ...count, policy: policyOf(factor) };
      const [around, isTrusted] = [networkAround(client), factor > 1];
      const network = isTrusted ? `${around} x${factor}` : around;
      const location = isTrusted ? TRUSTED_CLIENTS : ALL_CLIENTS;
      const shared = [
        ...(around === null ? [] : [{ scope: 'network', holder: network, times: factor * settings.NETWORK_FACTOR } as const]),
        ...(hasLocation ? [{ scope: 'location', holder: location, times: settings.LOCATION_FACTOR } as const] : []),
      ];
      for (const { scope, holder, times } of shared) {
        const ofAll = await counter.limit({ key: key.slice(0, -client.length) + holder, factor: times });
        if (!ofAll.success) return { ...ofAll, scope, policy: policyOf(times, scope) };
      }
      return { ...count, policy: policyOf(factor) };
    },
    left(key) {
      const factor = factorOf(clientIn(key));
      return { ...counter.left?.(key, factor), policy: policyOf(factor) };
    },
  };
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

/** Counts a request, or one that counts as several. Returns the headers. @throws Failure `rate-limited` when the client has exceeded its limit */
export const limitRate = async (limiter: RateLimitBinding, headers: Headers, units = 1): Promise<Record<string, string>> =>
  rateLimitHeaders(limiter.policy, await spend(limiter, clientKey(headers), units, 'requests'));

/** The limit, and the known rest of it. */
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
