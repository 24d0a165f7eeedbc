import { afterAll, expect, it } from 'vitest';
import * as zarr from 'zarrita';
import { imageTag, timelineTagOf } from '../../../src/archive/keys.ts';
import { KNOWN_IMAGES } from '../../../src/platform/limits/images.ts';
import { sha256Hex } from '../../../src/platform/util/bytes.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { runPythonBeside } from '../../support/measurement/python.ts';
import { AIA_171, LASCO_C2, NOON } from '../../support/measurement/samples.ts';
import { measuringService } from '../../support/measurement/service.ts';
import { hasModules } from '../../support/programs.ts';
import { serveApp } from '../../support/serve-app.ts';

const ORIGIN = 'http://sun.test';
/** A size whose chunks at the edges are cut, with two levels. */
const [SIZE, CHUNK] = [640, 512] as const;
const TIMES = [NOON, NOON + 12 * MINUTE_MS] as const;
const BASE = '/zarr/10/2024-05-10T11:00:00Z/2024-05-10T13:00:00Z/all/';

async function storeService(clock = Date.now) {
  const charged: string[] = [];
  const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charged.push(key) > 0 }) };
  const shots = [
    ...TIMES.map((timeMs) => ({ sourceId: AIA_171, timeMs, size: SIZE })),
    { sourceId: AIA_171, timeMs: NOON + 90 * MINUTE_MS, size: 128 },
    { sourceId: LASCO_C2, timeMs: NOON, size: 128 },
  ];
  const service = await measuringService({ pictureLimiter, clock }, undefined, shots);
  const get = (path: string, init?: RequestInit) => service.app.request(new Request(`${ORIGIN}${path}`, init));
  const sentence = async (path: string) => {
    const response = await get(path);
    return [response.status, ((await response.json()) as { error: string }).error] as const;
  };
  /** The array of an image by getImageData. */
  const npy = async (i: number, query: string) => {
    const response = await get(`/v2/getImageData/?id=${service.images[i]!.id}&format=npy&${query}`);
    const file = new Uint8Array(await response.arrayBuffer());
    return file.slice(10 + new DataView(file.buffer).getUint16(8, true));
  };
  /** The address of the present revision, past the edge cache. */
  const pinned = async () => (await service.app.direct(`${ORIGIN}${BASE}`)).headers.get('Location')!;
  return { ...service, charged, get, sentence, npy, pinned };
}

/** Documents of format 3 by their paths. */
type Members = Record<string, { readonly attributes: { readonly no_values?: string } }>;

let fresh: ReturnType<typeof storeService> | undefined;

/** A service that remembers nothing, whose images may be withdrawn. */
const another = () => (fresh ??= storeService());

const service = await storeService();
const forward = (request: Request) => service.get(new URL(request.url).pathname, { method: request.method });
const served = await serveApp(forward);

afterAll(() => served.close());

const hasPython = hasModules('zarr', 'fsspec', 'aiohttp');

/** The bytes and values of the two images by getImageData, one after the other. */
async function cube(query: string): Promise<Uint8Array> {
  return Buffer.concat([await service.npy(0, query), await service.npy(1, query)]);
}

