import { describe, expect, it } from 'vitest';
import { sidecarKey } from '../../../src/archive/keys.ts';
import { encodeSidecar, indexJp2, SIDECAR_VERSION } from '../../../src/jp2/sidecar.ts';
import { mercatorDegrees, tileAt, zoomScale } from '../../../src/picture/grids/tile-pyramid.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { ASTRONOMICAL_UNIT_M, imageGeometry, SOLAR_RADIUS_M } from '../../../src/sun/geometry.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { centroid, spotImage } from '../../support/imaging/spot-image.ts';
import { jp2File } from '../../support/jp2/jp2-file.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { type SampleArchive, sampleArchive } from '../../support/sample-archive.ts';
import { answered, testArchive } from '../../support/test-archive.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const ARCSEC_PER_RADIAN = (180 / Math.PI) * 3600;
/** Angle of the Sun's radius at the distance in the header, which the pyramid does not use. */
const solarRadius = ({ geometry }: ArchivedImage) => Math.asin(SOLAR_RADIUS_M / geometry.dsunMetres) * ARCSEC_PER_RADIAN;

type Fetch = (path: string) => Promise<Response>;

function served({ index, objects }: Pick<SampleArchive, 'index' | 'objects'>): Fetch {
  const app = servedApp(testServices({ index, objects, clock: () => Date.UTC(2024, 5, 1) }));
  return (path) => app.request(`http://sun.test${path}`);
}

const MAY = Date.parse('2024-05-10T12:00:00Z');

