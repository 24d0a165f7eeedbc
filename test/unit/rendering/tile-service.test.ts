import { expect, it, vi } from 'vitest';
import { type TileRenderer, TileService } from '../../../src/archive/drawing/tile.ts';
import { Jp2Error } from '../../../src/jp2/errors.ts';
import type { Projection } from '../../../src/picture/projection.ts';
import { IMAGES } from '../../support/memory/archived-images.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

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
  try {
    let attempts = 0;
    const never = new Promise<never>(() => undefined);
    const { draw } = serviceWith(() => (++attempts === 1 ? never : Promise.resolve(png('drawn'))));
    void draw();
    const second = draw();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(new TextDecoder().decode((await second).bytes)).toBe('drawn');
    expect(attempts).toBe(2);
  } finally {
    vi.useRealTimers();
  }
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
