// Filters in every picture, over files of the sample.
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { statisticsKey } from '../../../src/archive/reading/image-statistics.ts';
import { SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { ImageSurveys } from '../../../src/measure/image-laws.ts';
import { sunCentre } from '../../../src/picture/grids/pixel-grid.ts';
import { recipeFromScreenshotParameters } from '../../../src/picture/recipe.ts';
import { PICTURE_COST } from '../../../src/platform/limits/rendering.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOT = `date=${new Date(NOON).toISOString()}&x0=0&y0=0&watermark=false&display=true`;

const small = [0, 1].map((hours) => ({ sourceId: 10, timeMs: NOON - 3_600_000 * hours, size: 512 }));
const archive = await sampleArchive([...small, ...[4, 19].map((sourceId) => ({ sourceId, timeMs: NOON, size: 512 }))]);
const app = servedApp(testServices({ index: archive.index, objects: archive.objects, clock: () => NOON + 86_400_000 }));
const get = (path: string) => app.request(`http://sun.test${path}`);

const pixelsOf = async (path: string) => {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  return readPng(new Uint8Array(await response.arrayBuffer()));
};

/** Greys of the pixels of a picture of AIA 171 without its colours. */
const greysOf = async (path: string) => (await pixelsOf(`${path}&colour=false`)).rgba.filter((_, i) => i % 4 === 0);

/** R, G and B of the frame that a movie has of AIA 171. */
async function frameOf(
  { index, frames }: SampleArchive,
  size: { imageScale: number; width: number; height: number },
  ofLayer: string,
) {
  const layer = { layers: '[10,1,100]', ...Object.fromEntries(new URLSearchParams(ofLayer)) };
  const { recipe } = recipeFromScreenshotParameters({ date: NOON, ...layer, ...size, x0: 0, y0: 0, watermark: false });
  const rgb = new Uint8Array(3 * size.width * size.height);
  await frames.draw(await planFrame(index, recipe), {}, 'rgb', rgb);
  return Buffer.from(rgb);
}

const TILE = '/v2/getTile/?id=1&x=-1&y=-1&imageScale=4.84088176';

/** Parameters of an image and of a layer. */
const ENHANCEMENTS = [
  ...['rhef', 'rhef:1', 'nrgf', 'mgn'].map((filter) => [`filter=${filter}`, `filters=[${filter}]`] as const),
  ['steady=true', 'steady=[true]'],
  ['steady=true&filter=mgn', 'steady=[true]&filters=[mgn]'],
] as const;

describe.each(ENHANCEMENTS)('the enhancement %s', (ofImage, ofLayer) => {
  it('draws the same in tiles put together and in the screenshot of their scale', async () => {
    const shot = await pixelsOf(
      `/v2/takeScreenshot/?${SHOT}&layers=[10,1,100]&imageScale=4.84088176&width=1024&height=1024&${ofLayer}`,
    );
    for (const [x, y] of [-1, 0].flatMap((x) => [-1, 0].map((y) => [x, y] as const))) {
      const tile = await pixelsOf(`/v2/getTile/?id=1&x=${x}&y=${y}&imageScale=4.84088176&${ofImage}`);
      let wrong = 0;
      for (let at = 0; at < 512 * 512; at++) {
        const other = 4 * (((at >> 9) + 512 * (y + 1)) * 1024 + (at & 511) + 512 * (x + 1));
        if (tile.rgba[4 * at + 3] === 255 && tile.rgba[4 * at] !== shot.rgba[other]) wrong += 1;
      }
      expect(wrong, `${x} ${y}`).toBe(0);
    }
  });

  it('changes each image by itself on both sides of a difference', async () => {
    const difference = 'difference=1&diffCount=1&diffTime=2';
    const [newer, older] = [await greysOf(`${TILE}&${ofImage}`), await greysOf(`${TILE.replace('id=1', 'id=2')}&${ofImage}`)];
    const changes = await greysOf(`${TILE}&${difference}&${ofImage}`);
    const expected = newer.map((level, i) => 2 * (Math.min(Math.max(level - older[i]!, -64), 63) + 64));
    const inside = [...newer.keys()].filter((i) => newer[i]! > 0 && older[i]! > 0);
    expect(inside.length).toBeGreaterThan(50_000);
    expect(inside.filter((i) => changes[i] !== expected[i])).toEqual([]);
  });

  it('changes downloads, and frames of players and of movies', async () => {
    const download = '/v2/downloadImage/?id=1&width=256&type=png';
    expect(await greysOf(`${download}&${ofImage}`)).not.toEqual(await greysOf(download));
    const frame = async (query: string) => (await get(`/v2/getFrame/?id=1&imageScale=9.68176352${query}`)).arrayBuffer();
    expect(Buffer.from(await frame(`&${ofImage}`)).equals(Buffer.from(await frame('')))).toBe(false);
    const drawn = await frameOf(archive, { imageScale: 8, width: 200, height: 200 }, ofLayer);
    const shot = await pixelsOf(`/v2/takeScreenshot/?${SHOT}&layers=[10,1,100]&imageScale=8&width=200&height=200&${ofLayer}`);
    expect(drawn.equals(Buffer.from(shot.rgba.filter((_, i) => i % 4 < 3)))).toBe(true);
  });
});

const ANNULI = 256;
const answer = (query: string) => get(`/v2/getFrameTables/?${query}`);
const fileOf = async (query: string) => {
  const response = await answer(query);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
};

it.each(['filter=rhef', 'filter=rhef:1', 'filter=nrgf', 'steady=true'])(
  'getFrameTables gives levels for %s as tiles have them',
  async (query) => {
    const file = await fileOf(`ids=2,1&${query}`);
    expect(file.length).toBeLessThan(2 * 10_000);
    const [, table] = [0, 1].map((i) => Buffer.from(inflateSync(file)).subarray(i * (8 + ANNULI * 256)));
    const [from, width] = [table!.readFloatLE(0), table!.readFloatLE(4)];
    const levels = table!.subarray(8, 8 + ANNULI * 256);
    for (let i = 1; i < levels.length; i++) if (i % 256 > 0) levels[i]! += levels[i - 1]!;
    const [plain, filtered] = [await greysOf(TILE), await greysOf(`${TILE}&${query}`)];
    const { geometry } = archive.images[0]!;
    const sun = sunCentre(geometry);
    const off = [sun.x - geometry.width / 2, sun.y - geometry.height / 2].map((pixels) => pixels * geometry.scaleArcsecPerPixel);
    let [sum, count] = [0, 0];
    for (const [i, byte] of plain.entries()) {
      if (byte === 0) continue;
      const [x, y] = [(i % 512) + 0.5 - 512, Math.floor(i / 512) + 0.5 - 512].map(
        (pixels, axis) => pixels * 4.84088176 - off[axis]!,
      );
      const place = Math.min(Math.max((Math.hypot(x!, y!) - from) / width - 0.5, 0), ANNULI - 1);
      const [inner, outer] = [Math.floor(place), Math.ceil(place)].map((row) => levels[row * 256 + byte]!);
      sum += Math.abs(inner! + (place - Math.floor(place)) * (outer! - inner!) - filtered[i]!);
      count += 1;
    }
    expect(count).toBeGreaterThan(50_000);
    expect(sum / count).toBeLessThan(1.5);
  },
);

it.each([
  ['ids=1', 400, 'filter', 'Expected rhef or nrgf, or steady=true, for filter, got nothing.'],
  ['ids=1&filter=mgn&steady=true', 400, 'filter', 'Expected rhef or nrgf, or steady=true, for filter, got mgn.'],
  ['ids=1,9&filter=rhef', 404, 'ids', 'No image has the id 9. getClosestImage returns the ids of images.'],
  ['ids=1,4&filter=rhef', 400, 'filter', expect.stringContaining('magnetic field')],
  ['ids=1,x&filter=rhef', 400, 'ids', expect.stringContaining('Expected 1 to 100 whole numbers')],
  ['ids=1,2,3,4,5&filter=rhef&exact=true', 400, 'ids', 'Expected at most 4 ids with exact=true for ids, got 5.'],
  [`ids=${Array.from({ length: 101 }, (_, i) => i + 1)}&filter=rhef`, 400, 'ids', expect.stringContaining('1 to 100')],
])('getFrameTables refuses %s', async (query, status, parameter, error) => {
  const response = await answer(query);
  expect([response.status, await response.json()]).toMatchObject([status, { parameter, error }]);
});

/** Exceeds the samples from which a sketch is made. */
const SIDE = 1536;
const shots = [{ sourceId: 10, timeMs: NOON, size: SIDE }];
const filter = { name: 'rhef', low: 1, high: 1 } as const;
const grid = { left: 0, top: 0, step: 4, width: SIDE / 4, height: SIDE / 4 };
const drawnIn = async ({ layers, images }: SampleArchive, purpose: 'levels' | 'sketch') =>
  (await layers.draw({ image: images[0]!, reference: null, filter }, grid, purpose)).samples;

it('the statistics of an image survive in a file, and come again from the image where they are damaged', async () => {
  const [first, again] = [await sampleArchive(shots), await sampleArchive(shots)];
  const key = statisticsKey(first.images[0]!);
  const levels = await drawnIn(first, 'levels');
  const stored = (await first.objects.readAll(key))!;
  await again.objects.put(key, stored.subarray(9));
  expect(await drawnIn(again, 'levels')).toEqual(levels);
  expect(await again.objects.readAll(key)).toEqual(stored);
});

it('the statistics of an image allow a sketch from a reduced level for a minute, until all pixels have been counted', async () => {
  const sketched = await sampleArchive(shots);
  const path = 'http://sun.test/v2/getTile/?id=1&x=-1&y=-1&imageScale=2.42044088&filter=rhef:1&colour=false';
  const answer = async () => {
    // Each has a cache of its own.
    const services = testServices({ index: sketched.index, objects: sketched.objects, clock: () => NOON + 86_400_000 });
    const { request, settle } = servedApp(services);
    const response = await request(path);
    const levels = readPng(new Uint8Array(await response.arrayBuffer())).rgba.filter((_, i) => i % 4 === 0);
    await settle();
    return { control: response.headers.get('Cache-Control'), levels };
  };
  const sketch = await answer();
  expect(sketch.control).toBe('public, max-age=60');
  expect(await sketched.objects.readAll(statisticsKey(sketched.images[0]!))).not.toBeNull();
  const whole = await answer();
  expect(whole.control).not.toBe(sketch.control);
  const differences = sketch.levels.map((level, i) => Math.abs(level - whole.levels[i]!));
  const off = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  expect(off).toBeGreaterThan(0);
  expect(off).toBeLessThan(2);
});

it('the statistics of an image keep movies, screenshots, downloads, frames and exact tables waiting until all pixels have been counted, which the client is charged', async () => {
  const size = { imageScale: 2.42044088, width: 1024, height: 1024 };
  const shot = `takeScreenshot/?${SHOT}&layers=[10,1,100]&${new URLSearchParams(size as never)}&filters=[rhef:1]`;
  const tables = 'getFrameTables/?ids=1&filter=rhef:1';
  const of = async ({ index, objects }: SampleArchive, path: string) => {
    let units = 0;
    const pictureLimiter = {
      limit: async () => ({ success: ++units > 0, resetSeconds: 60 }),
      policy: { name: 'heavy', limit: 60, periodSeconds: 60 },
    };
    const services = testServices({ index, objects, clock: () => NOON + 86_400_000, pictureLimiter: pictureLimiter as never });
    const response = await servedApp(services).request(`http://sun.test/v2/${path}`);
    expect(response.status, path).toBe(200);
    return { file: Buffer.from(await response.arrayBuffer()), control: response.headers.get('Cache-Control'), units };
  };
  const counted = await sampleArchive(shots);
  await drawnIn(counted, 'levels');
  const [sketch, exact] = await Promise.all([await sampleArchive(shots), counted].map((one) => of(one, tables)));
  expect([sketch!.control, exact!.control]).toEqual(['public, max-age=60', 'public, max-age=86400']);
  expect(sketch!.file.equals(exact!.file)).toBe(false);
  const ofCount = Math.ceil((SIDE ** 2 * PICTURE_COST.countedPixel) / PICTURE_COST.unitPixels);
  for (const path of [
    shot,
    'downloadImage/?id=1&width=512&type=png&filter=rhef:1',
    'getFrame/?id=1&imageScale=9.68176352&filter=rhef:1',
    `${tables}&exact=true`,
  ]) {
    const [first, again] = [await of(await sampleArchive(shots), path), await of(counted, path)];
    expect([first.file.equals(again.file), first.control, first.units - again.units], path).toEqual([
      true,
      again.control,
      ofCount,
    ]);
  }
  const { rgba } = readPng(new Uint8Array((await of(counted, shot)).file));
  const frame = await frameOf(await sampleArchive(shots), size, 'filters=[rhef:1]');
  expect(frame.equals(Buffer.from(rgba.filter((_, i) => i % 4 < 3)))).toBe(true);
});

it('the statistics of an image come with the survey of an image that is ingested, byte for byte, but of no magnetogram', async () => {
  const archive = await sampleArchive(shots);
  const image = archive.images[0]!;
  const key = statisticsKey(image);
  await drawnIn(archive, 'levels');
  const drawn = (await archive.objects.readAll(key))!;
  await archive.objects.delete(key);
  const grids = { has: async () => false, put: async () => undefined };
  const { objects } = archive;
  const ports = { objects, grids: { values: grids, levels: grids }, memory: anyMemory(), turn: async () => undefined };
  const surveys = new ImageSurveys({ ...ports, log: (fault) => expect(fault).toBeUndefined() });
  const [sidecar, jp2] = [(await objects.readAll(sidecarKey(image.key, SIDECAR_VERSION)))!, (await objects.readAll(image.key))!];
  await surveys.makeFirst(image, sidecar, jp2);
  expect(await objects.readAll(key)).toEqual(drawn);
  await objects.delete(key);
  await surveys.makeFirst({ ...image, sourceId: 19 }, sidecar, jp2);
  expect(await objects.readAll(key)).toBeNull();
});

const layers = '&layers=[10,1,100],[19,1,100]&imageScale=8&width=9&height=9';
it.each([
  [
    `${TILE}&filter=rehf`,
    'Expected mgn, nrgf, rhef, or rhef:0.7,0.4 with numbers from 0.05 to 4, for filter, got rehf. Did you mean rhef?',
  ],
  [`${TILE}&filter=rhef:5`, 'Expected mgn, nrgf, rhef, or rhef:0.7,0.4 with numbers from 0.05 to 4, for filter, got rhef:5.'],
  [`${TILE}&steady=tru`, 'Expected true or false for steady, got tru. Did you mean true?'],
  ['/v2/getTile/?id=4&x=0&y=0&imageScale=4.84088176&steady=true', 'no brightness, for steady, got true.'],
  [`${TILE}&filter=mgn:1`, 'for filter, got mgn:1.'],
  [`${TILE}&filter=rhef:1,,`, 'for filter, got rhef:1,,.'],
  [
    '/v2/getTile/?id=4&x=0&y=0&imageScale=4.84088176&filter=rhef',
    'Expected range instead, because HMI Mag shows a magnetic field and no brightness, for filter, got rhef.',
  ],
  ['/v2/downloadImage/?id=4&width=256&filter=rhef', 'HMI Mag'],
  ['/v2/getFrame/?id=4&imageScale=9.68176352&filter=rhef', 'HMI Mag'],
  [`/v2/takeScreenshot/?${SHOT}${layers}&filters=[],[rhef]`, 'for filters, got rhef.'],
  [`/v2/takeScreenshot/?${SHOT}${layers}&filters=[],[],[rhef]`, 'Expected at most 2 groups, one for each of layers, for filters'],
])('a request for a filter gets a sentence if it is wrong: %s', async (path, sentence) => {
  const response = await get(path);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(sentence);
});
