// What JPIP requests are charged, over the whole service: reads of R2 in units of a rate limit, with the rest of a unit kept.
import { expect, it } from 'vitest';
import { encodeGrey } from '../../../demo/jp2/encode.ts';
import { archivePath, sidecarKey } from '../../../src/archive/keys.ts';
import { ChannelIds } from '../../../src/faces/jpip/response.ts';
import { recordJpx } from '../../../src/faces/jpx/jpx-manifest.ts';
import { encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { JPIP } from '../../../src/platform/limits/jpx.ts';
import { readsFor } from '../../../src/platform/limits/prices.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { rebuildCodestream } from '../../support/jpx/jpip-rebuild.ts';
import { BinCache } from '../../support/jpx/jpip-stream.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryChannels } from '../../support/memory/channels.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const UNITS = 60;
const MINUTE = { name: 'heavy', quota: UNITS, seconds: 60 };
const TOKEN = 'a-token-of-16-characters';
const RESPONSE_LIMIT = 7;

const samples = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i * 7919) % 251);
const bare = encodeGrey(
  { width: 64, height: 64, samples },
  { levels: 2, layerRatios: [1.1], precinctExponent: 5, packetLengths: true },
);
const jp2 = jp2File(bare, '<meta/>');

/** Counts what R2 bills as reads: also those of objects that do not exist. */
class BilledObjects extends MemoryObjectStore {
  billed = 0;

  override head(key: string) {
    this.billed += 1;
    return super.head(key);
  }

  override read(...range: [string, number, number]) {
    this.billed += 1;
    return super.read(...range);
  }

  override readAll(key: string) {
    this.billed += 1;
    return super.readAll(key);
  }
}

/** A service with a linked movie of so many frames, whose clients buy 60 units a minute. `rows`: what each delivery costs in rows. */
async function service(frames: number, rows = 0) {
  const images: ArchivedImage[] = Array.from({ length: frames }, (_, i) => {
    return { id: i + 1, ...makeImage(10, i * 1000, { fileName: `image${i}.jp2`, byteLength: jp2.length }) };
  });
  const objects = new BilledObjects();
  const sidecar = encodeSidecar(indexJp2(jp2));
  for (const { key } of images) objects.objects.set(key, jp2).set(sidecarKey(key, SIDECAR_VERSION), sidecar);
  const movie = { name: 'movie', linked: true, style: 'standard', images, isForJpip: true } as const;
  const { name } = await recordJpx(objects, movie, callOf().admission);
  const time = { nowMs: 0 };
  let calls = 0;
  class BilledChannels extends MemoryChannels {
    override plan(...step: Parameters<MemoryChannels['plan']>) {
      calls += 1;
      return super.plan(...step);
    }

    override delivered(...delivery: Parameters<MemoryChannels['delivered']>) {
      calls += 1;
      return super.delivered(...delivery) + rows * readsFor('rowWritten');
    }
  }
  const pictureLimiter = isolateRateLimit(MINUTE, () => time.nowMs);
  const index = new MemoryImageIndex(images);
  const variables = { ADMIN_TOKEN: TOKEN };
  const app = servedApp(testServices({ variables, index, objects, pictureLimiter, jpipChannels: new BilledChannels().of }));
  objects.billed = 0;
  const get = async (query: string, path = `movies/${name}.jpx`, client = '192.0.2.1') => {
    const response = await app.request(`http://sun.test/${path}?${query}`, { headers: { 'CF-Connecting-IP': client } });
    const body = new Uint8Array(await response.arrayBuffer());
    await app.settle();
    return { status: response.status, headers: response.headers, body };
  };
  const channel = await new ChannelIds({ secret: TOKEN, clock: Date.now }).next();
  const image = archivePath(images[0]!.key);
  return { get, objects, time, channel, image, pictureLimiter, calls: () => calls };
}

const unitsOf = (limit: ReturnType<typeof isolateRateLimit>, client = '192.0.2.1') =>
  UNITS - limit.left(`frames ${client}`).remaining;

