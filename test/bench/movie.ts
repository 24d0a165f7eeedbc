// A movie of 300 frames of 1280 x 720, from claim to stored files, with and without coefficient sidecars, compared with ffmpeg alone
// encoding the same frames, and one of 30 frames with the tools of the original service.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { drawnFrames, framesOf } from '../../containers/movie/draw/frames.ts';
import { DrawPool } from '../../containers/movie/draw/pool.ts';
import { joinArguments, segmentArguments, type VideoSpec, writeLists } from '../../containers/movie/encode/encoder.ts';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { partKey } from '../../src/archive/reading/coefficients.ts';
import type { Part } from '../../src/jp2/coefficients/format.ts';
import type { SceneParameters } from '../../src/picture/recipe.ts';
import type { ArchivedImage } from '../../src/sun/image.ts';
import { MemoryImageIndex } from '../support/memory/image-index.ts';
import { MemoryObjectStore } from '../support/memory/object-store.ts';
import { MOVIE_TOKEN } from '../support/movies/internal-service.ts';
import { MovieTestService, type PlannedBuild } from '../support/movies/movie-service.ts';
import { MOVIE_START_MS, plannedBuild, startMovieWorker } from '../support/movies/planned-builds.ts';
import { archiveOfFiles, type SampleArchive } from '../support/sample-archive.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { inTurns, median } from './measure.ts';
import { processorSeconds, residentBytes } from './memory.ts';
import { hasOriginalTools, originalMovie } from './others/original-movie.ts';
import { makeParts } from './prepared.ts';
import type { Bench, Run } from './run.ts';

const FRAMES = 300;
/** Frames of the comparison with the original service. */
const ORIGINAL_FRAMES = 30;
/** Distinct images; the others are copies under other names. */
const DISTINCT_IMAGES = 6;
const IMAGE_SIDE = 2048;
const CADENCE_MS = 36_000;
const ROUNDS = 3;
const SAMPLE_MS = 100;
const SOURCES = [10, 13] as const;
const THREADS = Math.max(1, availableParallelism());
const run = promisify(execFile);

/** The full disk in 720 rows. */
const SCENE: Partial<SceneParameters> = { imageScale: 3.4, x0: 0, y0: 0, width: 1280, height: 720, scale: true };
const PARTS: readonly Part[] = ['A', 'B', 'C'];
const ONE_LAYER = '[10,1,100]';
const CASES = [
  { name: 'one layer', layers: ONE_LAYER, hasParts: true },
  { name: 'two layers', layers: `${ONE_LAYER},[13,1,50]`, hasParts: true },
  { name: 'one layer, without coefficient sidecars', layers: ONE_LAYER, hasParts: false },
  { name: 'one layer, on a sphere that turns with the Sun', layers: ONE_LAYER, hasParts: true, projection: 'sphere,20,-5' },
];
/** Times the processor time of the movie of the plane. */
const SPHERE_GOAL = 1.3;

/** The images with all parts of their coefficient sidecars. */
async function makeArchive(log: (line: string) => void): Promise<SampleArchive> {
  const files: { path: string; jp2: Uint8Array }[] = [];
  for (const sourceId of SOURCES) {
    log(`${DISTINCT_IMAGES} images of source ${sourceId}, ${IMAGE_SIDE} pixels a side`);
    const made: Uint8Array[] = [];
    for (let i = 0; i < DISTINCT_IMAGES; i++)
      made.push(await imageFile({ sourceId, timeMs: MOVIE_START_MS + i * CADENCE_MS, size: IMAGE_SIDE }));
    for (let i = 0; i < FRAMES; i++) {
      const path = archivePath({ sourceId, timeMs: MOVIE_START_MS + i * CADENCE_MS, size: IMAGE_SIDE });
      files.push({ path, jp2: made[i % DISTINCT_IMAGES] as Uint8Array });
    }
  }
  const archive = await archiveOfFiles(files);
  for (const [i] of SOURCES.entries()) await completeCopies(archive, archive.images.slice(i * FRAMES, (i + 1) * FRAMES));
  return { ...archive, index: new MemoryImageIndex(archive.images) };
}

