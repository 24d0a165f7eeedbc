// Lists of images in pages of one statement each, so that a list of any length takes little memory.
import { LISTS } from '../platform/limits/images.ts';
import { DAY_MS } from '../platform/util/durations.ts';
import { dayStart, throughSecond } from '../sun/time.ts';
import type { ImageIndex } from './image-index/d1-image-index.ts';
import type { HeldDay, ListedImage, ListedTimes } from './ports.ts';

type Index = Pick<ImageIndex, 'listed'>;

/** A list of several sources in pages. */
type Pages<Item> = AsyncGenerator<readonly Item[], ListPosition | null>;

/** An image of a source by its time, which no other image of the source has. */
export type ListPosition = { readonly sourceId: number; readonly takenAtMs: number };

/** Times in requests have six decimals of a second, so that an image counts as passed when it is less than half a step later. */
const HALF_MICROSECOND_MS = 0.0005;

/** Times after an image, by its time as it was shown. */
export const passed = (takenAtMs: number): number => takenAtMs + HALF_MICROSECOND_MS;

/** The times of a list. `startMs`, `endMs`: included; `afterMs`: time of the last image of an earlier list. */
export function listedTimes({ startMs, endMs, afterMs }: Partial<Record<'startMs' | 'endMs' | 'afterMs', number | undefined>>) {
  const beforeStart = startMs === undefined ? Number.MIN_SAFE_INTEGER : startMs - HALF_MICROSECOND_MS;
  return {
    afterMs: afterMs === undefined ? beforeStart : Math.max(beforeStart, passed(afterMs)),
    toMs: endMs === undefined ? Number.MAX_SAFE_INTEGER : throughSecond(endMs),
  };
}

/** The first `limit` images of a source, oldest first. @returns the last image when there are more, null at the end of the times */
export async function* listedPages(
  index: Index,
  sourceId: number,
  { afterMs, toMs }: ListedTimes,
  limit: number,
): AsyncGenerator<readonly ListedImage[], ListedImage | null> {
  let last: ListedImage | null = null;
  for (let left = limit; left > 0; ) {
    const size = Math.min(LISTS.pageImages, left);
    const found = await index.listed(sourceId, { afterMs: last ? last.takenAtMs : afterMs, toMs }, size + 1);
    const page = found.slice(0, size);
    yield page;
    if (found.length <= size) return null;
    left -= size;
    last = page.at(-1)!;
  }
  return last;
}

export interface Holdings {
  /** In the order of the list. */
  readonly sourceIds: readonly number[];
  readonly times: ListedTimes;
  /** The last image of an earlier list; null for the beginning. */
  readonly after: ListPosition | null;
}

/** The first `limit` images of several sources, source by source. @returns the last image when there are more */
export async function* holdingsPages(index: Index, { sourceIds, times, after }: Holdings, limit: number): Pages<ListedImage> {
  let left = limit;
  let last: ListPosition | null = after;
  for (const sourceId of sourceIds) {
    if (after && sourceId < after.sourceId) continue;
    if (left === 0) return last;
    const afterMs = after?.sourceId === sourceId ? Math.max(times.afterMs, passed(after.takenAtMs)) : times.afterMs;
    const pages = listedPages(index, sourceId, { ...times, afterMs }, left);
    let page = await pages.next();
    for (; !page.done; page = await pages.next()) {
      yield page.value;
      left -= page.value.length;
      last = page.value.at(-1) ?? last;
    }
    if (page.value) return page.value;
  }
  return null;
}

/** The days of several sources that have images, source by source, as `holdingsPages`. A day counts when the times contain a part of it. */
export async function* heldDayPages(
  index: Pick<ImageIndex, 'heldDays'>,
  { sourceIds, times, after }: Holdings,
  limit: number,
): Pages<HeldDay> {
  let left = limit;
  let last: ListPosition | null = after;
  for (const sourceId of sourceIds) {
    if (after && sourceId < after.sourceId) continue;
    const isGoingOn = after?.sourceId === sourceId;
    for (let fromMs = isGoingOn ? dayStart(after.takenAtMs) + DAY_MS : dayStart(times.afterMs); ; ) {
      if (left === 0) return last;
      const size = Math.min(LISTS.pageDays, left);
      const page = await index.heldDays(sourceId, { fromMs, toMs: dayStart(times.toMs) }, size);
      yield page;
      left -= page.length;
      const end = page.at(-1);
      if (end) last = { sourceId, takenAtMs: end.startMs };
      if (!end || page.length < size) break;
      fromMs = end.startMs + DAY_MS;
    }
  }
  return null;
}
