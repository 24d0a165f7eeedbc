import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { encodeGrey } from '../../../demo/jp2/encode.ts';
import { serveJpip } from '../../../src/faces/jpip/response.ts';
import { existingCodestreams, parseStreamRange } from '../../../src/jp2/jpip/cache-model.ts';
import { parseJpipRequest } from '../../../src/jp2/jpip/request.ts';
import { JPIP } from '../../../src/platform/limits/jpx.ts';
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../../src/platform/limits/memory.ts';
import { growthAboveLinear } from '../../fuzz/growth/detector.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { type JpipArchive, jpipArchive } from '../../support/jpx/jpip-archive.ts';
import { rebuildCodestream } from '../../support/jpx/jpip-rebuild.ts';
import { BinCache, messagesOf } from '../../support/jpx/jpip-stream.ts';
import { callOf } from '../../support/memory/call.ts';

const SIDE = 128;
const FRAMES = 70;
const XML = `<meta>${'a header of a thousand bytes '.repeat(36)}</meta>`;
const WHOLE = `fsiz=${SIDE},${SIDE},closest`;
const IMAGE_DONE = 1;
const WINDOW_DONE = 2;

const samples = Uint8Array.from({ length: SIDE * SIDE }, (_, i) => (i * 7919) % 251);
const bare = encodeGrey(
  { width: SIDE, height: SIDE, samples },
  { levels: 3, layerRatios: [8, 1.1], precinctExponent: 6, packetLengths: true },
);
const jp2 = jp2File(bare, XML);
const cache = new BinCache();
cache.take(await (await jpipArchive(jp2)).bytes(WHOLE));
/** The codestream that a client of a single frame has in the end. */
const frame = rebuildCodestream(cache, 0);

const it = test.extend<{ movie: JpipArchive }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures that a fixture takes.
  movie: async ({}, use) => use(await jpipArchive(jp2, FRAMES)),
});

/** Codestreams of the main headers in a response. */
const headersIn = (response: Uint8Array): number[] =>
  [...messagesOf(response)].flatMap((message) => ('reason' in message || message.binClass !== 6 ? [] : [message.codestream]));

const ofMovie = async ({ request, path }: JpipArchive, query: string): Promise<Uint8Array> => {
  const { body } = await request(query, path);
  return body instanceof Uint8Array ? body : new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
};

it('codestreams that do not exist end the response, and have no effect beside others', async ({ movie }) => {
  for (const stream of [`${FRAMES}`, '999999999', `${FRAMES}-`, '400-500:7,90'])
    expect([...(await ofMovie(movie, `cid=a&stream=${stream}&layers=0`))]).toEqual([0, WINDOW_DONE, 0]);
  expect([...(await ofMovie(movie, `stream=${FRAMES}&${WHOLE}`))]).toEqual([0, WINDOW_DONE, 0]);
  expect(headersIn(await ofMovie(movie, `cid=a&stream=${FRAMES - 1}-${FRAMES + 5}&layers=0`))).toEqual([FRAMES - 1]);
});

/** What `cache` holds, as the elements of `model`, in batches of at most 24 characters. */
function batchesOf(cache: BinCache): string[] {
  const elements = [...cache.bins.values()].map(({ binClass, codestream, id, complete, bytes }) => {
    const name = { 0: `[${codestream}]P${id}`, 2: `[${codestream}]H${id}`, 6: `[${codestream}]Hm`, 8: `M${id}` }[binClass];
    return complete ? name! : `${name}:${bytes.length}`;
  });
  const batches: string[] = [''];
  for (const element of elements.toReversed()) {
    const batch = batches.at(-1) === '' ? element : `${batches.at(-1)},${element}`;
    if (batch.length <= 24) batches[batches.length - 1] = batch;
    else batches.push(element);
  }
  return batches;
}

it('a client that recovers a lost channel as esajpip does gets only metadata, and then what it lacks', async ({ movie }) => {
  const cache = new BinCache();
  cache.take(await ofMovie(movie, `cid=a&metareq=[*]&stream=0&fsiz=1,1,closest`));
  cache.take(await ofMovie(movie, `cid=a&stream=3&${WHOLE}&layers=1`));
  const batches = batchesOf(cache);
  expect(batches.length).toBeGreaterThan(3);
  for (const [i, batch] of batches.entries()) {
    const opening = i === 0 ? '&metareq=[*]' : '';
    const { reason } = cache.take(await ofMovie(movie, `cid=b${opening}&stream=${FRAMES}&layers=0&model=${batch}`));
    expect(reason).toBe(WINDOW_DONE);
  }
  expect([cache.repeatedBins, cache.bin(6, 4, 0)]).toEqual([1, undefined]);
  const { reason, dataBytes } = cache.take(await ofMovie(movie, `cid=b&stream=3&${WHOLE}`));
  expect([reason, dataBytes > 0, cache.repeatedBins]).toEqual([WINDOW_DONE, true, 1]);
  expect(rebuildCodestream(cache, 3)).toEqual(frame);
});

