// The sample archive: its images, and their production on several threads.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/platform/util/durations.ts';
import type { Order, ThreadOptions } from './archive-worker.ts';
import { archivePath } from './image-file.ts';
import type { Shot } from './instruments/instrument.ts';
import { hash } from './sun/noise.ts';
import { mapMemory } from './sun/sphere-maps.ts';

/** Largest delay of an exposure after its nominal time: the instruments of an observatory do not expose simultaneously. */
const LARGEST_DELAY_MS = 12_000;

interface Series {
  readonly sources: readonly number[];
  readonly fromMs: number;
  /** Inclusive. */
  readonly toMs: number;
  readonly cadenceMs: number;
  /** Side of the images, pixels; some instruments have smaller ones. */
  readonly size: number;
}

/** The day of the default archive, near the maximum of cycle 25; fixed, so that the archive is reproducible. */
export const DEFAULT_DAY_MS = Date.UTC(2024, 4, 10);

/** Shots at a steady cadence; each source has its own small delay. */
export function seriesShots({ sources, fromMs, toMs, cadenceMs, size }: Series): Shot[] {
  const shots: Shot[] = [];
  for (let nominalMs = fromMs; nominalMs <= toMs; nominalMs += cadenceMs)
    for (const sourceId of sources)
      shots.push({
        sourceId,
        timeMs: nominalMs + (hash(900, sourceId) % Math.max(1, Math.min(LARGEST_DELAY_MS, cadenceMs / 2))),
        size,
      });
  return shots;
}

/** What `npm start` adds to an empty archive: a day of AIA, HMI and LASCO every half hour, other instruments, and ended missions. */
export function defaultArchive(): Shot[] {
  const dayMs = DEFAULT_DAY_MS;
  const day = (sources: number[], cadenceHours: number, size = 1024, startMs = dayMs): Shot[] =>
    seriesShots({ sources, fromMs: startMs, toMs: startMs + 24 * HOUR_MS - 1, cadenceMs: cadenceHours * HOUR_MS, size });
  const once = (sources: number[], startMs: number, size = 512): Shot[] =>
    seriesShots({ sources, fromMs: startMs, toMs: startMs, cadenceMs: HOUR_MS, size });
  const sameDayOf = (year: number) => Date.UTC(year, 4, 10);
  return [
    ...once([10], dayMs + 12.25 * HOUR_MS, 4096),
    ...day([10, 11, 13, 19, 4, 5], 0.5),
    ...day([18, 21], 3),
    ...day([29, 91], 3, 512),
    ...day([8, 9, 12, 14], 8),
    ...day([15, 16, 0, 1, 32, 84, 88, 90, 93, 94], 8, 512),
    ...day([28, 69, 85, 2089], 12, 512),
    ...once([83], dayMs + 18 * HOUR_MS),
    ...once([83], dayMs + 20 * HOUR_MS),
    ...once([17, 20, 22, 23, 74, 86, 87, 2088, 2], dayMs + 6 * HOUR_MS),
    ...day([21, 25, 30, 31, 32], 12, 512, sameDayOf(2013)),
    ...once([97, 98, 103], sameDayOf(2012) + 7 * HOUR_MS, 128),
    ...once([75, 80, 82, 6, 7, 3], sameDayOf(2002) + 7 * HOUR_MS),
    ...once([33, 34, 35], sameDayOf(2000) + 7 * HOUR_MS),
  ];
}

/** Images of the first stage by source, in hours after midnight: enough for the README's tour and a movie. Other sources have one. */
const FIRST: Readonly<Record<number, readonly number[]>> = {
  10: [12, 11, 11.5, 0, 6, 18],
  13: [12],
  19: [11.5],
  11: [11.5, 0, 2.5, 5, 7.5, 14, 16.5, 19, 21.5, 23.5],
  4: [11.5, 23.5, 0, 5, 14, 19],
  5: [12],
  9: [12],
  18: [12],
};

/** Minutes about the time of a range in which it has images: until the next addition, and a range that ends then. */
const RECENT_MINUTES: readonly [number, number] = [-5, 25];
const RECENT_CADENCE_MS = 2.5 * MINUTE_MS;