describe('a place on the limb in the tiles of the pyramid', () => {
  it.each([
    ['square pixels', 0.5, 0.5],
    ['pixels twice as high as wide', 0.5, 1],
    ['pixels three times as wide as high', 1.5, 0.5],
  ])(
    'lies at the angle of the solar radius as the observer saw it in a cut-out of TRACE with %s, apart from the centre of the Sun',
    async (_, ...scales) => {
      const side = 1024;
      const keywords = {
        ...{ TELESCOP: 'TRACE', NAXIS1: side, NAXIS2: side, CDELT1: scales[0], CDELT2: scales[1], CRPIX1: 512.5, CRPIX2: 512.5 },
        ...{ CRVAL1: 880, CRVAL2: 300, DSUN: 1.014 * ASTRONOMICAL_UNIT_M },
      };
      const geometry = imageGeometry(
        new Map(Object.entries(keywords).map(([name, value]) => [name, String(value)])),
        findSource(10)!,
      );
      // A spot on the limb, 880.5 west and 344.5 north: 945.5 arcseconds from the centre of the Sun.
      const [west, north] = [880.5, 344.5];
      const spot = { x: 512 + (west - 880) / scales[0], y: 512 - (north - 300) / scales[1], sigma: 6 };
      const { image, objects } = await spotImage(side, 0.5, spot);
      const cutOut = { ...image, geometry };
      expect(Math.abs(Math.hypot(west, north) - solarRadius(cutOut))).toBeLessThan(0.75);
      const get = served({ index: new MemoryImageIndex([cutOut]), objects });
      const z = 12;
      const [x, y] = [west, -north].map((arcsec) => 2 ** (z - 1) + Math.floor(arcsec / zoomScale(z) / 512));
      const response = await get(`/tiles/image-${image.id}/${z}/${x}/${y}.png`);
      const { rgba } = readPng(new Uint8Array(await response.arrayBuffer()));
      let [sum, across, down] = [0, 0, 0];
      for (let i = 0; i < 512 * 512; i++) {
        const light = rgba[4 * i]!;
        [sum, across, down] = [sum + light, across + light * ((i % 512) + 0.5), down + light * (Math.floor(i / 512) + 0.5)];
      }
      const place = [across, down].map((moment, axis) => ([x, y][axis]! - 2 ** (z - 1)) * 512 + moment / sum);
      expect(Math.abs(place[0]! * zoomScale(z) - west)).toBeLessThan(zoomScale(z));
      expect(Math.abs(-place[1]! * zoomScale(z) - north)).toBeLessThan(zoomScale(z));
    },
  );

  it('lies at its place in a picture, but has no values, of an image whose pixels are not square', async () => {
    const fits = { TELESCOP: 'TRACE', NAXIS1: 256, NAXIS2: 256, CDELT1: 4, CDELT2: 8, CRPIX1: 128.5, CRPIX2: 128.5 };
    const keywords = Object.entries(fits).map(([name, value]) => [name, String(value)] as const);
    const { image, objects } = await spotImage(256, 4, { x: 128, y: 64, sigma: 4 });
    const xml = `<meta><fits>${keywords.map(([name, value]) => `<${name}>${value}</${name}>`).join('')}</fits></meta>`;
    const jp2 = jp2File((await objects.readAll(image.key))!, xml);
    await objects.put(image.key, jp2);
    await objects.put(sidecarKey(image.key, SIDECAR_VERSION), encodeSidecar(indexJp2(jp2)));
    const oblong = { ...image, byteLength: jp2.length, geometry: imageGeometry(new Map(keywords), findSource(10)!) };
    const get = served({ index: new MemoryImageIndex([oblong]), objects });
    const picture = readPng(new Uint8Array(await (await get(`/v2/downloadImage/?id=${image.id}&width=256`)).arrayBuffer()));
    expect([picture.width, picture.height]).toEqual([256, 512]);
    const light = centroid(256, 256 * 512, (i) => picture.rgba[4 * i]!);
    expect(light).toEqual({ x: expect.closeTo(128, 0), y: expect.closeTo(128, 0) });
    const headerOf = async (from: Fetch) => (await from(`/v2/getImageHeader/?id=${image.id}`)).json();
    expect(await headerOf(get)).toMatchObject({ wcs: { naxis: [256, 256], cdelt: [4, 8] }, warning: null });
    const endless = jp2.subarray(0, -2);
    const other = new MemoryObjectStore();
    await other.put(image.key, endless);
    const getOther = served({ index: new MemoryImageIndex([{ ...oblong, byteLength: endless.length }]), objects: other });
    expect(await headerOf(getOther)).toMatchObject({ warning: expect.stringMatching(/does not end with EOC/) });
    for (const path of [
      `getValue/?id=${image.id}&x=0&y=0`,
      `getValue/?id=${image.id}&x=0&y=0&raw=true`,
      `getImageData/?id=${image.id}`,
      `getImageData/?id=${image.id}&raw=true`,
    ]) {
      const response = await get(`/v2/${path}`);
      expect([path, response.status, await response.text()]).toEqual([path, 422, expect.stringContaining('with square pixels')]);
    }
  });
});

it('the addresses of the pyramid mean 0.6 arcseconds a pixel at zoom 11, in Web Mercator for maps without other ones', () => {
  expect([zoomScale(11), zoomScale(10)]).toEqual([0.6, 1.2]);
  expect(tileAt({ z: 0, x: 0, y: 0 })).toMatchObject({ x: -0.5, y: -0.5, imageScale: 1228.8 });
  expect(tileAt({ z: 3, x: 4, y: 3 })).toMatchObject({ x: 0, y: -1 });
  expect(() => tileAt({ z: 3, x: 8, y: 0 })).toThrow('Expected a whole number from 0 to 7 at zoom 3 for x, got 8.');
  expect(mercatorDegrees(0, 0)).toEqual([0, 0]);
  const [longitude, latitude] = mercatorDegrees(314_572.8, 314_572.8);
  expect([longitude, Math.round(latitude * 1e6)]).toEqual([180, 85_051_129]);
});

