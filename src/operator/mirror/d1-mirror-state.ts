import { and, asc, count, eq, gte, inArray, lt, lte, max, min, not, or, type SQL, sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { MIRROR_STEP, OPEN_SPANS } from '../../platform/limits/mirror.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { type Databases, jsonEach, lowestRows, OnOperations, upsert } from '../../platform/storage/databases.ts';
import { doubled } from '../../platform/util/retry.ts';
import type { MirrorScope, OpenSpan, PlannedFile, Refusal, TimeSpan, UpstreamFile } from './ports.ts';

/** Mirrored sources: what is done, when the next step is due, and whether the upstream responds. */
export const mirrorSources = sqliteTable(
  'mirror_sources',
  {
    /** Upstream, source and cadence: a source with another cadence begins anew. */
    scope: text('scope').primaryKey(),
    upstream: text('upstream').notNull(),
    sourceId: integer('source_id').notNull(),
    fromMs: integer('from_ms').notNull(),
    cursorMs: integer('cursor_ms'),
    dueAtMs: integer('due_at_ms').notNull(),
    leasedUntilMs: integer('leased_until_ms').notNull().default(0),
    triedAtMs: integer('tried_at_ms'),
    /** End of the last step without a failure of the upstream. */
    okAtMs: integer('ok_at_ms'),
    /** Failed steps since then. */
    failures: integer('failures').notNull().default(0),
    sentence: text('sentence'),
    /** Images that this mirror has added. */
    added: integer('added').notNull().default(0),
  },
  (table) => [index('mirror_sources_due').on(table.dueAtMs)],
);

/** Versions of pages that have been worked off; swept after a month. */
export const mirrorPages = sqliteTable(
  'mirror_pages',
  { page: text('page').primaryKey(), version: text('version').notNull(), atMs: integer('at_ms').notNull() },
  (table) => [index('mirror_pages_at').on(table.atMs)],
);

/** Files that the ingest has refused, which are not downloaded again; swept after a month. */
export const mirrorRefusals = sqliteTable(
  'mirror_refusals',
  {
    fileName: text('file_name').primaryKey(),
    sourceId: integer('source_id').notNull(),
    reason: text('reason').notNull(),
    sentence: text('sentence').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('mirror_refusals_at').on(table.atMs)],
);

/** Files that the clock has listed and that are to be copied, each by a message of its own. */
export const mirrorFiles = sqliteTable(
  'mirror_files',
  {
    fileName: text('file_name').primaryKey(),
    /** Scope of its source, as in `mirror_sources`. */
    scope: text('scope').notNull(),
    sourceId: integer('source_id').notNull(),
    address: text('address').notNull(),
    atMs: integer('at_ms').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** Earliest time of a message for it. */
    dueAtMs: integer('due_at_ms').notNull(),
  },
  (table) => [index('mirror_files_due').on(table.dueAtMs)],
);

/** Parts of the lists that are incomplete. */
export const mirrorSpans = sqliteTable(
  'mirror_spans',
  {
    scope: text('scope').notNull(),
    fromMs: integer('from_ms').notNull(),
    toMs: integer('to_ms').notNull(),
    attempts: integer('attempts').notNull(),
    dueAtMs: integer('due_at_ms').notNull(),
    sentence: text('sentence').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.fromMs, table.toMs] })],
);

/** Pages and refusals each that one sweep removes. */
const SWEPT_AT_ONCE = 1000;

/** Rows that the heartbeat counts: it is read every minute. */
const COUNTED_ROWS = 10_000;

/** At most `COUNTED_ROWS` rows of a table under a condition that searches an index. */
const someOf = (searched: SQL): SQL => sql`(SELECT 1 FROM ${searched} LIMIT ${COUNTED_ROWS}) AS counted`;

/** State of the mirror of an upstream, in the operations database. */
export class D1MirrorState extends OnOperations {
  readonly #upstream: string;

  /** @param upstream Its address. A command adds its start, because another start is a back-fill with a cursor of its own */
  constructor(databases: Pick<Databases, 'operations'>, upstream: string, clock: Clock) {
    super(databases, clock);
    this.#upstream = upstream;
  }