it('the first response on a channel sends all metadata, and the first lowest resolution', async ({ movie }) => {
  const { body, isCompressible } = await movie.request('cnew=http&type=jpp-stream&stream=0&fsiz=1,1,closest', movie.path);
  const cache = new BinCache();
  cache.take(body as Uint8Array);
  const metadata = Buffer.from(cache.bin(8, 0, 0)!.bytes).toString('latin1');
  expect([cache.bin(8, 0, 0)!.complete, metadata.split(XML).length - 1, isCompressible]).toEqual([true, FRAMES, true]);
  expect(cache.bin(6, 0, 0)?.complete).toBe(true);
});

describe('a window of many codestreams', () => {
  it('arrives whole in the order of the request, and not twice', async ({ movie }) => {
    const cache = new BinCache();
    const order = '5-9:2,0-,7';
    const response = await ofMovie(movie, `cid=a&stream=${order}&${WHOLE}`);
    const expected = existingCodestreams(
      order.split(',').map((range) => parseStreamRange('stream', range)),
      FRAMES,
    );
    expect([expected.length, expected.slice(0, 5)]).toEqual([FRAMES, [5, 7, 9, 0, 1]]);
    expect(headersIn(response)).toEqual(expected);
    expect(cache.take(response).reason).toBe(WINDOW_DONE);
    for (const n of [0, 9, FRAMES - 1]) expect(rebuildCodestream(cache, n)).toEqual(frame);
    expect([...(await ofMovie(movie, `cid=a&context=jpxl<0-${FRAMES + 9}>&${WHOLE}`))]).toEqual([0, WINDOW_DONE, 0]);
    cache.take(await ofMovie(movie, 'cid=a&metareq=[*]!!'));
    expect([...(await ofMovie(movie, `cid=a&stream=0-&fsiz=1,1`))]).toEqual([0, IMAGE_DONE, 0]);
    expect(cache.repeatedBytes).toBe(0);
  });

  it('continues after a response that len ended, without repeating a byte', async ({ movie }) => {
    const cache = new BinCache();
    let responses = 0;
    for (let reason: number | null = 4; reason === 4; responses++) {
      const response = await ofMovie(movie, `cid=a&stream=0-&${WHOLE}&len=50000`);
      expect(response.length).toBeLessThanOrEqual(50_000);
      ({ reason } = cache.take(response));
    }
    expect([responses > 5, cache.repeatedBytes, cache.repeatedBins]).toEqual([true, 0, 0]);
    expect(rebuildCodestream(cache, FRAMES - 1)).toEqual(frame);
  });

  it('opens no more codestreams than its response has room for', async ({ movie }) => {
    const opened: string[] = [];
    const { openIndex } = movie.ports;
    Object.assign(movie.ports, {
      openIndex: (...[key, from]: Parameters<typeof openIndex>) => {
        opened.push(key);
        return openIndex(key, from);
      },
    });
    await ofMovie(movie, `stream=0-&${WHOLE}&len=3000`);
    expect(opened).toHaveLength(1);
  });

  it('waits while its client has a share of the memory, and is then refused; those of others have the rest', async ({
    movie,
  }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ports, path } = movie;
    const acquired = Array.from({ length: 20 }, () => ports.memory.acquire(JOB_BYTES.jpip, { waitMs: 0, owner: 'heavy' }));
    expect((await Promise.all(acquired)).filter((lease) => lease === null)).not.toEqual([]);
    const target = await ports.targets.find(path);
    const respond = (client: string) =>
      serveJpip(ports, target, parseJpipRequest(`stream=0-&${WHOLE}`), callOf({ client, memory: ports.memory }));
    const refused = expect(respond('heavy')).rejects.toMatchObject({ kind: 'rate-limited' });
    await vi.advanceTimersByTimeAsync(MEMORY_WAIT_MS.request + 100);
    await refused;
    expect((await respond('light')).body).toBeDefined();
  });
});

test('a client may state something of every codestream, but not without bounds', async () => {
  const movie = await jpipArchive(jp2, FRAMES);
  const stated = await ofMovie(movie, `cid=a&stream=0-&layers=0&model=[0-]Hm,H*,P*`);
  expect([...stated]).toEqual([0, WINDOW_DONE, 0]);
  const many = Array(Math.ceil(JPIP.statements / FRAMES) + 1)
    .fill('Hm')
    .join(',');
  await expect(ofMovie(movie, `cid=a&stream=0&layers=0&model=[0-],${many}`)).rejects.toThrow(
    `The value of model has more than ${JPIP.statements} statements about codestreams.`,
  );
});

test('work grows in proportion to the number of codestreams', async () => {
  const cost = async (frames: number) => {
    const movie = await jpipArchive(jp2, frames);
    const [opened, planned] = [vi.spyOn(movie.ports, 'openIndex'), vi.spyOn(movie.channels, 'plan')];
    await ofMovie(movie, `cid=a&metareq=[*]&stream=0-,0-&${WHOLE}&model=-M0,[0-]Hm,H0`);
    const steps = planned.mock.calls.map(
      ([, , { requested, statements }]) => 1 + requested.reduce((sum, { bins }) => sum + bins.length, 0) + statements.length,
    );
    return steps.reduce((sum, count) => sum + count, opened.mock.calls.length + movie.objects.reads.length);
  };
  expect(await cost(32)).toBeGreaterThan(300);
  expect(await growthAboveLinear(cost, { lengths: [32, 256], floor: 100 })).toBeNull();
});
