import { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { fieldId } from '../../../src/faces/hapi/datasets.ts';
import { LISTS } from '../../../src/platform/limits/images.ts';
import { imageSources } from '../../../src/sun/catalogue/sources.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { archivedImage, IMAGES } from '../../support/memory/archived-images.ts';
import { indexOfEach, MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

const archive = testArchive();
const get = (path: string) => archive.get(`/hapi/${path}`);
const jsonOf = async (path: string) => (await get(path)).json() as Promise<Record<string, never>>;

const YEAR = 'start=2024-01-01Z&stop=2024-01-31T11:00:01Z';

/** Bytes of a record of `images_10`: time, id, distance, size, address. */
const RECORD_BYTES = 27 + 8 + 8 + 4 + ('http://sun.test/v2/getJP2Image/?id='.length + 16);

it('the descriptions of HAPI states the version and a status of 1200 in each', async () => {
  for (const endpoint of ['about', 'capabilities', 'catalog', 'info?dataset=images_10']) {
    const response = await get(endpoint);
    expect([response.status, response.headers.get('Content-Type')], endpoint).toEqual([200, 'application/json']);
    expect(await response.json(), endpoint).toMatchObject({ HAPI: '3.2', status: { code: 1200, message: 'OK' } });
  }
  expect((await archive.get('/hapi')).headers.get('Content-Type')).toMatch(/^text\/html/);
});

it('the descriptions of HAPI dates the capabilities by the version, and answers 304 while it is the same', async () => {
  const response = await get('capabilities');
  const lastModified = response.headers.get('Last-Modified')!;
  // A change of this body needs a later date, or clients keep the body that they have.
  expect([lastModified, await response.json()]).toEqual([
    'Thu, 26 Nov 2026 00:00:00 GMT',
    { HAPI: '3.2', status: { code: 1200, message: 'OK' }, outputFormats: ['csv', 'binary', 'json'] },
  ]);
  const since = (date: string) => archive.get('/hapi/capabilities', { headers: { 'If-Modified-Since': date } });
  expect([(await since(lastModified)).status, (await since('Wed, 25 Nov 2026 23:59:59 GMT')).status]).toEqual([304, 200]);
  for (const path of ['about', 'catalog', 'info?dataset=images_10'])
    expect((await get(path)).headers.get('Last-Modified'), path).toBeNull();
});

it('the descriptions of HAPI lists the datasources that have images', async () => {
  const { catalog } = (await jsonOf('catalog')) as unknown as { catalog: { id: string; title: string }[] };
  const ids = [...[0, 4, 10, 38].map((id) => `images_${id}`), ...[0, 4, 10, 38].map((id) => `days_${id}`), 'xray_flux'];
  expect(catalog.map(({ id }) => id)).toEqual(ids);
  expect(catalog[2]!.title).toBe('AIA 171: images');
});

it('the descriptions of HAPI states the range of a dataset so that the last record is inside, and a sample', async () => {
  expect(await jsonOf('info?dataset=images_10')).toMatchObject({
    startDate: '2024-01-01T00:00:00.000000Z',
    stopDate: '2024-01-31T11:00:01.000000Z',
    sampleStartDate: '2024-01-30T11:00:01.000000Z',
    sampleStopDate: '2024-01-31T11:00:01.000000Z',
  });
  expect(await jsonOf('info?dataset=days_10')).toMatchObject({
    startDate: '2024-01-01T00:00:00.000000Z',
    stopDate: '2024-02-01T00:00:00.000000Z',
    sampleStartDate: '2024-01-25T00:00:00.000000Z',
    cadence: 'P1D',
  });
});

it('the descriptions of HAPI gives the chosen parameters after the time', async () => {
  const namesOf = async (query: string) =>
    ((await jsonOf(`info?dataset=images_10${query}`)) as unknown as { parameters: { name: string }[] }).parameters.map(
      ({ name }) => name,
    );
  expect(await namesOf('')).toEqual(['time', 'id', 'distance', 'size', 'address']);
  expect(await namesOf('&parameters=')).toHaveLength(5);
  expect(await namesOf('&parameters=size')).toEqual(['time', 'size']);
  expect(await namesOf('&parameters=time,id,address')).toEqual(['time', 'id', 'address']);
});

it('the descriptions of HAPI state units by the names of astropy, as their schema of units says', async () => {
  const units = ['images_10', 'days_10', 'lightcurve_10', 'xray_flux'].map(async (id) => {
    const { parameters } = (await jsonOf(`info?dataset=${id}`)) as unknown as { parameters: { units: string | null }[] };
    return parameters.flatMap((parameter) => parameter.units ?? []);
  });
  expect(new Set((await Promise.all(units)).flat())).toEqual(new Set(['UTC', 'AU', 'byte', 'dimensionless', 'W/m2']));
});

interface Described {
  readonly name: string;
  readonly type: string;
  readonly size?: unknown;
  readonly bins?: unknown;
  readonly jhvparams?: { readonly scale: string; readonly range: number[] };
}

/** Its conditions on the response to `catalog` and `info`. */
const read = async (path: string) => {
  const value = await jsonOf(`jhelioviewer/${path}`);
  expect(value.status).toEqual({ code: 1200, message: 'OK' });
  return value as never;
};

it('the reader of JHelioviewer finds a first parameter "time" and scalars in each dataset, and numbers to draw in each kind', async () => {
  const { catalog } = (await read('catalog')) as { catalog: { id: string }[] };
  for (const { id } of [...catalog, { id: 'lightcurve_10' }]) {
    const { parameters } = (await read(`info?dataset=${id}`)) as { parameters: Described[] };
    expect(parameters[0], id).toMatchObject({ name: 'time', type: 'isotime' });
    expect(
      parameters.some(({ size, bins }) => size !== undefined || bins !== undefined),
      id,
    ).toBe(false);
    const drawn = parameters.filter(({ type, jhvparams }) => jhvparams && ['double', 'integer'].includes(type));
    expect(drawn.length, id).toBeGreaterThan(0);
    for (const { jhvparams } of drawn) {
      expect(['linear', 'logarithmic']).toContain(jhvparams!.scale);
      expect(jhvparams!.range[1]).toBeGreaterThan(jhvparams!.range[0]!);
    }
  }
  const bars = { plotType: 'bar', plottype: 'bar', barWidth: 86_400, barwidth: 86_400, range: [0, 7200] };
  expect(await read('info?dataset=days_10')).toMatchObject({ parameters: [{}, { name: 'images', jhvparams: bars }, {}] });
  const flux = (await read('info?dataset=xray_flux')) as { parameters: { jhvparams: Record<string, object[]> }[] };
  const { levels, warningLevels, warninglevels, predefined } = flux.parameters[1]!.jhvparams;
  expect(levels!.at(-1)).toEqual({ range: [1e-4, 'infinity'], color: 'red' });
  expect(warningLevels!.map((level) => Object.keys(level))).toEqual(Array(4).fill(['label', 'value', 'color']));
  expect([warninglevels, predefined]).toEqual([warningLevels, [{ name: 'Space weather', order: 1 }]]);
  expect(await read('info?dataset=xray_flux')).toMatchObject({
    parameters: [{}, { name: 'flux', jhvparams: { scale: 'logarithmic', range: [1e-9, 1e-2] } }],
  });
});

it('the reader of JHelioviewer gets the same data under its own address, and other clients no members that HAPI does not know', async () => {
  const query = `data?dataset=images_10&parameters=distance&${YEAR}&format=binary`;
  const bytesOf = async (path: string) => new Uint8Array(await (await get(path)).arrayBuffer());
  const own = await bytesOf(`jhelioviewer/${query}`);
  expect(own).toHaveLength(4 * (27 + 8));
  expect(own).toEqual(await bytesOf(query));
  expect(JSON.stringify(await jsonOf('info?dataset=images_10'))).not.toContain('jhvparams');
  expect(await jsonOf('jhelioviewer/nothing')).toMatchObject({ status: { code: 1400 } });
});

describe('the public HAPI server of Helioviewer', () => {
  const image = (id: number, takenAt: string) =>
    archivedImage(id, 13, takenAt, { fileName: `${id}.jp2`, key: `jp2/AIA/2024/01/01/304/${id}.jp2` });
  const field = testArchive({
    index: new MemoryImageIndex([
      image(1, '2024-01-01T00:00:05.129Z'),
      image(2, '2024-01-01T00:00:05.9Z'),
      image(3, '2024-01-01T00:00:17Z'),
      image(4, '2024-01-01T00:00:29.5Z'),
    ]),
  });
  const ROOT = '/hapi/Helioviewer/hapi';
  const textOf = async (path: string) => (await field.get(path)).text();
  const times = async (range: string, root = ROOT) =>
    [...(await textOf(`${root}/data?dataset=AIA_304&parameters=url&${range}`)).matchAll(/05Z|17Z|29Z/g)].map(String);

  it('lists the datasets by their names in hvpy, in either spelling of its address', async () => {
    for (const root of [ROOT, ROOT.replace('H', 'h')]) {
      const value = (await (await archive.get(`${root}/catalog`)).json()) as { catalog: { id: string; title: string }[] };
      expect(value.catalog.map(({ id }) => id)).toEqual(['EIT_171', 'LASCO_C2', 'AIA_171', 'XRT_AL_MED_AL_MESH']);
      expect(value.catalog[2]!.title).toBe('SDO instrument AIA, measurement 171.');
      expect((await archive.get(root)).headers.get('Content-Type')).toMatch(/^text\/html/);
      for (const name of ['about', 'capabilities']) expect((await archive.get(`${root}/${name}`)).status).toBe(200);
    }
    const [key, other] = [ROOT, ROOT.replace('H', 'h')].map((root) => edgeKey(new Request(`http://sun.test${root}/catalog`)));
    expect([key, key === other]).toEqual([expect.any(String), true]);
    expect((await archive.get('/hapi/HELIOVIEWER/hapi/catalog')).status).toBe(400);
    expect((await archive.get(`${ROOT}/info?dataset=images_10`)).status).toBe(404);
  });

  it('gives every datasource an id of its own, the known ones among them', () => {
    const ids = imageSources.map(fieldId);
    expect(new Set(ids).size).toBe(imageSources.length);
    const known =
      'EIT_171 MDI_MAG HMI_INT EUVI_A_304 COR2_B SXT_WHITE_LIGHT XRT_AL_POLY_AL_mesh XRT_MISPOSITIONED_MISPOSITIONED ';
    const others =
      'TRACE_WHITE_LIGHT COSMO_KCOR EUI_HRI_1216 IRIS_SJI_2832 GONG_H_ALPHA SUVI_304 RHESSI_3_6KEV_CLEAN_59 PUNCH_CAM CCOR1';
    expect((known + others).split(' ').filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('states the nine parameters of the original and times of whole seconds', async () => {
    const info = JSON.parse(await textOf(`${ROOT}/info?dataset=AIA_304`));
    expect(info).toMatchObject({ startDate: '2024-01-01T00:00:05Z', stopDate: '2024-01-01T00:00:30Z' });
    expect(info.parameters.map(({ name, type, length }: Record<string, unknown>) => [name, type, length])).toEqual([
      ['Time', 'isotime', 20],
      ['url', 'string', 255],
      ['path', 'string', 255],
      ...['refPixelX', 'refPixelY', 'scale'].map((name) => [name, 'double', undefined]),
      ...['width', 'height'].map((name) => [name, 'integer', undefined]),
      ['rotation', 'double', undefined],
    ]);
    // A path is no URI.
    expect(info.parameters.filter(({ stringType }: { stringType?: object }) => stringType)).toMatchObject([{ name: 'url' }]);
  });

  it('gives a record for each second with images, stop excluded, and the same ones under the other address', async () => {
    const row =
      '2024-01-01T00:00:05Z,http://sun.test/jp2/AIA/2024/01/01/304/1.jp2,/AIA/2024/01/01/304/1.jp2,2048.5,2048.5,0.6083466737042187,4096,4096,0';
    const range = 'start=2024-01-01T00:00:05Z&stop=2024-01-01T00:00:30Z';
    const csv = await textOf(`${ROOT}/data?dataset=aia_304&${range}`);
    expect(csv.split('\n')[0]).toBe(row);
    expect(csv.trim().split('\n')).toHaveLength(3);
    expect(csv).toBe(await textOf(`/hapi/data?dataset=AIA_304&${range}`));
    expect(await times('start=2024-01-01T00:00:05Z&stop=2024-01-01T00:00:17Z')).toEqual(['05Z']);
    expect(await times('start=2024-01-01T00:00:05.1Z&stop=2024-01-01T00:00:29.1Z')).toEqual(['17Z', '29Z']);
    expect(await times('start=2024-01-01T00:00:17Z&stop=2024-01-01T00:00:29Z', '/hapi')).toEqual(['17Z']);
  });
});

it('the data of HAPI come as CSV with the records from start to stop, stop excluded', async () => {
  const response = await get('data?dataset=images_10&parameters=id,size&start=2024-01-01T00:01Z&stop=2024-01-31T11:00Z');
  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(await response.text()).toBe('2024-01-01T00:01:00.000000Z,42,1000\n2024-01-01T00:02:00.500000Z,58,1000\n');
  const all = (await (await get(`data?dataset=images_10&${YEAR}`)).text()).trim().split('\n');
  expect(all).toHaveLength(4);
  expect(all[3]).toBe(`2024-01-31T11:00:00.000000Z,74,${151678940000 / 149597870700},1000,http://sun.test/v2/getJP2Image/?id=74`);
});

it('the data of HAPI come in binary with the same values', async () => {
  const response = await get(`data?dataset=images_10&${YEAR}&format=binary`);
  expect(response.headers.get('Content-Type')).toBe('application/octet-stream');
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(bytes.length).toBe(4 * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  const at = 2 * RECORD_BYTES;
  expect(new TextDecoder().decode(bytes.subarray(at, at + 27))).toBe('2024-01-01T00:02:00.500000Z');
  expect([view.getFloat64(at + 27, true), view.getFloat64(at + 35, true), view.getInt32(at + 43, true)]).toEqual([
    58,
    151678940000 / 149597870700,
    1000,
  ]);
  expect(new TextDecoder().decode(bytes.subarray(at + 47, at + RECORD_BYTES)).replace(/\0+$/, '')).toBe(
    'http://sun.test/v2/getJP2Image/?id=58',
  );
});

it('the data of HAPI come as JSON with the header and the data last', async () => {
  const text = await (await get(`data?dataset=images_10&parameters=id&${YEAR}&format=json`)).text();
  const value = JSON.parse(text) as Record<string, unknown>;
  expect(Object.keys(value).at(-1)).toBe('data');
  expect(value).toMatchObject({ HAPI: '3.2', status: { code: 1200 }, format: 'json' });
  expect(value.data).toEqual([26, 42, 58, 74].map((id) => [expect.stringMatching(/^2024-01-/), id]));
});

it('the data of HAPI puts the header in front, in lines that begin with #, where it is requested', async () => {
  const text = await (await get(`data?dataset=days_10&${YEAR}&include=header`)).text();
  const lines = text.trim().split('\n');
  const header = JSON.parse(
    lines
      .filter((line) => line.startsWith('#'))
      .map((line) => line.slice(1))
      .join('\n'),
  ) as Record<string, unknown>;
  expect(header).toMatchObject({ format: 'csv', status: { code: 1200 }, startDate: '2024-01-01T00:00:00.000000Z' });
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
    '2024-01-01T00:00:00.000000Z,3,3000',
    '2024-01-31T00:00:00.000000Z,1,1000',
  ]);
});

it('the data of HAPI says 1201 for a range without records', async () => {
  const range = 'start=2024-01-10Z&stop=2024-01-11Z';
  expect(await (await get(`data?dataset=images_10&${range}`)).text()).toBe('');
  expect(await (await get(`data?dataset=images_10&${range}&format=json`)).json()).toMatchObject({
    status: { code: 1201 },
    data: [],
  });
});

it('the data of HAPI says 1200 for a range in which only the first day has no records', async () => {
  const second = Date.UTC(2024, 0, 2);
  const between = async (startMs: number) => ({ peaks: [startMs < second ? null : 1e-6], binMs: 60_000, missingDays: [] });
  const { get: fetch } = testArchive({ xrayFlux: { between } as never });
  const response = await fetch('/hapi/data?dataset=xray_flux&start=2024-01-01Z&stop=2024-01-02T00:01Z&format=json');
  expect(await response.json()).toMatchObject({ status: { code: 1200 }, data: [['2024-01-02T00:00:00.000000Z', 1e-6]] });
});

it('the data of HAPI gives -1 for each minute of a day whose X-ray flux the source has not delivered', async () => {
  const path = 'data?dataset=xray_flux&start=2024-01-01T23:58:30Z&stop=2024-01-02T00:01Z';
  expect(await (await get(path)).text()).toBe('2024-01-01T23:59:00.000000Z,-1\n2024-01-02T00:00:00.000000Z,-1\n');
});

it('the data of HAPI reads pages one after another, and only as many as the client takes', async () => {
  const index = indexOfEach(1000, 2500);
  const read = vi.spyOn(index, 'listed');
  const { app } = testArchive({ index });
  const response = await app.direct(
    'http://sun.test/hapi/data?dataset=images_10&parameters=id&start=2024-01-01Z&stop=2024-01-01T00:41:40Z',
  );
  const reader = response.body!.getReader();
  await reader.read();
  expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) bytes += part.value.length;
  expect(read).toHaveBeenCalledTimes(3);
  expect(bytes).toBeGreaterThan(1400 * 30);
});

it('the data of HAPI comes as CSV in gzip to clients that take it, with the same bytes', async () => {
  const { app } = testArchive({ index: indexOfEach(60_000, 50) });
  const address = 'http://sun.test/hapi/data?dataset=images_10&start=2024-01-01T00:00Z&stop=2024-01-01T00:49Z';
  const fetched = (url: string, accepted?: string, method = 'GET') =>
    app.request(new Request(url, { method, headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted } }));
  const plain = await fetched(address);
  expect([plain.headers.get('Content-Encoding'), plain.headers.get('Vary')]).toEqual([null, 'Accept-Encoding']);
  const text = await plain.text();
  for (const [accepted, encoding] of Object.entries({ gzip: 'gzip', 'br, gzip;q=0.5': 'gzip', 'br, gzip;q=0': null })) {
    const response = await fetched(address, accepted);
    expect([response.headers.get('Content-Encoding'), response.headers.get('Vary')]).toEqual([encoding, 'Accept-Encoding']);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(String(encoding ? gunzipSync(bytes) : bytes)).toBe(text);
    if (encoding) expect(bytes.length).toBeLessThan(text.length / 3);
  }
  const head = await fetched(address, 'gzip', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  const binary = await fetched(`${address}&format=binary`, 'gzip');
  expect([binary.headers.get('Content-Encoding'), binary.headers.get('Vary')]).toEqual([null, null]);
});

it('the data of HAPI charges long responses to the client, as lists', async () => {
  const index = new MemoryImageIndex(IMAGES);
  vi.spyOn(index, 'heldDays').mockResolvedValue([{ sourceId: 10, startMs: 0, images: 60_000, bytes: 0, checksum: 0 }]);
  const units: string[] = [];
  const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: units.push(key) < 2 }) };
  const { get: fetch } = testArchive({ index, pictureLimiter });
  const response = await fetch(`/hapi/data?dataset=images_10&${YEAR}`);
  expect([response.status, response.headers.get('Retry-After'), units.length]).toEqual([429, '60', 2]);
});

