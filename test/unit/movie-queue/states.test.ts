// Model-based test of the queue: SQL and the model agree for any sequence of events.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOVIE_BUILDS } from '../../../src/config/limits/movies.ts';
import type { MovieEvent, MovieStatus } from '../../../src/domain/movies/movie.ts';
import { D1BuildClaims } from '../../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/storage/movies/d1-movies.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { newBuild, request, START_MS } from '../../support/movies/movie-builds.ts';
import { statusAfter } from '../../support/movies/queue-model.ts';

interface Model {
  readonly movieId: string;
  readonly buildId: number;
  arrival: number;
  status: MovieStatus;
  attempts: number;
  framesDone: number;
  lease: string | null;
  leaseUntilMs: number;
  /** Worker that holds the claim or, while the build is queued, that failed at it. */
  worker: string | null;
}

const FRAMES = 12;
const TIMINGS = { totalMs: 1, drawingMs: 1, encodingMs: 0 };

/** A report names a build and one of the leases issued so far, current or lost. */
const said = { build: fc.nat(3), lease: fc.nat(9) };
const step = fc.oneof(
  fc.record({ does: fc.constant('add' as const) }),
  fc.record({ does: fc.constant('claim' as const), worker: fc.constantFrom('one', 'two') }),
  fc.record({ does: fc.constant('claim' as const), worker: fc.constantFrom('one', 'two') }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 2 * MOVIE_BUILDS.leaseMs }) }),
  fc.record({ does: fc.constant('expire' as const) }),
  fc.record({ does: fc.constant('requeue' as const), build: fc.nat(3) }),
  fc.record({ does: fc.constant('progress' as const), framesDone: fc.nat(20), ...said }),
  fc.record({ does: fc.constantFrom('finish', 'release', 'prolong'), ...said }),
  fc.record({ does: fc.constant('fail' as const), isFinal: fc.boolean(), ...said }),
);
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

class Queue {
  readonly databases = databasesIn(migrated());
  readonly movies = new D1Movies(this.databases);
  readonly claims = new D1BuildClaims(this.databases);
  readonly builds: Model[] = [];
  readonly leases: string[] = [];
  nowMs = START_MS;
  lastArrival = 0;

