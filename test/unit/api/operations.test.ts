import { describe, expect, test } from 'vitest';
import { SERVICE_VARIABLES } from '../../../src/platform/settings/service.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { archivedImage, NOW_MS } from '../../support/memory/archived-images.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => testArchive());

describe('getClosestImage', () => {
  it('returns the image record, with its fields in the order of the original service', async ({ archive: { get } }) => {
    const response = await get('/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10');
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    const record = (await response.json()) as Record<string, unknown>;
    expect(Object.entries(record)).toEqual([
      ['id', 26],
      ['date', '2024-01-01 00:00:00'],
      ['name', 'AIA 171'],
      ['scale', 0.6083466737042187],
      ['scaleCorrection', 0.9862797742389285],
      ['width', 4096],
      ['height', 4096],
      ['refPixelX', 2048.5],
      ['refPixelY', 2048.5],
      ['offsetX', 0],
      ['offsetY', 0],
      ['rotation', 0],
      ['rsun', 1577.4636],
      ['dsun', 151678940000],
      ['sunCenterOffsetParams', []],
      ['layeringOrder', 1],
    ]);
  });

  it.each([
    ['2024-01-01T00:00:31Z', 42, '29'],
    ['2024-01-01T00:00:30Z', 26, '-30'],
    ['2024-01-01T00:01:30.25Z', 42, '-30.25'],
    ['1999-01-01T00:00:00Z', 26, '788918400'],
    ['2024/01/31t11:00:00z', 74, '0'],
  ])('finds the image nearest to %s, the earlier one on a tie, and states its distance', async (date, id, distance) => {
    const { get } = testArchive();
    const response = await get(`/v2/getClosestImage/?date=${date}&sourceId=10`);
    expect(await response.json()).toMatchObject({ id });
    expect(response.headers.get('X-Image-Distance')).toBe(distance);
    expect(response.headers.get('X-Image-Date')).toMatch(/^2024-01-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('lives in caches for a day once the next image is old, else for a minute', async ({ archive: { get } }) => {
    const life = async (date: string) =>
      (await get(`/v2/getClosestImage/?sourceId=10&date=${date}`)).headers.get('Cache-Control');
    expect(await life('2024-01-01T00:00:10Z'), 'next image known and old').toBe('public, max-age=86400');
    expect(await life('2023-12-31T23:00:00Z'), 'the first image of all, next one old').toBe('public, max-age=86400');
    expect(await life('2024-01-01T00:03:00Z'), 'next image is of today').toBe('public, max-age=60');
    expect(await life('2024-01-31T11:30:00Z'), 'newest image').toBe('public, max-age=60');
  });

  it('uses the predecessor before the first light of an instrument with switchSources', async ({ archive: { get } }) => {
    const old = 'date=2010-06-02T00:05:35Z&sourceId=10';
    expect(await (await get(`/v2/getClosestImage/?${old}&switchSources=true`)).json()).toMatchObject({ id: 16, name: 'EIT 171' });
    expect(await (await get(`/v2/getClosestImage/?${old}`)).json()).toMatchObject({ id: 26 });
    const later = 'date=2010-06-02T00:05:36Z&sourceId=10&switchSources=true';
    expect(await (await get(`/v2/getClosestImage/?${later}`)).json()).toMatchObject({ id: 26 });
  });

  it.each([
    [13, '2010-06-02T00:05:38Z', 'EIT 304', '2010-06-02T00:05:39Z', 'AIA 304'],
    [11, '2010-06-02T00:05:30Z', 'EIT 195', '2010-06-02T00:05:31Z', 'AIA 193'],
    [18, '2010-12-06T06:53:40Z', 'MDI Int', '2010-12-06T06:53:41Z', 'HMI Int'],
    [19, '2010-12-06T06:53:40Z', 'MDI Mag', '2010-12-06T06:53:41Z', 'HMI Mag'],
  ])('maps source %i at %s to %s, and at %s to %s', async (id, dateBefore, predecessor, dateAfter, successor) => {
    const { get } = testArchive();
    // None of them has images here, so that the error names the source.
    for (const [date, nickname] of [
      [dateBefore, predecessor],
      [dateAfter, successor],
    ]) {
      const response = await get(`/v2/getClosestImage/?date=${date}&sourceId=${id}&switchSources=true`);
      expect(((await response.json()) as { error: string }).error).toContain(`(${nickname})`);
    }
  });

  it('finds an image of an XRT group and returns the name of its own source', async ({ archive: { get } }) => {
    const response = await get('/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=10001');
    expect(await response.json()).toMatchObject({ id: 22, name: 'XRT Al_med/Al_mesh' });
  });

  it('accepts the SUVI source ids of the public service', async ({ archive: { get, index, settle, cachedKeys } }) => {
    index.images.push(archivedImage(24, 88, '2024-01-05T00:00:00Z'));
    for (const id of [88, 2000]) {
      const response = await get(`/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=${id}`);
      expect(await response.json()).toMatchObject({ id: 24 });
      const dates = await get(`/v2/getClosestImageDatesForSources/?date=2024-01-01T00:00:00Z&sources=${id}`);
      expect(await dates.json()).toEqual({ [id]: { prev_date: null, next_date: '2024-01-05 00:00:00' } });
      await settle();
    }
    expect(cachedKeys().filter((key) => key.startsWith('/getClosestImage?'))).toHaveLength(1);
  });

  it('accepts the names of a source instead of its id in v1 only', async ({ archive: { get } }) => {
    const names = 'date=2024-01-01T00:00:00Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=171';
    expect(await (await get(`/v1/getClosestImage/?${names}`)).json()).toMatchObject({ id: 26 });
    expect(await answered(get(`/v2/getClosestImage/?${names}`))).toMatchObject([400, { parameter: 'sourceId', errno: 28 }]);
    const unknown = await get('/v1/getClosestImage/?date=2024-01-01T00:00:00Z&observatory=SDO&instrument=LASCO');
    expect(await unknown.json()).toMatchObject({ parameter: 'observatory', errno: 25 });
  });
});

const [A, B] = ['2024-01-01T00:00:10Z', '2024-01-01T00:04:00Z'];
type Answer = { readonly images: readonly ({ readonly id: number; readonly takenAt: string } | null)[] };

it('getImagesAtTimes gives for each date the record of getClosestImage, with the exact time', async () => {
  const { get, index } = testArchive();
  const one = async (date: string) => {
    const response = await get(`/v2/getClosestImage/?sourceId=10&date=${date}`);
    return { ...((await response.json()) as object), takenAt: response.headers.get('X-Image-Date') };
  };
  const expected = [await one(B), await one(A), await one(A)];
  index.searches = 0;
  const response = await get(`/v2/getImagesAtTimes/?sourceId=10&dates=${B},${A},${A}`);
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=60');
  expect(await response.json()).toEqual({ images: expected });
  expect(index.searches).toBe(1);
  expect(expected[0]!.takenAt).not.toBe(expected[1]!.takenAt);
});

it('getImagesAtTimes gives the latest image at or before each date with earlier, and null before the first one', async () => {
  const { get } = testArchive();
  const first = ((await (await get(`/v2/getImagesAtTimes/?sourceId=10&dates=${A}`)).json()) as Answer).images[0]!.takenAt;
  const before = new Date(Date.parse(first) - 1).toISOString();
  const response = await get(`/v2/getImagesAtTimes/?sourceId=10&earlier=true&dates=${first},2000-01-01T00:00:00Z,${before}`);
  const { images } = (await response.json()) as Answer;
  expect([images[0]!.takenAt, images[1]]).toEqual([first, null]);
  expect(images[2] === null || images[2]!.takenAt < first).toBe(true);
});

it.each([
  ['dates=noon', /^Expected 1 to 100 UTC dates like 2024-01-31T12:00:00Z, separated by commas for dates, got noon\./],
  [`dates=${A},`, /^Expected 1 to 100 UTC dates/],
  [`dates=${Array(101).fill(A).join()}`, /^Expected 1 to 100 UTC dates/],
])('getImagesAtTimes refuses %.40s', async (query, sentence) => {
  expect(await answered(testArchive().get(`/v2/getImagesAtTimes/?sourceId=10&${query}`))).toMatchObject([
    400,
    { parameter: 'dates', error: expect.stringMatching(sentence) },
  ]);
});

it('getClosestImageDatesForSources returns the times strictly before and after, or null', async ({ archive: { get } }) => {
  const response = await get('/v2/getClosestImageDatesForSources/?date=2024-01-01T00:01:00Z&sources=[10,4,99]');
  expect(await response.json()).toEqual({
    10: { prev_date: '2024-01-01 00:00:00', next_date: '2024-01-01 00:02:00' },
    4: { prev_date: null, next_date: '2024-01-01 06:00:00' },
    99: { prev_date: null, next_date: null },
  });
});

describe('getDataSources and getStatus', () => {
  it('list the sources with images as a tree, in forms for verbose and v1', async ({ archive: { get, settle } }) => {
    const response = await get('/v2/getDataSources/');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600');
    const tree = (await response.json()) as Record<string, Record<string, Record<string, unknown>>>;
    expect(Object.keys(tree).sort()).toEqual(['Hinode', 'SDO', 'SOHO']);
    expect(tree.SDO!.AIA!['171']).toMatchObject({ sourceId: 10, start: '2024-01-01 00:00:00', end: '2024-01-31 11:00:00' });
    await settle();
    const verbose = await (await get('/v2/getDataSources/?verbose=true&enable=[Hinode,Kanzelhoehe]')).json();
    expect(Object.keys(verbose as object)).toEqual(['SOHO', 'SDO', 'Hinode']);
    expect(await (await get('/v1/getDataSources/')).json()).toMatchObject({ SDO: { AIA: { AIA: { '171': { sourceId: 10 } } } } });
  });

  it('state the delay of each instrument', async ({ archive: { get } }) => {
    const status = (await (await get('/v2/getStatus/')).json()) as Record<string, unknown>;
    expect(status.AIA).toEqual({ time: '2024-01-31T11:00:00Z', level: 1, secondsBehind: 3600, measurement: 'AIA 171' });
    expect(new Date(NOW_MS).toISOString()).toBe('2024-01-31T12:00:00.000Z');
  });
});

describe('getJP2Header', () => {
  it('returns the XML header of the file as a document', async ({ archive: { get } }) => {
    const response = await get('/v2/getJP2Header/?id=26');
    expect(response.headers.get('Content-Type')).toBe('text/xml; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    const text = await response.text();
    expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>\n<meta>')).toBe(true);
    expect(text.endsWith('</meta>')).toBe(true);
    expect(text).toContain('<TELESCOP>SDO/AIA</TELESCOP>');
  });

  it('returns one string to a callback', async ({ archive: { get } }) => {
    const script = await (await get('/v2/getJP2Header/?id=26&callback=show')).text();
    const document = new Function(`let got; const show = (x) => { got = x }; ${script}; return got;`)() as string;
    expect(document).toContain("<NOTE>it's</NOTE><CDELT1>0.6</CDELT1>");
    expect(document).not.toContain('\n');
  });

  it('finds the header anywhere in the first megabyte, and reads no further', async ({ archive: { get, objects, index } }) => {
    const [far, without] = index.images;
    const place = (image: typeof far, bytes: Uint8Array) => {
      objects.objects.set(image!.key, bytes);
      index.images[index.images.indexOf(image!)] = { ...image!, byteLength: bytes.length };
    };
    const bytes = new Uint8Array(400_000);
    bytes.set(new TextEncoder().encode('<meta><fits><NAXIS1>7</NAXIS1></fits></meta>'), 300_000);
    place(far, bytes);
    place(without, new Uint8Array(3 << 20));
    expect(await (await get(`/v2/getJP2Header/?id=${far!.id}`)).text()).toContain('<NAXIS1>7</NAXIS1>');
    expect((await get(`/v2/getJP2Header/?id=${without!.id}`)).status).toBe(500);
    expect(Math.max(...objects.reads.map(({ length }) => length))).toBe(1 << 20);
  });

  it('fails with 500, without the path, for a damaged file', async ({ archive: { get, objects, index, logged } }) => {
    const [first, second, third] = index.images;
    objects.objects.set(first!.key, new Uint8Array(1000));
    objects.objects.delete(second!.key);
    objects.objects.set(third!.key, new Uint8Array(10));
    for (const [image, errno] of [
      [first, 13],
      [second, 50],
      [third, 13],
    ] as const) {
      const response = await get(`/v2/getJP2Header/?id=${image!.id}`);
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ errno, requestId: response.headers.get('X-Request-Id') });
      expect(text).not.toContain('jp2/');
    }
    expect(logged).toHaveLength(3);
  });
});

it('getJP2Image streams the nearest file with its name, length, date and distance', async ({ archive: { get, jp2Bytes } }) => {
  const response = await get('/v2/getJP2Image/?date=2024-01-01T00:00:10Z&sourceId=10');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(jp2Bytes(26));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jp2',
    'content-length': '1000',
    'content-disposition': 'attachment; filename="image_26.jp2"',
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=86400',
    'x-image-date': '2024-01-01T00:00:00.000Z',
    'x-image-distance': '-10',
  });
  expect(response.headers.get('Last-Modified')).toBeNull();
});

