import { expect, onTestFinished, test, vi } from 'vitest';
import { LayerRenderer } from '../../../src/archive/drawing/layer-renderer.ts';
import { TileRenderer, TileService } from '../../../src/archive/drawing/tile.ts';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import { SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { plateScale } from '../../../src/picture/grids/pixel-grid.ts';
import type { Projection } from '../../../src/picture/projection.ts';
import { Failure } from '../../../src/platform/util/errors.ts';
import { hasDwebp, readWebp } from '../../support/imaging/picture-tools.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { IMAGES } from '../../support/memory/archived-images.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import type { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { testArchive } from '../../support/test-archive.ts';

const it = test.extend('spot', () => spotImage(SIDE, 1, SPOT));

const SIDE = 1024;
const SPOT = { x: 700.5, y: 300.5, sigma: 12 };
const rendererOf = (objects: MemoryObjectStore) =>
  new TileRenderer({ layers: new LayerRenderer(new ImageReader({ objects, memory: anyMemory() })) });

it.each([0.5, 0.9, 1, 1.7, 2, 3.3, 4, 6.5])(
  'a tile shows a feature at its position with %f image pixels per output pixel',
  async (step) => {
    const { image, objects } = await spotImage(SIDE, 1, SPOT);
    const tile = { x: Math.floor((SPOT.x - SIDE / 2) / (512 * step)), y: Math.floor((SPOT.y - SIDE / 2) / (512 * step)) };
    const png = await rendererOf(objects).render({ image, reference: null }, { ...tile, imageScale: step });
    const { rgba, width } = readPng(png);
    const { x, y } = centroid(width, rgba.length / 4, (i) => rgba[4 * i]!);
    expect(x).toBeCloseTo((SPOT.x - SIDE / 2) / step - tile.x * 512, 1);
    expect(y).toBeCloseTo((SPOT.y - SIDE / 2) / step - tile.y * 512, 1);
  },
);

it('a tile keeps its bytes with warm and cold caches', async ({ spot: { image, objects } }) => {
  const warm = rendererOf(objects);
  await warm.render({ image, reference: null }, { x: -1, y: -1, imageScale: 4 });
  await warm.render({ image, reference: null }, { x: 0, y: 0, imageScale: 1 });
  const again = await warm.render({ image, reference: null }, { x: 0, y: -1, imageScale: 1 });
  const first = await rendererOf(objects).render({ image, reference: null }, { x: 0, y: -1, imageScale: 1 });
  expect(again).toEqual(first);
});

it.skipIf(!hasDwebp)('a tile keeps the pixels of its PNG as lossless WebP, also where a mask is translucent', async () => {
  const { images, layers } = await sampleArchive([{ sourceId: 83, timeMs: 0, size: 256 }]);
  const tiles = new TileRenderer({ layers });
  for (const [x, scale] of [
    [0, 4],
    [-1, 1.1],
  ] as const) {
    const tile = { x, y: -1, imageScale: scale * plateScale(images[0]!.geometry) };
    const [png, webp] = await Promise.all(
      (['png', 'webp'] as const).map((type) => tiles.render({ image: images[0]!, reference: null }, { ...tile, type })),
    );
    const { rgba } = readPng(png!);
    expect(Buffer.compare(readWebp(webp!).bytes, rgba)).toBe(0);
    expect(rgba.some((value, i) => i % 4 === 3 && value > 0 && value < 255)).toBe(true);
  }
});

it.skipIf(!hasDwebp)('a tile shrinks with its quality, and stays near to its PNG', async ({ spot: { image, objects } }) => {
  const tile = { x: 0, y: -1, imageScale: 1 };
  const render = (format: object) => rendererOf(objects).render({ image, reference: null }, { ...tile, ...format });
  const { rgba } = readPng(await render({}));
  const sizes: number[] = [];
  for (const quality of [20, 90]) {
    const file = await render({ type: 'webp', quality });
    const { bytes } = readWebp(file);
    const errors = rgba.map((value, i) => Math.abs(value - bytes[i]!));
    expect(errors.reduce((sum, error) => sum + error, 0) / rgba.length).toBeLessThan(2);
    sizes.push(file.length);
  }
  expect(sizes[0]!).toBeLessThan(0.9 * sizes[1]!);
});

it('a tile uses a rebuilt sidecar when the stored one is damaged', async ({ spot: { image, objects } }) => {
  const key = sidecarKey(image.key, SIDECAR_VERSION);
  const whole = await objects.readAll(key);
  const good = await rendererOf(objects).render({ image, reference: null }, { x: 0, y: -1, imageScale: 2 });
  await objects.put(key, new Uint8Array([1, 2, 3]));
  const rebuilt = await rendererOf(objects).render({ image, reference: null }, { x: 0, y: -1, imageScale: 2 });
  expect(rebuilt).toEqual(good);
  expect(await objects.readAll(key)).toEqual(whole);
});

it('a tile fails with Failure if its JP2 is missing, and with Jp2Error if its bytes are damaged', async ({
  spot: { image, objects },
}) => {
  const jp2 = (await objects.readAll(image.key)) as Uint8Array;
  await objects.put(
    image.key,
    jp2.map((byte, i) => (i > 130 ? byte ^ 0x55 : byte)),
  );
  await expect(rendererOf(objects).render({ image, reference: null }, { x: 0, y: -1, imageScale: 1 })).rejects.toBeInstanceOf(
    Jp2Error,
  );
  await objects.delete(image.key);
  await expect(rendererOf(objects).render({ image, reference: null }, { x: 0, y: -1, imageScale: 1 })).rejects.toBeInstanceOf(
    Failure,
  );
});

const TILE = { id: 26, x: 0, y: 0, imageScale: 2.42044088 };

function serviceWith(render: TileRenderer['render']) {
  const service = new TileService({ index: new MemoryImageIndex(IMAGES), tiles: { render, isReady: () => true } });
  const background: Promise<unknown>[] = [];
  const turns: number[] = [];
  const draw = (projection?: Projection) =>
    service.tile(
      { ...TILE, projection },
      callOf({ waitUntil: (work) => background.push(work), step: async (ms) => void turns.push(ms) }),
    );
  return { draw, background, turns };
}

const png = (text: string) => new TextEncoder().encode(text);

it('TileService fails all concurrent requests for an undecodable image, and retries on the next request', async () => {
  let attempts = 0;
  const { draw, background } = serviceWith(async () => {
    attempts += 1;
    await Promise.resolve();
    throw new Jp2Error('malformed', 'A packet header is cut short.');
  });
  const results = await Promise.allSettled([draw(), draw()]);
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'damaged-image' } });
  await Promise.all(background);
  expect(attempts).toBe(1);
  await expect(draw()).rejects.toMatchObject({ kind: 'damaged-image', message: 'This image is damaged and cannot be decoded.' });
  expect(attempts).toBe(2);
});

