import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../../src/jp2/xml-header.ts';
import type { ImageArray } from '../../../src/measure/image-arrays.ts';
import { arrayOfImage } from '../../../src/measure/products.ts';
import { arrayFile } from '../../../src/picture/encode/fits.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { typedValues } from '../../../src/sun/wcs.ts';
import { runPython } from '../../support/measurement/python.ts';
import { type FitsUnit, readFits, readNpy } from '../../support/measurement/read-fits.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, decodedSample, HMI, LASCO_C2, openjpegSample, SIZE, valueOf171 } from '../../support/measurement/samples.ts';
import { type ImageValues, measuringService } from '../../support/measurement/service.ts';
import { callOf } from '../../support/memory/call.ts';
import { hasModules } from '../../support/programs.ts';

const DATED = { date: '2024-05-10T12:00:00Z' };

/** The value of a byte of AIA 171; null at the ends of the scale. */
const valueOrNull = (byte: number) => (byte === 0 || byte === 255 ? null : valueOf171(byte));

async function dataService(...options: Parameters<typeof measuringService>) {
  const service = await measuringService(...options);
  const ask = (parameters: Readonly<Record<string, unknown>>) => service.ask('getImageData', { ...DATED, ...parameters });
  const bytes = async (parameters: Readonly<Record<string, unknown>>) =>
    new Uint8Array(await (await ask(parameters)).arrayBuffer());
  const json = async (parameters: Readonly<Record<string, unknown>>) =>
    (await (await ask({ ...parameters, format: 'json' })).json()) as ImageValues;
  return { ...service, ask, bytes, json };
}

/** A service for all requests that leave nothing behind. */
const { ask, bytes, json, images, objects } = await dataService();

