// Keys of short links: they follow from the address, so that one address has one link.
import { sha256Hex } from '../../util/digest.ts';

const KEY_DIGITS = 16;

/**
 * Keys for an address, 16 hexadecimal digits each, in the order in which they are taken: the first, unless another address
 * has it already. Its 64 bits are enough against chance, and the others are there against those who look for such a pair.
 */
export async function linkKeys(address: string): Promise<string[]> {
  const digits = await sha256Hex(address);
  return digits.match(new RegExp(`.{${KEY_DIGITS}}`, 'g'))!;
}
