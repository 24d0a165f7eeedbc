import { describe, expect, test, vi } from 'vitest';
import { encodeGrey, type GreyImage } from '../../../demo/jp2/encode.ts';
import { JPIP } from '../../../src/platform/limits/jpx.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { box, jp2File } from '../../support/jp2/jp2-file.ts';
import { bodyBytes, type JpipArchive, jpipArchive } from '../../support/jpx/jpip-archive.ts';
import { rebuildCodestream } from '../../support/jpx/jpip-rebuild.ts';
import { BinCache, messagesOf } from '../../support/jpx/jpip-stream.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';

const it = test.extend('archive', () => jpipArchive(jp2));

const SIDE = 1024;
const WHOLE = `fsiz=${SIDE},${SIDE}`;
const QUARTER = `fsiz=${SIDE / 4},${SIDE / 4}`;
const STYLE = { levels: 5, layerRatios: [8, 1], precinctExponent: 7, packetLengths: true };

/** The codestream that a client of a quarter of the image has after an undisturbed response. */
async function quarterOf(file: Uint8Array): Promise<Uint8Array> {
  const cache = new BinCache();
  cache.take(await (await jpipArchive(file)).bytes(QUARTER));
  return rebuildCodestream(cache, 0);
}

/** Class, identifier and offset of the messages of a response. */
const placesOf = (response: Uint8Array): number[][] =>
  [...messagesOf(response)].flatMap((message) => ('reason' in message ? [] : [[message.binClass, message.id, message.offset]]));

/** Noise does not compress, so the image takes more than one batch. */
function noise(): GreyImage {
  const random = randomNumbers(5);
  return { width: SIDE, height: SIDE, samples: Uint8Array.from({ length: SIDE * SIDE }, () => random() * 256) };
}

const jp2 = jp2File(encodeGrey(noise(), STYLE));

describe('a response in several batches', () => {
  it('sends about a megabyte per batch', async ({ archive: { request } }) => {
    const { body } = await request(`cid=a&${WHOLE}`);
    expect(body).toBeInstanceOf(ReadableStream);
    const sizes = await Array.fromAsync(body as ReadableStream<Uint8Array>, ({ length }) => length);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(2 * JPIP.batchBytes);
  });

  it('fails when the file is missing, and is sent again once the file is back', async ({
    archive: { request, bytes, objects },
  }) => {
    const key = [...objects.objects.keys()][0] as string;
    const reading = vi.spyOn(objects, 'read');
    const read = MemoryObjectStore.prototype.read.bind(objects);
    await bytes(`cid=b&${WHOLE}`);
    const last = reading.mock.lastCall!;
    reading.mockImplementation(async (...range) => (range[1] === last[1] ? null : read(...range)));
    const response = await request(`cid=a&${WHOLE}`);
    await expect(bodyBytes(response)).rejects.toThrow();
    reading.mockRestore();
    objects.objects.delete(key);
    await expect(request(`cid=a&${WHOLE}`)).rejects.toThrow('The file of an image is missing from the archive.');
    await objects.put(key, jp2);
    const cache = new BinCache();
    expect(cache.take(await bytes(`cid=a&${WHOLE}`)).dataBytes).toBeGreaterThan(JPIP.batchBytes);
  });
});

describe('a client that hung up behind a proxy', () => {
  it.each([5_000, 20_000, 0.5])(
    'gets the window again on the same channel after %s bytes, or that share of them',
    async (kept) => {
      const { bytes } = await jpipArchive(jp2);
      const response = await bytes(`cid=a&${QUARTER}`);
      expect(response.length).toBeGreaterThan(20_000);
      const cache = new BinCache();
      cache.takeBeginning(response.subarray(0, kept < 1 ? response.length * kept : kept));
      expect(cache.take(await bytes(`cid=a&${QUARTER}`)).reason).toBe(2);
      const whole = new BinCache();
      whole.take(response);
      expect(rebuildCodestream(cache, 0)).toEqual(rebuildCodestream(whole, 0));
    },
  );

  it('gets the rest of a window when it comes back from another one', async ({ archive: { bytes } }) => {
    const cache = new BinCache();
    cache.takeBeginning((await bytes(`cid=a&${QUARTER}`)).subarray(0, 5_000));
    cache.take(await bytes(`cid=a&fsiz=8,8`));
    expect(cache.take(await bytes(`cid=a&${QUARTER}`)).dataBytes).toBeGreaterThan(20_000);
  });
});

/** Cuts the connection while the service reads the file for a response, so that its request is never finished. */
async function cutShort({ request, objects }: JpipArchive, query: string): Promise<void> {
  const { read } = objects;
  const reached = new Promise<void>((done) => {
    objects.read = () => {
      done();
      return new Promise(() => undefined);
    };
  });
  void request(query);
  await reached;
  objects.read = read;
}

it('a response that the service could not hand over leaves no holes in another window', async ({ archive }) => {
  const cache = new BinCache();
  await cutShort(archive, `cid=a&fsiz=${SIDE / 8},${SIDE / 8}`);
  const cancelled = await archive.request(`cid=a&${WHOLE}`);
  await (cancelled.body as ReadableStream<Uint8Array>).cancel();
  cache.take(await archive.bytes(`cid=a&${QUARTER}`));
  expect(rebuildCodestream(cache, 0)).toEqual(await quarterOf(jp2));
});

