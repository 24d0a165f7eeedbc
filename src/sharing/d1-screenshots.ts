import { eq, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type Deleted, deletedRows } from '../platform/admission/budgets.ts';
import { ROW_BYTES } from '../platform/limits/admission.ts';
import { lowestRows, OnMain } from '../platform/storage/databases.ts';

/** Ids of the image of a layer and, for a difference, of the subtracted image. */
export type LayerImages = readonly [imageId: number] | readonly [imageId: number, referenceId: number];

/** Screenshots, from which their files are rendered. A row takes 500 bytes, with events up to 17 kB. */
export const screenshots = sqliteTable(
  'screenshots',
  {
    /** Random, so that screenshots cannot be enumerated; ids of earlier versions count from 1. */
    id: integer('id').primaryKey(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Canonical string of the recipe. */
    recipe: text('recipe').notNull(),
    /** One for each layer, from the bottom to the top. */
    images: text('images', { mode: 'json' }).$type<readonly LayerImages[]>().notNull(),
  },
  (table) => [index('screenshots_created').on(table.createdAtMs)],
);

/** A picture that can be rendered again, pixel for pixel. */
export type Screenshot = Readonly<typeof screenshots.$inferSelect>;

/** Rows that `expire` deletes, the oldest ones: more than are added in a minute. */
const EXPIRED_AT_ONCE = 500;

/** Random ids have 53 bits, the whole numbers of JSON, and more than 40, so that none is one of the counted ids of earlier versions. */
const ID_BITS = 53;
const LEAST_ID = 2 ** 40;

function randomId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  const id = (high % 2 ** (ID_BITS - 32)) * 2 ** 32 + low;
  return id < LEAST_ID ? randomId() : id;
}

export class D1Screenshots extends OnMain {
  /** Assigns a new id on every call, also for a recipe that is registered already. */
  async add(screenshot: Omit<Screenshot, 'id'>): Promise<Screenshot> {
    const added = { id: randomId(), ...screenshot };
    await this.db.insert(screenshots).values(added);
    return added;
  }

  async find(id: number): Promise<Screenshot | null> {
    return (await this.db.select().from(screenshots).where(eq(screenshots.id, id)).get()) ?? null;
  }

  /** Deletes some of the screenshots that were taken before then; returns their number and the bytes of their rows. */
  async expire(beforeMs: number): Promise<Deleted> {
    const oldest = lowestRows(screenshots, screenshots.createdAtMs, beforeMs, EXPIRED_AT_ONCE);
    const bytes = sql<number>`${ROW_BYTES} + octet_length(recipe) + octet_length(images)`;
    return deletedRows(await this.db.delete(screenshots).where(oldest).returning({ bytes }));
  }
}
