// The queue of movies as a machine: steps of workers, sweeps and requests at the same time, through the SQL of the queue.
//
// Invariants:
// - Steps at the same time have the outcome of the same steps one after another, in some order.
// - A place in the queue has one claim at most that finishes it.
// - No state is older than one before: places, frames of a claim and finished formats never go back.
// - No build is lost: after the faults, one worker brings every build to an end, with files or with a reason.
import { asc } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOVIE_STATUS } from '../../src/domain/movies/movie.ts';
import { movieArrivals, movieBuilds, movieSegments } from '../../src/storage/main-tables.ts';
import { D1BuildClaims } from '../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../src/storage/movies/d1-movies.ts';
import { migrated } from '../support/memory/sqlite-d1.ts';
import { newBuild, request, START_MS } from '../support/movies/movie-builds.ts';
import { COST, FRAMES, type Outcome, QueueModel, RULES, SEGMENTS, type Step } from '../support/movies/queue-model.ts';

const RUNS = 60;
const KEYS = ['a', 'b', 'c', 'd'];
const WORKERS = ['w1', 'w2', 'w3'];
const TABLES = ['movie_builds', 'movies', 'movie_arrivals', 'movie_parts', 'movie_workers', 'movie_charges', 'movie_uploads'];
const TIMINGS = { totalMs: 1000, drawingMs: 500, encodingMs: 500 };

/** A step whose claim is given as a number of claims back from the latest one; -1 stands for one that was never made. */
type Drawn = { readonly [K in 'do' | 'key' | 'client' | 'worker' | 'output']: string } & {
  readonly back: number;
  readonly frames: number;
};

const STEPS: readonly [string, number][] = [
  ['claim', 6],
  ['add', 3],
  ['requeue', 1],
  ['expire', 2],
  ['progress', 2],
  ['segment', 4],
  ['extend', 1],
  ['finish', 2],
  ['fail', 2],
  ['failFinally', 1],
  ['release', 1],
];

const drawnStep: fc.Arbitrary<Drawn> = fc.record({
  do: fc.oneof(...STEPS.map(([name, weight]) => ({ arbitrary: fc.constant(name), weight }))),
  key: fc.constantFrom(...KEYS),
  client: fc.constantFrom('one', 'two'),
  worker: fc.constantFrom(...WORKERS),
  output: fc.constantFrom(...SEGMENTS),
  back: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.integer({ min: 0, max: 4 })),
  frames: fc.integer({ min: 0, max: FRAMES + 2 }),
});

