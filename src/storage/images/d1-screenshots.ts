import { and, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { IdSequences } from '../../ports/images.ts';
import type { NewScreenshot, Screenshot, ScreenshotBudget, ScreenshotRegister } from '../../ports/rendering.ts';
import type { Databases } from '../databases.ts';
import { screenshots } from './schema.ts';

/** Name of the sequence of ids. */
const SEQUENCE = 'screenshots';

/** Rows that `expire` looks at, the oldest ones: more than are added in a minute. */
const EXPIRED_AT_ONCE = 2000;

/** Bytes of a row besides its texts: its numbers, the hash of the client and the index. */
const ROW_BYTES = 200;

const { client: _client, pixels: _pixels, bytes: _bytes, ...columns } = getTableColumns(screenshots);

/** Screenshots in the main database. */
export class D1Screenshots implements ScreenshotRegister {
  readonly #db: DrizzleD1Database;
  readonly #ids: IdSequences;

  constructor({ main }: Pick<Databases, 'main'>, ids: IdSequences) {
    this.#db = drizzle(main);
    this.#ids = ids;
  }

  /** The budget is a condition of the insert, because screenshots taken at the same time would pass a test before it. */
  async add(screenshot: NewScreenshot, { clients, sinceMs, ...most }: ScreenshotBudget): Promise<Screenshot | null> {
    const issued = await this.#ids.next(SEQUENCE);
    const { createdAtMs, recipe, client, pixels } = screenshot;
    const images = JSON.stringify(screenshot.images);
    const bytes = ROW_BYTES + new TextEncoder().encode(recipe + images).length;
    const row = await this.#db.get<{ id: number } | undefined>(sql`
      INSERT INTO screenshots (id, created_at_ms, recipe, images, client, pixels, bytes)
      SELECT max(${issued}, (SELECT coalesce(max(id), 0) + 1 FROM screenshots)),
        ${createdAtMs}, ${recipe}, ${images}, ${client}, ${pixels}, ${bytes}
      FROM (SELECT total(pixels) AS pixels, total(bytes) AS bytes FROM screenshots
        WHERE client IN (SELECT value FROM json_each(${JSON.stringify(clients)})) AND created_at_ms >= ${sinceMs}) AS taken
      WHERE taken.pixels + ${pixels} <= ${most.pixels} AND taken.bytes + ${bytes} <= ${most.bytes}
      RETURNING id`);
    if (!row) return null;
    if (row.id > issued) await this.#ids.raise(SEQUENCE, row.id);
    return { id: row.id, createdAtMs, recipe, images: screenshot.images };
  }

  async find(id: number): Promise<Screenshot | null> {
    const [row] = await this.#db.select(columns).from(screenshots).where(eq(screenshots.id, id)).limit(1);
    return row ?? null;
  }

  /** Ids ascend with the time, so the oldest rows are found without an index of their times. */
  async expire(beforeMs: number): Promise<number> {
    const oldest = this.#db.select({ id: screenshots.id }).from(screenshots).orderBy(screenshots.id).limit(EXPIRED_AT_ONCE);
    const { meta } = await this.#db
      .delete(screenshots)
      .where(and(inArray(screenshots.id, oldest), lt(screenshots.createdAtMs, beforeMs)));
    return meta.changes;
  }
}
