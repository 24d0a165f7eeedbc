// getJPX and getJPXClosestToMidPoint over HTTP, and the files at the addresses that they return.
import { describe, expect, it, vi } from 'vitest';
import { archivePath, sidecarKey } from '../../../src/archive/keys.ts';
import { readManifest } from '../../../src/faces/jpx/jpx-manifest.ts';
import { jpxLayout } from '../../../src/jp2/jpx/layout.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { SERVICE_VARIABLES } from '../../../src/platform/settings/service.ts';
import { readVariables } from '../../../src/platform/settings/variable.ts';
import { formatIso } from '../../../src/sun/time.ts';
import { jpxArchive } from '../../support/jpx/jpx-archive.ts';
import { frameOf, layoutBytes } from '../../support/jpx/jpx-bytes.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const RANGE = 'startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T13:00:00Z';
const QUERY = `/v2/getJPX/?${RANGE}&sourceId=10`;
const NAME = 'SDO_AIA_171_F2024-05-10T11.00.00Z_T2024-05-10T13.00.00Z';
const archive = await jpxArchive(6);
const { get, images, objects } = archive;
const seconds = images.map(({ takenAtMs }) => Math.floor(takenAtMs / 1000));
const at = (i: number) => formatIso(images[i]!.takenAtMs);

/** The file of these images, composed from the JP2 files. */
function expectedFile(chosen: typeof images, linked: boolean, style: 'standard' | '2016' = 'standard'): Buffer {
  const files = new Map(chosen.map(({ key }) => [key, objects.objects.get(key)!]));
  const frames = [...files].map(([key, file]) => ({ ...frameOf(key, file), path: archivePath(key) }));
  return layoutBytes(jpxLayout(frames, { linked, style }), files);
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

/** The archive with a limit of ten units a minute. `searches`: calls of the index; `steps`: milliseconds of the turns. */
async function limitedArchive(count: number) {
  const units: string[] = [];
  const pictureLimiter = { limit: async ({ key }: { key: string }) => ({ success: units.push(key) <= 10 }) };
  const steps: number[] = [];
  const turns = new Turns();
  vi.spyOn(turns, 'turn').mockImplementation(async (_, ms) => void steps.push(ms));
  const { get, index } = await jpxArchive(count, { pictureLimiter, turns });
  const searches = [vi.spyOn(index, 'ends'), vi.spyOn(index, 'neighboursOfTimes')];
  return { get, units, steps, searches: () => searches.reduce((sum, { mock }) => sum + mock.calls.length, 0) };
}

it('the cost of a JPX file follows from its parameters, and refuses a request before its images are looked up', async () => {
  const { get, units, searches } = await limitedArchive(2);
  const day = 'startTime=2024-05-10T00:00:00Z&endTime=2024-05-10T23:00:00Z&sourceId=10&verbose=true';
  await get(`/v2/getJPX/?${day}&cadence=3600`);
  expect(units).toEqual(['jpx local']);
  await get(`/v2/getJPX/?${day}`);
  expect(units.length).toBe(4);
  await get('/v2/getJPXClosestToMidPoint/?startTimes=1715342400&endTimes=1715342460&sourceId=10&verbose=true');
  expect(units.length).toBe(5);
  await get(`/v2/getJPX/?${day}&cadence=60`);
  const before = searches();
  const refused = await get(`/v2/getJPX/?${day}&cadence=61`);
  expect(await refused.json()).toEqual({ error: expect.stringMatching(/^Too many or too long JPX files/), uri: null });
  expect([before, searches()]).toEqual([6, 6]);
});

it('the cost of a JPX file counts as a step of the turns of its client for each eight frames', async () => {
  const { get, steps } = await limitedArchive(20);
  const range = 'startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T13:00:00Z&sourceId=10&verbose=true';
  await get(`/v2/getJPX/?${range}`);
  expect(steps).toEqual([8, 8]);
  await get(`/v2/getJPX/?${range}`);
  expect(steps.length).toBe(2);
});

it.each([false, true])('getJPX returns the file, linked %s', async (linked) => {
  const response = await get(`${QUERY}&linked=${linked}`);
  const expected = expectedFile(images, linked);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jpx',
    'content-length': String(expected.length),
    'content-disposition': `attachment; filename="${NAME}${linked ? 'L' : ''}.jpx"`,
    'accept-ranges': 'bytes',
  });
  expect(await bytesOf(response)).toEqual(expected);
});