  #happens(build: Model, event: MovieEvent): boolean {
    const after = statusAfter(event, build.status);
    if (after === null) return false;
    build.status = after;
    if (event !== 'claim') Object.assign(build, { lease: null, worker: null });
    if (event === 'release') build.attempts -= 1;
    if (event === 'release' || event === 'retry') build.framesDone = 0;
    return true;
  }

  #fails(build: Model, isFinal: boolean, attempts: number = MOVIE_BUILDS.attempts): boolean {
    return this.#happens(build, isFinal || build.attempts >= attempts ? 'end' : 'retry');
  }

  #expire(): number {
    const expired = this.builds.filter(({ status, leaseUntilMs }) => status === 1 && leaseUntilMs < this.nowMs);
    for (const build of expired) this.#fails(build, false, MOVIE_BUILDS.silentAttempts);
    return expired.length;
  }

  async take(step: Step): Promise<void> {
    const { claims, movies, nowMs } = this;
    if (step.does === 'wait') this.nowMs += step.ms;
    else if (step.does === 'expire') expect(await claims.expire(nowMs)).toBe(this.#expire());
    else if (step.does === 'add') await this.#add();
    else if (step.does === 'claim') await this.#claim(step.worker);
    else {
      const build = this.builds[step.build];
      if (!build) return;
      if (step.does === 'requeue') {
        const isQueued = this.#happens(build, 'requeue');
        expect(await movies.requeue(build.buildId, { client: 'client', nowMs })).toBe(isQueued ? 'queued' : 'unchanged');
        if (isQueued) Object.assign(build, { arrival: ++this.lastArrival, attempts: 0, framesDone: 0 });
      } else await this.#say(build, step);
    }
  }

  async #add(): Promise<void> {
    const { movie, build } = await this.movies.add(request(), newBuild(`${this.builds.length}`, { frames: FRAMES }), this);
    const model = {
      movieId: movie.id,
      buildId: build.id,
      arrival: ++this.lastArrival,
      status: 0,
      attempts: 0,
      framesDone: 0,
    } as const;
    this.builds.push({ ...model, lease: null, leaseUntilMs: 0, worker: null });
  }

  /** The oldest queued build; builds at which the worker failed come last. */
  async #claim(worker: string): Promise<void> {
    this.#expire();
    const claimed = await this.claims.claim(worker, this.nowMs);
    const waiting = this.builds.filter(({ status }) => status === 0).sort((a, b) => a.arrival - b.arrival);
    const next = waiting.find((build) => build.worker !== worker) ?? waiting[0];
    expect(claimed?.build.id).toBe(next?.buildId);
    if (!claimed || !next) return;
    this.#happens(next, 'claim');
    Object.assign(next, { attempts: next.attempts + 1, worker });
    this.#hold(next, claimed.lease);
    this.leases.push(claimed.lease);
  }

  #hold(build: Model, lease: string): void {
    build.lease = lease;
    build.leaseUntilMs = this.nowMs + MOVIE_BUILDS.leaseMs;
  }

  async #say(build: Model, step: Extract<Step, { lease: number }>): Promise<void> {
    const { claims, nowMs } = this;
    const lease = this.leases.at(-1 - step.lease) ?? 'never given';
    const isHeld = build.lease === lease;
    const { buildId } = build;
    if (step.does === 'progress') {
      const progress = { lease, framesDone: step.framesDone, framesSkipped: 0, stage: 'drawing' } as const;
      expect(await claims.progress(buildId, progress, nowMs)).toBe(isHeld);
      if (!isHeld) return;
      build.framesDone = Math.max(build.framesDone, Math.min(FRAMES, step.framesDone));
      this.#hold(build, lease);
    } else if (step.does === 'prolong') {
      expect(await claims.extendLease(buildId, lease, nowMs)).toBe(isHeld);
      if (isHeld) this.#hold(build, lease);
    } else if (step.does === 'finish') {
      expect(await claims.finish(buildId, { lease, framesSkipped: 0, files: [], timings: TIMINGS }, nowMs)).toBe(isHeld);
      if (isHeld && this.#happens(build, 'finish')) build.framesDone = FRAMES;
      // Repeated, because the response was lost.
      if (isHeld)
        expect(await claims.finish(buildId, { lease, framesSkipped: 0, files: [], timings: TIMINGS }, nowMs)).toBe(true);
      this.leases.splice(this.leases.indexOf(lease) >>> 0, isHeld ? 1 : 0);
    } else if (step.does === 'release') {
      expect(await claims.release(buildId, lease)).toBe(isHeld);
      if (isHeld) this.#happens(build, 'release');
    } else if (step.does === 'fail') {
      expect(await claims.fail(buildId, lease, { reason: 'It broke.', isFinal: step.isFinal }, nowMs)).toBe(isHeld);
      const { worker } = build;
      if (isHeld) this.#fails(build, step.isFinal);
      if (build.status === 0 && isHeld) build.worker = worker;
    }
  }

  async compare(): Promise<void> {
    for (const { movieId, lease: _lease, leaseUntilMs: _leaseUntilMs, worker: _worker, ...model } of this.builds) {
      const { build } = (await this.movies.find(movieId))!;
      const { id: buildId, arrival, status, attempts, framesDone } = build;
      expect({ movieId, buildId, arrival, status, attempts, framesDone }).toEqual({ movieId, ...model });
      expect([build.statusMp4, build.statusWebm]).toEqual([status, status]);
      expect(build.error !== null).toBe(status === 3);
      expect(build.finishedAtMs !== null).toBe(status >= 2);
    }
  }
}

describe('the states of movies', () => {
  it('follow the transition table under any sequence of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const queue = new Queue();
        for (const one of [{ does: 'add' as const }, { does: 'add' as const }, ...steps]) {
          await queue.take(one);
          await queue.compare();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('allow no other transitions', () => {
    const events: MovieEvent[] = ['claim', 'release', 'retry', 'finish', 'end', 'requeue'];
    const table = ([0, 1, 2, 3] as const).map((status) => events.map((event) => statusAfter(event, status)));
    expect(table).toEqual([
      [1, null, null, null, null, null],
      [null, 0, 0, 2, 3, null],
      [null, null, null, null, null, 0],
      [null, null, null, null, null, 0],
    ]);
  });
});
