import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { LinkRegister } from '../../ports/sharing.ts';
import type { Databases } from '../databases.ts';
import { shortLinks } from './schema-links.ts';

/** Short links in the main database. */
export class D1Links implements LinkRegister {
  readonly #database: D1Database;

  constructor(databases: Databases) {
    this.#database = databases.main;
  }

  async add(key: string, address: string, atMs: number): Promise<{ address: string; isNew: boolean }> {
    const added = await drizzle(this.#database)
      .insert(shortLinks)
      .values({ key, address, createdAtMs: atMs })
      .onConflictDoNothing()
      .returning({ key: shortLinks.key });
    if (added.length > 0) return { address, isNew: true };
    // Somebody else has it.
    return { address: (await this.find(key)) ?? address, isNew: false };
  }

  async find(key: string): Promise<string | null> {
    const rows = await drizzle(this.#database).select().from(shortLinks).where(eq(shortLinks.key, key)).limit(1);
    return rows[0]?.address ?? null;
  }
}
