import type { LinkRegister, UrlShortener } from '../../../src/ports/sharing.ts';
import { ShortLinks } from '../../../src/services/sharing/short-links.ts';

/** A register of short links in memory. */
export class MemoryLinks implements LinkRegister {
  readonly addresses = new Map<string, string>();

  async add(key: string, address: string): Promise<{ address: string; isNew: boolean }> {
    const known = this.addresses.get(key);
    if (known !== undefined) return { address: known, isNew: false };
    this.addresses.set(key, address);
    return { address, isNew: true };
  }

  async use(key: string): Promise<string | null> {
    return this.addresses.get(key) ?? null;
  }

  async expire(): Promise<number> {
    throw new Error('Expected the database.');
  }
}

interface Choices {
  readonly origins?: readonly string[];
  readonly shortener?: UrlShortener | null;
  readonly clock?: () => number;
}

/** The short link service over an in-memory register, and its log. */
export function memoryShortLinks({ origins = [], shortener = null, clock = () => 0 }: Choices = {}) {
  const register = new MemoryLinks();
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (record: Readonly<Record<string, unknown>>) => logged.push(record);
  return { register, logged, links: new ShortLinks({ register, shortener, settings: { origins }, clock, log }) };
}
