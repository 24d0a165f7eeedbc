// Two movie workers build four movies for the real service and are killed twice during each, while the queue loses, repeats and
// reorders its messages.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Health } from '../../../containers/movie/main.ts';
import { seriesShots } from '../../../demo/archive.ts';
import { movieFileKey } from '../../../src/domain/archive/keys.ts';
import { MOVIE_FILES, type MovieBuild, PREVIEW_FILES } from '../../../src/domain/movies/movie.ts';
import type { MovieRequest } from '../../../src/domain/movies/movie-recipe.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { decodeVideos } from '../../support/movies/ffprobe.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { LivingWorker } from '../../support/movies/living-worker.ts';
import { type Claim, MovieQueueService } from '../../support/movies/movie-queue-service.ts';
import { MOVIE_START_MS, type MovieWorker, SCENE } from '../../support/movies/planned-builds.ts';
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const SEED = 5;
const MOVIES = 4;
const FRAMES = 12;
/** Long enough for the solar rotation to make every frame distinct. */
const CADENCE_MS = 6 * 3_600_000;
const FILES = Object.keys(MOVIE_FILES);
const FRAME_BYTES = 96 * 64 * 3;
const VIDEOS = ['movie.mp4', 'movie-hq.mp4', 'movie.webm', 'movie.flv'];

/** Stages at which the worker of a movie is killed: two of them for each movie, each for half of the movies. */
const MOMENTS = ['drawing', 'encoding', 'uploading', 'finishing'] as const;
type Moment = (typeof MOMENTS)[number];
const killsOf = (movie: number): Moment[] => [MOMENTS[movie % 3]!, movie % 2 === 0 ? 'finishing' : MOMENTS[(movie + 1) % 3]!];

const requestOf = (movie: number): MovieRequest => ({
  ...SCENE,
  imageScale: 40 + movie,
  startTime: MOVIE_START_MS,
  endTime: MOVIE_START_MS + FRAMES * CADENCE_MS - 1,
  frameRate: 10,
});

/** Minimum time of drawing a movie's first frames. */
const DRAWING_MS = 60;
/** Polling interval of a worker's health. */
const HEALTH_POLL_MS = 15;

/** A planned kill: at a certain request of the worker about its build, before or after the service has handled it. */
interface PlannedKill {
  readonly moment: Moment;
  readonly victim: MovieWorker;
  readonly call: string;
  readonly isAnswered: boolean;
}

/** Kills the worker of each movie at the stages that are planned for it. */
class Killer {
  readonly kills: { readonly build: number; readonly moment: Moment }[] = [];
  readonly #random = randomNumbers(SEED);
  readonly #moments = Array.from({ length: MOVIES }, (_, movie) => killsOf(movie));
  /** By build. */
  readonly #planned = new Map<number, PlannedKill>();
  readonly #service: MovieQueueService;
  readonly #workers: readonly LivingWorker[];

  constructor(service: MovieQueueService, workers: readonly LivingWorker[]) {
    this.#service = service;
    this.#workers = workers;
    service.onClaim = (claim) => this.#claimed(claim);
    service.onCall = ({ path, isAnswered }) => {
      for (const [build, plan] of this.#planned) {
        if (path !== `/internal/movies/${build}/${plan.call}` || isAnswered !== plan.isAnswered) continue;
        // Delayed only for drawing, because the other stages may end within a millisecond.
        if (plan.moment === 'drawing') setTimeout(() => this.#kill(build, plan), this.#random() * DRAWING_MS);
        else this.#kill(build, plan);
      }
    };
  }

  #claimed({ build, worker }: Claim): void {
    const [moment] = this.#moments[build - 1]!;
    const victim = this.#workers.find(({ now }) => now.name === worker)?.now;
    if (!moment || !victim) return;
    const upload = `files/${FILES[Math.floor(this.#random() * FILES.length)]}`;
    // A worker that is not caught while encoding is killed at its first upload.
    const call = { drawing: 'markers', encoding: `files/${FILES[0]}`, uploading: upload, finishing: 'finish' }[moment];
    const plan = { moment, victim, call, isAnswered: moment !== 'encoding' && this.#random() < 0.5 };
    this.#planned.set(build, plan);
    if (moment === 'encoding') void this.#killWhenDrawn(build, plan);
  }

  async #killWhenDrawn(build: number, plan: PlannedKill): Promise<void> {
    while (this.#planned.get(build) === plan) {
      const response = await fetch(`${plan.victim.url}/health`).catch(() => null);
      const health = response && ((await response.json()) as Health);
      if (health?.build === build && health.framesDone === health.frames) this.#kill(build, plan);
      await sleep(HEALTH_POLL_MS);
    }
  }

  #kill(build: number, plan: PlannedKill): void {
    if (this.#planned.get(build) !== plan) return;
    this.#planned.delete(build);
    this.#moments[build - 1]!.shift();
    this.kills.push({ build, moment: plan.moment });
    plan.victim.kill('SIGKILL');
    // A lease that ran out by itself would have to be short, and a pause of a busy machine would end those of living workers.
    void plan.victim.ended.then(() => this.#service.expireLeaseOf(plan.victim.name));
  }
}

/** RGB frames of videos. */
async function framesOf(paths: readonly string[]): Promise<Buffer[][]> {
  const frames = (rgb: Buffer) =>
    Array.from({ length: rgb.length / FRAME_BYTES }, (_, i) => rgb.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES));
  return (await decodeVideos(paths)).map(frames);
}

/** Mean absolute difference of two frames, 0 to 255. */
function difference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
}