it.each([new Jp2Error('malformed', 'A packet header is cut short.'), new RangeError('Expected 100 bytes from 900, got 40.')])(
  'TileService reports %s as a damaged image with its cause',
  async (cause) => {
    const { draw } = serviceWith(() => Promise.reject(cause));
    await expect(draw()).rejects.toMatchObject({ kind: 'damaged-image', cause });
  },
);

it('TileService draws a tile of each projection for itself, which waits its turn as three tiles of the plane do', async () => {
  const { draw, turns } = serviceWith(async (_, { projection }) => png(projection?.kind ?? 'plane'));
  const drawn = await Promise.all([draw(), draw({ kind: 'unwrapped' }), draw({ kind: 'radial', power: 0 })]);
  expect(drawn.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(['plane', 'unwrapped', 'radial']);
  expect(turns.map((ms) => ms / turns[0]!)).toEqual([1, 3, 3]);
});

it('TileService passes on failures of the archive', async () => {
  const cause = new Error('R2 is not available');
  await expect(serviceWith(() => Promise.reject(cause)).draw()).rejects.toBe(cause);
});

it('TileService renders again if the shared render of a cancelled request never settles', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let attempts = 0;
  const never = new Promise<never>(() => undefined);
  const { draw } = serviceWith(() => (++attempts === 1 ? never : Promise.resolve(png('drawn'))));
  void draw();
  const second = draw();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(new TextDecoder().decode((await second).bytes)).toBe('drawn');
  expect(attempts).toBe(2);
});

it('getTile stores nothing in the archive, at whatever scale', async () => {
  const archive = testArchive();
  const keys = new Set(archive.objects.objects.keys());
  for (const scale of [2.42, 2.420001, 2.420002, 2.42044088, 3]) {
    expect((await archive.get(`/v2/getTile/?id=26&x=0&y=0&imageScale=${scale}`)).status).toBe(200);
  }
  await archive.settle();
  expect(new Set(archive.objects.objects.keys())).toEqual(keys);
});
