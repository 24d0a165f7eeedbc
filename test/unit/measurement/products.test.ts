import { describe, expect, it, vi } from 'vitest';
import { encodeTable } from '../../../src/picture/encode/fits.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { fitsRows, readFits, readNpy } from '../../support/measurement/read-fits.ts';
import { AIA_171, NOON } from '../../support/measurement/samples.ts';
import { iso, repeatedService } from '../../support/measurement/service.ts';

const TIMES = [0, 12, 24, 90].map((minutes) => NOON + minutes * MINUTE_MS);
const { ask, range } = await repeatedService(TIMES);
const BOX = { x: 100, y: 200, width: 96, height: 48 };

/** Products by operation: their parameters, and the formats that browsers save and show. */
const PRODUCTS = [
  ['getLightCurve', { ...BOX, statistics: 'mean,p95' }, ['csv', 'fits'], ['json', 'svg', 'png']],
  ['getTimeDistance', { path: '[[100,100],[300,200]]' }, ['fits', 'npy'], ['json', 'png']],
  ['getCutout', BOX, ['fits', 'npy'], []],
  ['getImageData', { ...BOX, date: iso(NOON) }, ['fits', 'npy'], ['json']],
] as const;

const TYPES = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  fits: 'application/fits',
  npy: 'application/octet-stream',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const;

async function product(operation: string, parameters: object, format: string) {
  const response = await ask(operation, { ...range, ...parameters, format });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe.each(PRODUCTS)('a product of %s', (operation, parameters, saved, shown) => {
  it.each([...saved, ...shown])('as %s has the type of the format, and a name if browsers save it', async (format) => {
    const { response, bytes } = await product(operation, parameters, format);
    expect([response.status, response.headers.get('Content-Type'), bytes.length > 100]).toEqual([200, TYPES[format], true]);
    const name = response.headers.get('Content-Disposition');
    if (shown.some((each) => each === format)) expect(name).toBeNull();
    else expect(name).toMatch(new RegExp(`^attachment; filename="[\\w.+-]+\\.${format}"$`));
    if (operation !== 'getImageData') expect(response.headers.get('X-Series-Rows')).toBe('5');
  });
});

it.each(PRODUCTS.slice(1))('a product of %s has the same array in FITS and NPY', async (operation, parameters) => {
  const [unit, ...tables] = readFits((await product(operation, parameters, 'fits')).bytes);
  const { shape, values } = readNpy((await product(operation, parameters, 'npy')).bytes);
  const { NAXIS, NAXIS1, NAXIS2, NAXIS3 } = unit!.keywords;
  expect(shape).toEqual([NAXIS1, NAXIS2, NAXIS3].slice(0, Number(NAXIS)).reverse());
  const same = values.filter((value, i) => Object.is(value, unit!.data.readFloatBE(4 * i)));
  expect([same.length, values.some((value) => value > 0)]).toEqual([values.length, true]);
  const path = tables.find(({ keywords }) => keywords.EXTNAME === 'PATH');
  if (operation === 'getTimeDistance') expect(fitsRows(path!)[0]).toEqual({ offset: 0, x: 100, y: 100 });
});

it('a light curve has the same rows in JSON, CSV and FITS', async () => {
  const [operation, parameters] = PRODUCTS[0];
  const { curve } = JSON.parse(textOf((await product(operation, parameters, 'json')).bytes)) as {
    curve: Record<string, string | number | null>[];
  };
  const [names, ...lines] = textOf((await product(operation, parameters, 'csv')).bytes)
    .trimEnd()
    .split('\r\n');
  expect(names).toBe(Object.keys(curve[0]!).join());
  expect(lines).toEqual(curve.map((row) => Object.values(row).join()));
  const [, table] = readFits((await product(operation, parameters, 'fits')).bytes);
  expect(fitsRows(table!)).toEqual(curve);
  expect(curve.map(({ id, reason }) => [id !== null, reason])).toEqual([
    ...Array(3).fill([true, null]),
    [false, 'gap'],
    [true, null],
  ]);
});

it('the table of an array has a row for each image, with its datasource and its law', async () => {
  const asked = { ...range, ...BOX, sourceIds: `${AIA_171},19`, scale: 9.6 };
  const units = readFits(new Uint8Array(await (await ask('getCutout', asked)).arrayBuffer()));
  const rows = fitsRows(units.find(({ keywords }) => keywords.EXTNAME === 'IMAGES')!);
  expect(rows.map(({ source, reason }) => [source, reason])).toEqual(
    [null, null, null, 'gap', null].flatMap((reason) => [
      [AIA_171, reason],
      [19, 'gap'],
    ]),
  );
  expect(rows[0]).toMatchObject({ date: iso(NOON), unit: 'DN/s', status: 'exact' });
});

it('a FITS table tells the datasource 0 from none', () => {
  const rows = [{ source: 0 }, { source: null }];
  expect(fitsRows(readFits(encodeTable('IMAGES', [{ name: 'source', type: 'whole' }], rows))[0]!)).toEqual(rows);
});

const SMALL = { x: 100, y: 100, width: 60, height: 60 };

it.each([
  ['a light curve', 'getLightCurve', { ...SMALL, format: 'csv' }],
  ['a light curve of a rotating region in JSON', 'getLightCurve', { ...SMALL, track: 'rotation', format: 'json' }],
  ['a time-distance map as FITS', 'getTimeDistance', { path: '0,0,100,100', format: 'fits' }],
  ['a time-distance map as a numpy array', 'getTimeDistance', { path: '0,0,100,100', format: 'npy' }],
  ['a time-distance map in JSON', 'getTimeDistance', { path: '0,0,100,100', format: 'json' }],
  ['a cube as FITS', 'getCutout', { ...SMALL, format: 'fits' }],
  ['a tracked cube as a numpy array', 'getCutout', { ...SMALL, track: 'rotation', format: 'npy' }],
] as const)('measuring stops with the client of %s', async (_, operation, parameters) => {
  const { app, objects, range } = await repeatedService(Array.from({ length: 300 }, (__, i) => NOON + i * 12_000));
  const read = vi.spyOn(objects, 'read');
  const asked = Object.entries({ ...range, ...parameters }).map(([name, value]) => [name, String(value)]);
  const response = await app.request(`http://sun.test/v2/${operation}/?${new URLSearchParams(asked)}`);
  expect([response.status, response.headers.get('X-Series-Rows')]).toEqual([200, '300']);
  const reader = response.body!.getReader();
  // The header, and the first image.
  for (let part = 0; part < 2; part++) expect((await reader.read()).value!.length).toBeGreaterThan(0);
  await reader.cancel();
  await app.settle();
  expect(new Set(read.mock.calls.map(([key]) => key)).size).toBeLessThan(20);
});