describe('getImageData', () => {
  it('returns the values of a rectangle from the bottom row, and null for the ends of the scale', async () => {
    const data = await json({ sourceId: AIA_171, frame: 'pixel', x: 100.5, y: 60.5, width: 40, height: 20 });
    const decoded = await decodedSample(AIA_171);
    expect([data.width, data.height, data.unit, data.corner]).toEqual([40, 20, 'DN/s', { x: 81, y: 51 }]);
    const expected = Array.from({ length: 20 }, (_, row) =>
      Array.from({ length: 40 }, (_, column) => valueOrNull(decoded[(SIZE - 51 - row) * SIZE + 80 + column]!)),
    );
    for (const [y, row] of expected.entries()) {
      for (const [x, value] of row.entries()) {
        const found = data.values[y]![x]!;
        if (value === null) expect(found).toBeNull();
        else expect(found / value).toBeCloseTo(1, 6);
      }
    }
    const ends = expected.flat().filter((value) => value === null).length;
    expect(data.pixels.measured).toBe(800 - ends);
    expect(data.pixels.below + data.pixels.above).toBe(ends);
  });

  it('returns the means of inverted values of blocks at a level, as those of OpenJPEG within half a level', async () => {
    const data = await json({ sourceId: AIA_171, level: 3 });
    expect([data.width, data.height]).toEqual([64, 64]);
    const [decoded, judged] = [await decodedSample(AIA_171), await openjpegSample(AIA_171)];
    let numbers = 0;
    for (let y = 0; y < 64; y++) {
      for (let x = 0; x < 64; x++) {
        const block = (bytes: Uint8Array) =>
          Array.from({ length: 64 }, (_, i) => valueOrNull(bytes[(SIZE - 1 - 8 * y - (i >> 3)) * SIZE + 8 * x + (i & 7)]!));
        const mean = (bytes: Uint8Array) => block(bytes).reduce((sum: number, value) => sum + (value ?? Number.NaN), 0) / 64;
        const found = data.values[y]![x]!;
        if (block(decoded).includes(null)) expect(found).toBeNull();
        else {
          numbers += 1;
          expect(found / mean(decoded)).toBeCloseTo(1, 5);
          if (!block(judged).includes(null)) expect(found / mean(judged)).toBeCloseTo(1, 2);
        }
      }
    }
    expect(numbers).toBeGreaterThan(1000);
    const full = await json({ sourceId: AIA_171 });
    expect(data.wcs.cdelt[0]! / full.wcs.cdelt[0]!).toBeCloseTo(8, 9);
    expect(data.wcs.crpix[0]).toBeCloseTo((full.wcs.crpix[0]! - 0.5) / 8 + 0.5, 9);
  });

  it('leaves out what lies outside of a circle, and off the disc of a magnetogram', async () => {
    const circle = await json({ sourceId: AIA_171, circle: '[0,0,500]', level: 2 });
    const radius = 500 / circle.wcs.cdelt[0]!;
    const inside = (x: number, y: number) => Math.hypot(x + 1 - circle.wcs.crpix[0]!, y + 1 - circle.wcs.crpix[1]!) <= radius;
    circle.values.forEach((row, y) => {
      row.forEach((value, x) => {
        if (!inside(x, y)) expect(value).toBeNull();
      });
    });
    expect(circle.values.flat().filter((value) => value !== null).length).toBeGreaterThan(0.7 * Math.PI * radius ** 2);
    // With the pixels whose centres are on it.
    const ofRadius = async (radius: number) =>
      (await json({ sourceId: AIA_171, frame: 'pixel', circle: `[256,256,${radius}]`, raw: true })).pixels.measured;
    expect([await ofRadius(5), await ofRadius(0)]).toEqual([81, 1]);
    const disc = await json({ sourceId: HMI });
    expect(disc.values[0]![0]).toBeNull();
    expect(disc.pixels.noData).toBeGreaterThan(SIZE * SIZE * 0.1);
    expect(disc.unit).toBe('Gauss');
  });

  it('gives regions side by side each pixel once, with the lower and the left edge', async () => {
    const at = async (x: number, y: number) => {
      const box = { frame: 'pixel', x, y, width: 2, height: 2, raw: true };
      const { values, pixels } = await json({ sourceId: AIA_171, ...box });
      return { values, measured: pixels.measured };
    };
    const bytes = await decodedSample(AIA_171);
    const byteAt = (x: number, y: number) => bytes[(SIZE - y) * SIZE + x - 1]!;
    for (const [x, y] of [
      [302, 202],
      [304, 202],
      [302, 204],
    ] as const) {
      const rows = [y - 1, y].map((row) => [byteAt(x - 1, row), byteAt(x, row)]);
      expect(await at(x, y)).toEqual({ values: rows, measured: 4 });
    }
  });

  it('returns bytes with raw=true, also of images without a law', async () => {
    const file = await bytes({ sourceId: LASCO_C2, raw: true, format: 'npy' });
    const length = new DataView(file.buffer).getUint16(8, true) + 10;
    expect([length % 64, file[length - 1]]).toEqual([0, '\n'.charCodeAt(0)]);
    const { shape, values } = readNpy(file);
    expect(shape).toEqual([SIZE, SIZE]);
    const decoded = await decodedSample(LASCO_C2);
    expect(values.slice(0, SIZE)).toEqual([...decoded.subarray((SIZE - 1) * SIZE)]);
  });

  it('returns a FITS file with unit, coordinates, the cards of the original and the history', async () => {
    const response = await ask({ sourceId: AIA_171, frame: 'pixel', x: 256.5, y: 256.5, width: 8, height: 4 });
    expect(response.headers.get('Content-Disposition')).toMatch(/^attachment; filename=".*AIA_171_values_level0\.fits"$/);
    const [{ cards, data }] = readFits(new Uint8Array(await response.arrayBuffer())) as [FitsUnit];
    expect(data.length).toBe(8 * 4 * 4);
    expect(cards.slice(0, 6)).toEqual([
      'SIMPLE  =                    T',
      'BITPIX  =                  -32',
      'NAXIS   =                    2',
      'NAXIS1  =                    8',
      'NAXIS2  =                    4',
      "BUNIT   = 'DN/s    '",
    ]);
    expect(cards).toContain("TELESCOP= 'SDO     '");
    expect(cards.filter((card) => card.startsWith('CDELT1')).length).toBe(1);
    const history = cards.flatMap((card) => (card.startsWith('HISTORY') ? card.slice(8) : [])).join(' ');
    expect(history).toMatch(/law that is exact/);
    expect(history).toMatch(/Gate median/);
    const decoded = await decodedSample(AIA_171);
    expect(data.readFloatBE(0) / valueOf171(decoded[(SIZE - 255) * SIZE + 252]!)).toBeCloseTo(1, 6);
  });

  itRefuses(
    async (parameters) => ask({ sourceId: AIA_171, ...parameters, format: 'json' }),
    [
      ['an image without a law', { sourceId: LASCO_C2 }, 422, /no physical values.* With raw=true, its levels are given\./],
      ['a region off the disc', { sourceId: HMI, x: 1020, y: 0, width: 10, height: 10 }, 404, /no data in this region/],
      ['a region off the image', { circle: '5000,0,10' }, 400, /region of the image.* for circle, got 5000,0,10\./],
      [
        'a region between pixels',
        { frame: 'pixel', x: 9.5, y: 9.5, width: 0, height: 0 },
        400,
        /the centre of a pixel, for width, got 0\./,
      ],
      [
        'a region between the means of a level',
        { frame: 'pixel', x: 300, y: 200, width: 4, height: 4, level: 5 },
        400,
        /the centre of a mean of 32 x 32 pixels, or a lower level, for width, got 4\./,
      ],
      ['an incomplete rectangle', { x: 1, y: 2, width: 3 }, 400, /^x requires height/],
      ['two regions', { circle: '0,0,10', polygon: '0,0,1,1,2,0' }, 400, /^polygon cannot be combined with circle/],
      ['a circle beside a width', { circle: '0,0,10', width: 20 }, 400, /^circle cannot be combined with width/],
      ['a negative radius', { circle: '0,0,-1' }, 400, /radius of 0 or more for circle/],
      ['a polygon of two vertices', { polygon: '0,0,1,1' }, 400, /3 to 100 vertices.* for polygon/],
      ['a polygon that is a line', { polygon: '0,0,0,0,1,1,3,3' }, 400, /not on one line for polygon, got 0,0,0,0/],
    ],
  );

  it('bounds the values of a response, and charges the client for the pixels', async () => {
    const charged: string[] = [];
    const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: charged.push(key) < 2 }) };
    const { services, images, ask } = await dataService({ pictureLimiter });
    const image = images.find(({ sourceId }) => sourceId === AIA_171)!;
    const tooMany = services.imageArrays.array(image, { region: null, level: 0, isRaw: false, mostValues: 1000 }, callOf());
    await expect(tooMany).rejects.toThrow(/^Expected a level of 5 or more, .* at most 1000 values .*for level, got 0\.$/);
    expect(charged).toHaveLength(0);
    expect((await ask({ sourceId: AIA_171, level: 4 })).status).toBe(200);
    expect(charged).toHaveLength(1);
    expect((await ask({ sourceId: AIA_171, level: 3 })).status).toBe(429);
  });
});

