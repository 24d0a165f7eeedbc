import { describe, expect, it } from 'vitest';
import type { ImageType } from '../../../src/archive/drawing/formats/formats.ts';
import { downloadSize, ImageFileRenderer } from '../../../src/archive/drawing/image-downloads.ts';
import { colourTable } from '../../../src/picture/colour/palette.ts';
import { WEBP_VERSION } from '../../../src/picture/encode/webp.ts';
import type { Operations } from '../../../src/picture/operations/operations.ts';
import { RENDER_VERSION } from '../../../src/picture/raster/render-version.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const NOON = Date.parse('2024-05-10T12:00:00Z');

/** First 32 digits of the SHA-256 of image 26. */
const CONTENT_OF_26 = 'a1'.padEnd(32, '0');

const square = { width: 4096, height: 4096 };
it.each([
  [square, {}, 4096, 4096, 1],
  [square, { width: 1024 }, 1024, 1024, 4],
  [square, { width: 1000 }, 1000, 1000, 4.096],
  [square, { width: 1 }, 1, 1, 4096],
  [square, { width: 9_999_999 }, 4096, 4096, 1],
  [square, { scale: 2 }, 2048, 2048, 2],
  [square, { scale: 3 }, 1365, 1365, 4096 / 1365],
  [square, { scale: 2.5 }, 1638, 1638, 4096 / 1638],
  [square, { scale: 0.5 }, 4096, 4096, 1],
  [square, { scale: 1e6 }, 1, 1, 4096],
  [square, { width: 512, scale: 2 }, 512, 512, 8],
  [{ width: 768, height: 1024 }, { width: 300 }, 300, 400, 2.56],
  [{ width: 8192, height: 4096 }, {}, 4096, 2048, 2],
  // Excludes a row whose centre lies on the lower edge of the image.
  [{ width: 100, height: 105 }, { width: 10 }, 10, 10, 10],
])('downloadSize reduces %j for %j to %i x %i', (image, requested, width, height, step) => {
  const size = downloadSize(image, requested);
  expect([size.width, size.height]).toEqual([width, height]);
  expect(size.step).toBeCloseTo(step, 12);
});

const archive = await sampleArchive([10, 4, 29].map((sourceId) => ({ sourceId, timeMs: NOON, size: 256 })));

describe('a rendered whole image', () => {
  const AIA = 1;
  const C2 = 2;
  const COR2 = 3;

  async function file(id: number, type: ImageType, width = 256, layer: Operations = {}): Promise<Uint8Array> {
    const image = archive.images[id - 1]!;
    const renderer = new ImageFileRenderer(archive);
    return renderer.render({ ...layer, image, reference: null }, downloadSize(image.geometry, { width }), { type });
  }

  it('becomes an indexed PNG with its colour table', async () => {
    const { colourType, width, height, indexes, rgba } = readPng(await file(AIA, 'png'));
    expect([colourType, width, height]).toEqual([3, 256, 256]);
    const middle = 128 * 256 + 128;
    const index = indexes![middle]!;
    expect(index).toBeGreaterThan(20);
    expect([...rgba.subarray(middle * 4, middle * 4 + 4)]).toEqual([
      ...colourTable('SDO_AIA_171').subarray(index * 3, index * 3 + 3),
      255,
    ]);
  });

  it('shows LASCO without a mask', async () => {
    const { rgba } = readPng(await file(C2, 'png'));
    expect(rgba.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255)).toBe(true);
  });

  it.each(['rhef', 'nrgf', 'mgn'] as const)('hides the occulter of LASCO in one by %s', async (name) => {
    const { rgba } = readPng(await file(C2, 'png', 256, { filter: name === 'rhef' ? { name, low: 1, high: 1 } : { name } }));
    expect([rgba[(128 * 256 + 128) * 4 + 3], rgba[(128 * 256 + 30) * 4 + 3]]).toEqual([0, 255]);
  });

  it('becomes an indexed PNG for COR2, transparent only where it is masked', async () => {
    const { colourType, rgba } = readPng(await file(COR2, 'png'));
    const alpha = (x: number, y: number) => rgba[(y * 256 + x) * 4 + 3];
    expect(colourType).toBe(3);
    // The occulter has a radius of 178 of 2048 pixels: 22 of 256.
    expect([alpha(128, 128), alpha(128 + 20, 128), alpha(128 + 25, 128), alpha(128, 60), alpha(0, 0)]).toEqual([
      0, 0, 255, 255, 0,
    ]);
  });

  it('keeps its mean brightness at smaller sizes', async () => {
    const mean = async (width: number) => {
      const { indexes } = readPng(await file(AIA, 'png', width));
      return indexes!.reduce((sum, index) => sum + index, 0) / indexes!.length;
    };
    const whole = await mean(256);
    for (const width of [128, 100, 33]) expect(Math.abs((await mean(width)) - whole)).toBeLessThan(1.5);
  });

  it('keeps the requested size in JPEG and WebP', async () => {
    const jpg = await file(AIA, 'jpg', 100);
    const frame = jpg.findIndex((byte, i) => byte === 0xff && jpg[i + 1] === 0xc0);
    expect([...jpg.subarray(frame + 5, frame + 9)]).toEqual([0, 100, 0, 100]);
    const webp = await file(COR2, 'webp', 100);
    expect(new TextDecoder().decode(webp.subarray(8, 16))).toBe('WEBPVP8X');
    expect([webp[24]! + 1, webp[27]! + 1]).toEqual([100, 100]);
  });
});

