import { describe, expect, it } from 'vitest';
import { MAP_VERSION } from '../../../src/measure/maps/map-files.ts';
import { stripBytes } from '../../../src/measure/maps/solar-maps.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { imagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { earthObserver } from '../../../src/sun/coordinates/observer.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { carringtonRotation } from '../../../src/sun/maps/map-grid.ts';
import { wcsOf } from '../../../src/sun/wcs.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { runPython } from '../../support/measurement/python.ts';
import { type FitsUnit, readFits, readNpy } from '../../support/measurement/read-fits.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, decodedSample, HMI, LASCO_C2, NOON, SIZE, valueOf171 } from '../../support/measurement/samples.ts';
import { iso, measuringService } from '../../support/measurement/service.ts';
import { hasModules } from '../../support/programs.ts';

const EIT_171 = 0;
/** The images from the newest: a day and a half, and one of another rotation. */
const TIMES = [0, 1, 2, 16].map((halves) => NOON - halves * 12 * HOUR_MS);
const shots = [
  ...TIMES.map((timeMs) => ({ sourceId: AIA_171, timeMs })),
  ...[HMI, LASCO_C2, EIT_171].map((sourceId) => ({ sourceId, timeMs: NOON })),
];
const { app, ask: request, images, objects } = await measuringService({ clock: () => NOON + DAY_MS }, undefined, shots);
const hasPython = hasModules('numpy');

async function ask(parameters: Readonly<Record<string, unknown>> = {}) {
  return request('getSolarMap', { sourceId: AIA_171, date: iso(NOON), ...parameters });
}