const hasPython = hasModules('astropy');

/** Keywords by which astropy places the pixels of an image. */
const COORDINATES = /^(CTYPE|CUNIT|CRPIX|CDELT|CRVAL)\d$|^CROTA2$|^PC\d_\d$/;

it.skipIf(!hasPython)(
  'astropy (python3-astropy) reads the files, with coordinates within 0.1 pixel of the original',
  async () => {
    const asked = [
      { sourceId: AIA_171, x: 250, y: -310, width: 300, height: 200 },
      { sourceId: AIA_171, level: 3 },
      { sourceId: HMI, circle: '-100,200,333', level: 1 },
      { sourceId: HMI, raw: true },
    ];
    const cases = asked.map(async (parameters) => {
      const { key } = images.find(({ sourceId }) => sourceId === parameters.sourceId)!;
      const { fits } = parseXmlHeader(Buffer.from(objects.objects.get(key)!).toString('latin1'))!;
      const typed = Object.entries(typedValues(fits)).filter(([name]) => COORDINATES.test(name));
      const { corner } = await json(parameters);
      return {
        fits: Buffer.from(await bytes(parameters)).toString('base64'),
        keywords: Object.fromEntries(typed),
        left: corner.x - 1,
        below: corner.y - 1,
        factor: 2 ** (parameters.level ?? 0),
      };
    });
    const read = JSON.parse(runPython('read_fits.py', JSON.stringify(await Promise.all(cases)))) as {
      shape: number[];
      type: string;
      unit: string | null;
      offset: number;
      history: string;
      values: string;
    }[];
    expect(read.map(({ type, unit }) => [type, unit])).toEqual([
      ['float32', 'DN/s'],
      ['float32', 'DN/s'],
      ['float32', 'Gauss'],
      ['uint8', null],
    ]);
    for (const { offset } of read) expect(offset).toBeLessThan(0.1);
    const bytesRead = Buffer.from(read[2]!.values, 'base64');
    const valuesRead = new Float64Array(bytesRead.buffer.slice(bytesRead.byteOffset, bytesRead.byteOffset + bytesRead.length));
    const { values, width, height } = await json(asked[2]!);
    expect(read[2]!.shape).toEqual([height, width]);
    const flat = values.flat();
    expect(flat.some((value) => value === null)).toBe(true);
    for (const [i, value] of valuesRead.entries()) {
      if (Number.isNaN(value)) expect(flat[i]).toBeNull();
      else expect(value - flat[i]!).toBeCloseTo(0, 3);
    }
    expect(read[0]!.history).toContain('Values inverted from the bytes of a JPEG 2000 image by a law that is exact.');
  },
);

