// Screenshots in workerd over HTTP on this machine, cold and with what the isolate keeps; and the memory of the largest one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { archivePath, imageFile } from '../../demo/image-file.ts';
import { startLocalService } from '../../src/cli/local/local-service.ts';
import { applyMigrations } from '../../src/cli/local/migrations.ts';
import { recipeFromScreenshotParameters } from '../../src/domain/recipe/from-parameters.ts';
import { peakMemoryBytes, resetPeakMemory } from '../../src/imaging/core/core.ts';
import { planFrame } from '../../src/services/rendering/frame-plan.ts';
import { FrameRenderer } from '../../src/services/rendering/frame-renderer.ts';
import { ImageReader } from '../../src/services/rendering/image-reader.ts';
import { LayerRenderer } from '../../src/services/rendering/layer-renderer.ts';
import { StripPictureRenderer } from '../../src/services/rendering/picture-renderer.ts';
import { freePort } from '../support/commands.ts';
import { archiveOfFiles } from '../support/sample-archive.ts';
import { atMinute, largeImages } from './images.ts';
import { median } from './measure.ts';
import type { Bench, BenchResult } from './run.ts';

/** Pictures of each kind: every image is seen cold only once. */
const ROUNDS = 7;
const TOKEN = 'token-of-the-render-bench';
const START_MS = Date.parse('2022-01-01T00:00:00Z');
const AIA = 10;
const [C2, C3] = [4, 5];
const STAGES = ['index', 'read', 'decode', 'colour', 'compose', 'overlays', 'encode'] as const;
const SCREENSHOT = { imageScale: 2.42044088, width: 1920, height: 1200, x0: 0, y0: 0 };

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

/** An AIA image of 4096 x 4096 at each minute: a real one where there is one. */
async function diskImages(count: number, log: (line: string) => void): Promise<BenchImage[]> {
  const [real] = await largeImages(log, ['SDO_AIA_AIA_171']);
  if (!real) return Promise.all(Array.from({ length: count }, (_, minute) => sampleImage(AIA, minute, 4096)));
  return Array.from({ length: count }, (_, minute) => {
    const { fileName, file } = atMinute(real, minute);
    return { sourceId: AIA, path: `AIA/${fileName}`, jp2: file };
  });
}

interface Timed {
  readonly total: number;
  readonly bytes: number;
  readonly stages: ReadonlyMap<string, number>;
}

async function takeScreenshot(url: string, sourceIds: readonly number[], minute: number): Promise<Timed> {
  const query = new URLSearchParams({
    date: new Date(minuteMs(minute)).toISOString(),
    layers: sourceIds.map((id) => `[${id},1,100]`).join(','),
    ...Object.fromEntries(Object.entries(SCREENSHOT).map(([name, value]) => [name, String(value)])),
    display: 'true',
    scale: 'true',
    watermark: 'true',
  });
  const from = performance.now();
  const answer = await fetch(`${url}/v2/takeScreenshot/?${query}`);
  const body = await answer.arrayBuffer();
  const total = performance.now() - from;
  if (!answer.ok) throw new Error(`Expected a picture, got ${answer.status} ${new TextDecoder().decode(body).slice(0, 200)}.`);
  const stages = [...(answer.headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)];
  return { total, bytes: body.byteLength, stages: new Map(stages.map(([, stage = '', ms]) => [stage, Number(ms)])) };
}

/** Medians; `against` the same picture without anything kept. */
function summary(name: string, times: readonly Timed[], against?: readonly Timed[]): BenchResult[] {
  const totalOf = (of: readonly Timed[]) => median(of.map(({ total }) => total));
  const stageOf = (stage: string) => median(times.map(({ stages }) => stages.get(stage) ?? 0));
  const total = totalOf(times);
  const compared = against ? { against: totalOf(against), ratio: totalOf(against) / total } : {};
  return [
    { case: name, metric: 'request', unit: 'ms', value: total, ...compared },
    ...STAGES.map((stage) => ({ case: name, metric: stage, unit: 'ms', value: stageOf(stage) })),
    ...STAGES.map((stage) => ({ case: name, metric: `share of ${stage}`, unit: '%', value: (100 * stageOf(stage)) / total })),
    { case: name, metric: 'file', unit: 'kB', value: median(times.map(({ bytes }) => bytes / 1000)) },
  ];
}

