// The rate limit for each client, by a Workers rate limiting binding.
import { LRUCache } from 'lru-cache';
import { RATE_LIMIT_PERIOD_SECONDS } from '../config/limits/http.ts';
import { Failure } from '../domain/errors.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import type { Clock } from '../ports/timing.ts';
import { SECOND_MS } from '../util/durations.ts';

/** Groups of 16 bits in an IPv6 address, and in its network of 64 bits. */
const IPV6_GROUPS = 8;
const IPV6_NETWORK_GROUPS = 4;

/** The client's IPv4 address, or its IPv6 network (/64), because a client may use every address of its network. */
export function clientKey(headers: Headers): string {
  const address = headers.get('CF-Connecting-IP') ?? 'local';
  if (!address.includes(':')) return address;
  const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mappedIpv4 ?? ipv6Network(address);
}

/** The first 64 bits of an IPv6 address in its full notation: `::` stands for as many groups of zeros as are missing. */
function ipv6Network(address: string): string {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, IPV6_NETWORK_GROUPS);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

/** Clients that an isolate counts at a time; the longest unseen are forgotten first. */
const COUNTED_CLIENTS = 10_000;

/** Counts in the isolate, in fixed periods, for the local runtime: its binding writes each count to a database, in 2 ms. */
export class IsolateRateLimit implements RateLimitBinding {
  readonly #limit: number;
  readonly #periodMs: number;
  readonly #clock: Clock;
  readonly #counts = new LRUCache<string, { readonly period: number; readonly count: number }>({ max: COUNTED_CLIENTS });

  constructor({ limit, seconds }: { readonly limit: number; readonly seconds: number }, clock: Clock) {
    this.#limit = limit;
    this.#periodMs = seconds * SECOND_MS;
    this.#clock = clock;
  }

  async limit({ key }: { key: string }): Promise<{ success: boolean }> {
    const period = Math.floor(this.#clock() / this.#periodMs);
    const known = this.#counts.get(key);
    const count = known?.period === period ? known.count + 1 : 1;
    this.#counts.set(key, { period, count });
    return { success: count <= this.#limit };
  }
}

/**
 * Counts a request, by a binding whose period is that of all in wrangler.toml.
 * @throws Failure `rate-limited` when the client has exceeded its limit
 */
export async function limitRate(limiter: RateLimitBinding, headers: Headers): Promise<void> {
  const { success } = await limiter.limit({ key: clientKey(headers) });
  if (success) return;
  const sentence = 'Too many requests from this address. Try again in a minute.';
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: RATE_LIMIT_PERIOD_SECONDS });
}