it.each([
  [1400, 400, 'data?start=2024-01-01Z&stop=2024-01-02Z'],
  [1400, 400, 'nothing'],
  [1401, 400, `data?dataset=images_10&${YEAR}&cadence=PT1H`],
  [1401, 400, 'info?dataset=images_10&start=2024-01-01Z'],
  [1401, 400, 'about?x=1'],
  [1402, 400, 'data?dataset=images_10&start=noon&stop=2024-01-02Z'],
  [1402, 400, 'data?dataset=images_10&stop=2024-01-02Z'],
  [1403, 400, 'data?dataset=images_10&start=2024-01-01Z&stop=2024-99Z'],
  [1404, 400, 'data?dataset=images_10&start=2024-01-02Z&stop=2024-01-02Z'],
  [1405, 400, 'data?dataset=images_10&start=2023-12-31Z&stop=2024-01-02Z'],
  [1405, 400, 'data?dataset=images_10&start=2024-01-01Z&stop=2025-01-02Z'],
  [1406, 404, 'info?dataset=images_88'],
  [1406, 404, 'info?dataset=images_010'],
  [1406, 404, 'info?dataset=<script>'],
  [1406, 404, 'info?dataset=events_FL'],
  [1407, 404, 'info?dataset=images_10&parameters=id,nothing'],
  [1409, 400, `data?dataset=images_10&${YEAR}&format=xml`],
  [1410, 400, `data?dataset=images_10&${YEAR}&include=footer`],
  [1411, 400, 'info?dataset=images_10&parameters=size,id'],
  [1411, 400, 'info?dataset=images_10&parameters=id,id'],
  [1412, 400, 'info?dataset=images_10&resolve_references=perhaps'],
  [1413, 400, 'catalog?depth=deep'],
])('a bad request of HAPI gets the status %i, HTTP %i: %s', async (code, status, path) => {
  const response = await get(path);
  const body = (await response.json()) as { HAPI: string; status: { code: number; message: string } };
  expect([response.status, body.status.code]).toEqual([status, code]);
  expect(body.status.message.startsWith(`HAPI error ${code}: `)).toBe(true);
  // Values of requests are not repeated.
  expect(body.status.message).not.toMatch(/noon|nothing|<script>|cadence|footer|perhaps|deep/);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
});

