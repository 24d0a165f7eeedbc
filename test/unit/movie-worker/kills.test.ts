// Two movie workers that are killed again and again while they build ten movies for the real service, whose queue loses,
// repeats and reverses its messages.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '../../../containers/movie/http-server.ts';
import { planSeries } from '../../../src/cli/sample/archive.ts';
import { MOVIE_FILES, PREVIEWS } from '../../../src/domain/movie/formats.ts';
import type { MovieRequest } from '../../../src/domain/movie/movie-request.ts';
import type { MovieBuild } from '../../../src/ports/movies.ts';
import { movieFileKey } from '../../../src/storage/keys.ts';
import { decodeVideo, probeVideo } from '../../support/ffprobe.ts';
import { MOVIE_TOKEN } from '../../support/internal-service.ts';
import { LivingWorker } from '../../support/living-worker.ts';
import { MOVIE_START_MS, type MovieWorker, SCENE } from '../../support/movie-jobs.ts';
import { type Claim, MovieQueueService } from '../../support/movie-queue-service.ts';
import { randomNumbers } from '../../support/rasters.ts';
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';

const SEED = 5;
const MOVIES = 10;
const FRAMES = 12;
/** So far apart that the Sun has turned from one frame to the next. */
const CADENCE_MS = 6 * 3_600_000;
const LEASE_MS = 2_000;
const FILES = Object.keys(MOVIE_FILES);
const FRAME_BYTES = 96 * 64 * 3;
const VIDEOS = ['movie.mp4', 'movie-hq.mp4', 'movie.webm', 'movie.flv'];

/** When a worker is killed: at its first and at its second attempt at each movie, which are twenty times. */
const MOMENTS = ['drawing', 'encoding', 'uploading', 'finishing'] as const;
type Moment = (typeof MOMENTS)[number];
const killsOf = (movie: number): [Moment, Moment] => [
  MOMENTS[movie % 3]!,
  movie % 2 === 0 ? 'finishing' : MOMENTS[(movie + 1) % 3]!,
];

const requestOf = (movie: number): MovieRequest => ({
  ...SCENE,
  imageScale: 40 + movie,
  startTime: MOVIE_START_MS,
  endTime: MOVIE_START_MS + FRAMES * CADENCE_MS - 1,
  frameRate: 10,
});

/** Milliseconds for which the first frames of a movie are drawn. */
const DRAWING_MS = 100;
/** Milliseconds between two looks at what a worker does. */
const LOOK_MS = 5;

/** Kills whoever is at a movie at the moments that are planned for it. */
class Killer {
  readonly kills: { readonly build: number; readonly moment: Moment }[] = [];
  readonly #random = randomNumbers(SEED);
  /** By build. */
  readonly #armed = new Map<number, { readonly moment: Moment; readonly victim: MovieWorker; readonly call: string }>();
  readonly #workers: readonly LivingWorker[];
  readonly #deaths: Promise<void>[] = [];

  constructor(service: MovieQueueService, workers: readonly LivingWorker[]) {
    this.#workers = workers;
    service.onClaim = (claim) => this.#claimed(claim);
    service.onCall = ({ path, isAnswered }) => {
      for (const [build, { moment, call }] of this.#armed) {
        if (path !== `/internal/movies/${build}/${call}` || (moment !== 'drawing' && isAnswered)) continue;
        // The service deals with what it has heard while the worker dies, or answers one that is dead.
        this.#deaths.push(this.#kill(build, this.#random() * (moment === 'drawing' ? DRAWING_MS : 3)));
      }
    };
  }

  /** No kill is under way when this resolves. */
  async end(): Promise<void> {
    await Promise.all(this.#deaths);
  }

  #claimed({ build, worker, attempt }: Claim): void {
    const moment = killsOf(build - 1)[attempt - 1];
    const victim = this.#workers.find(({ now }) => now.name === worker)?.now;
    if (!moment || !victim) return;
    const upload = `files/${FILES[Math.floor(this.#random() * FILES.length)]}`;
    const call = { drawing: 'marks', encoding: '', uploading: upload, finishing: 'finish' }[moment];
    this.#armed.set(build, { moment, victim, call });
    if (moment === 'encoding') this.#deaths.push(this.#killWhenDrawn(build, victim));
  }

  async #killWhenDrawn(build: number, { url }: MovieWorker): Promise<void> {
    for (let isDrawn = false; !isDrawn; await sleep(LOOK_MS)) {
      const health = (await (await fetch(`${url}/health`)).json()) as Health;
      isDrawn = health.build !== build || health.framesDone === health.frames;
    }
    await this.#kill(build, 0);
  }

  async #kill(build: number, afterMs: number): Promise<void> {
    const { moment, victim } = this.#armed.get(build)!;
    this.#armed.delete(build);
    if (afterMs > 0) await sleep(afterMs);
    this.kills.push({ build, moment });
    victim.kill('SIGKILL');
  }
}

/** Frames of R G B. */
function framesOf(path: string): Buffer[] {
  const rgb = decodeVideo(path);
  return Array.from({ length: rgb.length / FRAME_BYTES }, (_, i) => rgb.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES));
}

/** Mean difference of the values of two frames, 0 to 255. */
function difference(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]!), 0) / a.length;
}

