// Screenshots over HTTP from a service in workerd on this machine, with part A of the coefficient sidecars and with all of them, and the
// memory of the largest one.
import { basename } from 'node:path';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { FrameRenderer, planFrame } from '../../src/archive/drawing/frame-renderer.ts';
import { LayerRenderer } from '../../src/archive/drawing/layer-renderer.ts';
import { ImageReader } from '../../src/archive/reading/image-reader.ts';
import { recipeFromScreenshotParameters } from '../../src/picture/recipe.ts';
import { anyMemory } from '../support/memory/any-memory.ts';
import { archiveOfFiles } from '../support/sample-archive.ts';
import { atMinute, largeImages } from './images.ts';
import { inTurns, median } from './measure.ts';
import { memoryOf } from './memory.ts';
import type { Bench, Run } from './run.ts';
import { addStages, ingest, makeSidecars, type TimedRequest, timedRequest, whileRunning, withState } from './service.ts';

/** Screenshots for each state, because each image is cold only once. */
const ROUNDS = 7;
const START_MS = Date.parse('2022-01-01T00:00:00Z');
const AIA = 10;
const [C2, C3] = [4, 5];
const STAGES = ['index', 'read', 'decode', 'colour', 'compose', 'overlays', 'encode'] as const;
const SCREENSHOT = { imageScale: 2.42044088, width: 1920, height: 1200 };
/** A picture of the dialog of the explorer: every pixel of the source. */
const LARGE = { imageScale: 0.60511022, width: 3840, height: 2160 };
const LARGE_GOAL_MS = 3000;

interface BenchImage {
  readonly sourceId: number;
  readonly path: string;
  readonly jp2: Uint8Array;
}

const minuteMs = (minute: number) => START_MS + minute * 60_000;

async function sampleImage(sourceId: number, minute: number, size: number): Promise<BenchImage> {
  const shot = { sourceId, timeMs: minuteMs(minute), size };
  return { sourceId, path: archivePath(shot), jp2: await imageFile(shot) };
}

/** A 4096 x 4096 AIA image for each minute: copies of a real one if available, else of the sample archive. */
async function diskImages(count: number, log: (line: string) => void): Promise<BenchImage[]> {
  const [real] = await largeImages(log, ['SDO_AIA_AIA_171']);
  if (!real) return Promise.all(Array.from({ length: count }, (_, minute) => sampleImage(AIA, minute, 4096)));
  return Array.from({ length: count }, (_, minute) => {
    const { fileName, file } = atMinute(real, minute);
    return { sourceId: AIA, path: `AIA/${fileName}`, jp2: file };
  });
}

function takeScreenshot(url: string, sourceIds: readonly number[], minute: number, place = SCREENSHOT): Promise<TimedRequest> {
  const query = new URLSearchParams({
    date: new Date(minuteMs(minute)).toISOString(),
    layers: sourceIds.map((id) => `[${id},1,100]`).join(','),
    ...Object.fromEntries(Object.entries(place).map(([name, value]) => [name, String(value)])),
    x0: '0',
    y0: '0',
    display: 'true',
    scale: 'true',
    watermark: 'true',
  });
  return timedRequest(`${url}/v2/takeScreenshot/?${query}`);
}

/** Minutes of the images: the first warms up the compiled code, and each of the others is cold once. */
const MINUTES = Array.from({ length: 3 * ROUNDS + 1 }, (_, minute) => minute);

async function ingestAll(url: string, log: (line: string) => void): Promise<void> {
  const disks = await diskImages(MINUTES.length, log);
  const coronagraphs = await Promise.all(
    MINUTES.flatMap((minute) => [C2, C3].map((sourceId) => sampleImage(sourceId, minute, 1024))),
  );
  for (const { path, jp2 } of [...disks, ...coronagraphs]) await ingest(url, basename(path), jp2);
}

/** Pictures of one layer, of three, and of 4K. */
async function pictures(url: string, state: string, run: Run): Promise<void> {
  await takeScreenshot(url, [AIA, C2, C3], 0);
  const works = {
    one: (round: number) => takeScreenshot(url, [AIA], 3 * round + 1),
    three: (round: number) => takeScreenshot(url, [AIA, C2, C3], 3 * round + 2),
    large: (round: number) => takeScreenshot(url, [AIA], 3 * round + 3, LARGE),
  };
  const times = await inTurns(works, ROUNDS, 0);
  for (const [name, all, goalMs] of [
    ['1920 x 1200, AIA 171', times.one],
    ['1920 x 1200, AIA 171 + C2 + C3', times.three],
    ['3840 x 2160, AIA 171', times.large, LARGE_GOAL_MS],
  ] as const) {
    addStages(run, `${name}, cold, ${state}`, all, STAGES, goalMs);
    run.add(`${name}, cold, ${state}`, 'file', 'kB', median(all.map(({ bytes }) => bytes / 1000)));
  }
}

/** Cold pictures, from images as they are after ingest and from images with all parts of their coefficient sidecars. */
function inWorkerd(run: Run): Promise<void> {
  return withState(run.log, async (start) => {
    await whileRunning(start, (url) => ingestAll(url, run.log));
    // Each in a process of its own, in which no image is cached.
    await whileRunning(start, (url) => pictures(url, 'as ingested', run));
    const [from, to] = [minuteMs(0), minuteMs(MINUTES.length)].map((ms) => new Date(ms).toISOString()) as [string, string];
    await whileRunning(start, async (url) => {
      for (const sourceId of [AIA, C2, C3]) await makeSidecars(url, sourceId, from, to);
    });
    await whileRunning(start, (url) => pictures(url, 'all parts', run));
  });
}

/**
 * Memory of the largest picture, drawn in Node, which counts array buffers. Sampled at every change of stage, once after a
 * collection and once without.
 */
async function memoryOfLargestPicture({ log, add }: Run): Promise<void> {
  const files = [...(await diskImages(1, log)), await sampleImage(C2, 0, 1024), await sampleImage(C3, 0, 1024)];
  const archive = await archiveOfFiles(files);
  for (const [name, sourceIds] of [
    ['4096 x 4096, AIA 171', [AIA]],
    ['4096 x 4096, AIA 171 + C2 + C3', [AIA, C2, C3]],
  ] as const) {
    for (const collects of [true, false]) {
      const frames = new FrameRenderer({
        layers: new LayerRenderer(new ImageReader({ objects: archive.objects, memory: anyMemory() })),
      });
      const layers = sourceIds.map((id) => `[${id},1,100]`).join(',');
      const place = { imageScale: LARGE.imageScale, x0: 0, y0: 0, width: 4096, height: 4096 };
      const { recipe } = recipeFromScreenshotParameters({ date: START_MS, layers, ...place });
      const draw = async () => frames.file(await planFrame(archive.index, recipe), {}, { type: 'png' });
      const { core, buffers, ms } = await memoryOf(draw, collects);
      const side = collects ? 'in use' : 'with garbage';
      add(name, 'core, peak', 'MiB', core / 2 ** 20);
      add(name, `buffers, ${side}`, 'MiB', buffers / 2 ** 20);
      add(name, `both, ${side}`, 'MiB', (core + buffers) / 2 ** 20);
      if (!collects) add(name, 'in Node', 'ms', ms);
    }
  }
}

export const bench: Bench = async (run) => {
  await memoryOfLargestPicture(run);
  await inWorkerd(run);
};