it('a store of images gives zarrita the bytes and values of getImageData at each level, and the coordinates of each image', async () => {
  const store = await zarr.withConsolidatedMetadata(new zarr.FetchStore(served.url + (await service.pinned())));
  const root = await zarr.open(store, { kind: 'group' });
  expect(root.attrs['levels']).toEqual(['0', '1']);
  for (const level of [0, 1]) {
    const read = async (name: string) => zarr.get(await zarr.open(root.resolve(`${level}/${name}`), { kind: 'array' }));
    const bytes = await read('bytes');
    expect(bytes.shape).toEqual([2, SIZE >> level, SIZE >> level]);
    const values = (await read('values')).data as Float32Array;
    expect(Buffer.compare(bytes.data as Uint8Array, await cube(`raw=true&level=${level}`))).toBe(0);
    expect(Buffer.from(values.buffer).equals(Buffer.from(await cube(`level=${level}`)))).toBe(true);
    expect(values.filter((value) => !Number.isNaN(value)).length).toBeGreaterThan(values.length / 4);
    expect(Array.from((await read('time')).data as BigInt64Array, Number)).toEqual(TIMES);
    expect(Array.from((await read('id')).data as BigInt64Array, Number)).toEqual(service.images.slice(0, 2).map(({ id }) => id));
    const wcs = await zarr.open(root.resolve(`${level}/wcs`), { kind: 'array' });
    const scale = (wcs.attrs['keywords'] as string[]).indexOf('CDELT1');
    const header = (await zarr.open(root.resolve(String(level)), { kind: 'group' })).attrs['wcs'] as Record<string, number>;
    const data = (await zarr.get(wcs)).data as Float64Array;
    expect([data[scale], data[data.length / 2 + scale]]).toEqual([header['CDELT1'], header['CDELT1']]);
  }
});

it.skipIf(!hasPython)('a store of images reads alike in zarr-python 2 and xarray', async () => {
  const answer = JSON.parse(await runPythonBeside('read_zarr.py', [served.url + BASE]));
  const levels = Object.values(answer.levels) as Record<string, unknown>[];
  expect(levels.length).toBe(2);
  for (const [level, found] of levels.entries()) {
    expect(found).toMatchObject({
      shape: [2, SIZE >> level, SIZE >> level],
      time: TIMES,
      units: 'DN/s',
      bytes: await sha256Hex(await cube(`raw=true&level=${level}`)),
      values: await sha256Hex(await cube(`level=${level}`)),
    });
  }
  if (answer.xarray === null) return;
  const times = TIMES.map((ms) => new Date(ms).toISOString().slice(0, 23));
  expect(answer.xarray).toMatchObject({ dimensions: ['time', 'y', 'x'], times });
  expect(answer.xarray.mean).toBeGreaterThan(100);
});

it('a store of images pads chunks at the edges with the fill value, and names one chunk alike in both formats', async () => {
  const base = await service.pinned();
  const bytesOf = async (key: string) => new Uint8Array(await (await service.get(base + key)).arrayBuffer());
  const corner = await bytesOf('0/values/1.1.1');
  expect(corner.length).toBe(4 * CHUNK ** 2);
  const values = new Float32Array(corner.buffer);
  const edge = SIZE - CHUNK;
  expect(values.every((value, i) => (i % CHUNK < edge && i < edge * CHUNK) || Number.isNaN(value))).toBe(true);
  expect((await bytesOf('0/bytes/1.1.1')).subarray(edge * CHUNK).every((byte) => byte === 0)).toBe(true);
  const fills = service.app.fills.length;
  expect(await bytesOf('0/values/c/1/1/1')).toEqual(corner);
  expect(service.app.fills.length).toBe(fills);
  const tagOf = async (key: string) => (await service.get(base + key)).headers.get('ETag');
  const keys = ['0/values/1.1.1', '0/values/0.1.1', '0/bytes/1.1.1', '0/values/1.0.1', '1/values/1.0.0'];
  expect(new Set(await Promise.all(keys.map(tagOf))).size).toBe(keys.length);
  expect(await tagOf('0/values/c/1/1/1')).toBe(await tagOf(keys[0]!));
});

it('a store of images answers HEAD and other origins, and keys that it does not have without drawing', async () => {
  const base = await service.pinned();
  const head = await service.get(`${base}0/bytes/0.0.0`, { method: 'HEAD' });
  expect([head.status, head.headers.get('Content-Length'), head.headers.get('Access-Control-Allow-Origin')]).toEqual([
    200,
    String(CHUNK ** 2),
    '*',
  ]);
  const charged = service.charged.length;
  const absent = '.zarray 0/.zarray 0/bytes/0.0 0/bytes/0.0.2 0/bytes/c/0/0 2/bytes/0.0.0 0/none/0 0/time/1 x'.split(' ');
  for (const key of absent) expect([key, (await service.get(base + key)).status]).toEqual([key, 404]);
  expect(service.charged.length).toBe(charged);
});