/**
 * Gives the images of a source, which repeat the first of them, times and hashes of their own, and their coefficient sidecars. The hash
 * is made of the name, because caches know a sidecar by the hash.
 */
async function completeCopies(archive: SampleArchive, images: readonly ArchivedImage[]): Promise<void> {
  const { objects } = archive.objects;
  const distinct = images.slice(0, DISTINCT_IMAGES);
  await makeParts(archive, PARTS, distinct);
  const made = distinct.map((image) =>
    PARTS.map((part) => [part, objects.get(partKey(image, part)) ?? new Uint8Array(0)] as const),
  );
  for (const [i, image] of images.entries()) {
    Object.assign(image, {
      takenAtMs: MOVIE_START_MS + i * CADENCE_MS,
      sha256: createHash('sha256').update(image.key).digest('hex'),
    });
    for (const [part, bytes] of made[i % DISTINCT_IMAGES] ?? []) objects.set(partKey(image, part), bytes);
  }
}

/** The same images without coefficient sidecars. */
function withoutCoefficients(archive: SampleArchive): SampleArchive {
  const objects = new MemoryObjectStore();
  const parts = new Set(archive.images.flatMap((image) => PARTS.map((part) => partKey(image, part))));
  for (const [key, bytes] of archive.objects.objects) if (!parts.has(key)) objects.objects.set(key, bytes);
  return { ...archive, objects };
}

/** Draws all frames into a file; the seconds of drawing. */
async function drawInto(file: string, job: PlannedBuild, serviceUrl: string): Promise<number> {
  const pool = new DrawPool({ threads: THREADS, setup: { serviceUrl, token: MOVIE_TOKEN, cacheBytes: 36 << 20, idleMs: null } });
  const { frames } = framesOf(job);
  const out = createWriteStream(file);
  await pool.draw({ ...frames[0]!, markers: {}, format: 'yuv420p' }, 0);
  const from = performance.now();
  for await (const { result } of drawnFrames(pool, frames, 0, async () => ({}))) {
    if (!('pixels' in result)) throw new Error(result.error);
    await new Promise<void>((resolve) => out.write(result.pixels, () => resolve()));
    pool.reuse(result.pixels);
  }
  const seconds = (performance.now() - from) / 1000;
  out.end();
  await once(out, 'close');
  await pool.close();
  return seconds;
}