it('the responses of the pyramid share one key in every notation, by image, by time and for the newest image', async () => {
  const key = (path: string) => edgeKey(new Request(`https://sun.test${path}`));
  expect(key('/tiles/image-26/8/128/127.png')).toBe('/tiles?id=26&type=png&x=128&y=127&z=8');
  expect(key('/tiles/image-26/8/128/127.png?_=1&x=5')).toBe('/tiles?id=26&type=png&x=128&y=127&z=8');
  expect(key('/tiles/10/8/128/127.webp?date=2024-01-01T00:00:00Z')).toBe(
    key('/tiles/10/8/128/127.webp?date=2024-01-01 00:00:00'),
  );
  expect(key('/tiles/10/8/128/127.png')).toBe('/tiles?sourceId=10&type=png&x=128&y=127&z=8');
  expect(key('/tiles/10.json?difference=0')).toBe('/tilejson?sourceId=10&type=png');
  for (const path of ['/tiles/10/8/256/0.png', '/tiles/sun/1/0/0.png', '/tiles/10/1/0/0.gif']) expect(key(path), path).toBeNull();
});

it('the responses of the pyramid stay for a day in clients and a year at the edge for an image, and have an ETag', async () => {
  const { get, cachedKeys } = testArchive();
  const tile = await get('/tiles/image-26/8/128/127.png');
  expect(tile.headers.get('Content-Type')).toBe('image/png');
  expect(tile.headers.get('Cache-Control')).toBe('public, max-age=86400');
  expect(tile.headers.get('X-Image-Date')).toBe('2024-01-01T00:00:00.000Z');
  const etag = tile.headers.get('ETag')!;
  expect((await get('/tiles/image-26/8/128/127.png', { headers: { 'If-None-Match': etag } })).status).toBe(304);
  const head = await get('/tiles/image-26/8/128/127.png', { method: 'HEAD' });
  expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, etag, '']);
  expect(cachedKeys()).toEqual(['/tiles?id=26&type=png&x=128&y=127&z=8']);
});

it('the responses of the pyramid show the image of a source nearest to a time, and its newest image for a minute', async () => {
  const { get } = testArchive();
  const nearest = await get('/tiles/10/8/128/127.png?date=2024-01-01T00:00:10Z');
  expect([nearest.headers.get('X-Image-Distance'), nearest.headers.get('Cache-Control')]).toEqual([
    '-10',
    'public, max-age=86400',
  ]);
  const newest = await get('/tiles/10/8/128/127.png');
  expect(newest.headers.get('X-Image-Date')).toBe('2024-01-31T11:00:00.000Z');
  expect(newest.headers.get('Cache-Control')).toBe('public, max-age=60');
  expect(await newest.text()).toBe('PNG 74 0 -1 4.8');
  const difference = await get('/tiles/image-42/8/128/127.png?difference=1&diffCount=1&diffTime=1');
  expect(await difference.text()).toBe('PNG 42 minus 26 0 -1 4.8');
});

it.each([
  ['/tiles/10/8/256/0.png', 'x', 'Expected a whole number from 0 to 255 at zoom 8 for x, got 256.'],
  ['/tiles/10/16/0/0.png', 'z', 'Expected a whole number from 0 to 15 for z, got 16.'],
  ['/tiles/10/8/0/0.gif', 'type', 'Expected png, jpg or webp for type, got gif.'],
  [
    '/tiles/sun/8/0/0.png',
    'tileset',
    'Expected the number of a datasource like 10, or an image like image-26, for tileset, got sun.',
  ],
  ['/tiles/image-26/8/0/0.png?date=2024-01-01', 'date', /^date cannot be combined with the single image image-26/],
  ['/tiles/10.json?difference=2', 'baseDiffTime', /^difference=2 requires baseDiffTime/],
])('the responses of the pyramid name the parameter at fault: %s', async (path, parameter, sentence) => {
  expect(await answered(testArchive().get(path))).toMatchObject([400, { parameter, error: expect.stringMatching(sentence) }]);
});

it('the responses of the pyramid report 404 and name the tileset of their address for unknown images and sources', async () => {
  const { get } = testArchive();
  for (const path of ['/tiles/88/8/0/0.png', '/tiles/88.json']) expect((await get(path)).status, path).toBe(404);
  const noon = 'date=2024-05-10T12:00:00Z';
  const ofSource = ['/tiles/9999/8/0/0.png', `/tiles/9999/8/0/0.png?${noon}`, '/tiles/9999.json', `/tiles/9999.json?${noon}`];
  for (const path of [...ofSource, '/tiles/image-999/8/0/0.png', '/tiles/image-999.json']) {
    expect(await answered(get(path)), path).toMatchObject([404, { parameter: 'tileset' }]);
  }
  for (const path of ofSource) {
    const { error } = (await (await get(path)).json()) as { error: string };
    expect(error, path).toContain('(tileset 9999)');
    expect(error, path).not.toContain('sourceId');
  }
});