it('a bad request of HAPI gets the status 1408 for more records, or days of X-ray flux, than a response may have', async () => {
  const index = new MemoryImageIndex(IMAGES);
  const held = vi
    .spyOn(index, 'heldDays')
    .mockResolvedValueOnce([{ sourceId: 10, startMs: 0, images: LISTS.maxImages + 1, bytes: 0, checksum: 0 }]);
  const listed = vi.spyOn(index, 'listed');
  const { get: fetch } = testArchive({ index });
  const response = await fetch(`/hapi/data?dataset=images_10&${YEAR}`);
  expect([response.status, listed.mock.calls.length]).toEqual([400, 0]);
  expect(await response.json()).toMatchObject({ status: { code: 1408 } });
  const rangeOf = (stop: string) => `data?dataset=xray_flux&start=2024-01-01Z&stop=2024-01-${stop}`;
  expect(await (await get(rangeOf('17T00:01Z'))).json()).toMatchObject({ status: { code: 1408 } });
  expect((await get(rangeOf('17Z'))).status).toBe(200);
  // The day that begins at the end of a range does not count.
  expect((await fetch('/hapi/data?dataset=images_10&start=2024-01-01T12:00Z&stop=2024-01-03Z')).status).toBe(200);
  const days = { fromMs: Date.UTC(2024, 0, 1), toMs: Date.UTC(2024, 0, 2) };
  expect(held.mock.calls.slice(1).map(([, asked]) => asked)).toEqual([days]);
});

