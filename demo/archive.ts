// The sample archive: which images there are, and the making of them on several threads.
import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HOUR_MS } from '../src/util/durations.ts';
import type { Order, Report } from './archive-worker.ts';
import { archivePath } from './image-file.ts';
import type { Shot } from './instruments/instrument.ts';
import { hash } from './sun/random.ts';

/** Instruments of one observatory do not expose all at once: they start within this time of the planned one. */
const LARGEST_DELAY_MS = 12_000;

export interface ArchivePlan {
  readonly shots: readonly Shot[];
}

export interface Series {
  readonly sources: readonly number[];
  readonly fromMs: number;
  /** Inclusive. */
  readonly toMs: number;
  readonly cadenceMs: number;
  /** Side of the images, pixels; some instruments have smaller ones. */
  readonly size: number;
}

export interface ArchiveResult {
  readonly written: number;
  /** Files that were there already. */
  readonly skipped: number;
  readonly bytes: number;
}

/** The day of the default archive: near the maximum of cycle 25, and always the same. */
export const DEFAULT_DAY_MS = Date.UTC(2024, 4, 10);

/** Shots of some sources at a steady cadence; each source has its own small delay. */
export function planSeries({ sources, fromMs, toMs, cadenceMs, size }: Series): Shot[] {
  const shots: Shot[] = [];
  for (let plannedMs = fromMs; plannedMs <= toMs; plannedMs += cadenceMs)
    for (const sourceId of sources)
      shots.push({
        sourceId,
        timeMs: plannedMs + (hash(900, sourceId) % Math.max(1, Math.min(LARGEST_DELAY_MS, cadenceMs / 2))),
        size,
      });
  return shots;
}

/**
 * What `npm start` puts into an empty archive: a day of AIA 171, 193, 304, HMI and LASCO every half hour, everything else
 * that observed that day more rarely, one AIA image of 4096 x 4096, and missions that had ended on days of their own time.
 */
export function defaultArchive(dayMs: number = DEFAULT_DAY_MS): ArchivePlan {
  const day = (sources: number[], cadenceHours: number, size = 1024, startMs = dayMs): Shot[] =>
    planSeries({ sources, fromMs: startMs, toMs: startMs + 24 * HOUR_MS - 1, cadenceMs: cadenceHours * HOUR_MS, size });
  const once = (sources: number[], startMs: number, size = 1024): Shot[] =>
    planSeries({ sources, fromMs: startMs, toMs: startMs, cadenceMs: HOUR_MS, size });
  const yearsBack = (year: number) => Date.UTC(year, new Date(dayMs).getUTCMonth(), new Date(dayMs).getUTCDate());
  return {
    shots: [
      ...once([10], dayMs + 12.25 * HOUR_MS, 4096),
      ...day([10, 11, 13, 19, 4, 5], 0.5),
      ...day([18, 21, 29, 91], 3),
      ...day([8, 9, 12, 14, 15, 16, 0, 1, 32, 84, 88, 90, 93, 94], 8),
      ...day([28, 69, 85, 2089], 12, 512),
      ...once([83], dayMs + 18 * HOUR_MS),
      ...once([83], dayMs + 20 * HOUR_MS),
      ...once([17, 20, 22, 23, 74, 86, 87, 2088, 2], dayMs + 6 * HOUR_MS),
      ...day([21, 25, 30, 31, 32], 12, 1024, yearsBack(2013)),
      ...once([97, 98, 103], yearsBack(2012) + 7 * HOUR_MS, 128),
      ...once([75, 80, 82, 6, 7, 3], yearsBack(2002) + 7 * HOUR_MS),
      ...once([33, 34, 35], yearsBack(2000) + 7 * HOUR_MS, 512),
    ],
  };
}

/**
 * Makes the files of a plan under `outDir`, skipping those that are there. Half-made files never have a final name, so a run
 * that was cut off can be repeated. @throws Error with the reason of the first file that could not be made.
 */
export async function makeArchive(
  plan: ArchivePlan,
  outDir: string,
  options: { readonly onProgress?: (done: number, total: number) => void; readonly concurrency?: number } = {},
): Promise<ArchiveResult> {
  const orders = await missing(plan, outDir);
  const total = plan.shots.length;
  const skipped = total - orders.length;
  let [written, bytes] = [0, 0];
  options.onProgress?.(skipped, total);
  const makers = Math.max(1, Math.min(options.concurrency ?? availableParallelism(), orders.length));
  const queue = [...orders].reverse();
  const work = async () => {
    const worker = new Worker(join(import.meta.dirname, 'archive-worker.ts'));
    try {
      for (let order = queue.pop(); order; order = queue.pop()) {
        const length = await ask(worker, order);
        bytes += length;
        written += 1;
        options.onProgress?.(skipped + written, total);
      }
    } catch (error) {
      queue.length = 0;
      throw error;
    } finally {
      await worker.terminate();
    }
  };
  if (orders.length > 0) await Promise.all(Array.from({ length: makers }, work));
  return { written, skipped, bytes };
}

async function missing(plan: ArchivePlan, outDir: string): Promise<Order[]> {
  const orders = plan.shots.map((shot) => ({ shot, file: join(outDir, archivePath(shot)) }));
  const isThere = await Promise.all(
    orders.map(({ file }) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return orders.filter((_, i) => !isThere[i]);
}

/** One file by a worker; its length. */
function ask(worker: Worker, order: Order): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners('message').removeAllListeners('error');
    worker.once('error', reject);
    worker.once('message', (report: Report) => ('error' in report ? reject(new Error(report.error)) : resolve(report.bytes)));
    worker.postMessage(order);
  });
}
