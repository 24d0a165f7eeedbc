// Claims of movie workers on builds, the rows of the queue: one conditional statement each. Reports count under the current lease only.
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { MOVIE_BUILDS } from '../platform/limits/movies.ts';
import { type Databases, given, givenEach, jsonEach, OnMain, preparedBatch, upsert } from '../platform/storage/databases.ts';
import type { UploadedPart } from '../platform/storage/r2-object-store.ts';
import { randomHex } from '../platform/util/bytes.ts';
import { MOVIE_STATUS, type MovieFileName, PREVIEW_FILES, SEGMENT_NAME, type StoredMovieFile } from './movie.ts';
import type { BuildRow, MovieBuild } from './movie-tables.ts';
import {
  buildColumns,
  buildFromRow,
  movieArrivals,
  movieBuilds,
  movieSegments,
  movieUploads,
  movieWorkers,
  statusColumns,
} from './movie-tables.ts';
import type { BuildClaim } from './worker-protocol.ts';
import type { Finish, Progress } from './worker-reports.ts';

const { queued, processing, finished, invalid } = MOVIE_STATUS;

const LEASE_BYTES = 24;

/** Builds of the same cost, of clients that arrive later, that may be claimed before the second build of a client. */
const OVERTAKING_CLIENTS = 16;

const firstRequest = (value: SQL) =>
  sql`(SELECT ${value} FROM movies WHERE build_id = movie_builds.id ORDER BY created_at_ms, id LIMIT 1)`;

const claimColumns = {
  ...buildColumns,
  movieId: (firstRequest(sql`id`) as SQL<string | null>).as('movie_id'),
  maxFrames: (firstRequest(sql`request ->> 'maxFrames'`) as SQL<number | null>).as('max_frames'),
};

export interface ClaimedBuild extends Pick<BuildClaim, 'lease' | 'leaseMs' | 'segments'> {
  readonly build: MovieBuild;
  /** Public id of the first request for it; null when none is left. */
  readonly movieId: string | null;
  /** Frames to which that request limits it; null for as many as there may be. */
  readonly maxFrames: number | null;
}

type ClaimRow = BuildRow & Pick<ClaimedBuild, 'movieId' | 'maxFrames'>;

const nextWaiting = (which: SQL) =>
  sql`(SELECT id FROM movie_builds WHERE status = ${queued} AND ${which} AND id NOT IN (SELECT value FROM json_each(${given('passed')}))
    ORDER BY turn, arrival LIMIT 1)`;

/** Next build of a worker: the waiting one whose turn it is, builds at which it failed last, so that a broken worker spoils no movie. */
const nextFor = (worker: SQL<string>) =>
  sql`coalesce(${nextWaiting(sql`worker IS NOT ${worker}`)}, ${nextWaiting(sql`worker = ${worker}`)})`;

/** Virtual time after a claim: follows the turns, plus a share of the build's cost, which bounds the clients that overtake a build. */
const timeAfter = (id: SQL) =>
  sql`(SELECT max(virtual_time, turn) + cost / ${OVERTAKING_CLIENTS} FROM movie_builds WHERE movie_builds.id = ${id})`;

const UNCLAIMED = { lease: null, leaseUntilMs: null, worker: null, stage: null };

/** Frames that the next attempt can skip: those stored in every encoding. */
const framesInSegments = sql`(SELECT min(frames) FROM (
  SELECT coalesce(sum(to_frame - from_frame), 0) AS frames
  FROM json_each('["mp4","hq","webm"]') AS encoding
  LEFT JOIN (SELECT DISTINCT output, from_frame, to_frame FROM movie_parts WHERE build_id = movie_builds.id) AS segment
    ON segment.output = encoding.value
  GROUP BY encoding.value))`;

const noResponse = (attempts: number) => `The movie could not be built: its workers stopped responding ${attempts} times.`;

/** Columns of a build that returns to its place in the queue. `failed`: the worker that failed at it. */
const requeued = (failed: string | SQL | null = null) => ({
  ...statusColumns(queued),
  ...UNCLAIMED,
  worker: failed,
  framesDone: framesInSegments,
  framesSkipped: 0,
});

const ended = (reason: string, nowMs: number | SQL<number>) => ({
  ...statusColumns(invalid),
  ...UNCLAIMED,
  finishedAtMs: nowMs,
  error: reason,
});

type ClaimRules = { readonly leaseMs: number; readonly attempts: number; readonly silentAttempts: number };