/** Steps at the same time. The passing of time makes leases expire. */
const rounds = fc.array(
  fc.record({
    passesMs: fc.oneof(fc.constantFrom(0, 1), fc.constantFrom(400, RULES.leaseMs, RULES.leaseMs + 1)),
    steps: fc.array(drawnStep, { minLength: 1, maxLength: 4 }),
    /** A delivered message that is repeated, and two sweeps: all workers ask for work at once. */
    isStorm: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25 },
);

type Round = (typeof rounds extends fc.Arbitrary<infer R> ? R : never)[number];

const STORM: readonly Drawn[] = [...WORKERS, 'expire', 'expire'].map((name) => ({
  ...{ do: name === 'expire' ? 'expire' : 'claim', worker: name, key: 'a', client: 'one', output: 'mp4', back: 0, frames: 0 },
}));

/** The queue in a database whose calls take effect in the order of `scheduler`. */
class Queue {
  readonly #database: D1Database;
  readonly #movies: D1Movies;
  readonly #claims: D1BuildClaims;
  readonly leases = new Map<number, { readonly buildId: number; readonly lease: string }>();
  nowMs = START_MS;

  constructor(database: D1Database, scheduler: fc.Scheduler) {
    this.#database = database;
    const main = scheduled(database, scheduler);
    this.#movies = new D1Movies({ main });
    this.#claims = new D1BuildClaims({ main }, RULES);
  }

  async run(step: Step): Promise<Outcome> {
    const { nowMs } = this;
    switch (step.do) {
      case 'add':
        return (await this.#movies.add(request(step.client), newBuild(step.key, { frames: FRAMES, cost: COST }), { nowMs }))
          .isShared;
      case 'requeue': {
        const { builds } = await this.rows();
        const build = builds.find(({ key }) => key === step.key);
        return build !== undefined && (await this.#movies.requeue(build.id, { nowMs, client: step.client })) === 'queued';
      }
      case 'claim': {
        const claimed = await this.#claims.claim(step.worker, nowMs);
        if (claimed) this.leases.set(step.lease, { buildId: claimed.build.id, lease: claimed.lease });
        return claimed?.build.key ?? null;
      }
      case 'expire':
        await this.#claims.expire(nowMs);
        return null;
      default:
        return this.#report(step);
    }
  }

  async #report(step: Extract<Step, { readonly lease: number }>): Promise<boolean> {
    const { buildId, lease } = this.leases.get(step.lease) ?? { buildId: 1, lease: 'f'.repeat(48) };
    const claims = this.#claims;
    switch (step.do) {
      case 'progress':
        return claims.progress(buildId, { lease, framesDone: step.frames, framesSkipped: 0, stage: 'drawing' }, this.nowMs);
      case 'segment':
        return claims.storedSegment(buildId, lease, `part-0000-0006.${step.output}.${step.output === 'webm' ? 'webm' : 'mp4'}`);
      case 'extend':
        return claims.extendLease(buildId, lease, this.nowMs);
      case 'finish':
        return claims.finish(buildId, { lease, framesSkipped: 0, files: [], timings: TIMINGS }, this.nowMs);
      case 'release':
        return claims.release(buildId, lease);
      case 'fail':
      case 'failFinally':
        return claims.fail(buildId, lease, { reason: 'It broke.', isFinal: step.do === 'failFinally' }, this.nowMs);
      default:
        throw new Error(`Expected a report, got ${step.do}.`);
    }
  }

  /** The rows without the scheduler. */
  async rows() {
    const db = drizzle(this.#database);
    const [builds, segments, arrivals] = await db.batch([
      db.select().from(movieBuilds).orderBy(asc(movieBuilds.id)),
      db.select().from(movieSegments).orderBy(asc(movieSegments.output)),
      db.select().from(movieArrivals),
    ]);
    return { builds, segments, virtualTime: arrivals[0]?.virtualTime ?? 0 };
  }
}

/** A database whose statements take effect in the order that the scheduler draws. */
function scheduled(database: D1Database, scheduler: fc.Scheduler): D1Database {
  const turn =
    <A extends unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await scheduler.schedule(Promise.resolve(), name);
      return call(...given);
    };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const statement = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => statement(original.bind(...values)),
      ...Object.fromEntries(
        (['all', 'run', 'first', 'raw'] as const).map((name) => [
          name,
          turn(name, original[name].bind(original) as () => Promise<unknown>),
        ]),
      ),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, original);
    return wrapped;
  };
  return {
    prepare: (query: string) => statement(database.prepare(query)),
    batch: turn('batch', (statements: D1PreparedStatement[]) => database.batch(statements.map((each) => originals.get(each)!))),
  } as unknown as D1Database;
}

/** All orders of the items. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, i) => orders([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]));
}

/** The state of a queue: its virtual time decides the turns of later builds, so orders of steps that differ in it are not equal. */
type State = Pick<QueueModel, 'virtualTime'> & { readonly builds: readonly object[] };

/** The state of the database in the form of the model; claims by the steps that made them. */
async function stateOf(queue: Queue): Promise<State> {
  const { builds, segments, virtualTime } = await queue.rows();
  const leaseOf = (lease: string | null) =>
    lease === null ? null : ([...queue.leases].find(([, known]) => known.lease === lease)?.[0] ?? 'unknown');
  for (const { status, statusMp4, statusWebm, error, finishedAtMs } of builds) {
    expect([statusMp4, statusWebm]).toEqual([status, status]);
    expect([error !== null, finishedAtMs !== null]).toEqual([status === MOVIE_STATUS.invalid, status >= MOVIE_STATUS.finished]);
  }
  const states = builds.map((build) => ({
    ...{ key: build.key, status: build.status, client: build.client, arrival: build.arrival, turn: build.turn },
    ...{ attempts: build.attempts, lease: leaseOf(build.lease), worker: build.worker, framesDone: build.framesDone },
    leaseUntilMs: build.leaseUntilMs === null ? null : build.leaseUntilMs - START_MS,
    segments: segments.filter(({ buildId }) => buildId === build.id).map(({ output }) => output),
  }));
  return { virtualTime, builds: states };
}

