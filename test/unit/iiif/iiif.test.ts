import { describe, expect, it } from 'vitest';
import { ImageFileRenderer } from '../../../src/archive/drawing/image-downloads.ts';
import { IIIF } from '../../../src/faces/iiif/image.ts';
import { parseRegion, parseRotation, parseSize, type Quality, regionOf, sizeOf } from '../../../src/picture/image-part.ts';
import { Failure } from '../../../src/platform/util/errors.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { indexOfEach } from '../../support/memory/image-index.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { testArchive } from '../../support/test-archive.ts';

const archive = testArchive();
const get = (path: string) => archive.get(`/iiif/${path}`);
const textOf = async (path: string) => (await get(path)).text();
const linksOf = async (path: string) => (await get(`3/image-26/${path}`)).headers.get('Link');

it('the description of an image states the size, tiles and sizes that viewers ask for', async () => {
  const response = await get('3/image-26/info.json');
  expect(response.headers.get('Content-Type')).toBe('application/ld+json;profile="http://iiif.io/api/image/3/context.json"');
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(await response.json()).toMatchObject({
    id: 'http://sun.test/iiif/3/image-26',
    type: 'ImageService3',
    profile: 'level2',
    width: 4096,
    height: 4096,
    sizes: [512, 1024, 2048, 4096].map((side) => ({ width: side, height: side })),
    tiles: [{ width: 512, height: 512, scaleFactors: [1, 2, 4, 8] }],
  });
});

it('the description of an image stands where the address of the image leads', async () => {
  const response = await get('3/image-26');
  expect([response.status, response.headers.get('Location')]).toEqual([303, '/iiif/3/image-26/info.json']);
});

it.each([
  ['full/max/0/default.jpg', 'jpg 26 0,0,4096,4096 4096x4096 0 default'],
  ['512,1024,1024,512/512,/!90/gray.png', 'png 26 512,1024,1024,512 512x256 mirrored 90 gray'],
  ['square/pct:25/180/color.webp', 'webp 26 0,0,4096,4096 1024x1024 180 color'],
  ['pct%3A0,0,50,50/%5E!4000,3000/0/default.png', 'png 26 0,0,2048,2048 3000x3000 0 default'],
])('a request for a picture: %s is drawn', async (path, drawn) => {
  expect(await textOf(`3/image-26/${path}`)).toBe(drawn);
});

it('a request for a picture names the canonical address and the profile', async () => {
  const profile = '<http://iiif.io/api/image/3/level2.json>;rel="profile"';
  const canonical = (path: string) => `</iiif/3/image-26/${path}>;rel="canonical", ${profile}`;
  expect(await linksOf('square/4096,/360/color.jpg')).toBe(canonical('full/max/0/default.jpg'));
  expect(await linksOf('0,0,100,50/!90,90/!180/gray.png')).toBe(canonical('0,0,100,50/90,45/!180/gray.png'));
  expect(await linksOf('full/^max/0/default.jpg')).toBe(canonical('full/max/0/default.jpg'));
  expect(await linksOf('0,0,100,50/^max/0/default.jpg')).toBe(canonical('0,0,100,50/^max/0/default.jpg'));
  expect(await linksOf('0,0,100,50/^400,/0/default.jpg')).toBe(canonical('0,0,100,50/^400,200/0/default.jpg'));
});

it.each([
  ['image-26/full/max/45/default.jpg', 501],
  ['image-26/full/max/0/default.tif', 501],
  ['image-26/full/max/0/default.xyz', 400],
  ['image-26/full/^5000,/0/default.jpg', 400],
  ['image-26/full/max/0', 400],
  ['image-26/a/b/full/max/0/default.jpg', 400],
  ['image-99/full/max/0/default.jpg', 404],
  ['other/full/max/0/default.jpg', 404],
  ['a/b/full/max/0/default.jpg', 404],
  ['other', 404],
  ['[frob]/info.json', 404],
])('a request for a picture: %s is %i', async (path, status) => {
  expect((await get(`3/${path}`)).status).toBe(status);
});

it('a request for a picture makes one key of the edge cache in all notations, and takes no filter', async () => {
  const { app, imageFiles } = testArchive();
  const request = (path: string) => app.request(`http://sun.test/iiif/3/image-26/${path}`);
  for (const path of [
    '0,0,64,64/max/0/default.png',
    '0,0,64,64/max/360/default.png?filter=rhef',
    '00,0,64,64/max/0.0/default.png',
  ])
    expect((await request(path)).status).toBe(200);
  expect(imageFiles.drawn).toBe(1);
});