it('the keys of HAPI stay the same in every notation of a request, and lack for bad ones', () => {
  const key = (path: string) => edgeKey(new Request(`https://sun.test/hapi/${path}`));
  expect(key(`data?dataset=images_10&${YEAR}`)).toBe(
    key('data?stop=2024-031T11:00:01&start=2024-001&format=csv&dataset=images_10&parameters='),
  );
  expect(key(`data?dataset=images_10&${YEAR}`)).not.toBe(key(`data?dataset=images_10&${YEAR}&include=header`));
  expect(key('catalog?depth=dataset')).toBe(key('catalog'));
  // The names of version 2.
  expect(key('data?id=images_10&time.min=2024-01-01Z&time.max=2024-01-31T11:00:01Z')).toBe(key(`data?dataset=images_10&${YEAR}`));
  for (const path of ['data?dataset=images_10', 'info?dataset=images_10&x=1', 'nothing']) expect(key(path), path).toBeNull();
});

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const starts = ['2024-01-01', '2024-01-02', '2024-01-03'].map(day);
const counts = [
  { pin: 'FL', type: 'FL', startMs: starts[0]!, events: 2 },
  { pin: 'FL', type: 'XX', startMs: starts[0]!, events: 3 },
];
const timeline = vi.fn(async () => ({ bins: { resolution: 'D', starts, known: [1, 1, 0.5], counts }, states: [] }));
const events = { counting: { counts: (pin: string) => pin === 'FL', lastBegun: async () => [starts[0]!], timeline } };
const archiveOfEvents = testArchive({ events: events as never });

