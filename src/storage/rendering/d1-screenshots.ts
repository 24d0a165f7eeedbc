import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Screenshot, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Databases } from '../databases.ts';
import { screenshots } from '../images/schema.ts';

/** Screenshots in the main database. */
export class D1Screenshots implements ScreenshotRegister {
  readonly #database: D1Database;

  constructor(databases: Databases) {
    this.#database = databases.main;
  }

  async add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot> {
    const [row] = await drizzle(this.#database).insert(screenshots).values(screenshot).returning({ id: screenshots.id });
    return { ...screenshot, id: row!.id };
  }

  async find(id: number): Promise<Screenshot | null> {
    const [row] = await drizzle(this.#database).select().from(screenshots).where(eq(screenshots.id, id)).limit(1);
    return row ?? null;
  }
}