it('getJP2Image needs neither date nor source with an id, and is then immutable', async ({ archive: { get, jp2Bytes } }) => {
  const response = await get('/?action=getJP2Image&id=42');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(jp2Bytes(42));
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('Last-Modified')).toBe('Mon, 01 Jan 2024 00:01:00 GMT');
  expect(response.headers.get('X-Image-Distance')).toBe('0');
});

it('getJP2Image returns the address with jpip, in an object with json', async ({ archive: { get, app } }) => {
  const query = 'date=2024-01-01T00:00:10Z&sourceId=10';
  const text = await get(`/v2/getJP2Image/?${query}&jpip=TRUE`);
  expect(text.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(await text.text()).toBe('jpip://sun.test:80/AIA/2024/01/01/171/image_26.jp2');
  const json = await get(`/v2/getJP2Image/?${query}&jpip=1&json=True`);
  expect(await json.json()).toEqual({ uri: 'jpip://sun.test:80/AIA/2024/01/01/171/image_26.jp2' });
  const binary = await get(`/v2/getJP2Image/?${query}&json=true`);
  expect(binary.headers.get('Content-Type')).toBe('image/jp2');
  const secure = await app.request('https://sun.test:8443/v2/getJP2Image/?id=26&jpip=true');
  expect(await secure.text()).toBe('jpips://sun.test:8443/AIA/2024/01/01/171/image_26.jp2');
});

it('getJP2Image prefers the JPIP root of the settings to the host of the request', async () => {
  const { get } = testArchive({ settings: readVariables(SERVICE_VARIABLES, { JPIP_ROOT: 'jpips://jpip.example:8090' }) });
  const response = await get('/v2/getJP2Image/?id=26&jpip=true');
  expect(await response.text()).toBe('jpips://jpip.example:8090/AIA/2024/01/01/171/image_26.jp2');
});

describe('a JP2 file that is missing or truncated in the archive', () => {
  it('gives 500 with an errno and a request id, for the whole and for a range', async ({ archive: { get, objects, index } }) => {
    const [first, second] = index.images;
    objects.objects.delete(first!.key);
    objects.objects.set(second!.key, new Uint8Array(10));
    const lost = await get(`/v2/getJP2Image/?id=${first!.id}`);
    expect([lost.status, await lost.json()]).toMatchObject([500, { errno: 50, requestId: expect.any(String) }]);
    const cut = await get(`/v2/getJP2Image/?id=${second!.id}`, { headers: { Range: 'bytes=500-599' } });
    expect([cut.status, await cut.json()]).toMatchObject([500, { errno: 14, requestId: expect.any(String) }]);
  });
});

describe('getTile', () => {
  it('returns the PNG with its date, name and stages, and stores it at the edge', async ({ archive: { get, cachedKeys } }) => {
    const response = await get('/v2/getTile/?id=26&x=-1&y=0&imageScale=2.42044088');
    expect(await response.text()).toBe('PNG 26 -1 0 2.42044088');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=86400',
      'x-image-date': '2024-01-01T00:00:00.000Z',
      'content-disposition': 'inline; filename="image_26_2.42044088_x-1_y0.png"',
    });
    expect(response.headers.get('Server-Timing')).toMatch(
      /^index;dur=[\d.]+, decode;dur=[\d.]+, encode;dur=[\d.]+, total;dur=[\d.]+$/,
    );
    expect(cachedKeys()).toEqual(['/getTile?id=26&imageScale=2.42044088&x=-1&y=0']);
  });

  it('validates the four difference parameters of the web client, also with difference 0', async ({ archive: { get } }) => {
    const tile = '/v2/getTile/?id=26&x=0&y=0&imageScale=1';
    const all = await get(`${tile}&difference=0&diffCount=60&diffTime=1&baseDiffTime=2024-01-01T00:00:00Z`);
    expect(all.status).toBe(200);
    const bad = await get(`${tile}&difference=0&baseDiffTime=yesterday`);
    expect(await bad.json()).toMatchObject({ parameter: 'baseDiffTime', errno: 25 });
  });

  it.each([
    ['difference=1&diffCount=60', 'PNG 42 minus 26 0 0 1', '_running', 86400],
    ['difference=1&diffCount=1&diffTime=1', 'PNG 42 minus 26 0 0 1', '_running', 86400],
    ['difference=1&diffCount=59', 'PNG 42 minus 26 0 0 1', '_running', 86400],
    ['difference=1', 'PNG 42 minus 42 0 0 1', '_running', 86400],
    ['difference=2&baseDiffTime=2024-01-01T00:00:30Z', 'PNG 42 minus 26 0 0 1', '_base', 86400],
    ['difference=3&baseDiffTime=2024-01-01T00:00:30Z', 'PNG 42 over 26 0 0 1', '_ratio', 86400],
    // Too many days for tags lie between the reference time and the image that is nearest to it.
    ['difference=2&baseDiffTime=2024-02-01T00:00:00Z', 'PNG 42 minus 74 0 0 1', '_base', 60],
  ])('compares with the latest image at or before the reference time with %s', async (query, picture, suffix, lifeSeconds) => {
    const { get, settle, tiles } = testArchive();
    const url = `/v2/getTile/?id=42&x=0&y=0&imageScale=1&${query}`;
    const response = await get(url);
    expect(await response.text()).toBe(picture);
    expect(response.headers.get('Content-Disposition')).toContain(`_x0_y0${suffix}.png`);
    expect(response.headers.get('Cache-Control')).toBe(`public, max-age=${lifeSeconds}`);
    await settle();
    expect(await (await get(url)).text()).toBe(picture);
    expect(tiles.drawn).toBe(1);
  });

  it.each([
    ['difference=2', 400, { parameter: 'baseDiffTime', errno: 28 }],
    ['difference=1&diffCount=1&diffTime=6', 404, { errno: 11 }],
    ['difference=3', 400, { parameter: 'baseDiffTime', errno: 28 }],
    ['difference=4', 400, { parameter: 'difference', errno: 25 }],
  ])('rejects %s', async (query, status, body) => {
    const { get } = testArchive();
    expect(await answered(get(`/v2/getTile/?id=26&x=0&y=0&imageScale=1&${query}`))).toMatchObject([status, body]);
  });

  it('ignores the difference parameters in v1', async ({ archive: { get } }) => {
    const response = await get('/v1/getTile/?id=26&x=0&y=0&imageScale=1&difference=1');
    expect(await response.text()).toBe('PNG 26 0 0 1');
  });
});
