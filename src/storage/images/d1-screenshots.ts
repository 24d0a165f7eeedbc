import { eq } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { Screenshot, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Databases } from '../databases.ts';
import { screenshots } from './schema.ts';

/** Screenshots in the main database. */
export class D1Screenshots implements ScreenshotRegister {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot> {
    const [row] = await this.#db.insert(screenshots).values(screenshot).returning({ id: screenshots.id });
    return { ...screenshot, id: row!.id };
  }

  async find(id: number): Promise<Screenshot | null> {
    const [row] = await this.#db.select().from(screenshots).where(eq(screenshots.id, id)).limit(1);
    return row ?? null;
  }
}