it('a FITS file does not have coordinates that the original gives another array', () => {
  const of = { PV2_1: '0', CRPIX1A: '40', CDELT1A: '-0.004', PC1_2A: '0.1', WCSNAMEA: 'sky', LONPOLEA: '180', CROTACN1: '3' };
  const array = {
    header: { fits: new Map(Object.entries(of)) },
    wcs: null,
    confirmed: null,
    samples: new Uint8Array(1),
    grid: {},
  };
  const { cards } = arrayOfImage({ id: 1 } as ArchivedImage, array as unknown as ImageArray);
  expect(cards.map(({ keyword }) => keyword).filter((keyword) => keyword in of)).toEqual(['CROTACN1']);
});

it('a FITS header keeps quotes, long texts and keywords that FITS does not have', async () => {
  const long = `it's ${'a long text with a quote '.repeat(6)}'`;
  const given = [
    { keyword: 'NOTE', value: long },
    { keyword: 'A_LONG_KEYWORD', value: 3 },
    { keyword: 'NOTHING', value: null },
    { keyword: 'SMALL', value: 1e-7 },
    { keyword: 'HISTORY', value: `first line\n${'word '.repeat(30)}` },
    { keyword: 'TEXT', value: 'π Å' },
  ];
  const array = { axes: [1, 1], isOfBytes: true, cards: given, pieces: () => [new Uint8Array([7])] };
  const file = Buffer.concat(await Array.fromAsync(arrayFile('fits', array)));
  const [{ cards, data }] = readFits(file) as [FitsUnit];
  const strings = cards.slice(5).filter((card) => /^(NOTE {4}=|CONTINUE)/.test(card));
  const text = strings
    .map((card) => card.slice(11, -1).replace(/&$/, ''))
    .join('')
    .replaceAll("''", "'");
  expect(text).toBe(long);
  expect(cards.every((card) => card.length <= 80)).toBe(true);
  expect(cards).toContain('COMMENT A_LONG_KEYWORD = 3');
  expect(cards).toContain('NOTHING =');
  expect(cards).toContain('SMALL   =                 1E-7');
  expect(cards).toContain("TEXT    = '? ?     '");
  expect(cards.filter((card) => card.startsWith('HISTORY')).map((card) => card.slice(8))).toEqual([
    'first line',
    'word '.repeat(14).trimEnd(),
    'word '.repeat(14).trimEnd(),
    'word word',
  ]);
  expect([file.length, [...data]]).toEqual([2 * 2880, [7]]);
});