describe('movie workers that are killed at random moments', () => {
  let archive: SampleArchive;
  const folder = testFolder();
  const open: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    const toMs = MOVIE_START_MS + (FRAMES - 1) * CADENCE_MS;
    archive = await sampleArchive(seriesShots({ sources: [10], fromMs: MOVIE_START_MS, toMs, cadenceMs: CADENCE_MS, size: 128 }));
  });

  afterAll(async () => {
    for (const each of open.reverse()) await each.close();
  });

  /** Starts a service and its workers, which do not poll. */
  async function serve(names: readonly string[], workDir: string, env: NodeJS.ProcessEnv = {}) {
    const service = await MovieQueueService.start(archive);
    open.push(service);
    const start = (name: string) =>
      LivingWorker.start(service.url, workDir, { MOVIE_TOKEN, POLL_SECONDS: '0', WORKER_NAME: name, ...env });
    const workers = await Promise.all(names.map(start));
    open.push(...workers.map((worker) => ({ close: () => worker.end('SIGKILL') })));
    service.workers = () => workers.map(({ now }) => now.url);
    return { service, workers };
  }

  /** Adds the movies in order and waits for their builds. */
  async function buildAll(service: MovieQueueService): Promise<MovieBuild[]> {
    const ids: string[] = [];
    for (let movie = 0; movie < MOVIES; movie++) ids.push(await service.add(requestOf(movie)));
    return service.ended(ids, 170_000);
  }

  /** Writes the stored files of a build to disk; their paths by name. */
  async function filesOf({ objects }: MovieQueueService, build: MovieBuild, prefix: string): Promise<Map<string, string>> {
    const paths = new Map<string, string>();
    for (const name of FILES) {
      paths.set(name, join(folder, `${prefix}-${build.id}-${name}`));
      await writeFile(paths.get(name)!, objects.objects.get(movieFileKey(build, name))!);
    }
    return paths;
  }

  it(`finish all ${MOVIES} movies in order of arrival, each exactly once`, async () => {
    const workDir = join(folder, 'work');
    const { service, workers } = await serve(['first', 'second'], workDir, { PART_SECONDS: '0.3' });
    const calm = await serve(['calm'], join(folder, 'calm'));
    const killer = new Killer(service, workers);
    // At the same time, because the killed workers' movies wait for their leases.
    const [builds, others] = await Promise.all([buildAll(service), buildAll(calm.service)]);

    expect(builds.map(({ status, statusMp4, statusWebm }) => [status, statusMp4, statusWebm])).toEqual(
      Array(MOVIES).fill([2, 2, 2]),
    );
    expect(killer.kills).toHaveLength(2 * MOVIES);
    for (const moment of MOMENTS) expect(killer.kills.filter((kill) => kill.moment === moment)).toHaveLength(MOVIES / 2);
    // Every kill but those at the end of a movie leads to another attempt.
    expect(service.claims.length).toBeGreaterThanOrEqual(1.5 * MOVIES + MOVIES);
    const first = service.claims.filter(({ attempt }) => attempt === 1);
    expect(first.map(({ build }) => build)).toEqual(builds.map(({ id }) => id));
    expect(Math.min(...Object.values(service.queue.counts))).toBeGreaterThan(0);

    const { objects } = service.objects;
    const stored = [...objects.keys()].filter((key) => !/^(jp2|idx|derived\/(plans|coefficients))\//.test(key));
    expect(stored.sort()).toEqual(builds.flatMap((build) => FILES.map((name) => movieFileKey(build, name))).sort());
    for (const build of builds) {
      const { files } = build;
      expect(files.map(({ name }) => name).sort()).toEqual([...FILES].sort());
      for (const { name, size, etag } of files) {
        const bytes = objects.get(movieFileKey(build, name))!;
        expect([size, etag]).toEqual([bytes.length, `"${createHash('md5').update(bytes).digest('hex')}"`]);
      }
    }
    expect(service.objects.uploads.size).toBe(0);
    const { results } = await service.database
      .prepare(`SELECT (SELECT count(*) FROM movie_parts) AS parts, (SELECT count(*) FROM movie_uploads) AS uploads,
        (SELECT count(*) FROM movie_builds WHERE lease_until_ms IS NOT NULL) AS held`)
      .all();
    expect(results).toEqual([{ parts: 0, uploads: 0, held: 0 }]);

    await Promise.all(workers.map((worker) => worker.listens()));
    expect(await Promise.all(workers.map((worker) => worker.end()))).toEqual([0, 0]);
    expect(await readdir(workDir)).toEqual([]);

    for (const build of builds) {
      const other = others.find(({ key }) => key === build.key)!;
      const [disturbed, undisturbed] = [await filesOf(service, build, 'killed'), await filesOf(calm.service, other, 'calm')];
      for (const preview of PREVIEW_FILES) {
        const [bytes, others] = [await readFile(disturbed.get(preview)!), await readFile(undisturbed.get(preview)!)];
        expect([preview, Buffer.compare(bytes, others)]).toEqual([preview, 0]);
      }
      const videos = await framesOf([disturbed, undisturbed].flatMap((files) => VIDEOS.map((name) => files.get(name)!)));
      for (const [i, name] of VIDEOS.entries()) {
        const [frames, references] = [videos[i]!, videos[VIDEOS.length + i]!];
        expect([name, frames.length]).toEqual([name, FRAMES]);
        const nearest = frames.map((frame) => {
          const differences = references.map((each) => difference(frame, each));
          return differences.indexOf(Math.min(...differences));
        });
        expect([name, nearest]).toEqual([name, [...frames.keys()]]);
        expect(Math.max(...frames.map((frame, i) => difference(frame, references[i]!)))).toBeLessThan(2);
      }
    }
  });
});