/** An upload in progress: at most one for each file of a build. */
export type MovieUpload = Readonly<Omit<typeof movieUploads.$inferSelect, 'parts'>>;

/** Assigns builds to workers and records their multipart uploads. Calls with a lost lease have no effect, and return false or null. */
export class D1BuildClaims extends OnMain {
  readonly #rules: ClaimRules;
  readonly #claim = preparedBatch(() => this.#claimQueries());
  readonly #finish = preparedBatch(() => this.#finishQueries());

  constructor(databases: Pick<Databases, 'main'>, rules: Partial<ClaimRules> = {}) {
    super(databases);
    this.#rules = { ...MOVIE_BUILDS, ...rules };
  }

  /** The next queued build but the `passed` ones, for exactly one caller; null when none is queued. Expires leases first. */
  async claim(worker: string, nowMs: number, passed: readonly number[] = []): Promise<ClaimedBuild | null> {
    const lease = randomHex(LEASE_BYTES);
    const values = { worker, lease, nowMs, leaseUntilMs: nowMs + this.#rules.leaseMs, passed: JSON.stringify(passed) };
    const [, , , segments, , rows] = await this.#claim(this.main, values);
    return rows[0] ? this.#claimed(rows[0], lease, segments) : null;
  }

  /** The claimed build; null when the lease is lost. Extends the lease. */
  async claimed(buildId: number, lease: string, nowMs: number): Promise<ClaimedBuild | null> {
    const [rows, segments] = await this.db.batch([
      this.db
        .update(movieBuilds)
        .set({ leaseUntilMs: nowMs + this.#rules.leaseMs })
        .where(held(buildId, lease))
        .returning(claimColumns),
      this.#segmentsOf(eq(movieSegments.buildId, buildId)),
    ]);
    return rows[0] ? this.#claimed(rows[0], lease, segments) : null;
  }

  async progress(buildId: number, progress: Progress, nowMs: number): Promise<boolean> {
    const { lease, framesDone, framesSkipped, stage } = progress;
    return this.#change(held(buildId, lease), {
      // Reports may arrive out of order.
      framesDone: sql`max(${movieBuilds.framesDone}, min(${movieBuilds.frameCount}, ${framesDone}))`,
      framesSkipped: sql`max(${movieBuilds.framesSkipped}, min(${movieBuilds.frameCount}, ${framesSkipped}))`,
      stage,
      leaseUntilMs: nowMs + this.#rules.leaseMs,
    });
  }

  /** Records failed event sources, which are kept until the build is queued again. */
  async missEvents(buildId: number, lease: string, sources: readonly string[]): Promise<boolean> {
    const recorded = sql`SELECT value FROM json_each(${movieBuilds.eventsMissing})`;
    const both = sql`${recorded} UNION SELECT value FROM ${jsonEach(sources)}`;
    return this.#change(held(buildId, lease), { eventsMissing: sql`(SELECT json_group_array(value) FROM (${both}))` });
  }

  async extendLease(buildId: number, lease: string, nowMs: number): Promise<boolean> {
    return this.#change(held(buildId, lease), { leaseUntilMs: nowMs + this.#rules.leaseMs });
  }

  /** Records a segment (`SEGMENT_NAME`) as stored. */
  async storedSegment(buildId: number, lease: string, name: string): Promise<boolean> {
    const [, from, to, output] = SEGMENT_NAME.exec(name)!;
    const isHeld = held(buildId, lease);
    const { meta } = await this.db.run(sql`INSERT INTO ${movieSegments} (build_id, name, output, from_frame, to_frame)
      SELECT id, ${name}, ${output}, ${Number(from)}, ${Number(to)} FROM ${movieBuilds} WHERE ${isHeld}
      ON CONFLICT (build_id, name) DO UPDATE SET name = excluded.name`);
    return meta.changes === 1;
  }

  /** Records a file as stored; a format is finished when its files, of both qualities for mp4, and the previews are stored. */
  async stored(buildId: number, lease: string, file: StoredMovieFile): Promise<boolean> {
    const others = sql`SELECT value FROM json_each(${movieBuilds.files}) WHERE value ->> 'name' <> ${file.name}`;
    const files = sql`(SELECT json_group_array(json(value)) FROM (${others} UNION ALL SELECT ${JSON.stringify(file)}))`;
    const build = this.db.update(movieBuilds);
    const isFinished = (...names: MovieFileName[]) => and(held(buildId, lease), hasFiles([...PREVIEW_FILES, ...names]));
    const [recorded] = await this.db.batch([
      build.set({ files }).where(held(buildId, lease)),
      build.set({ statusMp4: finished }).where(isFinished('movie.mp4', 'movie-hq.mp4')),
      build.set({ statusWebm: finished }).where(isFinished('movie.webm')),
    ]);
    return recorded.meta.changes === 1;
  }

  async finish(buildId: number, { lease, framesSkipped, totalMs }: Finish, nowMs: number): Promise<boolean> {
    const values = { buildId, lease, framesSkipped, nowMs, buildSeconds: totalMs / 1000 };
    const [, , rows] = await this.#finish(this.main, values);
    return rows.length === 1;
  }

  /** Queues the build again in its position, or ends it as invalid when the failure is final or no attempts remain. */
  async fail(buildId: number, lease: string, failure: { reason: string; isFinal: boolean }, nowMs: number): Promise<boolean> {
    const { reason, isFinal } = failure;
    const [end, retry] = await this.db.batch([
      this.db
        .update(movieBuilds)
        .set(ended(reason, nowMs))
        .where(and(held(buildId, lease), isFinal ? undefined : gte(sql`attempts - expiries`, this.#rules.attempts))),
      this.db
        .update(movieBuilds)
        .set(requeued(sql`${movieBuilds.worker}`))
        .where(held(buildId, lease)),
    ]);
    return end.meta.changes + retry.meta.changes === 1;
  }

  /** Hands the build back without counting the attempt. @param failed The worker that takes other builds before it */
  async release(buildId: number, lease: string, failed: string | null = null): Promise<boolean> {
    return this.#change(held(buildId, lease), { ...requeued(failed), attempts: sql`${movieBuilds.attempts} - 1` });
  }

  /** Queues builds with expired leases again in their positions, or ends them; returns their number. Forgets uploads of ended builds. */
  async expire(nowMs: number): Promise<number> {
    const [end, retry] = await this.db.batch([
      ...this.#expiry(nowMs),
      // A lost lease leaves its own, and so does a file that a later attempt sends whole.
      this.db
        .delete(movieUploads)
        .where(sql`(SELECT status FROM movie_builds WHERE id = ${movieUploads.buildId}) IN (${finished}, ${invalid})`),
      this.db.delete(movieWorkers).where(lt(movieWorkers.seenAtMs, nowMs - MOVIE_BUILDS.forgetWorkerMs)),
    ]);
    return end.meta.changes + retry.meta.changes;
  }

  /** Id of the upload of a file that is in progress, under any lease; null without one. */
  async uploadOf(buildId: number, name: string): Promise<string | null> {
    const isFile = and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name));
    const row = await this.db.select({ id: movieUploads.uploadId }).from(movieUploads).where(isFile).get();
    return row?.id ?? null;
  }

  /** Records an upload in place of the one that was in progress; false with a lost lease, and when another has begun meanwhile. */
  async beginUpload({ buildId, name, lease, uploadId }: MovieUpload, replaced: string | null): Promise<boolean> {
    const text = (value: string, column: string) => sql<string>`${value}`.as(column);
    const row = {
      buildId: movieBuilds.id,
      name: text(name, 'name'),
      lease: text(lease, 'held_lease'),
      uploadId: text(uploadId, 'upload'),
      parts: text('{}', 'pieces'),
    };
    const { meta } = await this.db
      .insert(movieUploads)
      .select(this.db.select(row).from(movieBuilds).where(held(buildId, lease)))
      .onConflictDoUpdate({
        target: [movieUploads.buildId, movieUploads.name],
        set: { lease, uploadId, parts: {} },
        setWhere: sql`${movieUploads.uploadId} IS ${replaced}`,
      });
    return meta.changes === 1;
  }

  /** The upload that was begun under this lease, with its parts. */
  async findUpload(buildId: number, lease: string, name: string) {
    const [row] = await this.db
      .select()
      .from(movieUploads)
      .where(and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.lease, lease)));
    if (!row) return null;
    const parts = Object.entries(row.parts)
      .map(([number, etag]) => ({ partNumber: Number(number), etag }))
      .sort((a, b) => a.partNumber - b.partNumber);
    return { buildId, lease, name, uploadId: row.uploadId, parts };
  }

