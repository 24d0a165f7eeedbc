// The recent images of the sample archive: examples of the API ask for "15 days ago", so that the images move with the clock.
import { DAY_MS, MINUTE_MS } from '../util/durations.ts';

/** AIA at 94, 131, 171, 193, 211, 304, 335, 1600, 1700 and 4500 angstroms. */
export const RECENT_SOURCES: readonly number[] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];

export const RECENT_CADENCE_MS = MINUTE_MS;

/** Images are made by blocks, which begin at multiples of this after midnight. */
export const RECENT_BLOCK_MS = 5 * MINUTE_MS;

/**
 * Age of the images. Examples ask for 15 and 16 days before their local time, which they call UTC although it differs by up to 14
 * hours.
 */
const LEAST_AGE_MS = 14 * DAY_MS;
const LARGEST_AGE_MS = 17 * DAY_MS;

/** Blocks of one search: an hour and the rest of a block. A search for more finds what there is. */
const MOST_BLOCKS = 13;

/** Both ends included, milliseconds since 1970. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Whether a block with this start belongs to the recent images at `nowMs`. */
export function isRecentBlock(startMs: number, nowMs: number): boolean {
  return startMs % RECENT_BLOCK_MS === 0 && startMs >= nowMs - LARGEST_AGE_MS && startMs <= nowMs - LEAST_AGE_MS;
}

/**
 * Starts of the blocks of recent images that spans touch, each once, in the order of the spans. None when there are too many, because
 * a search of days would take minutes.
 */
export function recentBlocks(spans: readonly TimeSpan[], nowMs: number): number[] {
  const blocks = new Set<number>();
  for (const { fromMs, toMs } of spans) {
    const lastMs = Math.min(toMs, nowMs - LEAST_AGE_MS);
    const firstMs = Math.floor(Math.max(fromMs, nowMs - LARGEST_AGE_MS) / RECENT_BLOCK_MS) * RECENT_BLOCK_MS;
    for (let startMs = firstMs; startMs <= lastMs; startMs += RECENT_BLOCK_MS) {
      if (isRecentBlock(startMs, nowMs)) blocks.add(startMs);
      if (blocks.size > MOST_BLOCKS) return [];
    }
  }
  return [...blocks];
}
