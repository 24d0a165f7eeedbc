// Tiles of views of the Sun: put together they are the still picture of the same scale.
import { expect, it } from 'vitest';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const MAY = Date.parse('2024-05-10T12:00:00Z');
const [AIA, C2] = [10, 4];
/** Zoom of 4.8 arcseconds a pixel, the scale of the image. */
const ZOOM = 8;
const SIDE = 1024;

const { index, objects } = await sampleArchive([AIA, C2].map((sourceId) => ({ sourceId, timeMs: MAY, size: 512 })));
const app = servedApp(testServices({ index, objects, clock: () => Date.UTC(2024, 5, 1) }));
const get = async (path: string) => app.request(`http://sun.test${path}`);
const { direct } = app;

/** Levels of red, green and blue over black. */
async function picture(path: string) {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  const { width, height, rgba } = readPng(new Uint8Array(await response.arrayBuffer()));
  return { width, height, levels: rgba.map((level, i) => Math.round((level * rgba[i | 3]!) / 255)) };
}

it.each([
  ...['sphere,20,-5', 'sphere,-60,30,0.3', 'observer,venus', 'unwrapped', 'polar,north', 'radial,0'].map((one) => [one, '']),
  ['sphere,20,-5', 'rhef'],
])('tiles of a projection make up the screenshot of their scale: %s %s', async (projection, filter) => {
  const scale = 4.8;
  const [left, top] = projection === 'unwrapped' ? [-SIDE, -SIDE] : [-SIDE / 2, -SIDE / 2];
  const region = { x1: left, y1: top, x2: left + SIDE, y2: top + SIDE };
  const corners = Object.entries(region).map(([name, pixels]) => `${name}=${pixels * scale}`);
  const query = `date=2024-05-10T12:00:00Z&imageScale=${scale}&layers=[${AIA},1,100]&filters=[${filter}]&watermark=false&display=true&${corners.join('&')}`;
  const whole = await picture(`/v2/takeScreenshot/?${query}&projection=${projection}`);
  expect([whole.width, whole.height]).toEqual([SIDE, SIDE]);
  let [unlike, light] = [0, 0];
  for (const [column, row] of [0, 1].flatMap((y) => [0, 1].map((x) => [x, y] as const))) {
    const [x, y] = [left / 512 + column, top / 512 + row].map((tile) => 2 ** (ZOOM - 1) + tile);
    const tile = await picture(`/tiles/${projection}/${AIA}/${ZOOM}/${x}/${y}.png?date=2024-05-10T12:00:00Z&filter=${filter}`);
    for (let i = 0; i < tile.levels.length; i++) {
      if (i % 4 === 3) continue;
      const pixel = i >> 2;
      const of = 4 * ((row * 512 + Math.floor(pixel / 512)) * SIDE + column * 512 + (pixel % 512)) + (i % 4);
      unlike += Number(Math.abs(tile.levels[i]! - whole.levels[of]!) > 2);
      light += whole.levels[of]!;
    }
  }
  expect(light / SIDE ** 2).toBeGreaterThan(3);
  expect(unlike / (3 * SIDE ** 2)).toBeLessThan(1e-3);
});

it('tiles of a projection describe their screen plane for maps in Web Mercator, and by WMTS', async () => {
  const document = await (await get(`/tiles/sphere,20,-5/${AIA}.json?colour=false`)).json();
  expect(document).toMatchObject({
    name: 'AIA 171 2024-05-10 12:00:00 UTC [sphere,20,-5]',
    tiles: ['http://sun.test/tiles/sphere,20,-5/image-1/{z}/{x}/{y}.png?colour=false'],
    minzoom: 8,
    maxzoom: 8,
    screen: {
      image: 1,
      projection: 'sphere,20,-5',
      limb: { x: 0, y: 0, radius: expect.closeTo(959.24, 0) },
      perArcsecFrom1au: 1,
    },
  });
  const { bounds, screen } = document as { bounds: number[]; screen: { bounds: number[]; edge: number } };
  expect(screen.bounds[2]! / screen.edge).toBeCloseTo(bounds[2]! / 180, 9);
  expect(screen.bounds.map(Math.abs)).toEqual(Array(4).fill(expect.closeTo(1.04 * 959.24, -1)));
  expect(await (await get(`/tiles/unwrapped/${C2}.json`)).json()).toMatchObject({
    screen: { limb: null, bounds: [expect.closeTo(-3013.5, 1), 0, expect.closeTo(3013.5, 1), expect.closeTo(8675.6, 1)] },
  });
  const capabilities = await (await get(`/tiles/sphere,20,-5/${AIA}/1.0.0/WMTSCapabilities.xml`)).text();
  expect(capabilities).toContain(
    'template="http://sun.test/tiles/sphere,20,-5/10/{TileMatrix}/{TileCol}/{TileRow}.png?date={Time}&amp;style={Style}"',
  );
  expect(capabilities).not.toContain('helioprojective');
});

it('tiles of a projection share one key in every notation, which is that of the plane without one', () => {
  const key = (path: string) => edgeKey(new Request(`https://sun.test${path}`));
  expect(key('/tiles/Sphere,20.0,-5/10/8/1/2.png')).toBe('/tiles?projection=sphere%2C20%2C-5&sourceId=10&type=png&x=1&y=2&z=8');
  expect(key('/tiles/10/8/1/2.png?projection=sphere,20,-5')).toBe(key('/tiles/sphere,-340,-5/10/8/1/2.png'));
  expect(key('/tiles/plane/10/8/1/2.png')).toBe(key('/tiles/10/8/1/2.png'));
});

it('tiles of a projection stay a day in caches as an observer sees them, whose orbit a newer table may change', async () => {
  const life = async (projection: string) => {
    const { headers } = await direct(`http://sun.test/tiles/${projection}/image-1/${ZOOM}/128/128.png`);
    return ['Cloudflare-CDN-Cache-Control', 'Cache-Control'].map((name) => headers.get(name));
  };
  expect(await life('sphere,20,-5')).toEqual(['public, max-age=31536000', 'public, max-age=86400']);
  expect(await life('observer,venus')).toEqual([null, 'public, max-age=86400']);
});

it.each([
  ['sphere,0,100/10/8/128/127.png', 'Expected a latitude from -90 to 90 for projection, got 100.'],
  [
    'globe/10.json',
    'Expected plane, sphere,20,-5, unwrapped, polar,north, radial,0, carrington, cea or observer,stereo_a for projection, got globe.',
  ],
  [
    'observer,solo/10/8/128/127.png',
    /^Expected an observer with an ephemeris at 2024-05-10T12:00:00.000Z \(mercury, .*\) for projection, got solo\.$/,
  ],
  [
    'sphere,0,0/4/8/128/127.png',
    /^Expected plane, unwrapped or radial,0 for .*C2 .*, whose headers do not state coordinates and the place of the observer, for projection, got sphere,0,0\.$/,
  ],
  ['polar,north/4.json', /^Expected plane, unwrapped or radial,0 for /],
  [
    '10/8/128/127.png?projection=Carrington',
    'Expected a projection of one image like sphere,20,-5, or /tiles/carrington/10/… for the map of the whole Sun, for projection, got Carrington.',
  ],
  ['image-1.json?projection=cea', /^Expected a projection of one image .* for projection, got cea\.$/],
  ['sphere,0,0/sun/8/1/1.png', 'Expected the number of a datasource like 10, or an image like image-26, for tileset, got sun.'],
])('tiles of a projection name what is possible in place of %s', async (path, sentence) => {
  const response = await get(`/tiles/${path}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(sentence) });
});