it('downloadImage renders once per size and format, then serves from the archive and the edge', async () => {
  const { get, settle, imageFiles, objects, cache } = testArchive();
  for (const query of ['id=26&width=1024', 'id=26&width=1024&scale=7', 'id=26&scale=4&type=png']) {
    const response = await get(`/v2/downloadImage/?${query}`);
    expect(response.headers.get('Content-Type')).toBe('image/png');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    expect(await response.text()).toBe('png 26 1024x1024');
    await settle();
  }
  expect(imageFiles.drawn).toBe(1);
  const key = `derived/v${RENDER_VERSION}/image/${CONTENT_OF_26}/1024.png`;
  expect(objects.objects.has(key)).toBe(true);
  expect(cache.entries.size).toBe(3);
  await get('/v2/downloadImage/?id=26&width=1024&type=webp');
  expect(objects.objects.has(key.replace('png', `${WEBP_VERSION}.webp`))).toBe(true);
});

it('downloadImage stores no unusual sizes, so that no client fills the archive with them', async () => {
  const { get, settle, objects } = testArchive();
  const before = objects.objects.size;
  const etags = new Set<string | null>();
  for (const width of [1000, 1001, 1000]) {
    const response = await get(`/v2/downloadImage/?id=26&width=${width}`);
    expect([response.status, await response.text()]).toEqual([200, `png 26 ${width}x${width}`]);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    etags.add(response.headers.get('ETag'));
    await settle();
  }
  expect([objects.objects.size - before, etags.size]).toEqual([0, 2]);
});

it.each([
  ['', 'image/png', 'png 26 4096x4096', '1.png'],
  ['width=100000000', 'image/png', 'png 26 4096x4096', '1.png'],
  ['type=jpg&scale=4', 'image/jpeg', 'jpg 26 1024x1024', '4.jpg'],
  ['width=1000&type=webp', 'image/webp', 'webp 26 1000x1000', '4.096.webp'],
])(
  'downloadImage returns %s in its format, by the name of the original service with one extension',
  async (query, ...expected) => {
    const response = await testArchive().get(`/v2/downloadImage/?id=26&${query}`);
    const [type, name] = ['Content-Type', 'Content-Disposition'].map((header) => response.headers.get(header));
    const file = /^inline; filename="image_26_full_image_(.*)"$/.exec(name!)?.[1];
    expect([type, await response.text(), file]).toEqual(expected);
  },
);

it('downloadImage takes a quality, stores files of that of the first picture alone, and names the largest size', async () => {
  const { get, objects } = testArchive();
  const before = objects.objects.size;
  const stored = { 'type=webp&quality=79': 0, 'type=jpg&quality=80': 0, 'type=webp&quality=80': 1 };
  for (const [file, count] of Object.entries(stored)) {
    const lossy = await get(`/v2/downloadImage/?id=26&width=1024&${file}`);
    expect([file, lossy.status, objects.objects.size - before]).toEqual([file, 200, count]);
  }
  expect(objects.objects.has(`derived/v${RENDER_VERSION}/image/${CONTENT_OF_26}/1024.q80.webp`)).toBe(true);
  const large = await get('/v2/downloadImage/?id=26&type=webp&quality=80');
  expect([large.status, ((await large.json()) as { error: string }).error]).toEqual([
    400,
    'Expected at most 2621440 pixels, such as 2048x1280, beside type=webp for quality, got 80 for 4096x4096.',
  ]);
  expect(await answered(get('/v2/downloadImage/?id=26&quality=80'))).toMatchObject([400, { parameter: 'quality' }]);
});
