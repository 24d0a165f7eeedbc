// Clients are told apart without keeping their addresses.
import { dayParts } from '../../domain/time.ts';
import { hmacSha256Hex } from '../../util/digest.ts';

/**
 * Hashes of a client's address, which change each day: those of the days of these times (milliseconds since 1970), each once, in
 * their order.
 */
export async function clientHashes(client: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map((ms) => dayParts(ms).join('-')));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${client}`)));
}