async function ingest(url: string, { path, jp2 }: BenchImage): Promise<void> {
  const answer = await fetch(`${url}/admin/images/${path.split('/').at(-1)}`, {
    method: 'PUT',
    body: jp2 as Uint8Array<ArrayBuffer>,
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  if (!answer.ok) throw new Error(`Expected the image to be taken in, got ${answer.status} ${await answer.text()}.`);
}

async function inWorkerd(url: string, log: (line: string) => void): Promise<BenchResult[]> {
  const disks = await diskImages(2 * ROUNDS + 1, log);
  for (const image of disks) await ingest(url, image);
  for (let minute = 0; minute < disks.length; minute += 2) {
    for (const sourceId of [C2, C3]) await ingest(url, await sampleImage(sourceId, minute, 1024));
  }
  const layers = { one: [AIA], three: [AIA, C2, C3] };
  const times = { one: [] as Timed[], oneKept: [] as Timed[], three: [] as Timed[], threeKept: [] as Timed[] };
  // The compiled code is warm in a Worker that serves: one picture that does not count.
  await takeScreenshot(url, layers.three, 0);
  for (let round = 0; round < ROUNDS; round++) {
    const [odd, even] = [2 * round + 1, 2 * round + 2];
    times.one.push(await takeScreenshot(url, layers.one, odd));
    times.oneKept.push(await takeScreenshot(url, layers.one, odd));
    times.three.push(await takeScreenshot(url, layers.three, even));
    times.threeKept.push(await takeScreenshot(url, layers.three, even));
  }
  const name = '1920 x 1200, AIA 171';
  return [
    ...summary(`${name}, cold`, times.one),
    ...summary(`${name}, sidecar and plane kept`, times.oneKept, times.one),
    ...summary(`${name} + C2 + C3, cold`, times.three),
    ...summary(`${name} + C2 + C3, sidecars and planes kept`, times.threeKept, times.three),
  ];
}

/**
 * The largest picture in Node, which counts its buffers: at every change of stage what is in use after a collection, or what is
 * there before the collector comes by itself.
 */
async function memoryOfTheLargest(log: (line: string) => void): Promise<BenchResult[]> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  /** Freed buffers are swept a little later, on another thread. */
  const settledBuffers = async () => {
    for (let i = 0; i < 4; i++) {
      collect();
      await sleep(50);
    }
    return process.memoryUsage().arrayBuffers;
  };
  const files = [...(await diskImages(1, log)), await sampleImage(C2, 0, 1024), await sampleImage(C3, 0, 1024)];
  const archive = await archiveOfFiles(files);
  const results: BenchResult[] = [];
  for (const [name, sourceIds] of [
    ['4096 x 4096, AIA 171', [AIA]],
    ['4096 x 4096, AIA 171 + C2 + C3', [AIA, C2, C3]],
  ] as const) {
    for (const collects of [true, false]) {
      resetPeakMemory();
      const before = await settledBuffers();
      let buffers = 0;
      const now = () => {
        if (collects) collect();
        buffers = Math.max(buffers, process.memoryUsage().arrayBuffers - before);
        return performance.now();
      };
      const frames = new FrameRenderer(new LayerRenderer(new ImageReader({ objects: archive.objects, now }), now), now);
      const { recipe } = recipeFromScreenshotParameters({
        date: START_MS,
        layers: sourceIds.map((id) => `[${id},1,100]`).join(','),
        imageScale: 0.60511022,
        x0: 0,
        y0: 0,
        width: 4096,
        height: 4096,
      });
      const from = performance.now();
      await new StripPictureRenderer(frames, now).png(await planFrame(archive.index, recipe), {});
      const total = (buffers + peakMemoryBytes) / 2 ** 20;
      const side = collects ? 'in use' : 'with garbage';
      results.push(
        { case: name, metric: 'core, peak', unit: 'MiB', value: peakMemoryBytes / 2 ** 20 },
        { case: name, metric: `buffers, ${side}`, unit: 'MiB', value: buffers / 2 ** 20 },
        { case: name, metric: `both, ${side}`, unit: 'MiB', value: total },
      );
      if (!collects) results.push({ case: name, metric: 'in Node', unit: 'ms', value: performance.now() - from });
    }
  }
  return results;
}

export const bench: Bench = {
  async run(log) {
    const memory = await memoryOfTheLargest(log);
    const stateDir = mkdtempSync(join(tmpdir(), 'helioedge-bench-'));
    await applyMigrations(stateDir, log);
    const service = await startLocalService({ port: await freePort(), stateDir, secrets: { ADMIN_TOKEN: TOKEN } });
    try {
      return [...(await inWorkerd(service.url, log)), ...memory];
    } finally {
      await service.stop();
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
};
