// The real queue with simulated builds on a virtual clock.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consumeQueue } from '../../../src/background.ts';
import { MOVIE_BUILDS } from '../../../src/config/limits/movies.ts';
import type { MovieBuild } from '../../../src/domain/movies/movie.ts';
import { MOVIE_NUDGE } from '../../../src/domain/movies/worker-protocol.ts';
import { type MoviePorts, MovieService } from '../../../src/services/movies/movie-service.ts';
import { wakeMovieWorkers } from '../../../src/services/movies/worker-service.ts';
import { D1BuildClaims } from '../../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/storage/movies/d1-movies.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { batchOf, idleJobs } from '../../support/memory/background-jobs.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { newBuild, request, START_MS } from '../../support/movies/movie-builds.ts';

const SWEEP_MS = 60_000;
/** Every so many of the queued movies are estimated. */
const ESTIMATED = 10;

interface BuildRow extends Record<string, unknown> {
  readonly key: string;
  readonly cost: number;
  readonly turn: number;
  readonly arrival: number;
}

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
  readonly database = migrated();
  readonly databases = databasesIn(this.database);
  readonly register = new D1Movies(this.databases);
  readonly claims = new D1BuildClaims(this.databases);
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
    const jobs = idleJobs({
      wakeMovieWorkers: () => wakeMovieWorkers({ register: this.register, workers: this.#workers }),
      log: () => expect.unreachable('every message is known'),
    });
    await consumeQueue(batchOf('jobs', [MOVIE_NUDGE]), jobs);
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
    const dies = build.attempts < MOVIE_BUILDS.silentAttempts && this.random() < (this.options.deaths ?? 0);
    const beat = async (beats: number): Promise<void> => {
      const framesDone = Math.floor((build.frameCount * beats * MOVIE_BUILDS.leaseMs) / 2000 / seconds);
      await this.claims.progress(build.id, { lease, framesDone, framesSkipped: 0, stage: 'drawing' }, this.nowMs);
    };
    const beats = Math.floor((seconds * 1000 * (dies ? 0.5 : 1)) / (MOVIE_BUILDS.leaseMs / 2));
    for (let n = 1; n <= beats; n += 1) this.in((n * MOVIE_BUILDS.leaseMs) / 2, () => beat(n));
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

  /** Cost of a movie of any length and size. */
  #newCost(): number {
    const cost = 100 * 2 ** (4 * this.random());
    this.work += buildSeconds(cost);
    return cost;
  }

  /** Queues movies; returns their keys. */
  async queue(count: number, name: string): Promise<string[]> {
    const keys = Array.from({ length: count }, (_, i) => `${name}-${i}`);
    for (const key of keys) {
      await this.register.add(request(), newBuild(key, { frames: 60, cost: this.#newCost() }), this);
      await this.nudge.nudge();
    }
    return keys;
  }

  /** Queues movies like `queue`, by copies of the row of the first one, and one nudge for all. */
  async queueCopies(count: number, name: string): Promise<string[]> {
    const [first] = await this.queue(1, name);
    const row = (await this.database.prepare('SELECT * FROM movie_builds WHERE key = ?').bind(first).first<BuildRow>())!;
    const columns = Object.keys(row);
    const insert = this.database.prepare(`INSERT INTO movie_builds (${columns}) VALUES (${columns.map(() => '?')})`);
    const copies = [row];
    while (copies.length < count) {
      const { turn, cost, arrival } = copies.at(-1)!;
      const key = `${name}-${copies.length}`;
      copies.push({ ...row, id: null, key, cost: this.#newCost(), arrival: arrival + 1, turn: turn + cost });
    }
    await this.database.batch([
      ...copies.slice(1).map((copy) => insert.bind(...Object.values(copy))),
      this.database.prepare('UPDATE movie_arrivals SET last = ?').bind(copies.at(-1)!.arrival),
    ]);
    return copies.map(({ key }) => key);
  }

  /** Estimates of queued builds in seconds, by their keys. */
  async estimates(keys: readonly string[]): Promise<Map<string, number>> {
    const told = new Map<string, number>();
    for (const key of keys) {
      const columns = 'status, cost, turn, arrival';
      const build = await this.database
        .prepare(`SELECT ${columns} FROM movie_builds WHERE key = ?`)
        .bind(key)
        .first<MovieBuild>();
      told.set(key, (await this.outlooks.outlook(build!)).seconds);
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
  const keys = await simulation.queueCopies(count, 'movie');
  const told = await simulation.estimates(keys.filter((_, i) => i % ESTIMATED === 0));
  simulation.in(SWEEP_MS, () => simulation.sweep());
  await simulation.run();
  const took = new Map(keys.map((key) => [key, (simulation.finished.get(key)! - startMs) / 1000]));
  const seconds = Math.max(...took.values());
  return { simulation, keys, told, took, speed: (simulation.work - earlier) / seconds };
}

describe('a backlog of 3000 movies', () => {
  it('eight workers build a backlog completely, in order of arrival, in an eighth of the time', async () => {
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
    for (const { told, took } of [alone, eight]) {
      const right = [...told].filter(([key, seconds]) => Math.abs(seconds / took.get(key)! - 1) <= 0.25);
      expect(right.length / told.size).toBeGreaterThanOrEqual(0.8);
    }
  });
});

describe('movies with dying workers and lost messages', () => {
  it('workers finish each movie once, and claim movies in order of arrival', async () => {
    const deliveries = fc.array(fc.array(fc.nat(200_000), { maxLength: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(deliveries, fc.integer({ min: 1, max: 4 }), async (times, workers) => {
        let n = 0;
        // Some nudges arrive, because the cron sends one every minute.
        const deliver = () => times[n++ % (times.length + 1)] ?? [0];
        const simulation = new Simulation({ workers, deaths: 0.4, deliver });
        const keys = await simulation.queue(10, 'movie');
        simulation.in(SWEEP_MS, () => simulation.sweep());
        await simulation.run();
        expect(simulation.claimed).toEqual(keys);
        const { queued, processing } = await simulation.register.queueLength();
        expect([queued, processing]).toEqual([0, 0]);
        expect([simulation.finished.size, simulation.finishes]).toEqual([10, 10]);
      }),
      { numRuns: 40 },
    );
  });
});