it('getJPX returns a JPIP address as text', async () => {
  const response = await get(`${QUERY}&jpip=True`);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toBe(`jpip://sun.test:80/movies/${NAME}.jpx`);
});

it('getJPX returns message, address and frames, in this order', async () => {
  const overHttp = await (await get(`${QUERY}&verbose=true`)).text();
  const uri = `http://sun.test/movies/${NAME}.jpx`;
  expect(overHttp).toBe(JSON.stringify({ message: null, uri, frames: seconds }));
  const overJpip = await get(`${QUERY}&verbose=true&jpip=true&linked=1`);
  expect(await overJpip.json()).toEqual({ message: null, uri: `jpip://sun.test:80/movies/${NAME}L.jpx`, frames: seconds });
});

it('getJPX returns addresses below the configured JPIP root', async () => {
  const settings = readVariables(SERVICE_VARIABLES, { JPIP_ROOT: 'jpips://sun.example:8443/' });
  const other = await jpxArchive(1, { settings });
  expect(await (await other.get(`${QUERY}&jpip=true`)).text()).toBe(`jpips://sun.example:8443/movies/${NAME}.jpx`);
});

it('getJPX writes files in the style of 2016 when configured', async () => {
  const settings = readVariables(SERVICE_VARIABLES, { JPX_STYLE: '2016' });
  const other = await jpxArchive(6, { settings });
  expect(await bytesOf(await other.get(`${QUERY}&linked=true`))).toEqual(expectedFile(images, true, '2016'));
});

it('getJPX applies the cadence backwards from the end and puts the first image before', async () => {
  const response = await get(`${QUERY}&verbose=true&cadence=120`);
  const { frames, uri } = (await response.json()) as { frames: number[]; uri: string };
  expect(frames).toEqual([0, 1, 3, 5].map((i) => seconds[i]));
  expect(uri).toBe(`http://sun.test/movies/${NAME}B120.jpx`);
  const every = await get(`${QUERY}&verbose=true&cadence=-1`);
  expect(await every.json()).toMatchObject({ message: null, frames: seconds, uri: expect.stringContaining('ZB-1.jpx') });
});

it('getJPX starts and ends inside the range', async () => {
  const response = await get(`/v2/getJPX/?startTime=${at(1)}&endTime=${at(4)}&sourceId=10&verbose=true`);
  const { frames } = (await response.json()) as { frames: number[] };
  const inside = images.filter(({ takenAtMs }) => takenAtMs >= Date.parse(at(1)) && takenAtMs <= Date.parse(at(4)));
  expect(frames).toEqual(inside.map(({ takenAtMs }) => Math.floor(takenAtMs / 1000)));
  expect(frames.length).toBeGreaterThan(2);
});

it('getJPX finds sources by name in v1, and names files as v1 did', async () => {
  const names = 'observatory=SDO&instrument=AIA&detector=AIA&measurement=171';
  const response = await get(`/v1/getJPX/?${RANGE}&${names}&verbose=true`);
  expect(await response.json()).toMatchObject({
    uri: `http://sun.test/movies/SDO_AIA_AIA_171${NAME.slice(11)}.jpx`,
    frames: seconds,
  });
});

it.each([
  [
    'an empty range',
    `startTime=2023-01-01T00:00:00Z&endTime=2023-01-02T00:00:00Z&sourceId=10`,
    'There are no images from 2023-01-01 00:00:00 to 2023-01-02 00:00:00 (AIA 171).',
  ],
  ['a range beyond the data', `startTime=2025-01-01T00:00:00Z&endTime=2025-01-02T00:00:00Z&sourceId=10`, 'AIA 171'],
  [
    'a gap between two images',
    `startTime=${'2024-05-10T12:00:40Z'}&endTime=${'2024-05-10T12:00:41Z'}&sourceId=10`,
    'There are no images from 2024-05-10 12:00:40 to',
  ],
  [
    'a start after the end',
    `startTime=2024-05-10T13:00:00Z&endTime=2024-05-10T11:00:00Z&sourceId=10`,
    'got 2024-05-10T11:00:00Z. Did you mean 2024-05-10T13:00:00Z (startTime and endTime swapped)?',
  ],
  ['a source without images', `${RANGE}&sourceId=13`, '(AIA 304)'],
  ['an unknown source', `${RANGE}&sourceId=4242`, 'No data of the requested type (sourceId 4242) are currently available.'],
])('getJPX responds to %s with an error of status 200', async (_, query, part) => {
  for (const flags of ['', '&jpip=true', '&verbose=true&jpip=true']) {
    const response = await get(`/v2/getJPX/?${query}${flags}`);
    expect(response.status).toBe(200);
    const { error, ...rest } = (await response.json()) as { error: string };
    expect(rest).toEqual({ uri: null });
    expect(error).toContain(part);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  }
});

