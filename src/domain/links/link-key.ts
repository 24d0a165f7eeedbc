// Keys of short links: they follow from the address, so that one address has one link.

const KEY_DIGITS = 16;

/**
 * Keys for an address, 16 hexadecimal digits each, in the order in which they are taken: the first, unless another address
 * has it already. Its 64 bits are enough against chance, and the others are there against those who look for such a pair.
 */
export async function linkKeys(address: string): Promise<string[]> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address)));
  const digits = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.match(new RegExp(`.{${KEY_DIGITS}}`, 'g'))!;
}
