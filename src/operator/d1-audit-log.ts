import { and, desc, inArray, lt, or, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { OnOperations } from '../platform/storage/databases.ts';

export type AuditAction =
  | 'ingest'
  | 'replace'
  | 'restore'
  | 'withdraw'
  | 'import-flares'
  | 'import-ephemeris'
  | 'remove-ephemeris'
  | 'index-objects'
  | 'mirror'
  | 'make-coefficients'
  | 'begin-sample'
  | 'end-sample'
  | 'mend'
  | 'purge'
  | 'add-webhook'
  | 'remove-webhook'
  | 'resume-webhook'
  | 'replay';

/** Changes by operators, in the operations database: about 150 bytes each. Ids ascend with the time, and are never reused. */
export const auditEntries = sqliteTable('audit_entries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  /** Name of the token's holder. */
  operator: text('operator').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  /** File name of an image, name of a spacecraft, numbers and paths of images, or number of a webhook with its address; may be empty. */
  subject: text('subject').notNull(),
  /** The new image, or the withdrawn one; null for other actions. */
  imageId: integer('image_id'),
});

export type AuditEntry = typeof auditEntries.$inferSelect;

/** Entries that one sweep looks at, the oldest ones: more than a minute of ingest adds. */
const SWEPT_AT_ONCE = 1000;

export class D1AuditLog extends OnOperations {
  async add(entry: typeof auditEntries.$inferInsert): Promise<void> {
    await this.db.insert(auditEntries).values(entry);
  }

  /** The newest entries first, at most `limit`, with ids below `before`. */
  list({ before, limit }: { readonly before: number; readonly limit: number }): Promise<readonly AuditEntry[]> {
    return this.db.select().from(auditEntries).where(lt(auditEntries.id, before)).orderBy(desc(auditEntries.id)).limit(limit);
  }

  /** Deletes entries before then, and the oldest above `most`; returns their number. */
  async sweep(beforeMs: number, most: number): Promise<number> {
    const oldest = this.db.select({ id: auditEntries.id }).from(auditEntries).orderBy(auditEntries.id).limit(SWEPT_AT_ONCE);
    const isAboveMost = sql`${auditEntries.id} <= (SELECT max(id) FROM audit_entries) - ${most}`;
    const { meta } = await this.db
      .delete(auditEntries)
      .where(and(inArray(auditEntries.id, oldest), or(lt(auditEntries.atMs, beforeMs), isAboveMost)));
    return meta.changes;
  }
}
