// The real queue with simulated builds on a virtual clock.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOVIE_JOBS } from '../../../src/config/limits/movies.ts';
import { MOVIE_NUDGE } from '../../../src/domain/movies/job.ts';
import { consumeQueue } from '../../../src/jobs/jobs.ts';
import { wakeMovieWorkers } from '../../../src/services/movies/movie-workers.ts';
import { type MoviePorts, MovieService } from '../../../src/services/movies/movies.ts';
import { D1MovieClaims } from '../../../src/storage/movies/d1-movie-claims.ts';
import { D1Movies } from '../../../src/storage/movies/d1-movies.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { noIndexing } from '../../support/memory/no-indexing.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { plan, request, START_MS } from '../../support/movies/movie-builds.ts';

const SWEEP_MS = 60_000;

interface Options {
  readonly workers: number;
  /** Probability that a worker dies during a build; the last attempt always succeeds. */
  readonly deaths?: number;
  /** Delivery of the nudges: the delay in milliseconds of each delivery. */
  readonly deliver?: () => readonly number[];
}

/** Mean duration of a build. */
const buildSeconds = (cost: number) => 4 + 0.05 * cost;

/** A service with its queue, clock and workers. */
class Simulation {
  readonly databases = databasesIn(migrated());
  readonly register = new D1Movies(this.databases);
  readonly claims = new D1MovieClaims(this.databases);
  readonly random = randomNumbers(20240510);
  readonly options: Options;
  readonly outlooks: MovieService;
  /** Keys of builds in the order of their first claims, and their completion times. */
  readonly claimed: string[] = [];
  readonly finished = new Map<string, number>();
  /** Seconds that the queued movies take one worker on average. */
  work = 0;
  finishes = 0;
  nowMs = START_MS;
  #events: { readonly atMs: number; readonly happen: () => Promise<void> }[] = [];
  readonly #busy: boolean[];

  constructor(options: Options) {
    this.options = options;
    this.#busy = Array.from({ length: options.workers }, () => false);
    this.outlooks = new MovieService({ register: this.register, clock: () => this.nowMs } as unknown as MoviePorts);
  }

  in(ms: number, happen: () => Promise<void>): void {
    const event = { atMs: this.nowMs + ms, happen };
    const i = this.#events.findLastIndex(({ atMs }) => atMs <= event.atMs);
    this.#events.splice(i + 1, 0, event);
  }

  /** Runs until no build is queued or running. */
  async run(): Promise<void> {
    for (let event = this.#events.shift(); event; event = this.#events.shift()) {
      this.nowMs = event.atMs;
      await event.happen();
    }
  }