it('getJPX reports missing files of linked frames without their keys', async () => {
  const broken = await jpxArchive(2);
  const { key } = broken.images[0]!;
  broken.objects.objects.delete(key);
  for (const version of [1, 2, 3]) broken.objects.objects.delete(sidecarKey(key, version));
  expect(await answered(broken.get(`${QUERY}&verbose=true`))).toEqual([
    200,
    { error: 'The file of an image is missing from the archive.', uri: null },
  ]);
});

it('getJPX reads no image for a linked file, and each sidecar only once', async () => {
  const { get: ask, images: all, objects: store } = await jpxArchive(6);
  const linked = `${QUERY}&linked=true&verbose=true`;
  await ask(linked);
  const read = store.reads.map(({ key }) => key);
  expect(read.filter((key) => key.startsWith('idx/'))).toHaveLength(all.length);
  expect(read.filter((key) => key.startsWith('jp2/'))).toEqual([]);
  store.reads = [];
  await ask(linked);
  expect(store.reads.map(({ key }) => key)).toEqual([`jpx/${NAME}L.json`]);
  store.reads = [];
  await bytesOf(await ask(`/movies/${NAME}L.jpx`));
  const xml = store.reads.filter(({ key }) => key.startsWith('jp2/'));
  const wanted = (await readManifest(store, `${NAME}L`))!.frames.map(({ xml }) => xml!.length);
  expect(new Set(xml.map(({ length }) => length))).toEqual(new Set(wanted));
});

const link = async (flags = '') => {
  const { uri } = (await (await get(`${QUERY}&verbose=true${flags}`)).json()) as { uri: string };
  return uri.slice('http://sun.test'.length);
};

it('a JPX file by its address equals the file of the operation, and never changes', async () => {
  const response = await get(await link());
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  const made = await get(QUERY);
  expect(response.headers.get('ETag')).toBe(made.headers.get('ETag'));
  expect(made.headers.get('Cache-Control')).toBe('public, max-age=60');
  expect(await bytesOf(response)).toEqual(await bytesOf(made));
});