describe('getSolarMap', () => {
  it
    .skipIf(!hasPython)
    .each([
      { method: 'weighted' },
      { method: 'latest' },
      { method: 'synoptic', projection: 'cea' },
      { method: 'weighted', raw: true },
      { method: 'weighted', raw: true, sourceId: `${AIA_171},${HMI}` },
    ])('agrees with numpy in values and ages by the definition of $method', async (parameters) => {
    const fits = Buffer.from(await (await ask({ width: 720, format: 'fits', ...parameters })).arrayBuffer());
    const sourceIds = String(parameters.sourceId ?? AIA_171)
      .split(',')
      .map(Number);
    const used = images.filter(({ sourceId }) => sourceIds.includes(sourceId));
    const ofImage = async ({ id, sourceId, takenAtMs }: ArchivedImage) => {
      const { fits: header } = (await (await request('getImageHeader', { id })).json()) as {
        fits: Record<string, number>;
      };
      const { CRLN_OBS: crln, CRLT_OBS: b0, DSUN_OBS: distance, CDELT1: cdelt, CRPIX1, CRPIX2 } = header;
      const bytes = Buffer.from(await decodedSample(sourceId, takenAtMs)).toString('base64');
      const values = Array.from({ length: 256 }, (_, byte) => (parameters.raw ? byte : valueOf171(byte)));
      return { bytes, size: SIZE, values, days: takenAtMs / DAY_MS, crln, b0, distance, cdelt, crpix: [CRPIX1, CRPIX2] };
    };
    const input = {
      fits: fits.toString('base64'),
      atDays: NOON / DAY_MS,
      method: parameters.method,
      images: await Promise.all(used.map(ofImage)),
    };
    const found = JSON.parse(runPython('solar_map.py', JSON.stringify(input)));
    expect(found).toMatchObject({ counts: [1, parameters.method === 'weighted' ? used.length - 1 : 1, 0], countsAbove: 0 });
    expect(found.covered).toBeGreaterThan(0.6);
    expect(found.unlike).toBeLessThan(0.002);
    expect(found.median).toBeLessThan(0.001);
    expect(found.percentile99).toBeLessThan(0.03);
    expect(found.age).toBeLessThan(60);
  });

  it('states its coordinates, its times and its images', async () => {
    const file = new Uint8Array(await (await ask({ width: 360, projection: 'cea', format: 'fits' })).arrayBuffer());
    const [map, age, count] = readFits(file) as [FitsUnit, FitsUnit, FitsUnit];
    expect(map.keywords).toMatchObject({
      ...{ NAXIS1: 360, NAXIS2: 144, CTYPE1: 'CRLN-CEA', CTYPE2: 'CRLT-CEA', CUNIT1: 'deg', CRPIX1: 180.5, CRPIX2: 72.5 },
      ...{ CRVAL1: 180, CRVAL2: 0, CDELT1: 1, PV2_1: 1, LONPOLE: 0, LATPOLE: 90, CAR_ROT: 2284, RSUN_REF: 695_700_000 },
      ...{ 'DATE-OBS': '2024-05-10T12:00:00.000', HGLN_OBS: 0, BUNIT: 'DN/s', CDELT2: expect.closeTo(0.795774715, 8) },
    });
    expect([age.keywords, count.keywords]).toMatchObject([
      { EXTNAME: 'AGE', BUNIT: 's' },
      { EXTNAME: 'COUNT', BITPIX: 8 },
    ]);
    const text = map.cards.join();
    expect(text).toContain('4 images nearest to 00 and 12 UTC');
    expect(text).not.toContain('PC1_1');
  });

  it('draws north up and the longitudes to the right, and nothing where no image sees', async () => {
    const file = await ask({ width: 360, height: 180, raw: true, format: 'npy' });
    const levels = readNpy(new Uint8Array(await file.arrayBuffer()));
    expect(levels.shape).toEqual([180, 360]);
    const { rgba, indexes, width, height } = readPng(
      new Uint8Array(await (await ask({ width: 360, height: 180 })).arrayBuffer()),
    );
    expect([width, height]).toEqual([360, 180]);
    let [unlike, seen] = [0, 0];
    for (let i = 0; i < 360 * 180; i++) {
      const level = levels.values[(179 - Math.floor(i / 360)) * 360 + (i % 360)]!;
      expect(rgba[4 * i + 3]).toBe(Number.isNaN(level) ? 0 : 255);
      if (Number.isNaN(level)) continue;
      seen += 1;
      // Pictures fade images in from the limb.
      if (Math.abs(indexes![i]! - level) > 8) unlike += 1;
    }
    expect(unlike / seen).toBeLessThan(0.05);
  });

  it('has longitudes from the meridian of the Earth, of the same places, in Stonyhurst coordinates, and draws WebP', async () => {
    const read = async (parameters: object) =>
      new Uint8Array(await (await ask({ width: 360, raw: true, ...parameters })).arrayBuffer());
    const [carrington, stonyhurst] = await Promise.all(
      ['carrington', 'stonyhurst'].map(async (frame) => readNpy(await read({ frame, format: 'npy' })).values),
    );
    const [{ keywords }] = readFits(await read({ frame: 'stonyhurst', format: 'fits' })) as [FitsUnit];
    expect(keywords).toMatchObject({ CTYPE1: 'HGLN-CAR', CTYPE2: 'HGLT-CAR', CRVAL1: 0, CRPIX1: 180.5, CDELT1: 1 });
    const turned = Math.round(earthObserver(NOON).l0Degrees) + 180;
    const off = stonyhurst!.map((level, i) => Math.abs(level - carrington![i - (i % 360) + (((i % 360) + turned) % 360)]!));
    const seen = off.filter((levels) => !Number.isNaN(levels)).sort();
    expect(seen.length).toBeGreaterThan(0.6 * off.length);
    expect(seen[Math.floor(seen.length / 2)]).toBeLessThan(3);
    expect(Buffer.from(await read({ format: 'webp' })).toString('latin1', 0, 12)).toMatch(/^RIFF.{4}WEBP$/s);
  });

  it('stores the maps of midnights of past days once, and serves ranges of them', async () => {
    const stored = () => [...objects.objects.keys()].filter((key) => key.startsWith(`derived/maps/v${MAP_VERSION}/`));
    const midnight = { date: iso(NOON - DAY_MS / 2), width: 64 };
    for (const [i, format] of ['png', 'fits', 'npy'].entries()) {
      const made = Buffer.from(await (await ask({ ...midnight, format })).arrayBuffer());
      await expect.poll(() => stored()).toHaveLength(i + 1);
      const again = await ask({ ...midnight, format });
      expect(Buffer.from(await again.arrayBuffer()).equals(made), format).toBe(true);
      expect(again.headers.get('ETag')).toMatch(/^".+"$/);
      // The first request makes sidecars of its images after its response.
      await expect
        .poll(async () => {
          objects.reads = [];
          await ask({ ...midnight, format });
          return objects.reads.filter(({ key }) => key.startsWith('jp2/') || key.startsWith('derived/coefficients/'));
        })
        .toEqual([]);
    }
    await ask({ ...midnight, date: iso(NOON) });
    expect(stored()).toHaveLength(3);
  });

  it('leaves out an image whose file is missing', async () => {
    const { objects, images, ask: request } = await measuringService({}, undefined, shots.slice(0, 2));
    const { sha256, key } = images[1]!;
    for (const each of objects.objects.keys())
      if (each === key || each.includes(sha256.slice(0, 32))) objects.objects.delete(each);
    const response = await request('getSolarMap', { sourceId: AIA_171, date: iso(NOON), width: 90, format: 'fits' });
    expect([response.status, Buffer.from(await response.arrayBuffer()).toString('latin1')]).toEqual([
      200,
      expect.stringContaining('HISTORY 1 images'),
    ]);
  });

  it.each(['png', 'fits'])(
    'stores no %s that lacks an image whose file cannot be read now, and caches keep it for a minute',
    async (format) => {
      const {
        app,
        objects,
        ask: request,
      } = await measuringService({ clock: () => NOON + 9 * DAY_MS }, undefined, shots.slice(1, 3));
      const asked = { sourceId: AIA_171, date: iso(NOON - DAY_MS / 2), format };
      const lifetime = async (response: Response) => {
        await response.arrayBuffer();
        return Number(/max-age=(\d+)/.exec(response.headers.get('Cache-Control')!)![1]);
      };
      const made = async (width: number) => lifetime(await request('getSolarMap', { ...asked, width }));
      const tile = async (y: number) =>
        lifetime(await app.request(`http://sun.test/tiles/carrington/${AIA_171}/1/2/${y}.png?date=${asked.date}`));
      const stored = () => [...objects.objects.keys()].filter((key) => key.startsWith('derived/maps/')).length;
      // The head of a FITS file is sent before its images are read.
      expect([await made(64), await tile(0)]).toEqual([format === 'png' ? DAY_MS / 1000 : 60, DAY_MS / 1000]);
      await expect.poll(stored).toBe(2);
      expect(await made(64)).toBe(DAY_MS / 1000);
      objects.objects.clear();
      expect([await made(90), await tile(1)]).toEqual([60, 60]);
      await new Promise((done) => setTimeout(done, 50));
      expect(stored()).toBe(0);
    },
  );

  it('reads the next images while one is added', async () => {
    const { objects, ask: request } = await measuringService({}, undefined, shots.slice(0, 3));
    let [reading, most] = [0, 0];
    const readAll = objects.readAll.bind(objects);
    objects.readAll = async (key) => {
      if (key.startsWith('idx/')) most = Math.max(most, ++reading);
      await new Promise(setImmediate);
      const bytes = await readAll(key);
      if (key.startsWith('idx/')) reading--;
      return bytes;
    };
    await (
      await request('getSolarMap', { sourceId: AIA_171, date: iso(NOON), width: 90, raw: true, format: 'npy' })
    ).arrayBuffer();
    expect(most).toBe(3);
  });

  itRefuses(ask, [
    [
      'a coronagraph',
      { sourceId: LASCO_C2 },
      400,
      /^Expected a datasource that shows the disc .* for sourceId, got 4 \(LASCO C2\)/,
    ],
    [
      'images without an observer',
      { sourceId: EIT_171 },
      400,
      /^Expected a datasource whose headers say where on the Sun it looks/,
    ],
    ['two units', { sourceId: `${AIA_171},${HMI}`, format: 'npy' }, 400, /^Expected datasources whose values have one unit/],
    ['a map that is too wide', { width: 3601 }, 400, /3600.* for width, got 3601/],
    ['a map that is too high', { height: 1801 }, 400, /1800.* for height, got 1801/],
    ['an unknown datasource', { sourceId: 99999 }, 400, /for sourceId, got 99999/],
    [
      'a time without images',
      { date: '2012-01-01' },
      404,
      /no images of AIA 171 in the 27 days .* nearest one is of 2024-05-02 12:00:00\.$/,
    ],
    ['a datasource without images', { sourceId: 11 }, 404, /\(AIA 193\)/],
  ]);
});

