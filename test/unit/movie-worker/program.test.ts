// The movie worker as a process with only the files of its image and the installed ffmpeg, against an in-memory service.
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MOVIE_FILES, type MovieFileName } from '../../../src/movies/movie.ts';
import { MOVIE } from '../../bench/counted.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { renderFrame } from '../../support/imaging/rgb-frame.ts';
import { probeVideo } from '../../support/movies/ffprobe.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MovieTestService, type PlannedBuild, type ReportedBuild } from '../../support/movies/movie-service.ts';
import type { MovieWorker } from '../../support/movies/planned-builds.ts';
import { MOVIE_START_MS, movieArchive, plannedBuild, SCENE, startMovieWorker } from '../../support/movies/planned-builds.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const VIDEOS = {
  'movie.mp4': { codec: 'h264', pixelFormat: 'yuv420p' },
  'movie-hq.mp4': { codec: 'h264', pixelFormat: 'yuv420p' },
  'movie.webm': { codec: 'vp9', pixelFormat: 'yuv420p' },
  'movie.flv': { codec: 'h264', pixelFormat: 'yuv420p' },
} as const;

const folder = testFolder();
const archive = await movieArchive(12);

const leftovers = (workDir: string) => readdir(workDir);

async function probeAll({ files }: ReportedBuild, frames: number, size = { width: 96, height: 64 }): Promise<void> {
  const probe = async (name: string) => {
    const file = join(folder, name);
    await writeFile(file, files.get(name) ?? '');
    return probeVideo(file);
  };
  const videos = await Promise.all(Object.keys(VIDEOS).map(probe));
  for (const [i, [name, kind]] of Object.entries(VIDEOS).entries()) {
    const video = videos[i]!;
    expect({ name, ...video }).toMatchObject({ name, ...kind, ...size, frames });
    // FLV states no frame rate, and its first frame is presented two frames late.
    const isFlv = name === 'movie.flv';
    if (!isFlv) expect(video.frameRate).toBe('10/1');
    expect(Math.abs(video.durationSeconds - frames / 10)).toBeLessThan(isFlv ? 0.25 : 0.05);
  }
}

/** Gives a report every 1.5 seconds, and exceeds a pause of a busy machine. */
const REPORTING_LEASE_MS = 6000;
const FILE_OF_MOVIE = /\/files\/(?:movie|preview)/;

/** Waits until a build is finished, whose files are refused for the time being until all of its frames are reported. */
async function endedAfterReport(fake: MovieTestService, build: ReportedBuild): Promise<void> {
  fake.leaseMs = REPORTING_LEASE_MS;
  const isReported = () => build.progress.at(-1)?.framesDone === build.planned.frames.length;
  fake.fault = ({ path }) => (FILE_OF_MOVIE.test(path) && !isReported() ? 503 : undefined);
  await fake.ended(build);
}