const text = ({ virtualTime, builds }: State) =>
  JSON.stringify([virtualTime, builds.map((build) => Object.entries(build).sort(([a], [b]) => (a < b ? -1 : 1))).sort()]);

/** The model after some order of the steps that explains the outcomes and the state; null without one. */
function explained(model: QueueModel, steps: readonly Step[], outcomes: readonly Outcome[], state: State): QueueModel | null {
  for (const order of orders(steps.map((step, i) => [step, outcomes[i]!] as const))) {
    const copy = model.copy();
    if (order.every(([step, outcome]) => copy.run(step) === outcome) && text(copy) === text(state)) return copy;
  }
  return null;
}

/** The steps of a round, with claims by their numbers. */
function stepsOf({ steps, isStorm }: Round, claimed: number): Step[] {
  let next = claimed;
  return (isStorm ? STORM : steps).map((drawn) => {
    if (drawn.do === 'claim') return { do: 'claim', worker: drawn.worker, lease: next++ };
    return { ...drawn, lease: claimed - 1 - drawn.back } as Step;
  });
}

/** Checks that the finished claims of each place are one. */
class Finishers {
  readonly #claims = new Map<string, number>();

  add(step: Step, outcome: Outcome, before: QueueModel): void {
    if (step.do !== 'finish' || outcome !== true) return;
    const key = before.claims.get(step.lease)!;
    const place = `${key} ${before.build(key)!.arrival}`;
    expect(this.#claims.get(place) ?? step.lease).toBe(step.lease);
    this.#claims.set(place, step.lease);
  }
}

function expectNoOlderState(before: QueueModel, after: QueueModel): void {
  for (const build of after.builds) {
    const earlier = before.build(build.key);
    if (!earlier) continue;
    expect(build.arrival).toBeGreaterThanOrEqual(earlier.arrival);
    if (build.arrival > earlier.arrival) continue;
    if (earlier.status === MOVIE_STATUS.finished) expect(build.status).toBe(MOVIE_STATUS.finished);
    if (earlier.status === MOVIE_STATUS.invalid) expect(build.status).toBe(MOVIE_STATUS.invalid);
    if (build.lease === earlier.lease) expect(build.framesDone).toBeGreaterThanOrEqual(earlier.framesDone);
  }
}

/** One good worker builds everything that is left. */
async function drain(queue: Queue, scheduler: fc.Scheduler, lease: number): Promise<void> {
  queue.nowMs += RULES.leaseMs + 1;
  for (let next = lease; ; next++) {
    const key = await scheduler.waitFor(queue.run({ do: 'claim', worker: 'good', lease: next }));
    if (key === null) break;
    expect(await scheduler.waitFor(queue.run({ do: 'finish', lease: next }))).toBe(true);
    expect(next - lease).toBeLessThan(KEYS.length);
  }
  for (const { status, error } of (await queue.rows()).builds) {
    if (status === MOVIE_STATUS.invalid) expect(error).toMatch(/^It broke\.$|^The movie could not be built: /);
    else expect(status).toBe(MOVIE_STATUS.finished);
  }
}

describe('the queue of movies', () => {
  it('keeps its invariants while workers, sweeps and repeated messages act at the same time', async () => {
    const database = migrated();
    await fc.assert(
      fc.asyncProperty(rounds, fc.scheduler(), async (drawn, scheduler) => {
        for (const table of TABLES) await database.exec(`DELETE FROM ${table}`);
        await database.exec('DELETE FROM sqlite_sequence');
        const queue = new Queue(database, scheduler);
        let model = new QueueModel();
        let claimed = 0;
        const finishers = new Finishers();
        for (const round of drawn) {
          queue.nowMs += round.passesMs;
          model.nowMs += round.passesMs;
          const steps = stepsOf(round, claimed);
          claimed += steps.filter((step) => step.do === 'claim').length;
          const outcomes = await scheduler.waitFor(Promise.all(steps.map((step) => queue.run(step))));
          const state = await stateOf(queue);
          const after = explained(model, steps, outcomes, state);
          if (!after) throw new Error(`No order explains ${JSON.stringify({ before: model.builds, steps, outcomes, state })}.`);
          for (const [i, step] of steps.entries()) finishers.add(step, outcomes[i]!, after);
          expectNoOlderState(model, after);
          model = after;
        }
        await drain(queue, scheduler, claimed);
      }),
      { numRuns: RUNS },
    );
  });
});