it('two tiles of maps of a client are made at once', () => {
  // A client has half of the memory of all jobs.
  expect(2 * (stripBytes({ width: 512, height: 512 }) + 512 ** 2)).toBeLessThan(memoryLimits().jobBytes / 2);
});

it('the rotations of Carrington have numbers', () => {
  const numbers = ['1853-11-20', '2005-01-11', '2018-11-09', '2024-05-10', '2024-06-04'].map((day) =>
    carringtonRotation(Date.parse(day)),
  );
  // By SunPy 1.37, 2025.33, 2210.48, 2284.13 and 2285.05.
  expect(numbers).toEqual([1, 2025, 2210, 2284, 2285]);
});

it('a rolled image off its centre is placed by one matrix', () => {
  const cards = { NAXIS1: 3072, NAXIS2: 3040, CDELT1: 4.44, CDELT2: 4.44, CRVAL1: -2333.6, CRVAL2: 835.9 };
  const keywords = Object.entries({ ...cards, PC1_2: 0.07436, PC2_1: -0.07436 }).map(
    ([name, value]) => [name, String(value)] as const,
  );
  const plane = imagePlane(wcsOf(new Map(keywords))!, earthObserver(NOON))!;
  const direction = [-0.005, 0.004, Math.sqrt(1 - 0.005 ** 2 - 0.004 ** 2)] as const;
  const [x, y, depth] = plane.homography!.map((row) => row[0] * direction[0] + row[1] * direction[1] + row[2] * direction[2]);
  const pixel = plane.pixelTowards(...direction)!;
  expect([x! / depth!, y! / depth!]).toEqual([expect.closeTo(pixel.x, 6), expect.closeTo(pixel.y, 6)]);
});