const sample = await sampleArchive([10, 29].map((sourceId) => ({ sourceId, timeMs: Date.UTC(2024, 4, 10, 12), size: 256 })));

describe('a drawn part of an image', () => {
  const region = { left: 40, top: 64, width: 96, height: 128 };

  async function cut(id: number, rotation: string, size = { width: 96, height: 128 }, quality: Quality = 'default') {
    const wanted = { region, size, orientation: parseRotation(rotation), quality };
    return readPng(await new ImageFileRenderer(sample).cut(sample.images[id - 1]!, wanted, 'png'));
  }

  it('equals the part of the whole image', async () => {
    const whole = { left: 0, top: 0, width: 256, height: 256 };
    const upright = { region: whole, size: whole, orientation: parseRotation('0'), quality: 'default' as const };
    const all = readPng(await new ImageFileRenderer(sample).cut(sample.images[0]!, upright, 'png'));
    const part = await cut(1, '0');
    const row = (y: number) => all.rgba.subarray(4 * ((64 + y) * 256 + 40), 4 * ((64 + y) * 256 + 40 + 96));
    for (const y of [0, 50, 127]) expect(part.rgba.subarray(4 * 96 * y, 4 * 96 * (y + 1))).toEqual(row(y));
  });

  // Column and row of the upright picture at a column and row of the turned one, whose size is width x height.
  it.each([
    ['90', (x: number, y: number) => [y, 127 - x]],
    ['180', (x: number, y: number) => [95 - x, 127 - y]],
    ['270', (x: number, y: number) => [95 - y, x]],
    ['!0', (x: number, y: number) => [95 - x, y]],
    ['!90', (x: number, y: number) => [95 - y, 127 - x]],
    ['!180', (x: number, y: number) => [x, 127 - y]],
    ['!270', (x: number, y: number) => [y, x]],
  ] as const)('turns by %s, with the mask of its instrument', async (rotation, source) => {
    for (const id of [1, 2]) {
      const [upright, turned] = [await cut(id, '0'), await cut(id, rotation)];
      const isSideways = /90|270/.test(rotation);
      expect([turned.width, turned.height]).toEqual(isSideways ? [128, 96] : [96, 128]);
      const differing = Array.from({ length: turned.width * turned.height }, (_, i) => i).filter((i) => {
        const [x, y] = source(i % turned.width, Math.floor(i / turned.width)) as [number, number];
        return [0, 1, 2, 3].some((c) => turned.rgba[4 * i + c] !== upright.rgba[4 * (y * 96 + x) + c]);
      });
      expect(differing).toEqual([]);
    }
  });

  it('allows distorted, grey, and black and white pictures', async () => {
    const squeezed = await cut(1, '0', { width: 24, height: 128 }, 'gray');
    expect([squeezed.width, squeezed.height]).toEqual([24, 128]);
    expect(squeezed.rgba.filter((_, i) => i % 4 < 3).every((value, i, all) => value === all[i - (i % 3)])).toBe(true);
    const grey = await cut(1, '0', region, 'gray');
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const block = (y: number) => mean([0, 1, 2, 3].map((x) => grey.rgba[4 * (y * 96 + 40 + x)]!));
    for (const y of [20, 64, 100]) expect(Math.abs(squeezed.rgba[4 * (y * 24 + 10)]! - block(y))).toBeLessThan(12);
    expect((await cut(1, '90', { width: 4, height: 1 })).height).toBe(4);
    const bitonal = await cut(1, '0', region, 'bitonal');
    expect(bitonal.rgba.every((value, i) => i % 4 === 3 || value === (grey.rgba[i]! < 128 ? 0 : 255))).toBe(true);
  });
});

it('the manifest of a day gives each image a canvas, with its service', async () => {
  const response = await get('manifests/10/2024-01-01.json');
  expect(response.headers.get('Content-Type')).toMatch(/^application\/ld\+json/);
  const manifest = (await response.json()) as { id: string; items: { id: string; items: { items: { body: object }[] }[] }[] };
  expect(manifest).toMatchObject({
    '@context': 'http://iiif.io/api/presentation/3/context.json',
    id: 'http://sun.test/iiif/manifests/10/2024-01-01.json',
    type: 'Manifest',
    label: { en: ['AIA 171, 2024-01-01'] },
  });
  expect(manifest.items.map(({ id }) => id.split('/').at(-1))).toEqual(['26', '42', '58']);
  expect(manifest.items[0]!.items[0]!.items[0]!.body).toMatchObject({
    id: 'http://sun.test/iiif/3/image-26/full/max/0/default.jpg',
    service: [{ id: 'http://sun.test/iiif/3/image-26', type: 'ImageService3', profile: 'level2' }],
  });
});

