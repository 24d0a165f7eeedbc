import { describe, expect, it } from 'vitest';
import { MovingFrameRenderer } from '../../../src/archive/drawing/moving-frames.ts';
import { TileRenderer } from '../../../src/archive/drawing/tile.ts';
import { colourTable } from '../../../src/picture/colour/palette.ts';
import { LEVEL_0_SCALE, sunCentre, tileGrid } from '../../../src/picture/grids/pixel-grid.ts';
import { describedIn, frameGrid, type Tiles } from '../../../src/picture/moving-frame.ts';
import { fromBase64 } from '../../../src/platform/util/bytes.ts';
import { hasDjpeg, readJpeg } from '../../support/imaging/picture-tools.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const NOON = Date.parse('2024-05-10T12:00:00Z');
const AIA = { width: 4096, height: 4096, scaleArcsecPerPixel: 0.6 };
const level = (number: number) => LEVEL_0_SCALE * 2 ** number;

it.each<[Tiles, [left: number, top: number, width: number, height: number]]>([
  [{ imageScale: level(3) }, [-256, -256, 512, 512]],
  [{ imageScale: level(2) }, [-512, -512, 1024, 1024]],
  [{ imageScale: level(2), x: -1 }, [-512, -512, 1024, 1024]],
  [{ imageScale: level(2), x: 0, y: -1, columns: 1, rows: 1 }, [0, -512, 512, 512]],
  [{ imageScale: level(0), x: -4, y: 2, columns: 2, rows: 2 }, [-2032, 1024, 1008, 1008]],
  [{ imageScale: level(12) }, [-8, -8, 16, 16]],
])('frameGrid places %j in pixels from the centre of the image', (address, [left, top, width, height]) => {
  const grid = frameGrid(AIA, address);
  const tile = tileGrid(AIA, { x: 0, y: 0, imageScale: address.imageScale });
  expect([grid.step, grid.width, grid.height]).toEqual([tile.step, width, height]);
  expect([(grid.left - tile.left) / tile.step, (grid.top - tile.top) / tile.step]).toEqual([
    expect.closeTo(left, 9),
    expect.closeTo(top, 9),
  ]);
});

const archive = await sampleArchive([10, 4].map((sourceId) => ({ sourceId, timeMs: NOON, size: 512 })));

describe('a frame', () => {
  const fileOf = (id: number, address: Tiles) => {
    const image = archive.images[id - 1]!;
    const grid = frameGrid(image.geometry, address);
    return new MovingFrameRenderer(archive).render({ image, reference: null }, grid);
  };

  it('describes its place, its colours and what is masked', async () => {
    const [aia, lasco] = archive.images;
    const frame = describedIn(await fileOf(1, { imageScale: level(4) }))!;
    const grid = frameGrid(aia!.geometry, { imageScale: level(4) });
    expect(frame.imageScale).toBeCloseTo(level(4), 9);
    expect(frame.sun.x).toBeCloseTo((sunCentre(aia!.geometry).x - grid.left) / grid.step, 9);
    expect(fromBase64(frame.colours!)).toEqual(Uint8Array.from(colourTable('SDO_AIA_171')));
    expect([frame.ring, frame.isBlackTransparent]).toEqual([null, false]);
    const masked = describedIn(await fileOf(2, { imageScale: level(6) }))!;
    const scale = lasco!.geometry.scaleArcsecPerPixel / level(6);
    expect(masked.ring!.inner.radius).toBeGreaterThan(0);
    expect(masked.ring!.outer.radius).toBeGreaterThan(masked.ring!.inner.radius);
    expect(masked.ring!.outer.radius).toBeLessThan(512 * scale);
  });

  it('finds no description in another file', () => {
    expect(describedIn(Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 2))).toBeNull();
  });

  it.skipIf(!hasDjpeg)('holds the samples of a tile within the loss of JPEG, in one component', async () => {
    const [image] = archive.images;
    const address = { imageScale: level(3), x: -1, y: -1, columns: 1, rows: 1 };
    const frame = readJpeg(await fileOf(1, address));
    const tile = readPng(
      await new TileRenderer(archive).render({ image: image!, reference: null }, { x: -1, y: -1, imageScale: level(3) }),
    );
    expect(frame.depth).toBe(1);
    // The frame lacks what the tile has above and left of the image.
    const [dx, dy] = [512 - frame.width, 512 - frame.height];
    let [sum, most, bright, count] = [0, 0, 0, 0];
    for (let y = 0; y < frame.height; y++)
      for (let x = 0; x < frame.width; x++) {
        const at = (y + dy) * 512 + x + dx;
        if (tile.rgba[4 * at + 3] === 0) continue;
        const grey = tile.indexes![at]!;
        const off = Math.abs(frame.bytes[y * frame.width + x]! - grey);
        [sum, most, bright, count] = [sum + off, Math.max(most, off), Math.max(bright, grey), count + 1];
      }
    expect(count).toBeGreaterThan(50_000);
    expect(bright).toBeGreaterThan(100);
    expect(sum / count).toBeLessThan(2);
    expect(most).toBeLessThan(30);
  });
});

