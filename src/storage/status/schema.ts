// Tables of the status in the operations database.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { State } from '../../domain/status/states.ts';

/** Attempts at upstreams, and runs of the jobs of the clock. */
export const heartbeats = sqliteTable('heartbeats', {
  name: text('name').primaryKey(),
  okAtMs: integer('ok_at_ms'),
  triedAtMs: integer('tried_at_ms').notNull(),
  failures: integer('failures').notNull(),
  sentence: text('sentence'),
  /** End of the lease of a job that runs: another run may begin then, also if this one has been killed. */
  leasedUntilMs: integer('leased_until_ms').notNull().default(0),
});

/** Messages that no consumer could work off, which the operator sends again. */
export const deadLetters = sqliteTable('dead_letters', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** Id of the message, which the queue may deliver twice. */
  id: text('id').notNull().unique(),
  queue: text('queue').notNull(),
  /** JSON. */
  body: text('body').notNull(),
  atMs: integer('at_ms').notNull(),
});

/** Present states. */
export const statusStates = sqliteTable('status_states', {
  subject: text('subject').primaryKey(),
  state: text('state').$type<State>().notNull(),
  sinceMs: integer('since_ms').notNull(),
  sentence: text('sentence').notNull(),
});

/** Changes of states: the newest thousand. */
export const statusChanges = sqliteTable('status_changes', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  subject: text('subject').notNull(),
  before: text('before').$type<State>().notNull(),
  state: text('state').$type<State>().notNull(),
  sentence: text('sentence').notNull(),
});