  readonly nudge = {
    nudge: async () => {
      for (const ms of this.options.deliver?.() ?? [0]) this.in(ms, () => this.#deliver());
    },
  };

  readonly #workers = { wake: async (count: number) => this.#wake(count) };

  async #deliver(): Promise<void> {
    const messages = [{ id: 'one', body: MOVIE_NUDGE, ack: () => undefined }];
    await consumeQueue({ queue: 'jobs', messages } as unknown as MessageBatch, {
      ...noIndexing,
      clock: () => 0,
      wakeMovieWorkers: () => wakeMovieWorkers({ register: this.register, workers: this.#workers }),
      runVideoUploads: async () => undefined,
      log: () => expect.unreachable('every message is known'),
    });
  }

  #wake(count: number): void {
    for (const [i, isBusy] of this.#busy.slice(0, count).entries()) if (!isBusy) this.in(0, () => this.#work(i));
  }

  async sweep(): Promise<void> {
    const { claims, register } = this;
    await claims.expire(this.nowMs);
    await wakeMovieWorkers({ register, workers: this.#workers });
    const { queued, processing } = await register.queueLength();
    if (queued + processing > 0) this.in(SWEEP_MS, () => this.sweep());
  }

  /** Claims and builds until no build is queued. */
  async #work(i: number): Promise<void> {
    if (this.#busy[i]) return;
    const claim = await this.claims.claim(`worker-${i}`, this.nowMs);
    if (!claim) return;
    this.#busy[i] = true;
    const { build, lease } = claim;
    if (build.attempts === 1) this.claimed.push(build.key);
    const seconds = buildSeconds(build.cost) * (0.85 + 0.3 * this.random());
    const dies = build.attempts < MOVIE_JOBS.silentAttempts && this.random() < (this.options.deaths ?? 0);
    const beat = async (beats: number): Promise<void> => {
      const framesDone = Math.floor((build.frameCount * beats * MOVIE_JOBS.leaseMs) / 2000 / seconds);
      await this.claims.progress(build.id, { lease, framesDone, framesSkipped: 0, stage: 'drawing' }, this.nowMs);
    };
    const beats = Math.floor((seconds * 1000 * (dies ? 0.5 : 1)) / (MOVIE_JOBS.leaseMs / 2));
    for (let n = 1; n <= beats; n += 1) this.in((n * MOVIE_JOBS.leaseMs) / 2, () => beat(n));
    this.in(seconds * 1000 * (dies ? 0.5 : 1), async () => {
      this.#busy[i] = false;
      if (!dies) {
        const timings = { totalMs: seconds * 1000, drawingMs: 0, encodingMs: 0 };
        this.finishes += Number(await this.claims.finish(build.id, { lease, framesSkipped: 0, files: [], timings }, this.nowMs));
        this.finished.set(build.key, this.nowMs);
      }
      await this.#work(i);
    });
  }

  /** Queues movies of all lengths and sizes; returns the estimate of each in seconds. */
  async queue(count: number, name: string): Promise<Map<string, number>> {
    const told = new Map<string, number>();
    for (let i = 0; i < count; i += 1) {
      const key = `${name}-${i}`;
      const cost = 100 * 2 ** (4 * this.random());
      this.work += buildSeconds(cost);
      const { build } = await this.register.add(request(), plan(key, { frames: 60, cost }), this);
      told.set(key, (await this.outlooks.outlook(build)).seconds);
      await this.nudge.nudge();
    }
    return told;
  }
}

/** `speed`: seconds of work for one worker that are done in a second. */
async function drained(options: Options, count: number) {
  const simulation = new Simulation(options);
  // Estimates need recent builds.
  await simulation.queue(40, 'earlier');
  simulation.in(SWEEP_MS, () => simulation.sweep());
  await simulation.run();
  const { nowMs: startMs, work: earlier } = simulation;
  const told = await simulation.queue(count, 'movie');
  simulation.in(SWEEP_MS, () => simulation.sweep());
  await simulation.run();
  const keys = [...told.keys()];
  const took = new Map(keys.map((key) => [key, (simulation.finished.get(key)! - startMs) / 1000]));
  const seconds = Math.max(...took.values());
  return { simulation, keys, told, took, speed: (simulation.work - earlier) / seconds };
}

describe('a backlog of 3000 movies', () => {
  it('is built completely, in order of arrival, by eight workers in an eighth of the time', async () => {
    // Fewer movies, because the speed of one worker is the same for any number of them.
    const alone = await drained({ workers: 1 }, 200);
    const eight = await drained({ workers: 8 }, 3000);
    for (const { simulation, keys } of [alone, eight]) {
      expect(simulation.claimed.slice(40)).toEqual(keys);
      expect([simulation.finished.size, simulation.finishes]).toEqual([keys.length + 40, keys.length + 40]);
      expect(await simulation.register.queueLength()).toEqual({ queued: 0, processing: 0 });
    }
    expect(eight.keys).toHaveLength(3000);
    expect(eight.speed / alone.speed).toBeGreaterThan(7.8);
    expect(eight.speed / alone.speed).toBeLessThan(8.2);
    for (const { keys, told, took } of [alone, eight]) {
      const right = keys.filter((key) => Math.abs(told.get(key)! / took.get(key)! - 1) <= 0.25);
      expect(right.length / keys.length).toBeGreaterThanOrEqual(0.8);
    }
  });
});

describe('movies with dying workers and lost messages', () => {
  it('are each finished once, and claimed in order of arrival', async () => {
    const deliveries = fc.array(fc.array(fc.nat(200_000), { maxLength: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(deliveries, fc.integer({ min: 1, max: 4 }), async (times, workers) => {
        let n = 0;
        // Some nudges arrive, because the cron sends one every minute.
        const deliver = () => times[n++ % (times.length + 1)] ?? [0];
        const simulation = new Simulation({ workers, deaths: 0.4, deliver });
        const told = await simulation.queue(10, 'movie');
        simulation.in(SWEEP_MS, () => simulation.sweep());
        await simulation.run();
        expect(simulation.claimed).toEqual([...told.keys()]);
        const { queued, processing } = await simulation.register.queueLength();
        expect([queued, processing]).toEqual([0, 0]);
        expect([simulation.finished.size, simulation.finishes]).toEqual([10, 10]);
      }),
      { numRuns: 40 },
    );
  });
});
