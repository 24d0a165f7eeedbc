// Tiles over HTTP from a service in workerd on this machine: the time that each cache saves.
import { atMinute, type LargeImage, largeImages } from './images.ts';
import type { Bench, BenchResult } from './run.ts';
import { ingest, stageResults, type TimedRequest, timedRequest, withService } from './service.ts';

/** Images for each state, because each image is cold only once. */
const IMAGES = 10;
/** Full resolution of a 4096 x 4096 image, the finest scale that clients request. */
const FINE_SCALE = 0.60511022;
/** Coarse enough to be drawn without the base image. */
const COARSE_SCALE = FINE_SCALE * 32;

const STAGES = ['index', 'read', 'decode', 'colour', 'encode'];

const getTile = (url: string, id: number, x: number, y: number, imageScale: number): Promise<TimedRequest> =>
  timedRequest(`${url}/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${imageScale}`);

async function ingestCopies(url: string, image: LargeImage, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const { fileName, file } = atMinute(image, i);
    ids.push(await ingest(url, fileName, file));
  }
  return ids;
}

async function measure(url: string, image: LargeImage): Promise<BenchResult[]> {
  const ids = await ingestCopies(url, image, 2 * IMAGES + 1);
  const times = {
    cold: [] as TimedRequest[],
    baseImage: [] as TimedRequest[],
    warm: [] as TimedRequest[],
    sidecar: [] as TimedRequest[],
  };
  const [first, ...rest] = ids as [number, ...number[]];
  // The first image only warms up the compiled code.
  for (const y of [-1, 0]) await getTile(url, first, 0, y, FINE_SCALE);
  for (let i = 0; i < IMAGES; i++) {
    const [a, b] = [rest[2 * i] as number, rest[2 * i + 1] as number];
    times.cold.push(await getTile(url, a, 0, 0, FINE_SCALE));
    times.baseImage.push(await getTile(url, a, 0, -1, FINE_SCALE));
    times.warm.push(await getTile(url, a, 0, 0, FINE_SCALE));
    await getTile(url, b, 0, 0, COARSE_SCALE);
    times.sidecar.push(await getTile(url, b, 0, 0, FINE_SCALE));
  }
  return [
    ...stageResults(`${image.name} tile, cold`, times.cold, STAGES),
    ...stageResults(`${image.name} tile, sidecar cached`, times.sidecar, STAGES),
    ...stageResults(`${image.name} tile, base image cached`, times.baseImage, STAGES),
    ...stageResults(`${image.name} tile, in the edge cache`, times.warm, STAGES),
  ];
}

export const bench: Bench = {
  run: (log) =>
    withService(log, async (url) => {
      const results: BenchResult[] = [];
      for (const image of await largeImages(log)) results.push(...(await measure(url, image)));
      return results;
    }),
};