it.each([
  ['an image without a channel', () => 'stream=0&fsiz=64,64', true, 57],
  ['many frames in few bytes', () => 'stream=0-125&fsiz=1,1', false, 55],
  ['many frames on a channel', (cid: string) => `cid=${cid}&stream=0-125&fsiz=1,1`, false, 55],
  ['what its client has dropped', (cid: string) => `cid=${cid}&stream=0-125&fsiz=1,1&model=[0-125]-Hm,-H*,-P*`, false, 55],
  ['the metadata', () => 'metareq=[*]!!&stream=0&fsiz=1,1', false, 57],
])(
  'a JPIP request for %s is charged what it reads, to the single read, until its client has none left',
  async (_, queryOf, isImage, spent) => {
    const { get, objects, channel, image, pictureLimiter, calls } = await service(126);
    // The last of the units are enough.
    for (let unit = 0; unit < spent; unit += 1) await pictureLimiter.limit({ key: 'frames 192.0.2.1' });
    const reads = (UNITS - spent) * JPIP.readsPerUnit;
    const query = queryOf(channel);
    let responses = 0;
    for (let status = 200; status === 200; responses += status === 200 ? 1 : 0) {
      ({ status } = await get(query, isImage ? image : undefined));
      const cost = objects.billed + calls() * readsFor('call');
      expect(Math.abs(unitsOf(pictureLimiter) - spent - cost / JPIP.readsPerUnit)).toBeLessThan(
        1.01 + (0.4 * (responses + 2)) / JPIP.readsPerUnit,
      );
    }
    const cost = objects.billed + calls() * readsFor('call');
    // The rest are rows of the index, of which 360 cost as much as a read.
    expect([cost > reads - 1 - 0.4 * responses - 1, cost <= reads + 2 * readsFor('call')]).toEqual([true, true]);
    expect(objects.billed + spent * JPIP.readsPerUnit).toBeGreaterThan(10_000);
  },
);

it('a JPIP request shares what is left of a unit with the other requests of its client, also those at once', async () => {
  const { get, objects, image, pictureLimiter } = await service(1);
  await get('stream=0&fsiz=64,64', image);
  const before = objects.billed;
  for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 10 }, () => get('stream=0&fsiz=64,64', image)));
  const each = (objects.billed - before) / 100;
  expect([each, unitsOf(pictureLimiter)]).toEqual([1, 1]);
  await get('stream=0&fsiz=64,64', image, '192.0.2.2');
  expect(unitsOf(pictureLimiter, '192.0.2.2')).toBe(1);
});

it('a JPIP request states the limit of reads beside that of requests', async () => {
  const { get } = await service(1);
  const { headers } = await get('stream=0&fsiz=64,64');
  expect(headers.get('RateLimit-Policy')).toContain('"heavy";q=60;w=60');
  expect(headers.get('RateLimit')).toContain('"heavy";r=59;t=60');
});

it('a JPIP request ends where the reads of its client end, and the next minute sends the rest, without a byte twice', async () => {
  const { get, time, channel, pictureLimiter } = await service(700);
  const cache = new BinCache();
  for (let unit = 2; unit < UNITS; unit += 1) await pictureLimiter.limit({ key: 'frames 192.0.2.1' });
  const query = `cid=${channel}&stream=0-699&fsiz=64,64`;
  const reasons: (number | null)[] = [];
  for (let minute = 0; reasons.at(-1) !== 2; minute += 1) {
    const { status, body } = await get(query);
    if (status === 200) reasons.push(cache.take(body).reason);
    else expect(status).toBe(429);
    time.nowMs += 60_000;
    expect(minute).toBeLessThan(4);
  }
  expect(reasons).toEqual([RESPONSE_LIMIT, 2]);
  expect(rebuildCodestream(cache, 699)).toEqual(rebuildCodestream(cache, 0));
  expect(cache.repeatedBins).toBe(0);
});

it('a JPIP request ends where the reads of all clients end', async () => {
  const { get, channel, pictureLimiter } = await service(700);
  const count = pictureLimiter.limit.bind(pictureLimiter);
  let units = 0;
  pictureLimiter.limit = async (key) => ({ ...(await count(key)), ...(++units > 2 && { success: false, scope: 'location' }) });
  const { status, body } = await get(`cid=${channel}&stream=0-699&fsiz=64,64`);
  expect([status, new BinCache().take(body).reason]).toEqual([200, RESPONSE_LIMIT]);
});

it('a desktop client walks 4000 linked frames a minute at one of two resolutions each, a fifth of them with a fifth of its units', async () => {
  const [FRAMES, STEP] = [4000, 5];
  // More rows than a channel writes for each delivery while a movie plays (test/worker/clients/jpip-costs.test.ts).
  const { get, time, channel, objects, pictureLimiter } = await service(FRAMES, 0.2);
  for (let unit = 0; unit < UNITS - UNITS / STEP; unit += 1) await pictureLimiter.limit({ key: 'frames 192.0.2.1' });
  expect((await get(`cid=${channel}&metareq=[*]!!`)).status).toBe(200);
  const refused: number[] = [];
  for (let i = 0; i < FRAMES; i += STEP) {
    time.nowMs = Math.floor((i * 60_000) / FRAMES);
    const { status } = await get(`cid=${channel}&stream=${i}&fsiz=${i % 2 === 0 ? '32,32' : '64,64'}&len=2097152`);
    if (status !== 200) refused.push(i);
  }
  expect(refused).toEqual([]);
  expect(objects.billed).toBeGreaterThan(FRAMES / STEP);
});