it('a window with holes from an earlier response that was lost unnoticed is whole once it is requested again', async ({
  archive: { bytes },
}) => {
  const cache = new BinCache();
  await bytes(`cid=a&fsiz=${SIDE / 8},${SIDE / 8}`);
  cache.take(await bytes(`cid=a&${QUARTER}`));
  expect(cache.bin(6, 0, 0)).toBeUndefined();
  cache.take(await bytes(`cid=a&${QUARTER}`));
  expect(rebuildCodestream(cache, 0)).toEqual(await quarterOf(jp2));
});

describe('a client that states the contents of its cache', () => {
  it('receives the bins that it subtracts, from the stated byte on, and no others', async ({ archive: { bytes } }) => {
    await bytes(`cid=a&${QUARTER}`);
    expect(placesOf(await bytes(`cid=a&${QUARTER}&model=-Hm,-P2:40,-P5`))).toEqual([
      [6, 0, 0],
      [0, 2, 40],
      [0, 5, 0],
    ]);
  });

  it('receives only the rest on a new channel, and without one', async ({ archive: { bytes } }) => {
    const stated = `${QUARTER}&model=M*,[0],Hm,H*,P*,-P3:17,-P4`;
    const expected = [
      [0, 3, 17],
      [0, 4, 0],
    ];
    expect(placesOf(await bytes(`cid=a&${stated}`))).toEqual(expected);
    expect(placesOf(await bytes(stated))).toEqual(expected);
    expect(placesOf(await bytes(`metareq=[*]&${stated}`))).toEqual(expected);
  });

  it('receives the rest of a bin behind the bytes that it holds', async ({ archive: { bytes } }) => {
    const messages = placesOf(await bytes(`cid=a&${QUARTER}&model=P0:9,P1:0,P2:99999999,H0:5`));
    expect(messages.slice(0, 3)).toEqual([
      [6, 0, 0],
      [0, 0, 9],
      [0, 1, 0],
    ]);
    expect(messages.some(([binClass, id]) => binClass === 2 || (binClass === 0 && id === 2))).toBe(false);
  });

  it('receives all of a codestream when it states another, and learns how many it may', async ({ archive: { bytes } }) => {
    expect(placesOf(await bytes(`${QUARTER}&model=[1-],Hm,P*,-M0`))).toEqual(placesOf(await bytes(QUARTER)));
    const many = Array(8000).fill('P*').join(',');
    await expect(bytes(`${QUARTER}&model=${many}`)).rejects.toThrow('Expected at most 4096 entries for model, got 8000.');
  });
});

describe('the end-of-response message', () => {
  it('states image done when the client holds all of it, metadata included', async ({ archive: { bytes } }) => {
    const reasonOf = async (query: string) => (await bytes(query)).at(-2);
    expect(await reasonOf(`cid=a&${WHOLE}`)).toBe(2);
    expect(await reasonOf('cid=a&metareq=[*]&len=60')).toBe(4);
    expect(await reasonOf('cid=a&metareq=[*]!!')).toBe(1);
  });

  it('leaves out a bin that exceeds the requested length', async ({ archive: { bytes } }) => {
    expect([(await bytes('cid=a&fsiz=8,8&len=0')).length, (await bytes('cid=a&fsiz=8,8&len=2')).length]).toEqual([0, 0]);
    expect([...(await bytes('cid=a&fsiz=8,8&len=3'))]).toEqual([0, 4, 0]);
  });
});

const metadataOf = async (file: Uint8Array) => {
  const cache = new BinCache();
  cache.take(await (await jpipArchive(file)).bytes('metareq=[*]!!'));
  return Buffer.from(cache.bin(8, 0, 0)?.bytes as Uint8Array);
};

it('metadata-bin 0 sends the file with a placeholder for the codestream, including the boxes behind it', async () => {
  const tail = box('uuid', new Uint8Array(20));
  const at = Buffer.from(jp2).indexOf('jp2c') - 4;
  const bin = await metadataOf(Buffer.concat([jp2, tail]));
  expect(bin.subarray(0, at).equals(jp2.subarray(0, at))).toBe(true);
  expect(bin.readUInt32BE(at)).toBe(52);
  expect(bin.subarray(at + 20, at + 28).equals(jp2.subarray(at, at + 8))).toBe(true);
  expect(bin.subarray(at + 52).equals(tail)).toBe(true);
});

it('metadata-bin 0 repeats the long header of a codestream box in the placeholder', async () => {
  const at = Buffer.from(jp2).indexOf('jp2c') - 4;
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write('jp2c', 4);
  header.writeBigUInt64BE(BigInt(jp2.length - at + 8), 8);
  const bin = await metadataOf(Buffer.concat([jp2.subarray(0, at), header, jp2.subarray(at + 8)]));
  expect([bin.length, bin.readUInt32BE(at), bin.subarray(at + 20, at + 36).equals(header)]).toEqual([at + 60, 60, true]);
});