/** Duration and processor time of a program. */
interface Effort {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Effort of programs that `work` starts and waits for. */
async function effortOf(work: () => Promise<void>): Promise<Effort> {
  const [from, before] = [performance.now(), processorSeconds(process.pid).children];
  await work();
  return { seconds: (performance.now() - from) / 1000, cpuSeconds: processorSeconds(process.pid).children - before };
}

/** ffmpeg alone makes the files of the movie, with the arguments of the worker. */
function encodeAlone(frames: string, spec: VideoSpec, folder: string): Promise<Effort> {
  const codecs = { x264Preset: 'veryfast', webm: 'vp9', threads: Math.min(4, THREADS) } as const;
  const options = ['-hide_banner', '-nostdin', '-y', '-loglevel', 'error'];
  return effortOf(async () => {
    await run('ffmpeg', [...options, ...segmentArguments(spec, frames, folder, 'alone', codecs)]);
    await writeLists(folder, ['alone']);
    await run('ffmpeg', [...options, ...joinArguments(spec, folder, folder)]);
  });
}

/** A worker builds the job; `bytes` is the peak memory of its processes. */
async function build(job: PlannedBuild, service: MovieTestService, folder: string): Promise<Effort & { bytes: number }> {
  const movie = await service.add(job);
  const worker = await startMovieWorker(service.url, folder, { DRAW_THREADS: String(THREADS) });
  let bytes = 0;
  const timer = setInterval(() => {
    bytes = Math.max(bytes, residentBytes(worker.pid));
  }, SAMPLE_MS);
  await service.ended(movie, 600_000);
  clearInterval(timer);
  const { own, children } = processorSeconds(worker.pid);
  worker.kill('SIGTERM');
  await worker.ended;
  const [finish] = movie.finish;
  if (!finish) throw new Error(`Expected a finished movie, got ${movie.fail.at(-1)?.reason}.`);
  return { seconds: finish.totalMs / 1000, cpuSeconds: own + children, bytes };
}

/** Builds and encodes by turns. @returns the seconds of the processor for a build */
async function measure(run: Run, name: string, job: PlannedBuild, service: MovieTestService, folder: string): Promise<number> {
  const { frames: _, ...video } = framesOf(job);
  const spec = { ...video, output: job.output, metadata: job.metadata };
  const file = join(folder, 'frames.yuv');
  const drawing = await drawInto(file, job, service.url);
  const { cpuSeconds, bytes } = await paired(
    run,
    name,
    () => build(job, service, join(folder, 'work')),
    () => encodeAlone(file, spec, folder),
  );
  run.add(name, 'drawing alone', 'frames/s', FRAMES / drawing);
  run.add(name, 'peak memory', 'MiB', bytes / 2 ** 20);
  return cpuSeconds;
}

/** Adds medians of elapsed and processor time of both sides, which take turns. */
async function paired({ add }: Run, name: string, ours: () => ReturnType<typeof build>, theirs: () => Promise<Effort>) {
  const { ours: built, theirs: others } = await inTurns({ ours, theirs }, ROUNDS, 0);
  const medians = (of: (effort: Effort) => number) => [median(built.map(of)), median(others.map(of))] as const;
  const [seconds, against] = medians((effort) => effort.seconds);
  add(name, 'movie', 's', seconds, against);
  const processor = medians((effort) => effort.cpuSeconds);
  add(name, 'processor time', 's', ...processor);
  return { cpuSeconds: processor[0], bytes: Math.max(...built.map((each) => each.bytes)) };
}

/** The last frames of the movie, also with the tools of the original service if they are installed. */
async function measureOriginal(run: Run, archive: SampleArchive, service: MovieTestService, folder: string): Promise<void> {
  if (!hasOriginalTools()) return;
  const job = await plannedBuild(archive, { ...SCENE, layers: ONE_LAYER }, { frameRate: 15 }, FRAMES - ORIGINAL_FRAMES);
  const jp2s = archive.images.filter(({ sourceId }) => sourceId === 10).slice(FRAMES - ORIGINAL_FRAMES);
  const files = jp2s.map(({ key }) => archive.objects.objects.get(key) as Uint8Array);
  const original = () => effortOf(() => originalMovie(files, join(folder, 'original')));
  const name = 'one layer, 30 frames, opj_decompress and ImageMagick';
  await paired(run, name, () => build(job, service, join(folder, 'work')), original);
}

export const bench: Bench = (run) =>
  inFolder(async (folder) => {
    await mkdir(join(folder, 'work'));
    const archive = await makeArchive(run.log);
    const service = await MovieTestService.start(archive);
    const plain = await MovieTestService.start(withoutCoefficients(archive));
    const taken: number[] = [];
    try {
      for (const { name, layers, hasParts, projection } of CASES) {
        run.log(`${FRAMES} frames of ${name}`);
        const follows = { frameRate: 15, followViewport: !!projection };
        const job = await plannedBuild(archive, { ...SCENE, layers, projection }, follows);
        taken.push(await measure(run, name, job, hasParts ? service : plain, folder));
      }
      run.add(CASES.at(-1)!.name, 'of the plane', '', taken.at(-1)! / taken[0]!, SPHERE_GOAL);
      run.log(`${ORIGINAL_FRAMES} frames by the tools of the original service`);
      await measureOriginal(run, archive, service, folder);
    } finally {
      await Promise.all([service.close(), plain.close()]);
    }
  });