it('the dataset of a type of events counts the events of each day, and gives -1 for a day that is not counted', async () => {
  const text = await (await archiveOfEvents.get('/hapi/data?dataset=events_FL&start=2024-01-01Z&stop=2024-01-04Z')).text();
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 10) + line.slice(27)),
  ).toEqual(['2024-01-01,5', '2024-01-02,0', '2024-01-03,-1']);
  expect(timeline).toHaveBeenCalledWith(
    [{ pin: 'FL', source: 'HEK', method: null }],
    { range: { startMs: starts[0], endMs: day('2024-01-04') }, resolution: 'D' },
    expect.any(Function),
  );
});

it('the dataset of a type of events enters the catalogue where it has a source, with its longest request, which 1408 enforces', async () => {
  const { catalog } = (await (await archiveOfEvents.get('/hapi/catalog')).json()) as { catalog: { id: string }[] };
  expect(catalog.slice(-3).map(({ id }) => id)).toEqual(['events_FL', 'event_list_FL', 'xray_flux']);
  const info = await (await archiveOfEvents.get('/hapi/info?dataset=events_FL')).json();
  expect(info).toMatchObject({ maxRequestDuration: 'P400D', parameters: [{ name: 'time' }, { name: 'events', fill: '-1' }] });
  const long = await archiveOfEvents.get('/hapi/data?dataset=events_FL&start=2022-01-01Z&stop=2024-01-01Z');
  expect(await long.json()).toMatchObject({ status: { code: 1408 } });
});
