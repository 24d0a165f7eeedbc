import { describe, expect, it } from 'vitest';
import { sweepScreenshots } from '../../../src/services/rendering/screenshots.ts';
import { D1Screenshots } from '../../../src/storage/images/d1-screenshots.ts';
import { DAY_MS } from '../../../src/util/durations.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';

const NOW = Date.UTC(2024, 4, 10);
const BUDGET = { clients: ['a', 'a of yesterday'], sinceMs: NOW - 1000, pixels: 100, bytes: 100_000 };
const shot = (changes: object = {}) => ({
  createdAtMs: NOW,
  recipe: '{}',
  images: [[26, 42], [20]] as const,
  client: 'a',
  pixels: 10,
  ...changes,
});

const register = () => {
  const database = migrated();
  return { database, screenshots: new D1Screenshots(databasesIn(database), new MemoryIdSequences()) };
};

describe('the register of screenshots', () => {
  it('keeps the pixels of a client within its budget among requests at the same time', async () => {
    const { screenshots } = register();
    const added = await Promise.all(Array.from({ length: 30 }, () => screenshots.add(shot(), BUDGET)));
    expect(added.filter((row) => row !== null)).toHaveLength(10);
    expect(await screenshots.find(3)).toEqual({ id: 3, createdAtMs: NOW, recipe: '{}', images: [[26, 42], [20]] });
    expect(await screenshots.add(shot({ client: 'b' }), { ...BUDGET, clients: ['b'] })).not.toBeNull();
    expect(await screenshots.add(shot({ createdAtMs: NOW + 1001 }), { ...BUDGET, sinceMs: NOW + 1 })).not.toBeNull();
  });

  it('keeps the bytes of rows with long recipes within the budget', async () => {
    const { database, screenshots } = register();
    const recipe = JSON.stringify({ events: 'é'.repeat(8000) });
    const added = await Promise.all(Array.from({ length: 9 }, () => screenshots.add(shot({ recipe, pixels: 1 }), BUDGET)));
    expect(added.filter((row) => row !== null)).toHaveLength(6);
    const stored = await database
      .prepare('SELECT sum(bytes) AS bytes, sum(octet_length(recipe)) AS texts FROM screenshots')
      .first();
    expect(stored).toMatchObject({ texts: 6 * 16_013 });
    expect(Number(stored!.bytes)).toBeLessThanOrEqual(BUDGET.bytes);
  });

  it('deletes screenshots 180 days after they were taken, and never gives their ids out again', async () => {
    const { screenshots } = register();
    for (const createdAtMs of [NOW, NOW + 5, NOW + DAY_MS]) await screenshots.add(shot({ createdAtMs }), BUDGET);
    const sweep = (nowMs: number) => sweepScreenshots({ screenshotRegister: screenshots, clock: () => nowMs });
    expect(await sweep(NOW + 180 * DAY_MS)).toBe(0);
    expect(await sweep(NOW + 180 * DAY_MS + 6)).toBe(2);
    expect([await screenshots.find(2), (await screenshots.find(3))?.id]).toEqual([null, 3]);
    expect(await sweep(NOW + 300 * DAY_MS)).toBe(1);
    expect((await screenshots.add(shot(), BUDGET))!.id).toBe(4);
  });

  it('sums a budget from its index alone', async () => {
    const { database } = register();
    const { results } = await database
      .prepare(
        'EXPLAIN QUERY PLAN SELECT total(pixels), total(bytes) FROM screenshots WHERE client IN (1, 2) AND created_at_ms >= 3',
      )
      .all();
    expect(results).toMatchObject([{ detail: expect.stringContaining('COVERING INDEX screenshots_client') }]);
  });
});
