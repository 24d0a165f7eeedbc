import { beforeAll, describe, expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { gridKeys } from '../../../src/archive/keys.ts';
import { decodeImageGrid, foldByClock, ImageGrids } from '../../../src/measure/grids/image-grids.ts';
import { expectRefused, itRefuses } from '../../support/measurement/refusals.ts';
import {
  AIA_171,
  decodedSample,
  HMI,
  LASCO_C2,
  NOON,
  nameOf,
  openjpegSample,
  SIZE,
  valueOf171,
} from '../../support/measurement/samples.ts';
import { iso, type LightCurve } from '../../support/measurement/service.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** Pixels of a side of a cell. */
const CELL = SIZE / 64;
const CADENCE_MS = 12 * MINUTE_MS;
const TIMES = [0, 1, 2].map((i) => NOON + i * CADENCE_MS);

/** An archive with the objects and rows of real services, into which sample images are ingested. */
function gridService(overrides: Parameters<typeof testServices>[0] = {}) {
  const objects = new MemoryObjectStore();
  const databases = databasesIn(migrated());
  const services = testServices({
    objects,
    databases,
    index: new D1ImageIndex(databases),
    logFault: (r) => console.log(r),
    ...overrides,
  });
  const app = servedApp(services);
  const add = async (sourceId: number, timeMs: number, changed = (jp2: Uint8Array) => jp2, replace = false) => {
    const jp2 = changed(await sampleFile({ sourceId, timeMs, size: SIZE }));
    const result = await services.ingest({ fileName: nameOf(sourceId, timeMs), jp2, replace });
    if (result.outcome !== 'added') throw new Error(JSON.stringify(result));
    return result.image;
  };
  const ask = (parameters: Readonly<Record<string, unknown>>) => {
    const range = { sourceId: AIA_171, startTime: iso(TIMES[0]!), endTime: iso(TIMES.at(-1)! + DAY_MS), grid: 'true' };
    const all = Object.entries({ ...range, ...parameters }).map(([name, value]) => [name, String(value)]);
    return app.request(`http://sun.test/v2/getLightCurve/?${new URLSearchParams(all)}`);
  };
  const curve = async (parameters: Readonly<Record<string, unknown>>) => {
    const response = await ask(parameters);
    const body = await response.text();
    if (!response.ok) throw new Error(body);
    return JSON.parse(body) as LightCurve;
  };
  const keys = (prefix: string) => [...objects.objects.keys()].filter((key) => key.startsWith(`derived/grids/${prefix}/`));
  return { objects, services, add, ask, curve, keys };
}

/** A rectangle of whole cells, counted from the top left, in FITS pixels. */
const wholeCells = (column: number, row: number, columns: number, rows: number) => ({
  frame: 'pixel',
  x: (column + columns / 2) * CELL + 0.5,
  y: SIZE - (row + rows / 2) * CELL + 0.5,
  width: columns * CELL - 0.01,
  height: rows * CELL - 0.01,
});

const service = gridService();

for (const timeMs of TIMES) await service.add(AIA_171, timeMs);
await service.add(HMI, NOON);

describe('a light curve from grids', () => {
  it('gives the mean of the pixels of a region of whole cells, by the law written down again', async () => {
    const [column, row, columns, rows] = [20, 41, 7, 5];
    const { curve, grid, status, unit } = await service.curve(wholeCells(column, row, columns, rows));
    expect([grid, status, unit]).toEqual([
      { cells: 64, cellArcsec: expect.closeTo(38.4, 1), missingDays: [] },
      'approximate',
      'DN/s',
    ]);
    expect(curve.map(({ date }) => date)).toEqual(TIMES.map((ms) => expect.stringContaining(iso(ms).slice(0, 15))));
    for (const [i, timeMs] of TIMES.entries()) {
      const bytes = await decodedSample(AIA_171, timeMs);
      let sum = 0;
      for (let y = row * CELL; y < (row + rows) * CELL; y++)
        for (let x = column * CELL; x < (column + columns) * CELL; x++) sum += valueOf171(bytes[y * SIZE + x]!);
      const mean = sum / (columns * rows * CELL * CELL);
      expect(curve[i]!.count).toBe(columns * rows * CELL * CELL);
      expect(Number(curve[i]!.mean) / mean).toBeCloseTo(1, 3);
    }
  });

  it.each([
    ['a box', { x: 137, y: 211, width: 200, height: 160 }],
    ['a circle at the limb', { circle: '-900,130,110' }],
    ['a polygon', { polygon: '[[-300,-100],[-40,-160],[60,40],[-210,90]]' }],
    ['the whole image', {}],
  ])('gives an interval that contains the mean of the pixels of %s', async (_, region) => {
    const [cells, pixels] = [await service.curve(region), await service.curve({ ...region, grid: 'false' })];
    expect(pixels.grid).toBeNull();
    expect(cells.curve).toHaveLength(TIMES.length);
    for (const [i, { mean, meanLower, meanUpper, count }] of cells.curve.entries()) {
      const judged = Number(pixels.curve[i]!.mean);
      expect(Number(meanLower ?? -Infinity)).toBeLessThan(judged);
      expect(Number(meanUpper ?? Infinity)).toBeGreaterThan(judged);
      expect(Math.abs(Number(mean) / judged - 1)).toBeLessThan(0.1);
      expect(count).toBe(pixels.curve[i]!.count);
    }
  });

  it('leaves out what is off the disc of a magnetogram', async () => {
    const region = { sourceId: HMI, circle: '0,0,1200', endTime: iso(NOON + MINUTE_MS) };
    const [cells, pixels] = [await service.curve(region), await service.curve({ ...region, grid: 'false' })];
    const [own, judged] = [cells.curve[0]!, pixels.curve[0]!];
    expect(Number(own.count) / Number(judged.count)).toBeCloseTo(1, 2);
    expect(Math.abs(Number(own.mean) - Number(judged.mean))).toBeLessThan(1);
  });

  itRefuses(
    (parameters) => service.ask({ x: 0, y: 0, width: 200, height: 200, ...parameters }),
    [
      ['a median', { statistics: 'mean,median' }, 400, /mean and sum, which cells of a grid give, for statistics, got median/],
      ['a rotation', { track: 'rotation' }, 400, /^track=rotation cannot be combined with grid=true/],
      ['a small region', { width: 20, height: 20 }, 400, /at least a cell of the grid, 38.4 x 38.4 arcsec, for x/],
      ['a region off the image', { x: 5000 }, 400, /a region of the image, which has 512 x 512 pixels, for x/],
      [
        'two years',
        { endTime: '2026-05-10T00:00:00Z' },
        400,
        /until 2025-06-13, because a light curve reads 400 days at most, for endTime/,
      ],
      ['a time without images', { startTime: '2020-01-01', endTime: '2020-01-02' }, 404, /no images from 2020/],
      ['a fine cadence', { cadence: 60 }, 400, /288 seconds or more, as the grids of a day have, for cadence, got 60/],
    ],
  );
});

const REGION = { x: 0, y: 0, width: 300, height: 300 };
const idsOf = ({ curve }: LightCurve) => curve.flatMap(({ id, reason }) => (reason === null ? id : []));

it('the object of a day holds all images that were ingested at the same time, and later ones', async () => {
  const { add, curve, keys } = gridService();
  const images = await Promise.all(TIMES.map((timeMs) => add(AIA_171, timeMs)));
  expect([keys('images').length, keys('days')]).toEqual([TIMES.length, []]);
  expect(idsOf(await curve(REGION))).toEqual(images.map(({ id }) => id));
  expect(keys('days')).toEqual([`derived/grids/days/v1/${AIA_171}/2024/05/10`]);
  const earlier = await add(AIA_171, NOON - CADENCE_MS);
  expect(keys('days')).toEqual([]);
  expect(idsOf(await curve({ ...REGION, startTime: iso(NOON - DAY_MS) }))).toEqual([earlier, ...images].map(({ id }) => id));
});

it('the object of a day stays out of the archive when an image is added or withdrawn while it is made', async () => {
  const { objects, services, add, keys } = gridService();
  await add(AIA_171, TIMES[0]!);
  const put = objects.put.bind(objects);
  for (const change of [() => add(AIA_171, TIMES[1]!), () => services.withdraw(nameOf(AIA_171, TIMES[0]!))]) {
    let isChanging = true;
    objects.put = async (key, ...rest) => {
      if (isChanging && key.startsWith('derived/grids/days/')) {
        isChanging = false;
        await change();
      }
      return put(key, ...rest);
    };
    expect(await services.grids.values.fold(AIA_171, NOON)).toBeNull();
    expect(keys('days')).toEqual([]);
    objects.put = put;
  }
  expect(await services.grids.values.fold(AIA_171, NOON)).not.toBeNull();
  expect(keys('images')).toHaveLength(1);
});

it('the object of a day loses withdrawn images, also where a grid is written later, and has replaced ones under new ids', async () => {
  const { objects, services, add, curve, keys } = gridService();
  const [first, second] = [await add(AIA_171, TIMES[0]!), await add(AIA_171, TIMES[1]!)];
  const [key] = gridKeys('values', second);
  const bytes = objects.objects.get(key)!;
  expect(idsOf(await curve(REGION))).toEqual([first.id, second.id]);
  await services.withdraw(second.fileName);
  expect([keys('images').length, keys('days')]).toEqual([1, []]);
  objects.objects.set(key, bytes);
  expect(await services.grids.values.fold(AIA_171, NOON)).not.toBeNull();
  expect(keys('images')).toEqual([gridKeys('values', first)[0]]);
  expect(idsOf(await curve(REGION))).toEqual([first.id]);
  // Equal pixels with another header.
  const other = (jp2: Uint8Array) => {
    const changed = jp2.slice();
    changed[Buffer.from(jp2).indexOf('ynthetic')] = 'Y'.charCodeAt(0);
    return changed;
  };
  const replaced = await add(AIA_171, TIMES[0]!, other, true);
  expect(replaced.id).not.toBe(first.id);
  expect(idsOf(await curve(REGION))).toEqual([replaced.id]);
});

it('the object of a day has its images by time, with fractions of a millisecond, until the end of the day', async () => {
  const { objects, services, add } = gridService();
  const image = await add(AIA_171, NOON);
  const grid = decodeImageGrid(objects.objects.get(gridKeys('values', image)[0])!);
  const startMs = NOON - DAY_MS / 2;
  // Below 10,000,000 ms, the keys of fractions sort after those of later times.
  const times = [0.5, 9_000_000.25, 10_000_000, 12_000_000.125, DAY_MS - 0.5].map((ms) => startMs + ms);
  const images = times.map((takenAtMs, i) => ({ ...image, id: 16 * (i + 10) + 10, fileName: `${i}.jp2`, takenAtMs }));
  const index = new MemoryImageIndex(images);
  const grids = new ImageGrids({ objects, index, memory: anyMemory(), kind: 'values' });
  await services.withdraw(image.fileName);
  for (const { id, takenAtMs } of images) {
    const put = { ...image, id, takenAtMs };
    await grids.put(put, { ...grid, image: { ...grid.image, id, takenAtMs } });
  }
  const day = await grids.fold(AIA_171, startMs);
  expect((await grids.rows(day!, 8, 0, 0))?.images.map(({ takenAtMs }) => takenAtMs)).toEqual(times);
});

it('the object of a day goes before a grid is written by a survey that ends with it', async () => {
  const { objects, services, add, keys } = gridService();
  const [, second] = [await add(AIA_171, TIMES[0]!), await add(AIA_171, TIMES[1]!)];
  const [key] = gridKeys('values', second);
  const grid = decodeImageGrid(objects.objects.get(key)!);
  objects.objects.delete(key);
  expect(await services.grids.values.fold(AIA_171, NOON)).not.toBeNull();
  const put = objects.put.bind(objects);
  objects.put = async (...given) => put(...given).then(() => Promise.reject(new Error('The isolate ends.')));
  await expect(services.grids.values.put(second, grid)).rejects.toThrow('ends');
  expect(keys('days')).toEqual([]);
});

it('the object of a day appears in the cron after the end of its day, one source a minute', async () => {
  const { services, add, keys } = gridService();
  await add(AIA_171, TIMES[0]!);
  await add(HMI, TIMES[0]!);
  const { grids, index } = services;
  const at = (nowMs: number) => foldByClock({ grids, index, clock: () => nowMs });
  expect(await at(NOON + 60 * MINUTE_MS)).toBe(0);
  const next = Math.floor(NOON / DAY_MS) * DAY_MS + DAY_MS;
  // Values and levels of each source in turn.
  const made = await Array.fromAsync({ length: 5 }, (_, minute) => at(next + minute * MINUTE_MS));
  expect(made.sort()).toEqual([0, 0, 0, 1, 1]);
  expect(keys('days')).toHaveLength(2);
});

it('the object of a day appears in a request also behind days whose images never got a grid, which a caveat or an error names', async () => {
  const { objects, add, ask, curve, keys } = gridService();
  const days = [0, 1, 2, 4, 6, 7].map((day) => NOON + day * DAY_MS);
  const images = await Array.fromAsync(days, (timeMs) => add(AIA_171, timeMs));
  for (const image of images.slice(0, 4)) objects.objects.delete(gridKeys('values', image)[0]);
  const found = await curve({ ...REGION, endTime: iso(days.at(-1)!) });
  expect(idsOf(found)).toEqual(images.slice(4).map(({ id }) => id));
  expect(found.grid!.missingDays).toEqual(['2024-05-10', '2024-05-11', '2024-05-12', '2024-05-14']);
  expect(found.caveats.join()).toContain('4 days with images have no grid, from 2024-05-10: npm run sidecars makes them.');
  expect(keys('days')).toHaveLength(2);
  await expectRefused(
    await ask({ ...REGION, startTime: iso(days[1]!), endTime: iso(days[2]!) }),
    404,
    'The images from 2024-05-11 to 2024-05-12 have no grids of values. npm run sidecars makes them. Images without a law have those of levels, with raw=true. Or request fewer images, with grid=false.',
  );
});

describe('the grids of images without a law', () => {
  const { add, ask, curve, keys } = gridService();
  const range = { sourceId: LASCO_C2, endTime: iso(TIMES[1]!), raw: true };
  const [column, row, columns, rows] = [5, 9, 6, 4];

  beforeAll(async () => {
    for (const timeMs of TIMES.slice(0, 2)) await add(LASCO_C2, timeMs);
    await add(AIA_171, NOON);
  });

  it('gives the mean of the levels of a region of whole cells, as OpenJPEG has them within half a level', async () => {
    const { curve: curveRows, grid, unit, status } = await curve({ ...range, ...wholeCells(column, row, columns, rows) });
    expect([grid?.cells, unit, status]).toEqual([64, 'level', null]);
    expect(keys('levels/images')).toHaveLength(2);
    for (const [i, timeMs] of TIMES.slice(0, 2).entries()) {
      const bytes = await openjpegSample(LASCO_C2, timeMs);
      let sum = 0;
      for (let y = row * CELL; y < (row + rows) * CELL; y++)
        for (let x = column * CELL; x < (column + columns) * CELL; x++) sum += bytes[y * SIZE + x]!;
      const mean = sum / (columns * rows * CELL * CELL);
      expect(Math.abs(Number(curveRows[i]!.mean) - mean)).toBeLessThan(0.5);
    }
  });

  it('gives dark regions intervals that are not narrower than those of the pixels', async () => {
    const behindOcculter = { ...range, x: 0, y: 0, width: 1500, height: 1500 };
    const [cells, pixels] = [await curve(behindOcculter), await curve({ ...behindOcculter, grid: 'false' })];
    for (const [i, { mean, meanLower, meanUpper }] of cells.curve.entries()) {
      expect([mean, meanLower].map((value) => Number(value).toFixed(2))).toEqual(['0.00', '0.00']);
      expect(pixels.curve[i]).toMatchObject({ mean: 0, meanLower: 0, meanUpper: 0.5 });
      expect([Number(meanLower) >= 0, Number(meanUpper) >= 0.5]).toEqual([true, true]);
    }
  });

  it('agrees with the levels of the pixels', async () => {
    const region = { ...range, x: 1200, y: 900, width: 1500, height: 1300 };
    const [cells, pixels] = [await curve(region), await curve({ ...region, grid: 'false' })];
    expect([cells.grid?.cells, pixels.grid, pixels.unit, pixels.status]).toEqual([64, null, 'level', null]);
    expect(pixels.caveats.join()).toContain('not physical values');
    for (const [i, { mean, meanLower, meanUpper, count, censored }] of cells.curve.entries()) {
      const judged = Number(pixels.curve[i]!.mean);
      expect([Number(meanLower) < judged, Number(meanUpper) > judged]).toEqual([true, true]);
      expect(Math.abs(Number(mean) - judged)).toBeLessThan(2);
      expect([count, censored]).toEqual([pixels.curve[i]!.count, 0]);
    }
  });

  it('counts all pixels of an image with a disc whose law was refused', async () => {
    const own = gridService();
    // The quiet Sun is not at zero by these ends.
    const shifted = (jp2: Uint8Array) => {
      const text = Buffer.from(jp2).toString('latin1');
      const changed = text.replace(/<HV_IMG_DMIN>([^<]*)</, (whole: string, value: string) =>
        whole.replace(value, '0'.padStart(value.length, '0')),
      );
      return new Uint8Array(Buffer.from(changed, 'latin1'));
    };
    await own.add(HMI, NOON, shifted);
    expect([own.keys('images'), own.keys('levels/images').length]).toEqual([[], 1]);
    const whole = { sourceId: HMI, endTime: iso(NOON + MINUTE_MS), raw: true };
    const [cells, pixels] = [await own.curve(whole), await own.curve({ ...whole, grid: 'false' })];
    expect([cells.curve[0]!.count, pixels.curve[0]!.count]).toEqual([SIZE * SIZE, SIZE * SIZE]);
    expect(Number(cells.curve[0]!.mean) / Number(pixels.curve[0]!.mean)).toBeCloseTo(1, 3);
  });

  it('come together by the clock, and go with their images', async () => {
    const own = gridService();
    const [first, second] = [await own.add(LASCO_C2, TIMES[0]!), await own.add(LASCO_C2, TIMES[1]!)];
    const { grids, index } = own.services;
    const next = Math.floor(NOON / DAY_MS) * DAY_MS + DAY_MS;
    let made = 0;
    for (let minute = 0; minute < 2; minute++)
      made += await foldByClock({ grids, index, clock: () => next + minute * MINUTE_MS });
    expect([made, own.keys('levels/days').length, own.keys('days').length]).toEqual([1, 1, 0]);
    await own.services.withdraw(first.fileName);
    expect(own.keys('levels/days')).toEqual([]);
    expect(own.keys('levels/images')).toEqual([gridKeys('levels', second)[0]]);
  });

  itRefuses(
    (parameters) => ask({ ...range, ...parameters }),
    [
      ['values of images without a law', { raw: false }, 422, /no physical values\. With raw=true, their levels are given\./],
      [
        'values of more images without a law than a request measures',
        { raw: false, grid: 'auto', endTime: iso(NOON + 30 * DAY_MS), cadence: 600 },
        422,
        /no physical values\. With raw=true/,
      ],
      ['levels of images with a law', { sourceId: AIA_171 }, 400, /false for the grids of this datasource.*for raw, got true/],
    ],
  );

  it('measures the levels of images with a law by their pixels', async () => {
    const region = { x: 0, y: 0, width: 300, height: 300 };
    const found = await curve({ ...range, sourceId: AIA_171, grid: 'auto', ...region });
    expect([found.grid, found.unit, found.curve.length]).toEqual([null, 'level', 1]);
  });
});

it('a range of more images than a request measures comes from the objects of its days, at the requested cadence', async () => {
  const { objects, add } = gridService();
  const image = await add(AIA_171, NOON);
  const grid = decodeImageGrid(objects.objects.get(gridKeys('values', image)[0])!);
  const startMs = Math.floor(NOON / DAY_MS) * DAY_MS;
  const everyMs = 171_000;
  const images = Array.from({ length: 1010 }, (_, i) => {
    const named = { sha256: String(i).padStart(64, '0'), fileName: `${i}.jp2`, key: `jp2/${i}.jp2` };
    return { ...image, ...named, id: 16 * (i + 10) + 10, takenAtMs: startMs + i * everyMs };
  });
  const index = new MemoryImageIndex(images);
  const year = gridService({ objects, index });
  const grids = new ImageGrids({ objects, index, memory: anyMemory(), kind: 'values' });
  for (const each of images) await grids.put(each, { ...grid, image: { ...grid.image, id: each.id, takenAtMs: each.takenAtMs } });
  for (const dayMs of [startMs, startMs + DAY_MS]) expect(await grids.fold(AIA_171, dayMs)).not.toBeNull();
  const times = { startTime: iso(startMs), endTime: iso(startMs + 2 * DAY_MS - 1) };
  const range = { ...times, grid: 'auto', x: 10, y: 20, width: 200, height: 200 };
  objects.reads = [];
  const { grid: facts, images: count, curve } = await year.curve(range);
  expect([facts?.cells, count, curve.length]).toEqual([64, 600, 600]);
  // One for each day, and one to choose the cells by, at both ends.
  expect(objects.reads).toHaveLength(4);
  expect(new Set(curve.map(({ mean }) => mean)).size).toBe(1);
  const { curve: hours } = await year.curve({ ...range, grid: 'true', cadence: 3600 });
  expect(hours).toHaveLength(48);
  expect(hours.every(({ reason }) => reason === null)).toBe(true);
  const refused = await year.ask({ ...range, statistics: 'median' });
  await expectRefused(refused, 400, /^The range has more than 1000 images/);
});