it('the manifest of a day takes images through the day where there are many', async () => {
  const { app } = testArchive({ index: indexOfEach(60_000, 1440) });
  const response = await app.request('http://sun.test/iiif/manifests/10/2024-01-01.json');
  const { items } = (await response.json()) as { items: { navDate: string }[] };
  expect(items).toHaveLength(IIIF.canvases);
  expect([items[0]!.navDate, items.at(-1)!.navDate]).toEqual(['2024-01-01T00:07:00Z', '2024-01-01T23:52:00Z']);
});

it.each([
  ['manifests/10/2023-01-01.json', 404],
  ['manifests/10/noon.json', 400],
  ['manifests/10001/2024-01-01.json', 400],
  ['manifests/x/2024-01-01.json', 400],
])('the manifest of a day: %s is %i', async (path, status) => {
  expect((await get(path)).status).toBe(status);
});

const IMAGE = { width: 1000, height: 600 };
const region = (text: string) => {
  const { left, top, width, height } = regionOf(parseRegion(text), IMAGE);
  return [left, top, width, height];
};
const size = (text: string, of = IMAGE) => {
  const { width, height } = sizeOf(parseSize(text), of);
  return [width, height];
};
const kindOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error.kind;
  }
  return 'none';
};

it.each([
  ['full', [0, 0, 1000, 600]],
  ['square', [200, 0, 600, 600]],
  ['10,20,30,40', [10, 20, 30, 40]],
  ['990,590,512,512', [990, 590, 10, 10]],
  ['pct:10,50,20,25.5', [100, 300, 200, 153]],
  ['pct:99.99,0,0.001,100', [999, 0, 1, 600]],
  ['pct:50,50,100,100', [500, 300, 500, 300]],
])('the region of a IIIF request: %s is %j', (text, box) => {
  expect(region(text)).toEqual(box);
});

it.each('|Full|1,2,3|1,2,3,4,5|-1,0,5,5|0,0,0,5|0,0,5,0|1000,0,5,5|pct:100,0,5,5|1.5,0,5,5|pct:a,0,1,1'.split('|'))(
  'the region of a IIIF request: %j is a bad parameter',
  (text) => {
    expect(kindOf(() => region(text))).toBe('bad-parameter');
  },
);

it.each([
  ['max', [1000, 600]],
  ['^max', [4096, 2458]],
  ['500,', [500, 300]],
  [',300', [500, 300]],
  ['100,400', [100, 400]],
  ['pct:50', [500, 300]],
  ['pct:0.01', [1, 1]],
  ['!500,500', [500, 300]],
  ['!100,600', [100, 60]],
  // As large as possible, but not larger than the region.
  ['!2000,3000', [1000, 600]],
  ['^!2000,3000', [2000, 1200]],
  ['^2000,', [2000, 1200]],
  ['^pct:200', [2000, 1200]],
  ['^1200,300', [1200, 300]],
])('the size of a IIIF request: %s is %j', (text, sides) => {
  expect(size(text)).toEqual(sides);
});

it('the size of a IIIF request stays within 4096 a side', () => {
  expect(size('max', { width: 8192, height: 100 })).toEqual([4096, 50]);
  expect(kindOf(() => size('5000,', { width: 8192, height: 100 }))).toBe('bad-parameter');
  expect(kindOf(() => size('^5000,'))).toBe('bad-parameter');
});

it.each('|full|,|0,|,0|!,|!5,|pct:0|pct:101|1001,|,601|1001,1|1,601|^|5|1e3,|!0,5|^^max'.split('|'))(
  'the size of a IIIF request: %j is a bad parameter',
  (text) => {
    expect(kindOf(() => size(text))).toBe('bad-parameter');
  },
);

it('a rotation is by quarter turns, and mirrored', () => {
  expect(['0', '90', '!180', '270.0', '360'].map(parseRotation)).toEqual([
    { isMirrored: false, quarterTurns: 0 },
    { isMirrored: false, quarterTurns: 1 },
    { isMirrored: true, quarterTurns: 2 },
    { isMirrored: false, quarterTurns: 3 },
    { isMirrored: false, quarterTurns: 0 },
  ]);
  expect(['45', '!22.5'].map((text) => kindOf(() => parseRotation(text)))).toEqual(['not-implemented', 'not-implemented']);
  for (const text of ['', '-90', '361', '!!90', 'x', '1e2'])
    expect(
      kindOf(() => parseRotation(text)),
      text,
    ).toBe('bad-parameter');
});
