// A movie build as a row of D1 and as the services know it.
import { getTableColumns, sql } from 'drizzle-orm';
import { MOVIE_STATUS, MOVIE_TRANSITIONS, type MovieEvent, type MovieStatus } from '../../domain/movies/state.ts';
import type { BuildPlan, MovieBuild } from '../../ports/movies.ts';
import { movieBuilds } from './schema.ts';

const { frames: _frames, lease: _lease, leaseUntilMs: _leaseUntilMs, worker: _worker, ...columns } = getTableColumns(movieBuilds);

/** What is read of a build: all but its plan, which is long, and the claim. */
export const buildColumns = columns;

export type BuildRow = Pick<typeof movieBuilds.$inferSelect, keyof typeof columns>;

export function buildFromRow(row: BuildRow): MovieBuild {
  return {
    ...row,
    status: row.status as MovieStatus,
    statusMp4: row.statusMp4 as MovieStatus,
    statusWebm: row.statusWebm as MovieStatus,
    stage: row.stage as MovieBuild['stage'],
    files: JSON.parse(row.files),
    eventsMissing: JSON.parse(row.eventsMissing),
  };
}

/** The columns of a build that has just been queued, all but its place. */
export function queuedRow(nowMs: number) {
  return {
    status: MOVIE_STATUS.queued,
    statusMp4: MOVIE_STATUS.queued,
    statusWebm: MOVIE_STATUS.queued,
    queuedAtMs: nowMs,
    startedAtMs: null,
    finishedAtMs: null,
    lease: null,
    leaseUntilMs: null,
    worker: null,
    attempts: 0,
    framesDone: 0,
    framesSkipped: 0,
    eventsMissing: '[]',
    stage: null,
    error: null,
    files: '[]',
    buildSeconds: null,
  };
}

export function planRow({ frames, ...plan }: BuildPlan) {
  return {
    ...plan,
    frames: JSON.stringify(frames),
    frameCount: frames.length,
    firstFrameMs: frames[0]!.atMs,
    lastFrameMs: frames.at(-1)!.atMs,
  };
}

/** True for the builds to which the event can happen. */
export function mayHappen(event: MovieEvent) {
  const { from } = MOVIE_TRANSITIONS[event];
  return sql`${movieBuilds.status} IN (${sql.join(
    from.map((status) => sql.raw(String(status))),
    sql`, `,
  )})`;
}

/** The columns of status after the event. A format that is finished stays so unless all is built again. */
export function statusColumns(event: Exclude<MovieEvent, 'requeue'>) {
  const { to } = MOVIE_TRANSITIONS[event];
  const unlessFinished = (column: typeof movieBuilds.statusMp4 | typeof movieBuilds.statusWebm) =>
    sql`iif(${column} = ${MOVIE_STATUS.finished}, ${MOVIE_STATUS.finished}, ${to})`;
  return { status: to, statusMp4: unlessFinished(movieBuilds.statusMp4), statusWebm: unlessFinished(movieBuilds.statusWebm) };
}
