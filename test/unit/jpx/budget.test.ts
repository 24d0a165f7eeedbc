// The budget of a client for records of JPX files.
import { describe, expect, it } from 'vitest';
import { JPX_RECORDS } from '../../../src/config/limits/jpx.ts';
import { JpxBudget } from '../../../src/services/jpx/jpx-budget.ts';
import { D1JpxCharges } from '../../../src/storage/jpx/d1-jpx-charges.ts';
import { HOUR_MS } from '../../../src/util/durations.ts';
import { jpxArchive } from '../../support/jpx/jpx-archive.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';

/** Just after midnight, because the hashes of clients change then. */
const NOW = Date.UTC(2024, 4, 10, 0, 10);

function budgetOf(main = migrated()) {
  const time = { nowMs: NOW };
  const charges = new D1JpxCharges(databasesIn(main));
  return { main, time, budget: new JpxBudget({ charges, clock: () => time.nowMs, clientSecret: 'a-secret-of-tests' }) };
}

describe('the budget of JPX files', () => {
  it('is one of bytes for each client, over an hour that may span two days', async () => {
    const { budget, time, main } = budgetOf();
    const half = JPX_RECORDS.clientBytes / 2;
    time.nowMs = NOW - HOUR_MS / 2;
    await budget.charge('192.0.2.1', half);
    time.nowMs = NOW;
    await budget.charge('192.0.2.1', half);
    await expect(budget.charge('192.0.2.1', 1)).rejects.toThrow(/^An address can make new JPX files of about 210000 frames/);
    await budget.charge('192.0.2.2', half);
    time.nowMs = NOW + HOUR_MS + 1;
    await budget.charge('192.0.2.1', half);
    // Older charges are deleted by the way.
    expect((await main.prepare('SELECT count(*) AS rows FROM jpx_charges').first<{ rows: number }>())!.rows).toBe(1);
  });

  it('holds for files charged at the same time', async () => {
    const { budget } = budgetOf();
    const third = Math.floor(JPX_RECORDS.clientBytes / 3);
    const charged = await Promise.allSettled(Array.from({ length: 8 }, () => budget.charge('192.0.2.1', third)));
    expect(charged.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('ends new files of a client, and not those that exist', async () => {
    const { budget } = budgetOf();
    const { get, objects } = await jpxArchive(3, { jpxBudget: budget });
    const file = (minute: number) =>
      get(`/v2/getJPX/?startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:0${minute}:30Z&sourceId=10&verbose=true`, {
        headers: { 'CF-Connecting-IP': '192.0.2.1' },
      });
    expect(await (await file(1)).json()).toMatchObject({ uri: expect.stringContaining('.jpx') });
    await budget.charge('192.0.2.1', JPX_RECORDS.clientBytes - 10_000);
    await budget.charge('192.0.2.1', 5_000).catch(() => undefined);
    await budget.charge('192.0.2.1', 4_000).catch(() => undefined);
    expect(await (await file(2)).json()).toEqual({ error: expect.stringMatching(/^An address can make new JPX/), uri: null });
    expect(await (await file(1)).json()).toMatchObject({ uri: expect.stringContaining('.jpx') });
    expect([...objects.objects.keys()].filter((key) => key.startsWith('jpx/'))).toHaveLength(1);
  });
});