const AT = `imageScale=${level(3)}`;

it('getFrame returns a JPEG that the edge keeps under one key for every notation', async () => {
  const { get, cachedKeys, movingFrames } = testArchive();
  for (const query of [`id=26&${AT}`, 'imageScale=4.840882&id=+26', `id=26&${AT}&x=&columns=`]) {
    const response = await get(`/v2/getFrame/?${query}`);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/jpeg']);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    expect(response.headers.get('ETag')).toMatch(/^"[0-9a-f]{32}"$/);
    expect(response.headers.get('X-Image-Date')).toBe('2024-01-01T00:00:00.000Z');
    expect(await response.text()).toMatch(/^JPEG 26 .* 528x528$/);
  }
  expect([movingFrames.drawn, cachedKeys()]).toEqual([1, [`/getFrame?description=5&id=26&imageScale=${level(3)}`]]);
});

it.each([
  ['imageScale=3', 'imageScale', /^Expected 0\.60511022 times a power of two for imageScale, got 3\.$/],
  [`imageScale=${level(0)}`, 'imageScale', /^Expected a scale at which this frame has at most 1280x1280 pixels/],
  [`${AT}&x=2`, 'x', /^Expected the number of a column in which the image lies for x, got 2\.$/],
  [`${AT}&y=-3&rows=1`, 'y', /^Expected the number of a row in which the image lies for y, got -3\.$/],
  [`${AT}&columns=5`, 'columns', /^Expected a whole number from 1 to 4 for columns, got 5\.$/],
  [`${AT}&rows=0`, 'rows', /^Expected a whole number from 1 to 4 for rows, got 0\.$/],
])('getFrame refuses %s', async (query, parameter, sentence) => {
  const response = await testArchive().get(`/v2/getFrame/?id=26&${query}`);
  expect([response.status, await response.json()]).toMatchObject([400, { parameter, error: expect.stringMatching(sentence) }]);
});

it('getFrame gives the part of an image that is asked for at its full resolution, and 404 for an unknown one', async () => {
  const { get } = testArchive();
  const response = await get(`/v2/getFrame/?id=26&imageScale=${level(0)}&x=-1&y=-1&columns=2&rows=1`);
  expect(await response.text()).toMatch(/^JPEG 26 .* 1024x512$/);
  expect(await answered(get(`/v2/getFrame/?id=9&${AT}`))).toMatchObject([404, { errno: 24, parameter: 'id' }]);
});

it('getFrame counts as many requests of its client as tiles have its pixels', async () => {
  let left = 7;
  const requestLimiter = { limit: async () => ({ success: left-- > 0 }) };
  const { get } = testArchive({ requestLimiter });
  const frame = (id: number) => get(`/v2/getFrame/?id=${id}&imageScale=${level(2)}&columns=2&rows=2&x=-1&y=-1`);
  expect([(await frame(26)).status, left]).toEqual([200, 3]);
  const refused = await frame(42);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(await refused.json()).toMatchObject({ error: 'Too many requests from this address. Try again in a minute.' });
});
