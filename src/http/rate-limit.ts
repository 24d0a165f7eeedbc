// The rate limit for each client, by a Workers rate limiting binding.
import { Failure } from '../domain/errors.ts';

/** The part of the binding that is used. */
export interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

const IPV6_NETWORK_GROUPS = 4;

/** The client's IPv4 address, or its IPv6 network (/64), because a client may use every address of its network. */
export function clientKey(headers: Headers): string {
  const address = headers.get('CF-Connecting-IP') ?? 'local';
  return address.includes(':') ? address.split(':').slice(0, IPV6_NETWORK_GROUPS).join(':') : address;
}

/**
 * @param periodSeconds Period of the binding
 * @throws Failure `rate-limited` when the client has exceeded its limit
 */
export async function limitRate(limiter: RateLimitBinding, headers: Headers, periodSeconds: number): Promise<void> {
  const { success } = await limiter.limit({ key: clientKey(headers) });
  if (success) return;
  const sentence = 'Too many requests from this address. Try again in a minute.';
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: periodSeconds });
}
