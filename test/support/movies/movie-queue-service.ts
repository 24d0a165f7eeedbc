// The movie service without workerd: the real planner, queue, claims, files and worker protocol on a socket, over a database and
// an object store in memory with injected faults.
import { setTimeout as sleep } from 'node:timers/promises';
import { consumeQueue } from '../../../src/background.ts';
import { readMovieSettings } from '../../../src/config/settings/movies.ts';
import { MOVIE_STATUS, type MovieBuild } from '../../../src/domain/movies/movie.ts';
import { type MovieRequest, parseMovieRequest } from '../../../src/domain/movies/movie-recipe.ts';
import { type BuildClaim, MOVIE_NUDGE } from '../../../src/domain/movies/worker-protocol.ts';
import type { IncomingObjects } from '../../../src/ports/objects.ts';
import { R2MovieFrames } from '../../../src/services/movies/movie-plan.ts';
import { MovieService } from '../../../src/services/movies/movie-service.ts';
import { wakeMovieWorkers } from '../../../src/services/movies/worker-service.ts';
import { type ClaimRules, D1BuildClaims } from '../../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/storage/movies/d1-movies.ts';
import { httpMovieWorkers } from '../../../src/upstreams/wake-workers.ts';
import { idleJobs } from '../memory/background-jobs.ts';
import { budgetsIn } from '../memory/budgets.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import type { SampleArchive } from '../sample-archive.ts';
import { type ServedApp, serveApp } from '../serve-app.ts';
import { FaultyQueue } from './faulty-queue.ts';
import { internalApp, MOVIE_TOKEN } from './internal-service.ts';
import { NO_MARKERS } from './no-markers.ts';

/** Milliseconds between sweeps; a minute in production. */
const SWEEP_MS = 500;

export interface Claim {
  readonly build: number;
  readonly worker: string;
  readonly attempt: number;
}

/** A call of a worker, before and after the service has dealt with it. */
export interface WorkerCall {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly isAnswered: boolean;
}

/** Whether a call fails before it has an effect, or after. */
export type Fault = 'before' | 'after';

/** Proxy of an object whose calls fail as `fault` returns. */
function breakable<T extends object>(object: T, fault: () => Fault | undefined): T {
  const error = new Error('This is out of order.');
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        const when = fault();
        // Preparing a statement has no effect and returns no promise.
        if (name === 'prepare' && when) throw error;
        if (when === 'before') return Promise.reject(error);
        const result: unknown = member.apply(target, given);
        return when === 'after' ? Promise.resolve(result).then(() => Promise.reject(error)) : result;
      };
    },
  });
}

export class MovieQueueService {
  /** In chronological order. */
  readonly claims: Claim[] = [];
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  readonly database = migrated();
  readonly objects = new MemoryObjectStore();
  /** Fault of each call of the database and the object store. */
  fault: (of: 'database' | 'objects') => Fault | undefined = () => undefined;
  /** URLs of the workers that can be woken. */
  workers: () => readonly string[] = () => [];
  onCall: (call: WorkerCall) => void = () => undefined;
  onClaim: (claim: Claim) => void = () => undefined;
  readonly queue: FaultyQueue;
  readonly #register = new D1Movies(databasesIn(this.database));
  readonly #movies: MovieService;
  readonly #app: ReturnType<typeof internalApp>;
  readonly #sweep: () => Promise<void>;
  readonly #background: Promise<unknown>[] = [];
  #served: ServedApp | null = null;

