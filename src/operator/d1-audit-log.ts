import { and, desc, inArray, lt, or, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { OnOperations } from '../platform/storage/databases.ts';
import type { AuditAction, AuditEntry, AuditLog } from './ports.ts';

/** Changes by operators, in the operations database: about 150 bytes each. Ids ascend with the time, and are never reused. */
export const auditEntries = sqliteTable('audit_entries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  operator: text('operator').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  subject: text('subject').notNull(),
  imageId: integer('image_id'),
});

/** Entries that one sweep looks at, the oldest ones: more than a minute of ingest adds. */
const SWEPT_AT_ONCE = 1000;

export class D1AuditLog extends OnOperations implements AuditLog {
  async add(entry: Omit<AuditEntry, 'id'>): Promise<void> {
    await this.db.insert(auditEntries).values(entry);
  }

  list({ before, limit }: { readonly before: number; readonly limit: number }): Promise<readonly AuditEntry[]> {
    return this.db.select().from(auditEntries).where(lt(auditEntries.id, before)).orderBy(desc(auditEntries.id)).limit(limit);
  }

  async sweep(beforeMs: number, most: number): Promise<number> {
    const oldest = this.db.select({ id: auditEntries.id }).from(auditEntries).orderBy(auditEntries.id).limit(SWEPT_AT_ONCE);
    const isAboveMost = sql`${auditEntries.id} <= (SELECT max(id) FROM audit_entries) - ${most}`;
    const { meta } = await this.db
      .delete(auditEntries)
      .where(and(inArray(auditEntries.id, oldest), or(lt(auditEntries.atMs, beforeMs), isAboveMost)));
    return meta.changes;
  }
}
