import { describe, expect, it } from 'vitest';
import { isRecentBlock, RECENT_SOURCES, recentBlocks } from '../../../src/domain/recent-sample.ts';
import { RecentSampleIndex } from '../../../src/upstreams/recent-sample.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { archivedImage } from '../../support/test-archive.ts';

const NOW = Date.UTC(2026, 10, 22, 5, 47, 12, 345);
const FIFTEEN_DAYS_AGO = NOW - 15 * DAY_MS;
const BLOCK_MS = 5 * MINUTE_MS;
const clock = (...hourAndMinute: [number, number]) => Date.UTC(2026, 10, 7, ...hourAndMinute);

/** Ends at the time, as the examples of hvpy. */
const fiveMinutesTo = (toMs: number) => ({ fromMs: toMs - BLOCK_MS, toMs });

describe('the blocks of recent images', () => {
  it('are those that a span of five minutes touches', () => {
    expect(recentBlocks([fiveMinutesTo(FIFTEEN_DAYS_AGO)], NOW)).toEqual([clock(5, 40), clock(5, 45)]);
  });

  it('exist 15 and 16 days ago in every time zone', () => {
    for (const days of [15, 16])
      for (let hours = -14; hours <= 14; hours += 1) {
        const local = NOW - days * DAY_MS + hours * HOUR_MS;
        expect(recentBlocks([fiveMinutesTo(local)], NOW)).toHaveLength(2);
      }
  });

  it('end two weeks ago and begin 17 days ago', () => {
    const at = (days: number) => recentBlocks([{ fromMs: NOW - days * DAY_MS, toMs: NOW - days * DAY_MS }], NOW);
    expect([13.9, 14.1, 16.9, 17.1].map((days) => at(days).length)).toEqual([0, 1, 1, 0]);
    expect(isRecentBlock(clock(5, 45), NOW)).toBe(true);
    expect(isRecentBlock(clock(5, 45) + 1, NOW)).toBe(false);
    expect(isRecentBlock(Number.NaN, NOW)).toBe(false);
  });

  it('cover an hour, and nothing of a longer search', () => {
    const spanOf = (durationMs: number) => [{ fromMs: FIFTEEN_DAYS_AGO - durationMs, toMs: FIFTEEN_DAYS_AGO }];
    expect(recentBlocks(spanOf(HOUR_MS), NOW)).toHaveLength(13);
    expect(recentBlocks(spanOf(2 * HOUR_MS), NOW)).toEqual([]);
    expect(recentBlocks([{ fromMs: 0, toMs: NOW }], NOW)).toEqual([]);
  });
});

/** An index whose images are made on request, or cannot be made. */
function indexWith(fails = false) {
  const stored = new MemoryImageIndex([archivedImage(10, 10, '2024-05-10T12:00:00Z')]);
  const orders: { sourceId: number; blocksMs: readonly number[] }[] = [];
  const logged: unknown[] = [];
  const make = async (sourceId: number, blocksMs: readonly number[]) => {
    orders.push({ sourceId, blocksMs });
    if (fails) throw new Error('no server');
    for (const blockMs of blocksMs)
      for (let i = 0; i < 5; i += 1) {
        const takenAt = new Date(blockMs + i * MINUTE_MS).toISOString();
        stored.images.push(archivedImage(1000 + stored.images.length, sourceId, takenAt));
      }
    stored.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
  };
  const index = new RecentSampleIndex({ index: stored, make, clock: () => NOW, log: (record) => logged.push(record) });
  return { index, orders, logged };
}

describe('a search for recent images', () => {
  it('makes the images of five minutes before it counts them', async () => {
    const { index, orders } = indexWith();
    expect(await index.countInRange(10, FIFTEEN_DAYS_AGO - BLOCK_MS, FIFTEEN_DAYS_AGO, 300)).toBe(5);
    expect(orders).toEqual([{ sourceId: 10, blocksMs: [clock(5, 40), clock(5, 45)] }]);
  });

  it.each(RECENT_SOURCES)('finds an image of source %i within half a minute', async (sourceId) => {
    const { before, after } = await indexWith().index.neighbours(sourceId, FIFTEEN_DAYS_AGO);
    expect(after!.takenAtMs - before!.takenAtMs).toBe(MINUTE_MS);
  });

  it('makes each block once', async () => {
    const { index, orders } = indexWith();
    await index.inRange(14, clock(5, 40), clock(5, 44), 300);
    await index.neighboursOfTimes(14, [clock(5, 41), clock(5, 42)]);
    await index.ends(14, clock(5, 40), clock(5, 46));
    expect(orders.map(({ blocksMs }) => blocksMs)).toEqual([[clock(5, 40)], [clock(5, 45)]]);
  });

  it('makes the neighbours of an image at the edge of a block', async () => {
    const { index } = indexWith();
    expect(await index.adjacentTimes(9, clock(5, 45))).toEqual({ beforeMs: clock(5, 44), afterMs: clock(5, 46) });
  });

  it('makes nothing for other sources and other days', async () => {
    const { index, orders } = indexWith();
    await index.neighbours(18, FIFTEEN_DAYS_AGO);
    await index.neighbours(10, NOW);
    await index.inRange(10, 0, NOW, 300);
    expect([orders, await index.byId(10)]).toEqual([[], expect.objectContaining({ id: 10 })]);
  });

  it('returns what there is when the images cannot be made, and tries again', async () => {
    const { index, orders, logged } = indexWith(true);
    const search = () => index.neighbours(10, FIFTEEN_DAYS_AGO);
    expect((await search()).before?.id).toBe(10);
    await search();
    expect([orders.length, logged]).toEqual([2, Array(2).fill({ recentSample: 10, error: 'Error: no server' })]);
  });
});
