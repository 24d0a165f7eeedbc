// The movie worker as a process, against the real service, while its disk or encoder fails.
import { chmod, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movieFileKey } from '../../../src/domain/archive/keys.ts';
import { MOVIE_FILES, type MovieBuild } from '../../../src/domain/movies/movie.ts';
import type { MovieRequest } from '../../../src/domain/movies/movie-recipe.ts';
import type { ClaimRules } from '../../../src/storage/movies/d1-build-claims.ts';
import { inspectVideos } from '../../support/movies/ffprobe.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MovieQueueService } from '../../support/movies/movie-queue-service.ts';
import { MOVIE_START_MS, type MovieWorker, movieArchive, SCENE, startMovieWorker } from '../../support/movies/planned-builds.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const FRAMES = 12;
const REQUEST: MovieRequest = {
  ...SCENE,
  startTime: MOVIE_START_MS,
  endTime: MOVIE_START_MS + FRAMES * 60_000 - 1,
  frameRate: 10,
};
const FILES = Object.keys(MOVIE_FILES);
const H264 = { 'movie.mp4': 'h264', 'movie-hq.mp4': 'h264', 'movie.flv': 'h264' };

let archive: SampleArchive;
const folder = testFolder();
const started: Tested[] = [];

beforeAll(async () => {
  archive = await movieArchive(FRAMES);
});
afterAll(async () => {
  await Promise.all(started.map((tested) => tested.close()));
});

/** A service and its worker. */
class Tested {
  readonly service: MovieQueueService;
  readonly worker: MovieWorker;
  readonly #folder: string;
  readonly #others: MovieWorker[] = [];
  /** Finished builds. */
  readonly #builds: MovieBuild[] = [];

  private constructor(service: MovieQueueService, worker: MovieWorker, ownFolder: string) {
    this.service = service;
    this.worker = worker;
    this.#folder = ownFolder;
    service.workers = () => [worker.url];
  }

  static async start(rules: Partial<ClaimRules> = {}, env: NodeJS.ProcessEnv = {}): Promise<Tested> {
    const ownFolder = await mkdtemp(join(folder, 'tested-'));
    const service = await MovieQueueService.start(archive, rules);
    const worker = await startMovieWorker(service.url, join(ownFolder, 'work'), { MOVIE_TOKEN, ...env });
    const tested = new Tested(service, worker, ownFolder);
    started.push(tested);
    return tested;
  }

  /** Starts a worker beside the first. */
  async startAnother(name: string, env: NodeJS.ProcessEnv): Promise<MovieWorker> {
    const workDir = join(this.#folder, `work-${name}`);
    const worker = await startMovieWorker(this.service.url, workDir, { MOVIE_TOKEN, WORKER_NAME: name, ...env });
    this.#others.push(worker);
    return worker;
  }

  /** Checks that the worker ends in order when it is told to. */
  async end(): Promise<void> {
    this.worker.kill('SIGTERM');
    expect(await this.worker.ended).toBe(0);
    expect(await readdir(join(this.#folder, 'work'))).toEqual([]);
  }

  async close(): Promise<void> {
    for (const worker of [this.worker, ...this.#others]) {
      worker.kill('SIGKILL');
      await worker.ended;
    }
    await this.service.close();
  }

  async build(request = REQUEST, timeoutMs = 60_000): Promise<MovieBuild> {
    const [ended] = await this.service.ended([await this.service.add(request)], timeoutMs);
    this.#builds.push(ended!);
    return ended!;
  }

  /** Checks that the stored files match their rows and have all frames. */
  async expectFiles(build: MovieBuild, codecs: Readonly<Record<string, string>>): Promise<void> {
    const { objects } = this.service;
    const { files } = build;
    expect(files.map(({ name }) => name).sort()).toEqual([...FILES].sort());
    for (const { name, size, etag } of files) {
      expect([name, await objects.head(movieFileKey(build, name))]).toMatchObject([name, { size, etag }]);
    }
    const paths = Object.keys(codecs).map((name) => join(this.#folder, name));
    for (const path of paths) await writeFile(path, objects.objects.get(movieFileKey(build, basename(path)))!);
    const videos = await inspectVideos(paths);
    expect(videos).toEqual(Object.values(codecs).map((codec) => ({ codec, frames: FRAMES, width: 96, height: 64 })));
  }

  /** Checks that the files of the builds are stored and no others. */
  expectNoOtherFiles(): void {
    const stored = [...this.service.objects.objects.keys()].filter((key) => key.startsWith('derived/movies/'));
    expect(stored.sort()).toEqual(this.#builds.flatMap((build) => FILES.map((name) => movieFileKey(build, name))).sort());
  }
}

/** A script that stands in for ffmpeg and passes the probes for its version and encoders on. */
async function ffmpegThat(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\ncase "$*" in *-encoders*|*-version*) exec ffmpeg "$@";; esac\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe.concurrent('the movie worker with the real service', () => {
  it('marks a movie invalid, with the reason, when the disk is full in every attempt', async () => {
    const path = await ffmpegThat(
      'full-ffmpeg',
      'cat > /dev/null; echo "av_write_frame(): No space left on device" >&2; exit 228',
    );
    const tested = await Tested.start({ attempts: 2 }, { FFMPEG_PATH: path });
    // A worker with a full disk leaves the movie to others for half a minute.
    const other = await tested.startAnother('second', { FFMPEG_PATH: path });
    expect(await tested.build()).toMatchObject({
      status: 3,
      statusMp4: 3,
      statusWebm: 3,
      attempts: 2,
      error: 'The disk of the movie worker is full.',
      files: [],
    });
    expect(tested.service.logged.filter(({ failed }) => failed)).toHaveLength(2);
    other.kill('SIGTERM');
    expect(await other.ended).toBe(0);
    await tested.end();
  });

  it('kills and reports an ffmpeg that hangs, and finishes the movie in the next attempt', async () => {
    const marker = join(folder, 'has-hung');
    const path = await ffmpegThat('hanging-ffmpeg', `[ -e ${marker} ] && exec ffmpeg "$@"\ntouch ${marker}\nexec sleep 1000`);
    const tested = await Tested.start({}, { FFMPEG_PATH: path, STALL_SECONDS: '3' });
    const ended = await tested.build();
    expect(ended).toMatchObject({ status: 2, attempts: 2 });
    expect(tested.service.logged).toContainEqual({
      movieBuild: ended.id,
      failed: 'The video encoder made no progress for 3 seconds.',
      isFinal: false,
    });
    tested.expectNoOtherFiles();
    await tested.expectFiles(ended, { ...H264, 'movie.webm': 'vp9' });
    await tested.end();
  });

  it('builds a movie with the embedded encoder if ffmpeg is not installed', async () => {
    const tested = await Tested.start({}, { FFMPEG_PATH: 'none' });
    expect(tested.worker.output()).toContain('slower than ffmpeg, which was not found');
    const ended = await tested.build(REQUEST, 100_000);
    expect(ended).toMatchObject({ status: 2, attempts: 1 });
    tested.expectNoOtherFiles();
    await tested.expectFiles(ended, { ...H264, 'movie.webm': 'vp8' });
    await tested.end();
  });
});
