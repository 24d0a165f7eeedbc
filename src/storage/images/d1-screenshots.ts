import { eq, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { IdSequences } from '../../ports/images.ts';
import type { Screenshot, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Databases } from '../databases.ts';
import { screenshots } from './schema.ts';

/** Name of the sequence of ids. */
const SEQUENCE = 'screenshots';

/** Screenshots in the main database. */
export class D1Screenshots implements ScreenshotRegister {
  readonly #db: DrizzleD1Database;
  readonly #ids: IdSequences;

  constructor({ main }: Pick<Databases, 'main'>, ids: IdSequences) {
    this.#db = drizzle(main);
    this.#ids = ids;
  }

  async add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot> {
    const issued = await this.#ids.next(SEQUENCE);
    const [row] = await this.#db
      .insert(screenshots)
      .values({ ...screenshot, id: sql`max(${issued}, (SELECT coalesce(max(id), 0) + 1 FROM screenshots))` })
      .returning({ id: screenshots.id });
    const { id } = row!;
    if (id > issued) await this.#ids.raise(SEQUENCE, id);
    return { ...screenshot, id };
  }

  async find(id: number): Promise<Screenshot | null> {
    const [row] = await this.#db.select().from(screenshots).where(eq(screenshots.id, id)).limit(1);
    return row ?? null;
  }
}
