// Clients are told apart without keeping their addresses.
import { dayParts } from '../../domain/time.ts';

/**
 * Hashes of a client's address, which change each day: those of the days of these times (milliseconds since 1970), each once, in
 * their order.
 */
export async function clientHashes(client: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map((ms) => dayParts(ms).join('-')));
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return Promise.all(
    [...days].map(async (day) => {
      const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${day} ${client}`));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    }),
  );
}
