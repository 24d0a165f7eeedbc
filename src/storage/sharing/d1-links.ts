import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { LinkRegister } from '../../ports/sharing.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { Databases } from '../databases.ts';
import { shortLinks } from './schema.ts';

/** Milliseconds in which uses of a link after the first are not written. */
const SAME_USE_MS = 30 * DAY_MS;

/** Links that one call of `expire` deletes. */
const EXPIRED_AT_ONCE = 1000;

/** Short links in the main database. */
export class D1Links implements LinkRegister {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async add(key: string, address: string, atMs: number, { sinceMs, characters }: Parameters<LinkRegister['add']>[3]) {
    const added = await this.#db.all(sql`
      INSERT INTO short_links (key, address, characters, created_at_ms, used_at_ms)
      SELECT ${key}, ${address}, ${address.length}, ${atMs}, ${atMs}
      WHERE (SELECT total(characters) FROM short_links WHERE created_at_ms >= ${sinceMs}) + ${address.length} <= ${characters}
      ON CONFLICT (key) DO NOTHING RETURNING key`);
    if (added.length > 0) return { address, isNew: true };
    const known = await this.use(key, atMs);
    return known === null ? null : { address: known, isNew: false };
  }

  async use(key: string, nowMs: number): Promise<string | null> {
    const isLink = eq(shortLinks.key, key);
    const [, [row]] = await this.#db.batch([
      this.#db
        .update(shortLinks)
        .set({ usedAtMs: nowMs })
        .where(and(isLink, lt(shortLinks.usedAtMs, nowMs - SAME_USE_MS))),
      this.#db.select({ address: shortLinks.address }).from(shortLinks).where(isLink).limit(1),
    ]);
    return row?.address ?? null;
  }

  async expire(unusedSinceMs: number): Promise<number> {
    const unused = this.#db
      .select({ key: shortLinks.key })
      .from(shortLinks)
      .where(lt(shortLinks.usedAtMs, unusedSinceMs))
      .limit(EXPIRED_AT_ONCE);
    const { meta } = await this.#db.delete(shortLinks).where(inArray(shortLinks.key, unused));
    return meta.changes;
  }
}
