import { and, eq, lte, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { jsonEach, OnOperations } from '../../platform/storage/databases.ts';
import { uploads } from './d1-upload-journal.ts';

/** Files that operators have withdrawn, until one lifts it. */
export const withdrawals = sqliteTable(
  'withdrawals',
  {
    /** Object key of the JP2. */
    key: text('key').primaryKey(),
    fileName: text('file_name').notNull(),
    sha256: text('sha256').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('withdrawals_name').on(table.fileName), index('withdrawals_content').on(table.sha256)],
);

export type WithdrawnFile = typeof withdrawals.$inferSelect;

/** What operators have withdrawn, in the operations database: a restored image database, a mirror or an upload would bring it back. */
export class D1Withdrawals extends OnOperations {
  /** Records a withdrawal unless another change of the image has begun since `begunAtMs`. @returns whether it is recorded */
  async record({ key, fileName, sha256, atMs }: WithdrawnFile, begunAtMs: number): Promise<boolean> {
    const own = and(eq(uploads.key, key), eq(uploads.touchedAtMs, begunAtMs));
    const file = sql`SELECT ${key}, ${fileName}, ${sha256}, ${atMs} FROM ${uploads} WHERE ${own}`;
    const recording = this.db.insert(withdrawals).select(file).onConflictDoUpdate({ target: withdrawals.key, set: { atMs } });
    return (await recording.returning({ key: withdrawals.key })).length > 0;
  }

  async ofNames(fileNames: readonly string[]): Promise<WithdrawnFile[]> {
    const isNamed = sql`${withdrawals.fileName} IN (SELECT value FROM ${jsonEach(fileNames)})`;
    return this.db.select().from(withdrawals).where(isNamed);
  }

  /** The file of each content, by SHA-256, that was withdrawn last. `except`: keys of images whose own withdrawal is not asked for. */
  async ofContents(hashes: readonly string[], except: readonly string[] = []): Promise<ReadonlyMap<string, WithdrawnFile>> {
    if (hashes.length === 0) return new Map();
    const isContent = sql`${withdrawals.sha256} IN (SELECT value FROM ${jsonEach(hashes)})`;
    const isOther = sql`${withdrawals.key} NOT IN (SELECT value FROM ${jsonEach(except)})`;
    const found = await this.db.select().from(withdrawals).where(and(isContent, isOther)).orderBy(withdrawals.atMs);
    return new Map(found.map((file) => [file.sha256, file]));
  }

  /** Lifts the withdrawals of a content up to that which was seen. */
  async lift({ sha256, atMs }: Pick<WithdrawnFile, 'sha256' | 'atMs'>): Promise<void> {
    await this.db.delete(withdrawals).where(and(eq(withdrawals.sha256, sha256), lte(withdrawals.atMs, atMs)));
  }
}
