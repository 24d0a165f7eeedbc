// The service of movie workers on this machine: its operations and its queue over an archive in memory, with faults that tests inject.
import { setTimeout as sleep } from 'node:timers/promises';
import { movieFileKey } from '../../../src/archive/keys.ts';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { R2MovieFrames } from '../../../src/movies/movie-plan.ts';
import { parseMovieRecipeString } from '../../../src/movies/movie-recipe.ts';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import type { Failed, Finish, Progress } from '../../../src/movies/worker-reports.ts';
import { MOVIE_BUILDS } from '../../../src/platform/limits/movies.ts';
import { databasesIn, migrated } from '../memory/sqlite-d1.ts';
import type { SampleArchive } from '../sample-archive.ts';
import { type ServedApp, serveApp } from '../serve-app.ts';
import { internalApp } from './internal-service.ts';
import { addMovie, newBuild, request } from './movie-builds.ts';
import { NO_MARKERS } from './no-markers.ts';

export type PlannedBuild = Pick<BuildClaim, 'recipe' | 'frames' | 'images' | 'output' | 'metadata'>;

/** Fault of a request: a status, or a connection that ends before or after the effect of the request, or hangs. */
export type Fault = number | 'drop' | 'drop-response' | 'hang';

const STATES = ['queued', 'processing', 'finished', 'invalid'] as const;

/** A build with the reports that the service has accepted. */
export interface ReportedBuild {
  readonly movieId: string;
  readonly planned: PlannedBuild;
  status: (typeof STATES)[number];
  attempts: number;
  readonly progress: Progress[];
  readonly finish: Finish[];
  readonly fail: Failed[];
  readonly release: object[];
  /** Stored files by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

interface Asked {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
}

export class MovieTestService {
  /** In order of arrival. */
  readonly builds: ReportedBuild[] = [];
  readonly requests: Asked[] = [];
  /** Requests that the service has answered without a fault. */
  answered = 0;
  /** Fault of each request. */
  fault: (asked: Asked) => Fault | undefined = () => undefined;
  readonly #archive: SampleArchive;
  readonly #databases = databasesIn(migrated());
  readonly #movies = new D1Movies(this.#databases);
  #app!: ReturnType<typeof internalApp>;
  #served!: ServedApp;

  private constructor(archive: SampleArchive) {
    this.#archive = archive;
    this.reset();
  }

  static async start(archive: SampleArchive): Promise<MovieTestService> {
    const service = new MovieTestService(archive);
    service.#served = await serveApp((asked) => service.#serve(asked));
    return service;
  }

  get url(): string {
    return this.#served.url;
  }

  /** Lease of later claims and reports. */
  set leaseMs(leaseMs: number) {
    this.#app = this.#appWith(leaseMs);
  }

  /** Ends the faults, and gives leases of their usual length again. */
  reset(): void {
    this.fault = () => undefined;
    this.leaseMs = MOVIE_BUILDS.leaseMs;
  }

  close(): Promise<void> {
    return this.#served.close();
  }

  async add(planned: PlannedBuild): Promise<ReportedBuild> {
    const { objects } = this.#archive;
    const key = `movie-${this.builds.length}`;
    const { frames, recipe: recipeText, output } = planned;
    const recipe = parseMovieRecipeString(recipeText);
    await new R2MovieFrames(objects).keep(key, frames);
    const build = { ...newBuild(key), recipe, recipeText, frames, ...output, frameRate: recipe.frameRate };
    const { movie } = await addMovie(this.#movies, request(), build, Date.now());
    const prefix = movieFileKey({ key, generation: 1 }, '');
    const added: ReportedBuild = {
      ...{ movieId: movie.id, planned, status: 'queued', attempts: 0, progress: [], finish: [], fail: [], release: [] },
      get files() {
        const own = [...objects.objects].filter(([name]) => name.startsWith(prefix));
        return new Map(own.map(([name, bytes]) => [name.slice(prefix.length), bytes]));
      },
    };
    this.builds.push(added);
    return added;
  }

  /**
   * Waits until `condition` holds.
   * @throws Error after `timeoutMs`
   */
  async until(condition: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
    for (const end = performance.now() + timeoutMs; !condition(); await sleep(20)) {
      if (performance.now() > end) throw new Error(`Expected ${what} in time, got ${JSON.stringify(this.builds.map(stateOf))}.`);
    }
  }

  /** Waits until a build is finished or invalid. */
  ended(build: ReportedBuild, timeoutMs?: number): Promise<void> {
    return this.until(() => build.status === 'finished' || build.status === 'invalid', `the end of ${build.movieId}`, timeoutMs);
  }

  #appWith(leaseMs: number) {
    const images = () => new Map(this.builds.flatMap(({ planned }) => planned.images.map((image) => [image.id, image] as const)));
    return internalApp({
      claims: new D1BuildClaims(this.#databases, { leaseMs }),
      incoming: this.#archive.objects,
      objects: this.#archive.objects,
      frames: new R2MovieFrames(this.#archive.objects),
      index: {
        byIds: async (ids) => ids.flatMap((id) => images().get(id) ?? []),
        withdrawn: (id) => this.#archive.index.withdrawn(id),
      },
      markers: NO_MARKERS,
      publicOrigin: null,
      clock: Date.now,
      log: () => undefined,
    });
  }

  async #serve(sent: Request): Promise<Response> {
    const asked = { method: sent.method, path: decodeURIComponent(new URL(sent.url).pathname) };
    this.requests.push(asked);
    const fault = this.fault(asked);
    if (fault === 'drop') throw new Error('The connection ends.');
    if (fault === 'hang') return new Promise(() => undefined);
    if (fault !== undefined && fault !== 'drop-response')
      return sent.arrayBuffer().then(() => new Response(null, { status: fault }));
    const report = asked.method === 'POST' ? await sent.clone().text() : null;
    const response = await this.#app.fetch(sent);
    this.answered += 1;
    if (report !== null && response.ok) await this.#note(asked.path, report);
    if (fault === 'drop-response') throw new Error('The connection ends.');
    return response;
  }

  /** Notes an accepted report, and the states of all builds after it. */
  async #note(path: string, report: string): Promise<void> {
    const [, id, kind] = /^\/internal\/movies\/(\d+)\/(progress|finish|fail|release)$/.exec(path) ?? [];
    if (kind) this.builds[Number(id) - 1]![kind as 'progress'].push(JSON.parse(report));
    for (const build of this.builds) {
      const { status, attempts } = (await this.#movies.find(build.movieId))!.build;
      Object.assign(build, { status: STATES[status], attempts });
    }
  }
}

const stateOf = ({ movieId, status, attempts, progress, fail }: ReportedBuild) => ({
  movieId,
  status,
  attempts,
  progress: progress.at(-1),
  failures: fail.map(({ reason }) => reason),
});
