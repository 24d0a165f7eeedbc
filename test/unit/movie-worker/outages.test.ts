// The movie worker as a process, against the real service, while storage or the encoder fails.
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MOVIE_FILES } from '../../../src/domain/movies/formats.ts';
import type { MovieRequest } from '../../../src/domain/movies/movie-request.ts';
import type { MovieBuild } from '../../../src/ports/movies.ts';
import { movieFileKey } from '../../../src/storage/keys.ts';
import type { ClaimRules } from '../../../src/storage/movies/d1-movie-claims.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { probeVideo } from '../../support/movies/ffprobe.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MOVIE_START_MS, type MovieWorker, movieArchive, SCENE, startMovieWorker } from '../../support/movies/movie-jobs.ts';
import { MovieQueueService } from '../../support/movies/movie-queue-service.ts';
import type { SampleArchive } from '../../support/sample-archive.ts';

const FRAMES = 12;
const REQUEST: MovieRequest = {
  ...SCENE,
  startTime: MOVIE_START_MS,
  endTime: MOVIE_START_MS + FRAMES * 60_000 - 1,
  frameRate: 10,
};
const LEASE_MS = 1_000;
/** Length of an outage, longer than a lease. */
const OUTAGE_MS = 2_500;
/** Probability of a fault in each call of the database and of the object store. */
const FAULT_CHANCE = 0.1;
const FILES = Object.keys(MOVIE_FILES);
const H264 = { 'movie.mp4': 'h264', 'movie-hq.mp4': 'h264', 'movie.flv': 'h264' };

describe('the movie worker with the real service', () => {
  let archive: SampleArchive;
  let folder: string;
  let service: MovieQueueService;
  let worker: MovieWorker;

  beforeAll(async () => {
    archive = await movieArchive(FRAMES);
    folder = await mkdtemp(join(tmpdir(), 'movie-outages-test-'));
  });
  afterEach(async () => {
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(await readdir(join(folder, 'work'))).toEqual([]);
    await service.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function serve(rules: Partial<ClaimRules> = {}, env: NodeJS.ProcessEnv = {}): Promise<void> {
    service = await MovieQueueService.start(archive, rules);
    worker = await startMovieWorker(service.url, join(folder, 'work'), { MOVIE_TOKEN, ...env });
    service.workers = () => [worker.url];
  }

  async function build(timeoutMs = 60_000): Promise<MovieBuild> {
    const [ended] = await service.ended([await service.add(REQUEST)], timeoutMs);
    return ended!;
  }

  /** A script that stands in for ffmpeg and passes the probes for its version and encoders on. */
  async function ffmpegThat(name: string, script: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\ncase "$*" in *-encoders*|*-version*) exec ffmpeg "$@";; esac\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  /** Checks that the stored files match their rows and have all frames. */
  async function expectFiles({ id, files }: MovieBuild, codecs: Readonly<Record<string, string>>): Promise<void> {
    const { objects } = service.objects;
    expect(files.map(({ name }) => name).sort()).toEqual([...FILES].sort());
    for (const { name, size, etag } of files) {
      expect([name, await service.objects.head(movieFileKey(id, name))]).toMatchObject([name, { size, etag }]);
    }
    for (const [name, codec] of Object.entries(codecs)) {
      const path = join(folder, name);
      await writeFile(path, objects.get(movieFileKey(id, name))!);
      expect(probeVideo(path)).toMatchObject({ codec, frames: FRAMES, width: 96, height: 64 });
    }
  }

  function expectNoOtherFiles({ id }: MovieBuild): void {
    const stored = [...service.objects.objects.keys()].filter((key) => key.startsWith('derived/'));
    expect(stored.sort()).toEqual(FILES.map((name) => movieFileKey(id, name)).sort());
  }

  it.each([
    ['objects', 'markers'],
    ['objects', 'files/movie.webm'],
    ['objects', 'finish'],
    ['database', 'markers'],
    ['database', 'files/preview-icon.png'],
    ['database', 'finish'],
  ] as const)('finishes its movie after an outage of the %s that starts at %s and outlasts the lease', async (what, when) => {
    await serve({ leaseMs: LEASE_MS });
    const broken = service;
    let failed = 0;
    broken.onCall = ({ path, isAnswered }) => {
      if (failed > 0 || isAnswered || !path.endsWith(`/${when}`)) return;
      failed = performance.now();
      broken.fault = (of) => (of === what ? 'before' : undefined);
      void sleep(OUTAGE_MS).then(() => {
        broken.fault = () => undefined;
      });
    };
    const ended = await build();
    expect(ended).toMatchObject({ status: 2, statusMp4: 2, statusWebm: 2, error: null, framesSkipped: 0 });
    if (`${what} ${when}` !== 'objects finish') expect(performance.now() - failed).toBeGreaterThan(OUTAGE_MS);
    expectNoOtherFiles(ended);
    await expectFiles(ended, { ...H264, 'movie.webm': 'vp9' });
  });

  it('finishes its movies while calls of database and object store fail at random, before or after their effect', async () => {
    await serve({ leaseMs: LEASE_MS }, { PART_SECONDS: '0.1' });
    const ids = [await service.add(REQUEST), await service.add({ ...REQUEST, imageScale: 50 })];
    const random = randomNumbers(7);
    let faults = 0;
    service.fault = () => {
      if (random() > FAULT_CHANCE) return undefined;
      faults += 1;
      return random() < 0.5 ? 'before' : 'after';
    };
    const ended = await service.ended(ids, 100_000);
    service.fault = () => undefined;
    expect(faults).toBeGreaterThan(10);
    for (const build of ended) {
      expect(build).toMatchObject({ status: 2, error: null });
      await expectFiles(build, { ...H264, 'movie.webm': 'vp9' });
    }
  });

  it('marks a movie invalid, with the reason, when the disk is full in every attempt', async () => {
    const path = await ffmpegThat(
      'full-ffmpeg',
      'cat > /dev/null; echo "av_write_frame(): No space left on device" >&2; exit 228',
    );
    await serve({}, { FFMPEG_PATH: path });
    expect(await build()).toMatchObject({
      status: 3,
      statusMp4: 3,
      statusWebm: 3,
      attempts: 3,
      error: 'The video encoder ran out of disk space.',
      files: [],
    });
    expect(service.logged.filter(({ failed }) => failed)).toHaveLength(3);
  });

  it('kills and reports an ffmpeg that hangs, and finishes the movie in the next attempt', async () => {
    const marker = join(folder, 'has-hung');
    const path = await ffmpegThat('hanging-ffmpeg', `[ -e ${marker} ] && exec ffmpeg "$@"\ntouch ${marker}\nexec sleep 1000`);
    await serve({}, { FFMPEG_PATH: path, STALL_SECONDS: '3' });
    const ended = await build();
    expect(ended).toMatchObject({ status: 2, attempts: 2 });
    expect(service.logged).toContainEqual({
      movieBuild: ended.id,
      failed: 'The video encoder made no progress for 3 seconds.',
      isFinal: false,
    });
    expectNoOtherFiles(ended);
    await expectFiles(ended, { ...H264, 'movie.webm': 'vp9' });
  });

  it('builds a movie with the embedded encoder if ffmpeg is not installed', async () => {
    await serve({}, { FFMPEG_PATH: 'none' });
    expect(worker.output()).toContain('slower than ffmpeg, which was not found');
    const ended = await build(100_000);
    expect(ended).toMatchObject({ status: 2, attempts: 1 });
    expectNoOtherFiles(ended);
    await expectFiles(ended, { ...H264, 'movie.webm': 'vp8' });
  });
});
