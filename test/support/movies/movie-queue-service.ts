// The movie service without workerd: the real planner, claims, files and worker protocol on a socket, over a database and an object store
// in memory.
import { setTimeout as sleep } from 'node:timers/promises';
import { readMovieSettings } from '../../../src/config/settings/movies.ts';
import { MOVIE_STATUS, type MovieBuild } from '../../../src/domain/movies/movie.ts';
import { type MovieRequest, parseMovieRequest } from '../../../src/domain/movies/movie-recipe.ts';
import { R2MovieFrames } from '../../../src/services/movies/movie-plan.ts';
import { MovieService } from '../../../src/services/movies/movie-service.ts';
import { wakeMovieWorkers } from '../../../src/services/movies/worker-service.ts';
import { type ClaimRules, D1BuildClaims } from '../../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/storage/movies/d1-movies.ts';
import { httpMovieWorkers } from '../../../src/upstreams/wake-workers.ts';
import { budgetsIn } from '../memory/budgets.ts';
import { MemoryObjectStore } from '../memory/object-store.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import type { SampleArchive } from '../sample-archive.ts';
import { type ServedApp, serveApp } from '../serve-app.ts';
import { internalApp, MOVIE_TOKEN } from './internal-service.ts';
import { NO_MARKERS } from './no-markers.ts';

/** Milliseconds between sweeps; a minute in production. */
const SWEEP_MS = 500;

export class MovieQueueService {
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  readonly database = migrated();
  readonly objects = new MemoryObjectStore();
  /** URLs of the workers that can be woken. */
  workers: () => readonly string[] = () => [];
  readonly #register = new D1Movies(databasesIn(this.database));
  readonly #movies: MovieService;
  readonly #app: ReturnType<typeof internalApp>;
  readonly #sweep: () => Promise<void>;
  readonly #background: Promise<unknown>[] = [];
  #served: ServedApp | null = null;

  private constructor({ index, objects: archived }: SampleArchive, rules: Partial<ClaimRules>) {
    for (const [key, bytes] of archived.objects) this.objects.objects.set(key, bytes);
    const databases = databasesIn(this.database);
    const { objects } = this;
    const register = new D1Movies(databases);
    const claims = new D1BuildClaims(databases, rules);
    const clock = () => Date.now();
    const log = (record: Readonly<Record<string, unknown>>) => void this.logged.push(record);
    const workers = { wake: (count: number) => httpMovieWorkers(this.workers(), MOVIE_TOKEN, log).wake(count) };
    const wake = () => wakeMovieWorkers({ register, workers });
    const nudge = wake;
    const settings = readMovieSettings({});
    const frames = new R2MovieFrames(objects);
    const budgets = budgetsIn(databases, { clock });
    this.#movies = new MovieService({ index, objects, register, budgets, frames, nudge, clock, settings, secret: MOVIE_TOKEN });
    const ports = { frames, claims, incoming: objects, objects, index, clock, log };
    this.#app = internalApp({ ...ports, markers: NO_MARKERS, publicOrigin: null });
    this.#sweep = async () => {
      await claims.expire(clock());
      await wake();
    };
  }

  static async start(archive: SampleArchive, rules: Partial<ClaimRules> = {}): Promise<MovieQueueService> {
    const service = new MovieQueueService(archive, rules);
    service.#served = await serveApp(async (request) => service.#app.fetch(request));
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
}