it.each(['', '&linked=true'])('a JPX file by its address supports range requests, %s', async (flags) => {
  const path = await link(flags);
  const whole = await bytesOf(await get(path));
  for (const [from, to] of [
    [0, 0],
    [5, 400],
    [1000, 7999],
    [whole.length - 3, whole.length - 1],
  ] as const) {
    const part = await get(path, { headers: { Range: `bytes=${from}-${to}` } });
    expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes ${from}-${to}/${whole.length}`]);
    expect(await bytesOf(part)).toEqual(whole.subarray(from, to + 1));
  }
  const head = await get(path, { method: 'HEAD' });
  expect([head.headers.get('Content-Length'), (await bytesOf(head)).length]).toEqual([String(whole.length), 0]);
  const etag = head.headers.get('ETag')!;
  expect((await get(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect((await get(path, { headers: { Range: `bytes=${whole.length}-` } })).status).toBe(416);
});

it('a JPX file by its address comes from the edge the second time when it has links', async () => {
  const other = await jpxArchive(3);
  const { uri } = (await (await other.get(`${QUERY}&verbose=true&linked=true`)).json()) as { uri: string };
  const path = uri.slice('http://sun.test'.length);
  const first = await bytesOf(await other.get(path));
  await other.settle();
  other.objects.reads = [];
  expect(await bytesOf(await other.get(path))).toEqual(first);
  expect(other.objects.reads.filter(({ key }) => key.startsWith('jp2/'))).toEqual([]);
});

it('a JPX file by its address never changes: a request that finds more images gets a file of another name', async () => {
  const { get: ask, index, images: all } = await jpxArchive(4);
  const late = index.images.splice(1, 1)[0]!;
  const addressOf = async () => ((await (await ask(`${QUERY}&verbose=true`)).json()) as { uri: string }).uri;
  const before = await addressOf();
  const three = await bytesOf(await ask(new URL(before).pathname));
  index.images.splice(1, 0, late);
  const after = await addressOf();
  expect(after).toMatch(new RegExp(`/movies/${NAME}\\.[0-9a-f]{12}\\.jpx$`));
  expect(await addressOf()).toBe(after);
  expect(await bytesOf(await ask(new URL(before).pathname))).toEqual(three);
  const four = expectedFile(all, false).length;
  expect((await bytesOf(await ask(new URL(after).pathname))).length).toBe(four);
});

it('a JPX file by its address stores the metadata of a linked movie, from which JPIP sends it without reading the images', async () => {
  const { get: getOwn, objects: own } = await jpxArchive(6);
  const { pathname } = new URL((await (await getOwn(`${QUERY}&linked=true&jpip=true`)).text()).replace('jpip:', 'http:'));
  const [key, ...others] = [...own.objects.keys()].filter((stored) => stored.startsWith('derived/jpx-metadata/'));
  expect(others).toEqual([]);
  own.reads = [];
  const stored = await bytesOf(await getOwn(`${pathname}?metareq=[*]!!`));
  expect([stored.length > 3000, new Set(own.reads.map((read) => read.key).filter((read) => !read.startsWith('jpx/')))]).toEqual([
    true,
    new Set([key]),
  ]);
  const xml = own.objects.get(key!)!;
  const { index } = await jpxArchive(6);
  // Another isolate, after the metadata has expired, and one that finds another object in its place.
  for (const left of [null, xml.subarray(1)]) {
    if (left) own.objects.set(key!, left);
    else own.objects.delete(key!);
    const other = testArchive({ index, objects: own });
    expect(Buffer.compare(await bytesOf(await other.get(`${pathname}?metareq=[*]!!`)), stored)).toBe(0);
  }
});

it('a JPX file by its address takes as many frames as the operator allows', async () => {
  const { get: getOwn } = await jpxArchive(6, { settings: readVariables(SERVICE_VARIABLES, { JPX_FRAMES: '4' }) });
  const { message, frames } = (await (await getOwn(`${QUERY}&verbose=true&cadence=0`)).json()) as {
    message: string;
    frames: number[];
  };
  expect([frames, message]).toEqual([seconds.slice(0, 4), expect.stringContaining('the maximum of 4 frames')]);
  expect(() => readVariables(SERVICE_VARIABLES, { JPX_FRAMES: '20001' })).toThrow('JPX_FRAMES');
});

it('a JPX file by its address returns the same bytes below /jp2, where JHelioviewer of 2015 requests files', async () => {
  await get(QUERY);
  const bytes = await bytesOf(await get(`/movies/${NAME}.jpx`));
  expect(bytes.length).toBeGreaterThan(1000);
  expect(await bytesOf(await get(`/jp2/movies/${NAME}.jpx`))).toEqual(bytes);
  const path = images[0]!.key;
  expect(Buffer.compare(await bytesOf(await get(`/${path}`)), objects.objects.get(path)!)).toBe(0);
  expect((await get('/jp2/movies/none.jpx')).status).toBe(404);
});

it.each(['none.jpx', '..%2f..%2fjp2.jpx', `${NAME}.json.jpx`, '.jpx', `${'x'.repeat(300)}.jpx`, '%00.jpx'])(
  'a JPX file by its address answers 404 when it does not exist: %s',
  async (file) => {
    const response = await get(`/movies/${file}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('jpx/');
  },
);

describe('getJPXClosestToMidPoint', () => {
  const ask = (starts: string, ends: string, flags = '&verbose=true') =>
    get(`/v2/getJPXClosestToMidPoint/?startTimes=${starts}&endTimes=${ends}&sourceId=10${flags}`);
  const DESCENDING = 'The frames are in ascending order of time, and not in that of the intervals.';
  const around = (i: number) => [seconds[i]! - 20, seconds[i]! + 25] as const;

  it('returns one frame for each interval, ascending, and says where that is not the order of the request', async () => {
    const pairs = [5, 3, 0].map(around);
    const [starts, ends] = [pairs.map(([start]) => start), pairs.map(([, end]) => end)];
    for (const [left, right] of [
      [starts.join(), ends.join()],
      [`[${starts.join(', ')}]`, `%20[${ends.join(' ,')}]%20`],
    ] as const) {
      const response = await ask(left, right);
      const { uri, frames, message } = (await response.json()) as { uri: string; frames: number[]; message: string };
      expect(frames).toEqual([0, 3, 5].map((i) => seconds[i]));
      expect([message, response.headers.get('X-Notice')]).toEqual([DESCENDING, DESCENDING]);
      expect(uri).toMatch(
        /\/movies\/SDO_AIA_171_F2024-05-10T\d\d\.\d\d\.\d\dZ_T2024-05-10T\d\d\.\d\d\.\d\dZ\.CMP[0-9a-f]{32}\.jpx$/,
      );
    }
    const chosen = [0, 3, 5].map((i) => images[i]!);
    expect(await bytesOf(await ask(starts.join(), ends.join(), ''))).toEqual(expectedFile(chosen, false));
    expect(await bytesOf(await ask(starts.join(), ends.join(), '&linked=true'))).toEqual(expectedFile(chosen, true));
    expect(await (await ask(starts.join(), ends.join(), '&jpip=1')).text()).toMatch(/^jpip:\/\/sun\.test:80\/movies\/.*\.jpx$/);
  });

  it('takes an image that is the nearest one of several intervals once, because JHelioviewer refuses repeated times', async () => {
    const [start, end] = around(2);
    const [earlier, later] = [around(0), around(3)];
    const starts = [earlier[0], start, start + 5, start + 10, later[0]];
    const response = await ask(starts.join(), [earlier[1], end, end, end - 5, later[1]].join());
    const left = '2 of 5 frames were left out, because they repeat the time of another frame.';
    expect(await response.json()).toMatchObject({ frames: [0, 2, 3].map((i) => seconds[i]), message: left });
    expect(response.headers.get('X-Notice')).toBe(left);
    const misspelled = await ask([earlier[0], start, start + 5].join(), [earlier[1], end, end].join(), '&linkd=true');
    expect(misspelled.headers.get('X-Notice')).toBe(
      '1 of 3 frames were left out, because they repeat the time of another frame. ' +
        'The parameter linkd is unknown and ignored. Did you mean linked?',
    );
    const ordered = await ask(`${earlier[0]},${start}`, `${earlier[1]},${end}`);
    expect(await ordered.json()).toMatchObject({ frames: [seconds[0], seconds[2]], message: null });
    expect(ordered.headers.has('X-Notice')).toBe(false);
  });

  it('skips intervals without an image', async () => {
    const [start, end] = around(2);
    expect(await answered(ask(`0,${start}`, `100,${end}`))).toMatchObject([200, { frames: [seconds[2]] }]);
  });

  it.each([
    [
      'lists of different lengths',
      '1,2',
      '3',
      'Expected equally many times, at least one, for startTimes and endTimes, got 2 and 1.',
    ],
    ['empty lists', '', '', 'got 0 and 0'],
    ['brackets around nothing', '[]', '[]', 'got 0 and 0'],
    ['intervals without images', '1,2', '3,4', 'AIA 171'],
    ['ends before starts', `${seconds[3]! + 10}`, `${seconds[3]! - 10}`, 'Are startTimes and endTimes swapped?'],
  ])('responds to %s with an error of status 200', async (_, starts, ends, part) => {
    expect(await answered(ask(starts, ends))).toEqual([200, { error: expect.stringContaining(part), uri: null }]);
  });

  it('finds the images of 360 intervals in one search', async () => {
    const starts = Array.from({ length: 360 }, (_, i) => seconds[0]! + i - 1);
    archive.index.searches = 0;
    const response = await ask(starts.join(), starts.map((start) => start + 40).join());
    const { frames, message } = (await response.json()) as { frames: number[]; message: string };
    expect(frames).toEqual(seconds.slice(0, 6));
    expect(Number(/^(\d+) of \d+ frames were left out/.exec(message)![1])).toBeGreaterThan(100);
    expect(archive.index.searches).toBe(1);
  });

  it('does not exist in v1', async () => {
    expect((await get('/v1/getJPXClosestToMidPoint/?startTimes=1&endTimes=2&sourceId=10')).status).toBe(400);
  });
});

const path = `/${images[0]!.key}`;

it('an archived file by its path answers 404 in another folder', async () => {
  expect((await get(path.replace('/AIA/', '/EIT/'))).status).toBe(404);
  expect((await get('/jp2/../idx/x.jp2')).status).toBe(404);
});