it('a store of images charges the pixels of chunks above full resolution', async () => {
  const base = await service.pinned();
  const { charged } = service;
  const before = charged.length;
  await service.get(`${base}0/bytes/0.0.1`);
  expect(charged.length).toBe(before);
  const other = await another();
  const from = other.charged.length;
  await other.get(`${base}1/bytes/0.0.0`);
  // One for the list of images, which is remembered, and one for the pixels of each chunk.
  await other.get(`${base}1/values/0.0.0`);
  expect(other.charged.length - from).toBe(3);
});

it('a store of images gives bytes alone of images without a law, and says why', async () => {
  const response = await service.get(`${BASE.replace('/10/', '/4/')}zarr.json`);
  const { consolidated_metadata } = (await response.json()) as { consolidated_metadata: { metadata: Members } };
  const levels = Object.entries(consolidated_metadata.metadata);
  expect(levels.some(([path]) => path.endsWith('/bytes'))).toBe(true);
  expect(levels.some(([path]) => path.endsWith('/values'))).toBe(false);
  expect(levels.find(([path]) => path.endsWith('/0'))![1].attributes.no_values).toMatch(
    /does not name a program whose law is known/,
  );
});

it.each([
  ['images of several sizes', BASE.replace('T13', 'T14'), 400, /^The images of the range differ in size: .* 128 x 128\./],
  ['a range without images', BASE.replaceAll('2024', '2019'), 404, /no images|No/i],
  ['an unknown cadence', BASE.replace('all', 'often'), 400, /Expected all, or seconds from 1 to \d+ for cadence, got often/],
  ['too many images', BASE.replace('all', '1'), 400, /for at most 1000 images in this range, for cadence/],
])('a store of images refuses %s', async (_, path, status, text) => {
  expect(await service.sentence(`${path}.zmetadata`)).toEqual([status, expect.stringMatching(text)]);
});

it('a store of images ends when its images change, so that no chunk shows another image than its time says', async () => {
  const changing = await another();
  const base = await changing.pinned();
  expect(base).toBe(await service.pinned());
  const chunk = `${base}0/bytes/1.0.0`;
  const before = await (await changing.get(chunk)).arrayBuffer();
  const index = changing.services.index as unknown as { withdraw(id: number): void };
  index.withdraw(changing.images[0]!.id);
  const renewed = await changing.pinned();
  expect([renewed, before.byteLength]).not.toContain(base);
  expect(await changing.sentence(`${base}0/bytes/0.0.1`)).toEqual([410, expect.stringMatching(/withdrawn|have changed/)]);
  expect(await (await changing.get(`${renewed}0/bytes/0.0.0`)).arrayBuffer()).toEqual(before);
  expect((await changing.get(`${base}.zmetadata`)).status).toBe(200);
});

it('a store of images lists a withdrawn image no longer than its purge and the memory of an isolate take', async () => {
  let nowMs = Date.now();
  const changing = await storeService(() => nowMs);
  const base = await changing.pinned();
  const keys = ['', '.zmetadata', 'zarr.json', '0/.zattrs', '0/time/0', '0/id/0', '0/wcs/0.0'];
  const statuses = () => Promise.all(keys.map(async (key) => (await changing.get(base + key)).status));
  const all = (status: number) => keys.map(() => status);
  expect(await statuses()).toEqual(all(200));
  const [first] = changing.images;
  (changing.services.index as unknown as { withdraw(id: number): void }).withdraw(first!.id);
  nowMs += KNOWN_IMAGES.freshMs;
  expect(await statuses()).toEqual(all(200));
  await changing.app.cache.purge({ tags: [imageTag(first!), timelineTagOf(first!)] });
  expect(await statuses()).toEqual(all(410));
});