describe('movie workers that are killed at random moments', () => {
  let archive: SampleArchive;
  let folder: string;
  const open: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    const toMs = MOVIE_START_MS + (FRAMES - 1) * CADENCE_MS;
    archive = await sampleArchive(planSeries({ sources: [10], fromMs: MOVIE_START_MS, toMs, cadenceMs: CADENCE_MS, size: 128 }));
    folder = await mkdtemp(join(tmpdir(), 'movie-kill-test-'));
  });

  afterAll(async () => {
    for (const each of open.reverse()) await each.close();
    await rm(folder, { recursive: true });
  });

  const workDir = () => join(folder, 'work');

  /** A service with two workers, which only work when they are woken. */
  async function serve(env: NodeJS.ProcessEnv = {}) {
    const service = await MovieQueueService.start(archive, { leaseMs: LEASE_MS });
    open.push(service);
    const start = (name: string) =>
      LivingWorker.start(service.url, workDir(), { MOVIE_TOKEN, POLL_SECONDS: '0', WORKER_NAME: name, ...env });
    const workers = await Promise.all(['first', 'second'].map(start));
    open.push(...workers.map((worker) => ({ close: () => worker.end('SIGKILL') })));
    service.workers = () => workers.map(({ now }) => now.url);
    return { service, workers };
  }

  /** Paths of the files of a build, as they are stored. */
  async function filesOf({ objects }: MovieQueueService, { id }: MovieBuild, of: string): Promise<Map<string, string>> {
    const paths = new Map<string, string>();
    for (const name of FILES) {
      paths.set(name, join(folder, `${of}-${id}-${name}`));
      await writeFile(paths.get(name)!, objects.objects.get(movieFileKey(id, name))!);
    }
    return paths;
  }

  it(`finish all of ${MOVIES} movies, in the order of their arrival, each once`, async () => {
    const { service, workers } = await serve({ PART_SECONDS: '0.1' });
    const killer = new Killer(service, workers);
    const ids: string[] = [];
    for (let movie = 0; movie < MOVIES; movie++) ids.push(await service.add(requestOf(movie)));
    const builds = await service.ended(ids, 90_000);
    await killer.end();

    expect(builds.map(({ status, statusMp4, statusWebm }) => [status, statusMp4, statusWebm])).toEqual(
      Array(MOVIES).fill([2, 2, 2]),
    );
    expect(killer.kills).toHaveLength(2 * MOVIES);
    for (const moment of MOMENTS) expect(killer.kills.filter((kill) => kill.moment === moment)).toHaveLength(5);
    // A kill may come too late: when the movie is finished, or has gone to the next worker.
    expect(service.claims.length).toBeGreaterThan(2 * MOVIES);
    const first = service.claims.filter(({ attempt }) => attempt === 1);
    expect(first.map(({ build }) => build)).toEqual(builds.map(({ id }) => id));
    expect(Math.min(...Object.values(service.queue.counts))).toBeGreaterThan(0);

    const { objects } = service.objects;
    const stored = [...objects.keys()].filter((key) => !/^(jp2|idx)\//.test(key));
    expect(stored.sort()).toEqual(builds.flatMap(({ id }) => FILES.map((name) => movieFileKey(id, name))).sort());
    for (const { id, files } of builds) {
      expect(files.map(({ name }) => name).sort()).toEqual([...FILES].sort());
      for (const { name, size, etag } of files) {
        const bytes = objects.get(movieFileKey(id, name))!;
        expect([size, etag]).toEqual([bytes.length, `"${createHash('md5').update(bytes).digest('hex')}"`]);
      }
    }
    expect(service.incoming.uploads.size).toBe(0);
    const { results } = await service.database
      .prepare(`SELECT (SELECT count(*) FROM movie_parts) AS parts, (SELECT count(*) FROM movie_uploads) AS uploads,
        (SELECT count(*) FROM movie_builds WHERE lease_until_ms IS NOT NULL) AS held`)
      .all();
    expect(results).toEqual([{ parts: 0, uploads: 0, held: 0 }]);

    await Promise.all(workers.map((worker) => worker.listens()));
    expect(await Promise.all(workers.map((worker) => worker.end()))).toEqual([0, 0]);
    expect(await readdir(workDir())).toEqual([]);

    const calm = await serve();
    const others = await calm.service.ended(
      await Promise.all(builds.map((_, movie) => calm.service.add(requestOf(movie)))),
      60_000,
    );
    for (const build of builds) {
      const other = others.find(({ key }) => key === build.key)!;
      const [disturbed, undisturbed] = [await filesOf(service, build, 'killed'), await filesOf(calm.service, other, 'calm')];
      for (const preview of PREVIEWS.map((name) => `preview-${name}.png`)) {
        expect(await readFile(disturbed.get(preview)!)).toEqual(await readFile(undisturbed.get(preview)!));
      }
      for (const name of VIDEOS) {
        const path = disturbed.get(name)!;
        expect([name, probeVideo(path).frames]).toEqual([name, FRAMES]);
        const [frames, wanted] = [framesOf(path), framesOf(undisturbed.get(name)!)];
        const nearest = frames.map((frame) => {
          const differences = wanted.map((each) => difference(frame, each));
          return differences.indexOf(Math.min(...differences));
        });
        expect([name, nearest]).toEqual([name, [...frames.keys()]]);
        expect(Math.max(...frames.map((frame, i) => difference(frame, wanted[i]!)))).toBeLessThan(2);
      }
    }
  });
});