describe('the movie worker', () => {
  let fake: MovieTestService;
  /** Runs through all of these tests. */
  let worker: MovieWorker;
  let workDir: string;
  let offset = 0;

  beforeAll(async () => {
    workDir = join(folder, 'shared');
    await mkdir(join(workDir, '4194305-dead', 'build-x'), { recursive: true });
    fake = await MovieTestService.start(archive);
    const image = join(folder, 'image');
    await cp(resolve(import.meta.dirname, '../../../build/movie'), image, { recursive: true });
    worker = await startMovieWorker(fake.url, workDir, {}, join(image, 'main.mjs'));
  });
  afterEach(() => fake.reset());
  afterAll(async () => {
    worker.kill('SIGKILL');
    await worker.ended;
    await fake.close();
  });

  /** A build whose images have new ids, so that none of them is in the caches of the worker. */
  async function newBuild(): Promise<PlannedBuild> {
    const planned = await plannedBuild(archive);
    offset += 1000;
    const images = planned.images.map((image) => ({ ...image, id: offset + image.id }));
    const frames = planned.frames.map((frame) => ({ ...frame, images: frame.images.map(([id]) => [offset + id] as const) }));
    return { ...planned, images, frames };
  }

  it('builds a movie with every frame in every format, previews of the middle frame and progress reports', async () => {
    const planned = await newBuild();
    const build = await fake.add(planned);
    const before = fake.requests.length;
    await endedAfterReport(fake, build);
    expect(build).toMatchObject({ status: 'finished', attempts: 1, fail: [] });
    // The costs of docs/operate.md count as many requests of each kind, and further ones for progress and segments of a longer movie.
    const sent = fake.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
    const ofKind = (kind: RegExp) => sent.filter((each) => kind.test(each)).length;
    const reads = sent
      .slice(
        0,
        sent.findIndex((each) => FILE_OF_MOVIE.test(each)),
      )
      .filter((each) => /^GET .*objects/.test(each));
    // Behind the frames, the worker makes coefficient sidecars while nothing else is drawn.
    expect(Math.floor(reads.length / 12)).toBe(MOVIE.object!.count / 300);
    expect([ofKind(/markers/), ofKind(/finish/)]).toEqual([1, 1]);
    await probeAll(build, 12);
    expect([...build.files.keys()]).toEqual(Object.keys(MOVIE_FILES));
    const [finish] = build.finish;
    expect(finish?.files.map(({ name, size }) => [name, size])).toEqual(
      (Object.keys(MOVIE_FILES) as MovieFileName[]).map((name) => [name, build.files.get(name)?.length]),
    );
    expect(finish?.framesSkipped).toBe(0);
    expect(finish?.totalMs).toBeGreaterThan(0);

    const preview = readPng(build.files.get('preview-full.png') ?? new Uint8Array(0));
    const { pixels } = await renderFrame(archive, { ...SCENE, date: planned.frames[6]?.atMs ?? MOVIE_START_MS });
    const shown = preview.rgba.filter((_, i) => i % 4 < 3);
    expect(Buffer.compare(shown, pixels)).toBe(0);

    const done = build.progress.map(({ framesDone }) => framesDone);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(build.progress.every(({ framesDone, stage }) => framesDone <= 12 && (framesDone === 12 || stage === 'drawing'))).toBe(
      true,
    );
  });

  it('removes the folders of dead workers when it starts', async () => {
    expect((await leftovers(workDir)).some((name) => name.startsWith('4194305'))).toBe(false);
  });

  it('finishes a running upload on SIGTERM, and ends without leftovers', async () => {
    let isSignalled = false;
    fake.fault = ({ path }) => {
      if (!isSignalled && path.endsWith('preview-small.png')) {
        worker.kill('SIGTERM');
        isSignalled = true;
      }
      return undefined;
    };
    const build = await fake.add(await newBuild());
    expect(await worker.ended).toBe(0);
    expect(isSignalled).toBe(true);
    expect(build).toMatchObject({ status: 'finished', release: [] });
    expect(await leftovers(workDir)).toEqual([]);
  });
});

it('a movie worker serves its health, builds when woken with the token, skips and counts a frame whose image is damaged, and ends on SIGTERM, all with closed output pipes', async () => {
  const fake = await MovieTestService.start(archive);
  const worker = await startMovieWorker(fake.url, join(folder, 'own'), { POLL_SECONDS: '0' });
  try {
    worker.closeOutput();
    await fake.until(() => fake.answered > 0, 'the answer to the first claim');
    const planned = await plannedBuild(archive);
    const { key } = planned.images.find(({ id }) => id === planned.frames[4]!.images[0]![0])!;
    archive.objects.objects.set(key, archive.objects.objects.get(key)!.slice(0, 2000));
    // A hash of its own, because another worker has made part A of the coefficient sidecar of the whole file.
    const images = planned.images.map((image) => (image.key === key ? { ...image, sha256: 'd'.repeat(64) } : image));
    const build = await fake.add({ ...planned, images });
    const ended = endedAfterReport(fake, build);
    const health = (await (await fetch(`${worker.url}/health`)).json()) as object;
    expect(health).toEqual({
      ok: true,
      busy: false,
      build: null,
      framesDone: 0,
      frames: 0,
      encoder: expect.stringContaining('ffmpeg'),
    });
    const wake = (token: string) =>
      fetch(`${worker.url}/wake`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
    expect((await wake('wrong')).status).toBe(401);
    expect(build.status).toBe('queued');
    expect((await wake(MOVIE_TOKEN)).status).toBe(202);
    await ended;
    expect(build).toMatchObject({ status: 'finished', attempts: 1, finish: [{ framesSkipped: 1 }] });
    expect(build.progress.at(-1)).toMatchObject({ framesDone: 12, framesSkipped: 1 });
    await probeAll(build, 11);
    worker.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  } finally {
    worker.kill('SIGKILL');
    await fake.close();
  }
});

it('a movie worker that crashes during a build ends with status 1', async () => {
  const fake = await MovieTestService.start(archive);
  const crash = "data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20Error('crash')})";
  const worker = await startMovieWorker(fake.url, join(folder, 'crash'), { NODE_OPTIONS: `--import ${crash}` });
  fake.fault = ({ path }) => {
    if (path.endsWith('preview-small.png')) worker.kill('SIGUSR2');
    return undefined;
  };
  await fake.add(await plannedBuild(archive));
  expect(await worker.ended).toBe(1);
  await fake.close();
});
