import { eq } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { LinkRegister } from '../../ports/sharing.ts';
import type { Databases } from '../databases.ts';
import { shortLinks } from './schema.ts';

/** Short links in the main database. */
export class D1Links implements LinkRegister {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async add(key: string, address: string, atMs: number): Promise<{ address: string; isNew: boolean }> {
    const added = await this.#db
      .insert(shortLinks)
      .values({ key, address, createdAtMs: atMs })
      .onConflictDoNothing()
      .returning({ key: shortLinks.key });
    if (added.length > 0) return { address, isNew: true };
    return { address: (await this.find(key)) ?? address, isNew: false };
  }

  async find(key: string): Promise<string | null> {
    const [row] = await this.#db.select().from(shortLinks).where(eq(shortLinks.key, key)).limit(1);
    return row?.address ?? null;
  }
}
