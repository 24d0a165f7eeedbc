// Tiles over HTTP from a service in workerd on this machine, with the coefficient sidecar of the image, with part A of it alone and without
// one; and the processor time of tiles that the edge cache does not have.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { partKey } from '../../src/archive/reading/coefficients.ts';
import { atMinute, type LargeImage, largeImages } from './images.ts';
import { processorSeconds, workerdProcesses } from './memory.ts';
import type { Bench, Run } from './run.ts';
import {
  addStages,
  ingestCopies,
  makeSidecars,
  sourceOf,
  type TimedRequest,
  timedRequest,
  whileRunning,
  withState,
} from './service.ts';
import { changeBucket } from './state-bucket.ts';

/** Images for each state, because each image is cold only once. */
const IMAGES = 10;
/** Full resolution of a 4096 x 4096 image, the finest scale that clients request. */
const FINE_SCALE = 0.60511022;

const STAGES = ['index', 'read', 'decode', 'colour', 'encode'];

/** First minute of the images without a sidecar. */
const NONE_FROM = 40;

const sha256 = (file: Uint8Array): string => createHash('sha256').update(file).digest('hex');

/** Parts B and C are made behind the response and take the processor meanwhile. */
const MAKING_MS = 2_000;

const getTile = (url: string, id: number, x: number, y: number): Promise<TimedRequest> =>
  timedRequest(`${url}/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${FINE_SCALE}`);

/** Ids of images by the parts that they have: A, all, and none. The first one with part A is there to warm up the compiled code. */
type Copies = Readonly<Record<'partA' | 'complete' | 'none', readonly number[]>>;

async function measure(url: string, { name }: LargeImage, { partA: [first, ...partA], complete, none }: Copies, run: Run) {
  const times: Record<'complete' | 'next' | 'warm' | 'partA' | 'none', TimedRequest[]> = {
    complete: [],
    next: [],
    warm: [],
    partA: [],
    none: [],
  };
  for (const y of [-1, 0]) await getTile(url, first!, 0, y);
  await sleep(MAKING_MS);
  for (const id of complete) {
    times.complete.push(await getTile(url, id, 0, 0));
    times.next.push(await getTile(url, id, 0, -1));
    times.warm.push(await getTile(url, id, 0, 0));
  }
  for (const [kind, ids] of [
    ['partA', partA],
    ['none', none],
  ] as const) {
    for (const id of ids) {
      times[kind].push(await getTile(url, id, 0, 0));
      await sleep(MAKING_MS);
    }
  }
  for (const [state, all] of [
    ['cold, parts A, B and C', times.complete],
    ['cold, part A only', times.partA],
    ['cold, no sidecar', times.none],
    ['another of the image', times.next],
    ['in the edge cache', times.warm],
  ] as const)
    addStages(run, `${name} tile, ${state}`, all, STAGES);
}

/** Copies of an image whose tiles are counted, the first one to warm up. */
const COST = { copies: 8, settlingMs: 500 };
/** Filters whose tiles are compared with those without. */
const FILTERS = ['rhef', 'mgn'];
/** Columns and rows around the centre. */
const CENTRE = [-2, -1, 0, 1];

/** Milliseconds of the runtime's processes for each of these requests, of the process that takes the most. */
async function processorMs(paths: readonly string[], url: string, init?: RequestInit): Promise<number> {
  const pids = workerdProcesses().map(Number);
  const seconds = () => pids.map((pid) => processorSeconds(pid).own);
  const before = seconds();
  for (const path of paths) await timedRequest(url + path, init);
  // Includes what follows the responses.
  await sleep(COST.settlingMs);
  const after = seconds();
  return (1000 * Math.max(...after.map((value, i) => value - before[i]!))) / paths.length;
}

/**
 * Processor time of tiles behind an edge cache that has none of them, with all parts of the sidecars. The runtime's process runs the
 * simulated R2 and D1 as well, which a deployment does not.
 */
function cost({ log, add }: Run, image: LargeImage): Promise<void> {
  return withState(log, async (start) => {
    const ids = await whileRunning(start, async (url) => {
      const copies = await ingestCopies(url, image, COST.copies);
      const sourceId = await sourceOf(url, atMinute(image, 0).fileName);
      await makeSidecars(url, sourceId, '2022-01-01T00:00:00Z', '2022-01-01T01:00:00Z');
      return copies;
    });
    const tilesOf = (of: readonly number[]) =>
      of.flatMap((id) =>
        CENTRE.flatMap((x) => CENTRE.map((y) => `/v2/getTile/?id=${id}&x=${x}&y=${y}&imageScale=${FINE_SCALE}`)),
      );
    await whileRunning(start, async (url) => {
      const addTime = async (metric: string, paths: readonly string[], init?: RequestInit) =>
        add(`${image.name} tile, processor time`, metric, 'ms', await processorMs(paths, url, init));
      await processorMs(tilesOf(ids.slice(0, 1)), url);
      const tiles = tilesOf(ids.slice(1));
      await addTime('first of its image included', tiles);
      // The edge cache has no responses to POST.
      await addTime('image in the isolate', tiles, { method: 'POST' });
      await addTime('of robots.txt', Array<string>(tiles.length).fill('/robots.txt'));
      for (const filter of image.name.includes('AIA') ? FILTERS : []) {
        const filtered = tiles.map((path) => `${path}&filter=${filter}`);
        await addTime(`image in the isolate, ${filter}`, filtered, { method: 'POST' });
      }
    });
  });
}

export const bench: Bench = (run) =>
  withState(run.log, async (start, stateDir) => {
    const images = await largeImages(run.log);
    for (const image of process.env.BENCH_TILE === 'stages' ? [] : images) await cost(run, image);
    for (const image of process.env.BENCH_TILE === 'cost' ? [] : images) {
      const copies = await whileRunning(start, async (url): Promise<Copies> => {
        const ids = {
          partA: await ingestCopies(url, image, IMAGES + 1),
          complete: await ingestCopies(url, image, IMAGES, 20),
          none: await ingestCopies(url, image, IMAGES, NONE_FROM),
        };
        const sourceId = await sourceOf(url, atMinute(image, 20).fileName);
        await makeSidecars(url, sourceId, '2022-01-01T00:20:00Z', '2022-01-01T00:39:00Z');
        return ids;
      });
      const hashes = Array.from({ length: IMAGES }, (_, i) => sha256(atMinute(image, NONE_FROM + i).file));
      await changeBucket(stateDir, { remove: hashes.map((hash) => partKey({ sha256: hash }, 'A')) });
      // Another process, in which no image is cached.
      await whileRunning(start, (url) => measure(url, image, copies, run));
    }
  });
