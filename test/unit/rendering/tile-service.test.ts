import { expect, it, vi } from 'vitest';
import { NO_DIFFERENCE } from '../../../src/domain/recipe/difference.ts';
import { ServerTiming } from '../../../src/http/server-timing.ts';
import { Jp2Error } from '../../../src/imaging/jp2/errors.ts';
import { TileService } from '../../../src/services/rendering/tile.ts';
import type { TileRenderer } from '../../../src/services/rendering/tile-renderer.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { IMAGES } from '../../support/test-archive.ts';

const TILE = { id: 26, x: 0, y: 0, imageScale: 2.42044088, difference: NO_DIFFERENCE };

function serviceWith(render: TileRenderer['render']) {
  const objects = new MemoryObjectStore();
  const service = new TileService({ index: new MemoryImageIndex(IMAGES), objects, tiles: { version: 1, render } });
  const background: Promise<unknown>[] = [];
  const draw = (imageScale = TILE.imageScale) =>
    service.tile(
      { ...TILE, imageScale },
      { client: '192.0.2.1', stopwatch: new ServerTiming(), waitUntil: (work) => background.push(work) },
    );
  return { draw, objects, background };
}

const png = (text: string) => ({ png: new TextEncoder().encode(text), timings: {}, isBlank: false });

it('TileService fails all concurrent requests for an undecodable image, stores nothing, and retries on the next request', async () => {
  let attempts = 0;
  const { draw, objects, background } = serviceWith(async () => {
    attempts += 1;
    await Promise.resolve();
    throw new Jp2Error('malformed', 'Expected a packet, got the end.');
  });
  const results = await Promise.allSettled([draw(), draw()]);
  for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'damaged-image' } });
  await Promise.all(background);
  expect([attempts, objects.objects.size]).toEqual([1, 0]);
  await expect(draw()).rejects.toMatchObject({ kind: 'damaged-image', message: 'This image is damaged and cannot be decoded.' });
  expect(attempts).toBe(2);
});

it.each([new Jp2Error('malformed', 'Expected a packet, got the end.'), new RangeError('Expected 100 bytes from 900, got 40.')])(
  'TileService reports %s as a damaged image with its cause',
  async (cause) => {
    const { draw } = serviceWith(() => Promise.reject(cause));
    await expect(draw()).rejects.toMatchObject({ kind: 'damaged-image', cause });
  },
);

it('TileService passes on failures of the archive', async () => {
  const cause = new Error('R2 is not available');
  await expect(serviceWith(() => Promise.reject(cause)).draw()).rejects.toBe(cause);
});

it('TileService renders again if the shared render of a cancelled request never settles', async () => {
  vi.useFakeTimers();
  try {
    let attempts = 0;
    const never = new Promise<never>(() => undefined);
    const { draw } = serviceWith(() => (++attempts === 1 ? never : Promise.resolve(png('drawn'))));
    void draw();
    const second = draw();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(new TextDecoder().decode((await second).png)).toBe('drawn');
    expect(attempts).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

it('TileService serves a rendered tile from the archive afterwards', async () => {
  let attempts = 0;
  const { draw, background } = serviceWith(async () => png(`drawing ${++attempts}`));
  await draw();
  await Promise.all(background);
  expect(new TextDecoder().decode((await draw()).png)).toBe('drawing 1');
});

it('TileService does not store blank tiles', async () => {
  const { draw, objects, background } = serviceWith(async () => ({ ...png('nothing'), isBlank: true }));
  expect(new TextDecoder().decode((await draw()).png)).toBe('nothing');
  await Promise.all(background);
  expect(objects.objects.size).toBe(0);
});

it.each([
  [2.42044088, 1],
  [0.07563877, 1],
  [2.42, 0],
  [2.4205, 0],
  [0.001, 0],
])('TileService stores a tile of %s arcseconds per pixel in %i objects', async (imageScale, count) => {
  const { draw, objects, background } = serviceWith(async () => png('drawn'));
  await draw(imageScale);
  await Promise.all(background);
  expect(objects.objects.size).toBe(count);
});