describe('the tiles of maps', () => {
  const get = async (path: string) => app.request(`http://sun.test/tiles/${path}`);

  it.each([0, 1])('show the map of the midnight before, from longitude -180, at zoom %d', async (z) => {
    const [width, side] = [1024 * 2 ** z, 512];
    const picture = readPng(new Uint8Array(await (await ask({ date: '2024-05-10', width })).arrayBuffer()));
    const read = async (x: number, y: number, type = 'png') =>
      new Uint8Array(await (await get(`carrington/10/${z}/${x}/${y}.${type}?date=${iso(NOON)}`)).arrayBuffer());
    let unlike = 0;
    for (const [x, y] of [0, 1, 2, 3].map((i) => [(i & 1) * (2 * 2 ** z - 1), (i >> 1) * (2 ** z - 1)] as const)) {
      const { indexes } = readPng(await read(x, y));
      for (let i = 0; i < side * side; i++) {
        // Longitude 180 is the middle of the picture, and the left edge of the tiles.
        const column = ((i % side) + side * x + width / 2) % width;
        const row = Math.floor(i / side) + side * y;
        if (Math.abs(indexes![i]! - picture.indexes![row * width + column]!) > 1) unlike += 1;
      }
    }
    expect(unlike).toBeLessThan(1000);
    objects.reads = [];
    await read(0, 0, 'webp');
    const tiles = objects.reads.filter(({ key }) => key.endsWith('.tile'));
    expect(tiles.map(({ key }) => objects.objects.get(key)!.length)).toEqual([side * side]);
    expect(objects.reads.filter(({ key }) => key.startsWith('derived/coefficients/c'))).toEqual([]);
  });

  it('describe themselves as TileJSON and WMTS in degrees', async () => {
    const json = (await (await get('cea/10,11.json?date=2024-05-10&type=webp')).json()) as Record<string, unknown>;
    expect(json).toMatchObject({
      minzoom: 0,
      maxzoom: 2,
      bounds: [-180, -90, 180, 90],
      heliographic: { frame: 'Carrington', crs: null },
    });
    expect(json.tiles).toEqual(['http://sun.test/tiles/cea/10,11/{z}/{x}/{y}.webp?date=2024-05-10']);
    const xml = await (await get('carrington/10/1.0.0/WMTSCapabilities.xml?date=2024-05-10')).text();
    expect(xml).toContain('<ows:SupportedCRS>urn:ogc:def:crs:OGC:1.3:CRS84</ows:SupportedCRS>');
    // 180 degrees in 512 pixels of 0.28 mm.
    expect(Number(/<ScaleDenominator>([^<]+)/.exec(xml)![1])).toBeCloseTo(((180 / 512) * 111_319.490793) / 0.00028, 0);
    expect(xml).toContain('<TopLeftCorner>-180 90</TopLeftCorner>');
    const refused = await get('cea/10/1.0.0/WMTSCapabilities.xml');
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('Expected carrington, the rows of which are degrees, for projection, got cea.'),
    ]);
    expect(xml).toContain('template="http://sun.test/tiles/carrington/10/{TileMatrix}/{TileCol}/{TileRow}.png?date=2024-05-10"');
  });

  itRefuses(get, [
    ['a zoom', 'carrington/10/3/0/0.png', 400, /^Expected a whole number from 0 to 2 for z, got 3/],
    ['a column', 'carrington/10/0/2/0.png', 400, /^Expected a whole number from 0 to 1 at zoom 0 for x, got 2/],
    ['a name', 'carrington/AIA/0/0/0.png', 400, /^Expected 1 to 4 numbers of datasources, .* for sources, got AIA/],
    ['a coronagraph', 'cea/4.json', 400, /for sources, got 4 \(LASCO C2\)/],
    ['a time', 'carrington/10/0/0/0.png?date=2012-01-01', 404, /^There are no images of AIA 171 in the 27 days before/],
  ]);
});
