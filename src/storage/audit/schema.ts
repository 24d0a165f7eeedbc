import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AuditAction } from '../../ports/audit.ts';

/** Changes by operators, in the operations database: about 150 bytes each. Ids ascend with the time, and are never reused. */
export const auditEntries = sqliteTable('audit_entries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  operator: text('operator').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  subject: text('subject').notNull(),
  imageId: integer('image_id'),
});
