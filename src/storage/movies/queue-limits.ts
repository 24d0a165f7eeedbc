// Limits of the movie queue as conditions of the statements that queue a movie, because requests at the same time would pass a test
// before them. A row of a movie over a limit violates a constraint, so that its whole transaction is rolled back.
import { type SQL, sql } from 'drizzle-orm';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import type { QueueingOptions, QueueLimits } from '../../ports/movies.ts';
import { causesOf } from '../../util/causes.ts';
import { given } from '../prepared-batch.ts';

const UNLIMITED: QueueLimits = {
  queued: Number.MAX_SAFE_INTEGER,
  clients: [],
  sinceMs: 0,
  clientCost: Number.MAX_SAFE_INTEGER,
};

/** Values of the placeholders of the conditions below. */
export function limitValues({ nowMs, minCost = 0, limits = UNLIMITED }: QueueingOptions) {
  const { queued, sinceMs, clientCost, clients } = limits;
  return { nowMs, minCost, queueLimit: queued, sinceMs, clientCost, clients: JSON.stringify(clients) };
}

/** A cost, or the minimum if that is more. */
export const costOrMinimum = (cost: SQL): SQL<number> => sql`max(${cost}, ${given('minCost')})`;

/** Whether a movie of this cost is within the limits given. `isNew`: whether it adds a build to the queue. */
function isWithinLimits(isNew: SQL, cost: SQL): SQL {
  const ofClient = sql`client IN (SELECT value FROM json_each(${given('clients')}))`;
  const sinceMs = given('sinceMs');
  const waiting = sql`(SELECT count(*) FROM movie_builds WHERE status = ${MOVIE_STATUS.queued})`;
  const requested = sql`(SELECT total(cost) FROM movies WHERE ${ofClient} AND created_at_ms >= ${sinceMs})`;
  const rebuilt = sql`(SELECT total(cost) FROM movie_charges WHERE ${ofClient} AND at_ms >= ${sinceMs})`;
  const isQueued = sql`(NOT ${isNew} OR ${waiting} < ${given('queueLimit')})`;
  return sql`${isQueued} AND ${requested} + ${rebuilt} + ${cost} <= ${given('clientCost')}`;
}

/** A value within the limits; else null, which violates a constraint. */
export const unlessOverLimits = <T>(value: SQL, isNew: SQL, cost: SQL): SQL<T> =>
  sql<T>`iif(${isWithinLimits(isNew, cost)}, ${value}, NULL)`;

/** Messages of SQLite for a movie and a charge without the value of `unlessOverLimits`. */
const LIMIT_CONSTRAINTS = ['NOT NULL constraint failed: movies.id', 'NOT NULL constraint failed: movie_charges.client'];

export const isOverLimits = (error: unknown): boolean => LIMIT_CONSTRAINTS.some((constraint) => hasFailed(error, constraint));

/** Whether an error, or one of its causes, reports this constraint. */
export function hasFailed(error: unknown, constraint: string): boolean {
  return [...causesOf(error)].some(({ message }) => message.includes(constraint));
}
