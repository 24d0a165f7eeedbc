// What one address costs at its limits by JPIP, with the rows that channels read and write: at a twentieth of the limits, within one minute.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { ChannelIds } from '../../../src/faces/jpip/response.ts';
import { CLIENT_HEADER, isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { JPIP } from '../../../src/platform/limits/jpx.ts';
import { PRICES } from '../../../src/platform/limits/prices.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { type Platform, platformOf } from '../../../src/worker/platform.ts';
import { composeServices } from '../../../src/worker/services.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { countedCalls, noCalls } from '../counted-bindings.ts';
import { ingest, samples } from '../service.ts';
import { sender } from '../services.ts';

const TWENTIETH = 20;
const REQUESTS = 12_000 / TWENTIETH;
const UNITS = 60 / TWENTIETH;
const MOST_DOLLARS_A_DAY = 15;
const CLIENT = { [CLIENT_HEADER]: '192.0.2.1' };

const channelIds = new ChannelIds({ secret: 'a-token-for-tests-only', clock: Date.now });
const channelOf = (id: string) => env.JPIP_CHANNELS.get(env.JPIP_CHANNELS.idFromName(id));
let path: string;

beforeEach(async () => {
  for (const file of samples) await ingest(file);
  path = `/AIA/2024/05/10/171/${samples[0]!.name}`;
});

/** Rows that the statements of all channels read and write, alarms that they set, and their calls. */
interface Billed {
  rowsRead: number;
  rowsWritten: number;
  calls: number;
}

/** Counts what a channel does from now on. */
const watch = (id: string, billed: Billed) =>
  runInDurableObject(channelOf(id), (_, { storage }) => {
    const [exec, setAlarm] = [storage.sql.exec.bind(storage.sql), storage.setAlarm.bind(storage)];
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    Object.defineProperty(storage.sql, 'exec', {
      value: (...statement: Parameters<typeof exec>) => {
        const cursor = exec(...statement);
        cursors.push(cursor);
        return cursor;
      },
    });
    Object.defineProperty(storage, 'setAlarm', {
      value: (...at: Parameters<typeof setAlarm>) => {
        billed.rowsWritten += 1;
        return setAlarm(...at);
      },
    });
    return () => {
      for (const { rowsRead, rowsWritten } of cursors.splice(0)) {
        billed.rowsRead += rowsRead;
        billed.rowsWritten += rowsWritten;
      }
    };
  });

/** The service of one isolate in one minute, whose clients have a twentieth of their limits. */
function service() {
  const cost = noCalls();
  const billed: Billed = { rowsRead: 0, rowsWritten: 0, calls: 0 };
  const limiter = (name: string, quota: number) => isolateRateLimit({ name, quota, seconds: 60 }, () => 0);
  const platform = platformOf(
    { ...env, ARCHIVE: countedCalls(env.ARCHIVE, cost) },
    { purge: async () => undefined },
    new Turns(),
  );
  const { jpipChannels } = platform;
  const counted = <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) => {
    return (...given: Given) => {
      billed.calls += 1;
      return call(...given);
    };
  };
  const limited: Platform = {
    ...platform,
    pictureLimiter: limiter('heavy', UNITS),
    jpipLimiter: limiter('jpip', REQUESTS),
    jpipChannels(id) {
      const channel = jpipChannels(id);
      return {
        plan: counted((...step) => channel.plan(...step)),
        delivered: counted((...delivery) => channel.delivered(...delivery)),
        close: counted((...closed) => channel.close(...closed)),
      };
    },
  };
  const send = sender(createApp(composeServices(limited)));
  const get = async (query: string) => {
    const response = await send(`${path}?${query}`, { headers: CLIENT });
    await response.arrayBuffer();
    return response.status;
  };
  return { get, cost, billed };
}

it.each([
  ['without a channel', () => 'stream=0&fsiz=256,256'],
  ['by windows on a channel', (cid: string, i: number) => `cid=${cid}&stream=0&fsiz=256,256&roff=${i % 200},0&rsiz=8,8`],
  ['by a repeated window on a channel', (cid: string) => `cid=${cid}&stream=0&fsiz=256,256`],
  ['by what its client has dropped', (cid: string) => `cid=${cid}&stream=0&fsiz=256,256&model=-Hm,-H*,-P*`],
])('one address at its limits costs at most 15 dollars a day %s', async (_, query) => {
  const { get, cost, billed } = service();
  const cid = await channelIds.next();
  const settle = await watch(cid, billed);
  let requests = 0;
  while (requests < REQUESTS && (await get(query(cid, requests))) === 200) requests += 1;
  if (await runDurableObjectAlarm(channelOf(cid))) billed.calls += 1;
  settle();
  const dollars =
    requests * PRICES.request +
    cost.reads * PRICES.read +
    billed.calls * PRICES.call +
    billed.rowsRead * PRICES.rowRead +
    billed.rowsWritten * PRICES.rowWritten;
  const aDay = (TWENTIETH * (DAY_MS / MINUTE_MS) * dollars) / 1e6;
  expect([requests > 200, aDay > 1, aDay <= MOST_DOLLARS_A_DAY]).toEqual([true, true, true]);
});

it('a channel sets its alarm once for many requests, and writes no row that has not changed', async () => {
  const { get, billed } = service();
  const cid = await channelIds.next();
  await get(`cid=${cid}&stream=0&fsiz=256,256`);
  const settle = await watch(cid, billed);
  const alarms = await runInDurableObject(channelOf(cid), (_, { storage }) => storage.getAlarm());
  for (let i = 0; i < 5; i += 1) await get(`cid=${cid}&stream=0&fsiz=256,256&roff=${i},0&rsiz=8,8`);
  settle();
  // An answer each, and nothing else: the bins were sent before.
  expect(billed.rowsWritten).toBe(5);
  expect(await runInDurableObject(channelOf(cid), (_, { storage }) => storage.getAlarm())).toBe(alarms);
});

it('a channel writes many deliveries together, which the alarm does, and keeps them', async () => {
  const { get, billed } = service();
  const cid = await channelIds.next();
  const settle = await watch(cid, billed);
  const walk = async (from: number, to: number) => {
    for (let i = from; i < to; i += 1) await get(`cid=${cid}&stream=0&fsiz=256,256&roff=${i},${i}&rsiz=8,8`);
    settle();
  };
  await walk(0, JPIP.writesAtOnce);
  const first = billed.rowsWritten;
  await walk(JPIP.writesAtOnce, 200);
  // The alarm alone.
  expect([first > JPIP.writesAtOnce, billed.rowsWritten]).toEqual([true, first + 1]);
  await runDurableObjectAlarm(channelOf(cid));
  settle();
  expect(billed.rowsWritten).toBeLessThan(first + 25);
  expect(billed.rowsWritten / 200).toBeLessThan(1);
});
