import { Failure } from '../domain/errors.ts';

/** A Workers rate limiting binding. */
export interface RateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

const IPV6_NETWORK_GROUPS = 4;

/** The client's address; of an IPv6 address the network (/64), of which one client has every address. */
export function clientKey(headers: Headers): string {
  const address = headers.get('CF-Connecting-IP') ?? 'local';
  return address.includes(':') ? address.split(':').slice(0, IPV6_NETWORK_GROUPS).join(':') : address;
}

/** @throws Failure when this client asked too often; `periodSeconds` is the period of the binding. */
export async function limitRate(limiter: RateLimitBinding, headers: Headers, periodSeconds: number): Promise<void> {
  const { success } = await limiter.limit({ key: clientKey(headers) });
  if (success) return;
  const sentence = 'Expected fewer requests from one address, got too many at once; try again in a minute.';
  throw new Failure('rate-limited', sentence, { retryAfterSeconds: periodSeconds });
}