  private constructor({ index, objects: archived }: SampleArchive, rules: Partial<ClaimRules>) {
    for (const [key, bytes] of archived.objects) this.objects.objects.set(key, bytes);
    const databases = databasesIn(breakable(this.database, () => this.fault('database')));
    const fault = () => this.fault('objects');
    const objects = breakable(this.objects, fault);
    const register = new D1Movies(databases);
    const claims = new D1BuildClaims(databases, rules);
    const clock = () => Date.now();
    const log = (record: Readonly<Record<string, unknown>>) => void this.logged.push(record);
    const workers = { wake: (count: number) => httpMovieWorkers(this.workers(), MOVIE_TOKEN, log).wake(count) };
    const wake = () => wakeMovieWorkers({ register, workers });
    const jobs = idleJobs({ wakeMovieWorkers: wake, clock, log });
    this.queue = new FaultyQueue((batch) => consumeQueue(batch, jobs));
    const nudge = () => this.queue.send(MOVIE_NUDGE);
    const settings = readMovieSettings({});
    const frames = new R2MovieFrames(objects);
    const budgets = budgetsIn(databases, { clock });
    this.#movies = new MovieService({ index, objects, register, budgets, frames, nudge, clock, settings, secret: MOVIE_TOKEN });
    const incoming = breakable<IncomingObjects>(this.objects, fault);
    const ports = { frames, claims, incoming, objects, index, clock, log };
    this.#app = internalApp({ ...ports, markers: NO_MARKERS, publicOrigin: null });
    this.#sweep = async () => {
      await claims.expire(clock());
      await wake();
    };
  }

  static async start(archive: SampleArchive, rules: Partial<ClaimRules> = {}): Promise<MovieQueueService> {
    const service = new MovieQueueService(archive, rules);
    service.#served = await serveApp((request) => service.#handle(request));
    service.#background.push(service.#tick(service.#served));
    return service;
  }

  get url(): string {
    return this.#served?.url ?? '';
  }

  async close(): Promise<void> {
    const served = this.#served;
    this.#served = null;
    await served?.close();
    await Promise.all(this.#background);
  }

  /** Queues a movie like queueMovie; returns its public id. */
  async add(request: MovieRequest): Promise<string> {
    const waitUntil = (work: Promise<unknown>) => void this.#background.push(work);
    return (await this.#movies.queue(parseMovieRequest(request), { client: '192.0.2.1', waitUntil })).movie.id;
  }

  /** Lets the lease of a worker end now, as time does after its death. */
  async expireLeaseOf(worker: string): Promise<void> {
    await this.database
      .prepare('UPDATE movie_builds SET lease_until_ms = 0 WHERE worker = ? AND lease_until_ms IS NOT NULL')
      .bind(worker)
      .run();
  }

  async buildOf(id: string): Promise<MovieBuild> {
    return (await this.#register.find(id))!.build;
  }

  /**
   * The builds of these movies once all are finished or invalid.
   * @throws Error after `timeoutMs`
   */
  async ended(ids: readonly string[], timeoutMs: number): Promise<MovieBuild[]> {
    const { finished, invalid } = MOVIE_STATUS;
    const hasEnded = ({ status }: MovieBuild) => status === finished || status === invalid;
    for (const end = performance.now() + timeoutMs; ; await sleep(50)) {
      // Looks at all of them only when the last one has ended, because each look takes processor time from the workers.
      const last = await this.buildOf(ids.at(-1)!);
      if (!hasEnded(last) && performance.now() < end) continue;
      const builds = await Promise.all(ids.map((id) => this.buildOf(id)));
      if (builds.every(hasEnded)) return builds;
      const states = builds.map(({ id, status, attempts, stage, error }) => ({ id, status, attempts, stage, error }));
      if (performance.now() > end) throw new Error(`Expected ${ids.length} movies in time, got ${JSON.stringify(states)}.`);
    }
  }

  async #tick(served: ServedApp): Promise<void> {
    while (this.#served === served) {
      await sleep(SWEEP_MS);
      await this.#sweep().catch(() => undefined);
    }
  }

  async #handle(request: Request): Promise<Response> {
    const { method } = request;
    const path = new URL(request.url).pathname;
    const named = path.endsWith('/claim') ? ((await request.clone().json()) as { worker: string }) : null;
    this.onCall({ method, path, isAnswered: false });
    const response = await this.#app.fetch(request);
    this.onCall({ method, path, isAnswered: true });
    if (named && response.status === 200) {
      const { build, attempt } = (await response.clone().json()) as BuildClaim;
      const claim = { build, attempt, worker: named.worker };
      this.claims.push(claim);
      this.onClaim(claim);
    }
    return response;
  }
}