/**
 * Images of "two weeks", "15 days" and "16 days ago", which examples and tests of clients ask for by the local time, sent as if it were UTC:
 * two in any five minutes of the next 20 for AIA 171 and 335 two weeks and 15 days ago, of AIA 171 15 days ago four, which a movie needs, and
 * two for AIA 211 and 304 15 days ago; one of the other channels. The nearest to 15 days ago come first.
 * @param isAddition Whether a running service adds them, which has the single ones
 */
export function recentArchive(nowMs: number, isAddition = false): Shot[] {
  const localMs = nowMs - new Date(nowMs).getTimezoneOffset() * MINUTE_MS;
  const series = (sources: readonly number[], daysAgo: number, minutes = RECENT_MINUTES, cadenceMs = RECENT_CADENCE_MS) => {
    const [fromMs, toMs] = minutes.map(
      (minute) => Math.floor((localMs + minute * MINUTE_MS) / cadenceMs) * cadenceMs - daysAgo * DAY_MS,
    );
    return seriesShots({ sources, fromMs: fromMs!, toMs: toMs!, cadenceMs, size: 512 });
  };
  const ranges = [series([10], 14), series([14], 14), series([10], 15, RECENT_MINUTES, RECENT_CADENCE_MS / 2), series([14], 15)];
  if (!isAddition)
    ranges.push(series([12, 13], 15), series([10, 14, 12, 13], 16, [-2.5, -2.5]), series([8, 9, 11, 15, 16, 17], 15, [0, 0]));
  const distance = ({ timeMs }: Shot) => Math.abs(timeMs - (localMs - 15 * DAY_MS));
  return ranges.flat().sort((a, b) => distance(a) - distance(b));
}

/** The default archive in two stages: a service can be used once it has the first, which has an image of every source, the larger ones first. */
export function sampleStages() {
  const shots = defaultArchive();
  const nearest = (sourceId: number, hours: number) => {
    const distanceMs = ({ timeMs }: Shot) => Math.abs(timeMs - DEFAULT_DAY_MS - hours * HOUR_MS);
    return shots
      .filter((shot) => shot.sourceId === sourceId)
      .reduce((best, shot) => (distanceMs(shot) < distanceMs(best) ? shot : best));
  };
  const sources = [...new Set(shots.map(({ sourceId }) => sourceId))];
  const first = new Set(sources.flatMap((id) => (FIRST[id] ?? [12]).map((hours) => nearest(id, hours))));
  const rest = shots.filter((shot) => !first.has(shot));
  return { first: [...first].sort((a, b) => b.size - a.size), rest };
}

export interface MakeOptions {
  /** Receives the path of each complete file; existing files come first. */
  readonly onFile?: (file: string) => void;
  /** Threads; one for each processor unless given. */
  readonly concurrency?: number;
  /** Niceness of the threads, 0 to 19: above 0 for work behind a running service. */
  readonly niceness?: number;
  /** Ends the threads. Files under way are left out. */
  readonly signal?: AbortSignal;
}

/** Writes the missing files of shots to `outDir`. An interrupted run can be repeated. @throws Error of the first file that cannot be made */
export async function makeArchive(shots: readonly Shot[], outDir: string, options: MakeOptions = {}) {
  const { onFile, signal, concurrency = availableParallelism(), niceness = 0 } = options;
  const orders = shots.map((shot) => ({ shot, file: join(outDir, archivePath(shot)) }));
  const missing = new Set(orders.filter(({ file }) => !existsSync(file)));
  for (const order of orders) if (!missing.has(order)) onFile?.(order.file);
  let [written, bytes] = [0, 0];
  const workerData: ThreadOptions = { maps: mapMemory(), niceness };
  // All threads take from it.
  const queue = missing.values();
  const work = async () => {
    signal?.throwIfAborted();
    const worker = new Worker(join(import.meta.dirname, 'archive-worker.ts'), { workerData });
    const end = () => void worker.terminate();
    signal?.addEventListener('abort', end);
    try {
      for (const order of queue) {
        bytes += await carryOut(worker, order);
        written += 1;
        onFile?.(order.file);
      }
    } catch (error) {
      missing.clear();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', end);
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, concurrency), missing.size) }, work));
  return { written, skipped: shots.length - written, bytes };
}

/** Produces one file on a thread. @returns its length in bytes */
const carryOut = (worker: Worker, order: Order): Promise<number> =>
  new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`The thread that makes ${order.file} has ended.`)));
    worker.once('message', resolve);
    worker.postMessage(order);
  });
