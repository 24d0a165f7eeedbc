import { dayParts } from '../domain/time.ts';
import { hmacSha256Hex } from '../util/digest.ts';

/**
 * Hashes of a client's address on the UTC days of `timesMs`, without duplicates and in order. They change every day, so that
 * addresses are not stored and clients cannot be tracked.
 */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map((ms) => dayParts(ms).join('-')));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${address}`)));
}