  async addPart(upload: MovieUpload, { partNumber, etag }: UploadedPart): Promise<void> {
    const parts = sql`json_set(${movieUploads.parts}, ${`$."${partNumber}"`}, ${etag})`;
    await this.db.update(movieUploads).set({ parts }).where(isSame(upload));
  }

  async endUpload(upload: MovieUpload): Promise<void> {
    await this.db.delete(movieUploads).where(isSame(upload));
  }

  #claimQueries() {
    const { worker, lease, nowMs, leaseUntilMs } = givenEach('worker', 'lease', 'nowMs', 'leaseUntilMs');
    const next = nextFor(worker);
    return [
      ...this.#expiry(nowMs),
      upsert(this.db, movieWorkers, { name: worker }, { seenAtMs: nowMs }),
      this.#segmentsOf(sql`${movieSegments.buildId} = ${next}`),
      this.db
        .update(movieArrivals)
        .set({ virtualTime: sql`coalesce(${timeAfter(next)}, ${movieArrivals.virtualTime})` })
        .where(sql`${given('passed')} = '[]'`),
      this.db
        .update(movieBuilds)
        .set({
          ...statusColumns(processing),
          lease,
          leaseUntilMs,
          worker,
          attempts: sql`${movieBuilds.attempts} + 1`,
          startedAtMs: nowMs,
          stage: 'drawing',
        })
        .where(sql`${movieBuilds.id} = ${next}`)
        .returning(claimColumns),
    ] as const;
  }

  #finishQueries() {
    const { buildId, lease, nowMs, ...reported } = givenEach('buildId', 'lease', 'nowMs', 'framesSkipped', 'buildSeconds');
    const isDone = this.db
      .select({ id: movieBuilds.id })
      .from(movieBuilds)
      .where(and(eq(movieBuilds.id, buildId), eq(movieBuilds.lease, lease), eq(movieBuilds.status, finished)));
    return [
      this.db
        .update(movieBuilds)
        .set({
          ...statusColumns(finished),
          ...reported,
          // The lease stays, so that a worker that lost the response may repeat the report.
          leaseUntilMs: null,
          finishedAtMs: nowMs,
          framesDone: sql`${movieBuilds.frameCount}`,
          stage: null,
        })
        .where(held(buildId, lease)),
      this.db.delete(movieSegments).where(inArray(movieSegments.buildId, isDone)),
      isDone,
    ] as const;
  }

  #expiry(nowMs: number | SQL<number>) {
    const { silentAttempts } = this.#rules;
    const isExpired = and(eq(movieBuilds.status, processing), lt(movieBuilds.leaseUntilMs, nowMs));
    const expiries = sql`${movieBuilds.expiries} + 1`;
    return [
      this.db
        .update(movieBuilds)
        .set({ ...ended(noResponse(silentAttempts), nowMs), expiries })
        .where(and(isExpired, gte(expiries, silentAttempts))),
      this.db
        .update(movieBuilds)
        .set({ ...requeued(), expiries })
        .where(isExpired),
    ] as const;
  }

  async #change(which: SQL, columns: SQLiteUpdateSetSource<typeof movieBuilds>): Promise<boolean> {
    const { meta } = await this.db.update(movieBuilds).set(columns).where(which);
    return meta.changes === 1;
  }

  #claimed({ movieId, maxFrames, ...row }: ClaimRow, lease: string, segments: readonly { name: string }[]): ClaimedBuild {
    const { leaseMs } = this.#rules;
    const names = segments.map(({ name }) => name);
    return { build: buildFromRow(row), lease, leaseMs, segments: names, movieId, maxFrames };
  }

  #segmentsOf(build: SQL) {
    return this.db.select({ name: movieSegments.name }).from(movieSegments).where(build).orderBy(movieSegments.name);
  }
}

const held = (buildId: number | SQL<number>, lease: string | SQL<string>): SQL =>
  and(eq(movieBuilds.id, buildId), eq(movieBuilds.lease, lease), eq(movieBuilds.status, processing))!;

const hasFiles = (names: readonly MovieFileName[]): SQL => sql`(SELECT count(*) FROM json_each(${movieBuilds.files})
    WHERE value ->> 'name' IN (SELECT value FROM ${jsonEach(names)})) = ${names.length}`;

const isSame = ({ buildId, name, uploadId }: MovieUpload) =>
  and(eq(movieUploads.buildId, buildId), eq(movieUploads.name, name), eq(movieUploads.uploadId, uploadId));