  #key({ sourceId, cadenceMs }: Pick<MirrorScope, 'sourceId' | 'cadenceMs'>): string {
    return `${this.#upstream} ${sourceId} ${cadenceMs ?? 0}`;
  }

  /** The source that has been due for longest, for `leaseMs`, with the start that it had when it was new; null when none is due. */
  async claim(scopes: readonly MirrorScope[], leaseMs: number): Promise<MirrorScope | null> {
    const nowMs = this.clock();
    const byKey = new Map(scopes.map((scope) => [this.#key(scope), scope]));
    const due = this.db
      .select({ scope: mirrorSources.scope })
      .from(mirrorSources)
      .where(
        and(
          sql`${mirrorSources.scope} IN (SELECT value FROM ${jsonEach([...byKey.keys()])})`,
          lte(mirrorSources.dueAtMs, nowMs),
          lte(mirrorSources.leasedUntilMs, nowMs),
        ),
      )
      .orderBy(asc(mirrorSources.dueAtMs))
      .limit(1);
    const [row] = await this.db
      .update(mirrorSources)
      .set({ leasedUntilMs: nowMs + leaseMs, triedAtMs: nowMs })
      .where(inArray(mirrorSources.scope, due))
      .returning();
    return row ? { ...byKey.get(row.scope)!, fromMs: row.fromMs } : null;
  }

  async begin(scopes: readonly MirrorScope[]): Promise<void> {
    const rows = jsonEach(scopes.map((scope) => [this.#key(scope), scope.sourceId, scope.fromMs]));
    await this.db.run(sql`INSERT INTO ${mirrorSources} (scope, upstream, source_id, from_ms, due_at_ms)
      SELECT value ->> 0, ${this.#upstream}, value ->> 1, value ->> 2, ${this.clock()} FROM ${rows} WHERE true ON CONFLICT DO NOTHING`);
  }

  /** Notes the end of a step. @param dueAtMs Time of the next one @param sentence Why the upstream failed; null when it did not */
  async finish(scope: MirrorScope, dueAtMs: number, sentence: string | null): Promise<void> {
    const isGood = sentence === null;
    await this.db
      .update(mirrorSources)
      .set({
        leasedUntilMs: 0,
        dueAtMs,
        sentence,
        failures: isGood ? 0 : sql`${mirrorSources.failures} + 1`,
        ...(isGood ? { okAtMs: this.clock() } : {}),
      })
      .where(eq(mirrorSources.scope, this.#key(scope)));
  }

  /** Failed steps, and the time through which the list has been worked off, null at first; undefined before `begin`. */
  async progress(scope: MirrorScope) {
    const { failures, cursorMs } = mirrorSources;
    const ofScope = eq(mirrorSources.scope, this.#key(scope));
    return (await this.db.select({ failures, cursorMs }).from(mirrorSources).where(ofScope))[0];
  }

  /** Postpones all sources of the upstream, and the files that wait. */
  async postpone(dueAtMs: number): Promise<void> {
    await this.db.batch([
      this.db
        .update(mirrorSources)
        .set({ dueAtMs })
        .where(and(eq(mirrorSources.upstream, this.#upstream), lt(mirrorSources.dueAtMs, dueAtMs))),
      this.db.update(mirrorFiles).set({ dueAtMs }).where(lt(mirrorFiles.dueAtMs, dueAtMs)),
    ]);
  }

  /** Adds the first files to be copied that do not wait yet, at most so many of `LISTED_NAMES`. @returns how many */
  async plan(scope: MirrorScope, files: readonly UpstreamFile[], most: number): Promise<number> {
    const rows = jsonEach(files.map(({ fileName, address, atMs }) => [fileName, address, atMs]));
    const { meta } = await this.db.run(sql`INSERT INTO ${mirrorFiles} (file_name, scope, source_id, address, at_ms, due_at_ms)
      SELECT value ->> 0, ${this.#key(scope)}, ${scope.sourceId}, value ->> 1, value ->> 2, ${this.clock()}
      FROM ${rows} WHERE value ->> 0 NOT IN (SELECT file_name FROM ${mirrorFiles}) LIMIT ${most} ON CONFLICT DO NOTHING`);
    return meta.changes;
  }

  /** Forgets files after their last attempt, and those of sources that have not been mirrored for a month. */
  async forgetFiles(scopes: readonly MirrorScope[]): Promise<void> {
    const nowMs = this.clock();
    const isLeftOut = and(not(this.#areOf(scopes)), lt(mirrorFiles.dueAtMs, nowMs - MIRROR_STEP.memoryMs));
    const hasFailed = and(gte(mirrorFiles.attempts, OPEN_SPANS.attempts), lte(mirrorFiles.dueAtMs, nowMs));
    await this.db.delete(mirrorFiles).where(or(isLeftOut, hasFailed));
  }

  /** Files of sources that are due: neither under way nor put off. */
  async due(scopes: readonly MirrorScope[]): Promise<number> {
    return this.db.$count(mirrorFiles, this.#areDue(scopes));
  }

  #areOf(scopes: readonly MirrorScope[]): SQL {
    return sql`${mirrorFiles.scope} IN (SELECT value FROM ${jsonEach(scopes.map((scope) => this.#key(scope)))})`;
  }

  #areDue(scopes: readonly MirrorScope[]): SQL | undefined {
    return and(lte(mirrorFiles.dueAtMs, this.clock()), this.#areOf(scopes));
  }

  /** Takes the files of sources that have waited for longest, the oldest images first, each for an attempt of `leaseMs`. */
  async claimFiles(scopes: readonly MirrorScope[], most: number, leaseMs: number): Promise<readonly PlannedFile[]> {
    const nowMs = this.clock();
    const { fileName, attempts, dueAtMs, atMs } = mirrorFiles;
    const due = this.db
      .select({ fileName })
      .from(mirrorFiles)
      .where(this.#areDue(scopes))
      .orderBy(asc(dueAtMs), asc(atMs))
      .limit(Math.max(0, most));
    return this.db
      .update(mirrorFiles)
      .set({ attempts: sql`${attempts} + 1`, dueAtMs: nowMs + leaseMs })
      .where(inArray(fileName, due))
      .returning({ fileName, attempts });
  }

  /** The file of a message; null when it is settled, or another attempt has begun. */
  async planned({ fileName, attempts }: PlannedFile) {
    const isOf = and(eq(mirrorFiles.fileName, fileName), eq(mirrorFiles.attempts, attempts));
    return (await this.db.select().from(mirrorFiles).where(isOf))[0] ?? null;
  }

  async settle({ fileName, scope }: { readonly fileName: string; readonly scope: string }, isAdded: boolean): Promise<void> {
    const settled = this.db.delete(mirrorFiles).where(eq(mirrorFiles.fileName, fileName));
    const counted = this.db
      .update(mirrorSources)
      .set({ added: sql`${mirrorSources.added} + 1` })
      .where(eq(mirrorSources.scope, scope));
    await this.db.batch(isAdded ? [settled, counted] : [settled]);
  }

  async putOff({ fileName, attempts }: PlannedFile): Promise<void> {
    const dueAtMs = this.clock() + doubled(attempts, OPEN_SPANS.firstRetryMs, OPEN_SPANS.longestRetryMs);
    await this.db.update(mirrorFiles).set({ dueAtMs }).where(eq(mirrorFiles.fileName, fileName));
  }

  /** Takes back an attempt that failed for no fault of the file. */
  async giveBack({ fileName, attempts }: PlannedFile): Promise<void> {
    const isOf = and(eq(mirrorFiles.fileName, fileName), eq(mirrorFiles.attempts, attempts));
    await this.db
      .update(mirrorFiles)
      .set({ attempts: attempts - 1, dueAtMs: this.clock() + OPEN_SPANS.firstRetryMs })
      .where(isOf);
  }

  /**
   * `okAtMs`: the last step without a failure of the upstream. `failing`: sources at which the last step failed; `sentence`: why, at one of them.
   * `open`: incomplete parts of the lists; `waiting`: listed files that wait; `refused`: files that the ingest has refused within a month.
   */
  async heartbeat() {
    const ofUpstream = eq(mirrorSources.upstream, this.#upstream);
    const scopes = this.db.select({ scope: mirrorSources.scope }).from(mirrorSources).where(ofUpstream);
    const [[sums], [failing], [spans], [files], [refusals]] = await this.db.batch([
      this.db
        .select({
          sources: count(),
          okAtMs: max(mirrorSources.okAtMs),
          triedAtMs: max(mirrorSources.triedAtMs),
          cursorMs: min(mirrorSources.cursorMs),
          added: sql<number>`coalesce(sum(${mirrorSources.added}), 0)`,
          failing: sql<number>`coalesce(sum(${mirrorSources.failures} > 0), 0)`,
        })
        .from(mirrorSources)
        .where(ofUpstream),
      this.db
        .select({ sentence: mirrorSources.sentence })
        .from(mirrorSources)
        .where(and(ofUpstream, sql`${mirrorSources.failures} > 0`))
        .limit(1),
      this.db.select({ open: count() }).from(someOf(sql`${mirrorSpans} WHERE ${inArray(mirrorSpans.scope, scopes)}`)),
      this.db.select({ waiting: count() }).from(someOf(sql`${mirrorFiles} WHERE ${gte(mirrorFiles.dueAtMs, 0)}`)),
      this.db.select({ refused: count() }).from(someOf(sql`${mirrorRefusals} WHERE ${gte(mirrorRefusals.atMs, 0)}`)),
    ]);
    return { upstream: this.#upstream, ...sums!, sentence: failing?.sentence ?? null, ...spans!, ...files!, ...refusals! };
  }

  /** Removes the oldest pages and refusals before a time. @returns how many */
  async sweep(beforeMs: number): Promise<number> {
    const swept = await this.db.batch([
      this.db.delete(mirrorPages).where(lowestRows(mirrorPages, mirrorPages.atMs, beforeMs, SWEPT_AT_ONCE)),
      this.db.delete(mirrorRefusals).where(lowestRows(mirrorRefusals, mirrorRefusals.atMs, beforeMs, SWEPT_AT_ONCE)),
    ]);
    return swept.reduce((sum, { meta }) => sum + meta.changes, 0);
  }

  /** Moves the cursor forward; an earlier time has no effect. */
  async moveCursor(scope: MirrorScope, throughMs: number): Promise<void> {
    await this.db
      .update(mirrorSources)
      .set({ cursorMs: sql`max(coalesce(${mirrorSources.cursorMs}, 0), ${throughMs})` })
      .where(eq(mirrorSources.scope, this.#key(scope)));
  }

  async pageVersion(key: string): Promise<string | null> {
    const [row] = await this.db.select({ version: mirrorPages.version }).from(mirrorPages).where(eq(mirrorPages.page, key));
    return row?.version ?? null;
  }

  async keepPage(page: string, version: string): Promise<void> {
    await upsert(this.db, mirrorPages, { page }, { version, atMs: this.clock() });
  }

  /** Refusals of the files with these names, by name. */
  async refusals(fileNames: readonly string[]): Promise<ReadonlyMap<string, Refusal>> {
    const rows = await this.db
      .select()
      .from(mirrorRefusals)
      .where(sql`${mirrorRefusals.fileName} IN (SELECT value FROM ${jsonEach(fileNames)})`);
    return new Map(rows.map(({ fileName, reason, sentence }) => [fileName, { reason, sentence }]));
  }

  async keepRefusal(sourceId: number, fileName: string, { reason, sentence }: Refusal): Promise<void> {
    await upsert(this.db, mirrorRefusals, { fileName }, { sourceId, reason, sentence, atMs: this.clock() });
  }

  /** The incomplete parts from `fromMs` on, in the order of their starts. `onlyDue`: no others than those to be tried again now. */
  async openSpans(
    scope: MirrorScope,
    { fromMs = Number.MIN_SAFE_INTEGER, onlyDue }: { readonly fromMs?: number; readonly onlyDue: boolean },
  ): Promise<readonly OpenSpan[]> {
    return this.db
      .select({ fromMs: mirrorSpans.fromMs, toMs: mirrorSpans.toMs, attempts: mirrorSpans.attempts })
      .from(mirrorSpans)
      .where(
        and(
          eq(mirrorSpans.scope, this.#key(scope)),
          gte(mirrorSpans.fromMs, fromMs),
          onlyDue ? lte(mirrorSpans.dueAtMs, this.clock()) : undefined,
        ),
      )
      .orderBy(asc(mirrorSpans.fromMs))
      .limit(OPEN_SPANS.read);
  }

  async openSpan(scope: MirrorScope, { fromMs, toMs, attempts }: OpenSpan, sentence: string): Promise<void> {
    const dueAtMs = this.clock() + doubled(attempts, OPEN_SPANS.firstRetryMs, OPEN_SPANS.longestRetryMs);
    await upsert(this.db, mirrorSpans, { scope: this.#key(scope), fromMs, toMs }, { attempts, dueAtMs, sentence });
  }

  async closeSpan(scope: MirrorScope, { fromMs, toMs }: TimeSpan): Promise<void> {
    await this.db
      .delete(mirrorSpans)
      .where(and(eq(mirrorSpans.scope, this.#key(scope)), eq(mirrorSpans.fromMs, fromMs), eq(mirrorSpans.toMs, toMs)));
  }
}

export type MirrorHeartbeat = Awaited<ReturnType<D1MirrorState['heartbeat']>>;