it('the responses of the pyramid encode a tile at the edge of an image as PNG, WebP and JPEG, transparent or black outside', async () => {
  const archive = await sampleArchive([{ sourceId: 10, timeMs: MAY, size: 512 }]);
  const get = served(archive);
  const bytes = async (type: string) => new Uint8Array(await (await get(`/tiles/image-1/8/128/127.${type}`)).arrayBuffer());
  const png = readPng(await bytes('png'));
  expect([png.width, png.height]).toEqual([512, 512]);
  const opaque = png.rgba.filter((value, i) => i % 4 === 3 && value === 255).length;
  expect(Math.abs(opaque / 512 ** 2 - 0.25)).toBeLessThan(0.01);
  const [webp, jpg] = [await bytes('webp'), await bytes('jpg')];
  expect(new TextDecoder().decode(webp.subarray(8, 16))).toBe('WEBPVP8L');
  // The bit of VP8L that says that pixels may be transparent.
  expect(webp[24]! & 0x10).toBe(0x10);
  expect([jpg[0], jpg[1]]).toEqual([0xff, 0xd8]);
});

it('the TileJSON of a source names the tiles of one image, its limb, its bounds and what its arcseconds mean', async () => {
  const { get } = testArchive();
  const response = await get('/tiles/10.json?date=2024-01-01T00:00:10Z');
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  const { helioprojective, ...document } = (await response.json()) as Record<string, unknown>;
  expect(document).toMatchObject({
    tilejson: '3.0.0',
    name: 'AIA 171 2024-01-01 00:00:00 UTC',
    scheme: 'xyz',
    tiles: ['http://sun.test/tiles/image-26/{z}/{x}/{y}.png'],
    minzoom: 8,
    maxzoom: 11,
    vector_layers: [],
  });
  expect(helioprojective).toMatchObject({ image: 26, source: 10, unit: 'arcsec', edge: 314_572.8, tileSize: 512 });
  const { limb, bounds, pixelScale } = helioprojective as { limb: { radius: number }; bounds: number[]; pixelScale: number };
  expect(pixelScale).toBeCloseTo(0.6, 6);
  expect(limb.radius).toBeCloseTo(946.478, 2);
  expect(bounds.map((arcsec) => Math.round(arcsec))).toEqual([-1229, -1229, 1229, 1229]);
  const [west, south, east, north] = document.bounds as number[];
  expect(east! - west!).toBeCloseTo((2 * 1228.8 * 180) / 314_572.8, 6);
  expect(north! + south!).toBeCloseTo(0, 6);
  // Tiles of a difference in the chosen format, which are served.
  const query = 'type=webp&difference=2&baseDiffTime=2024-01-01T00:00:00Z';
  const { tiles } = (await (await get(`/tiles/image-42.json?${query}`)).json()) as { tiles: string[] };
  const address = tiles[0]!.replace('{z}', '8').replace('{x}', '128').replace('{y}', '127');
  expect(new URL(address).pathname).toBe('/tiles/image-42/8/128/127.webp');
  const tile = await get(address.slice('http://sun.test'.length));
  expect([tile.status, tile.headers.get('Content-Type')]).toEqual([200, 'image/webp']);
});

it('the TileJSON of a source stays out of shared caches where hosts have no common name, because it names the host', async () => {
  expect((await testArchive().get('/tiles/10.json')).headers.get('Cache-Control')).toBe('private, max-age=60');
  const named = testArchive({ variables: { PUBLIC_ORIGIN: 'https://sun.example' } });
  const response = await named.get('/tiles/10.json');
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=60');
  expect(await response.text()).toContain('https://sun.example/tiles/image-74/');
});
