// Requests of scripts and viewers in their own order and spelling: hvpy 1.1, helios, @helioviewer/sun, OpenSpace, SunPy up to 5.1, JHelioviewer
// and the web client of helioviewer.org.
import { expect, it } from 'vitest';
import { archivedImage } from '../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../support/memory/image-index.ts';
import { movieArchive } from '../support/movies/movie-archive.ts';
import { sampleArchive } from '../support/sample-archive.ts';
import { testArchive } from '../support/test-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** Images 1 to 6 of AIA 171, one a minute, and 7 to 12 of AIA 304. */
const { index, objects } = await sampleArchive(
  [10, 13].flatMap((sourceId) => [0, 1, 2, 3, 4, 5].map((minute) => ({ sourceId, timeMs: NOON + minute * 60_000, size: 64 }))),
);

function archive() {
  const made = movieArchive({}, { index });
  for (const [key, bytes] of objects.objects) made.objects.objects.set(key, bytes);
  return made;
}

/** `isoformat()` of Python with a Z. */
const at = (minute: number) => `2024-05-10T12:0${minute}:10.123456Z`;
const unixAt = (minute: number) => NOON / 1000 + minute * 60 + 10;
/** As browsers write times, and without fractions of a second. */
const [DATE, WHOLE_SECONDS] = ['2024-05-10T12:02:10.000Z', '2024-05-10T12:02:10Z'];

/** The address of a call of hvpy: parameters that are None are left out, the others are percent-encoded as Python writes them. */
function hvpy(name: string, parameters: Readonly<Record<string, string | number | boolean | null>> = {}): string {
  const query = Object.entries(parameters).flatMap(([key, value]) => {
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
    return value === null ? [] : `${key}=${encodeURIComponent(text)}`;
  });
  return `/v2/${name}/${query.length > 0 ? '?' : ''}${query.join('&')}`;
}

const PERIOD = { startTime: at(0), endTime: at(5), sourceId: 10 };
const INTERVALS = { startTimes: `${unixAt(0)},${unixAt(3)}`, endTimes: `${unixAt(2)},${unixAt(5)}`, sourceId: 10, linked: false };
/** Times of five or six frames. */
const FRAMES = String.raw`\[(\d+,){4,5}\d+\]`;
const RECORD = '"date":"2024-05-10 12:02:\\d\\d",.*"width":64,"height":64,"refPixelX":32.5,"refPixelY":32.5,';
const posted = (action: string, parameters: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams({ action, ...parameters }),
});
const PICTURE =
  'layers=%5B10%2C1%2C100%5D&eventLabels=False&scale=False&scaleType=earth&scaleX=0&scaleY=0&width=64&height=48&x0=0&y0=0';

it.each<[client: string, path: string, answer: string, init?: RequestInit]>([
  ['hvpy', hvpy('getClosestImage', { date: at(2), sourceId: 10, callback: null }), `application/json.*"id":3,${RECORD}`],
  ['hvpy', hvpy('getTile', { id: 3, x: -1, y: -1, imageScale: 2, difference: null }), 'image/png PNG 3 -1 -1 2'],
  ['hvpy', hvpy('getJP2Header', { id: 3, callback: 'xml_header' }), String.raw`text/javascript.* xml_header\(.*<WAVELNTH>171`],
  ['hvpy', hvpy('getJP2Image', { date: at(2), sourceId: 10, jpip: false, json: false }), 'image/jp2 .{4}jP  '],
  ['hvpy', hvpy('getJP2Image', { date: at(2), sourceId: 10, jpip: true, json: false }), 'text/plain.* jpip://.*_171.jp2$'],
  ['hvpy', hvpy('getJP2Image', { date: at(2), sourceId: 10, jpip: true, json: true }), 'json.*{"uri":"jpip://'],
  [
    'hvpy',
    hvpy('getJPX', { ...PERIOD, linked: false, verbose: false, jpip: true, cadence: 60 }),
    'jpip://.*/movies/SDO_AIA_171_.*jpx$',
  ],
  ['hvpy', hvpy('getJPX', { ...PERIOD, linked: false, verbose: true, jpip: false, cadence: 60 }), `"frames":${FRAMES}`],
  ['hvpy', hvpy('getJPX', { ...PERIOD, linked: true, verbose: false, jpip: false, cadence: null }), 'image/jpx .{4}jP  '],
  ['hvpy', hvpy('getJPXClosestToMidPoint', { ...INTERVALS, verbose: false, jpip: true }), 'jpip://.*/movies/SDO_AIA_171_'],
  ['hvpy', hvpy('getJPXClosestToMidPoint', { ...INTERVALS, verbose: true, jpip: false }), String.raw`"frames":\[\d+,\d+\]`],
  ['hvpy', hvpy('getDataSources', { verbose: false, enable: null, callback: null }), '"SDO":{"AIA":{"171".*"304"'],
  ['hvpy', hvpy('getStatus'), '"AIA":'],
  [
    'hvpy',
    hvpy('shortenURL', { queryString: `https://api.helioviewer.org/?startTime=${DATE}` }),
    '"long_url":"https://api.helio',
  ],
  ['hvpy', hvpy('getNewsFeed'), String.raw`xml.* <\?xml`],
  ['helios', `/v2/getClosestImage/?sourceId=10&date=${DATE}`, `"id":3,${RECORD}.*"rsun":2\\d`],
  ...['jpg', 'png', 'webp'].map((type): [string, string, string] => [
    'helios',
    `/v2/downloadImage/?id=3&scale=4&type=${type}`,
    `image/\\w+ ${type} 3 16x16`,
  ]),
  ['@helioviewer/sun', `?action=getClosestImage&sourceId=13&date=${DATE}`, `"id":9,${RECORD}.*"offsetX":0,"offsetY":0`],
  [
    '@helioviewer/sun',
    '?action=getJP2Header&id=9',
    '(?=.*<NAXIS1>64<)(?=.*<CRPIX1>32.5<)(?=.*<CDELT1>38.4)(?=.*<DSUN_OBS>1).*<DATE_OBS>20',
  ],
  ['@helioviewer/sun', '?action=downloadImage&id=9&scale=4&type=png', 'image/png png 9 16x16'],
  [
    'OpenSpace',
    `/v2/getJPX/?startTime=2024-05-10T12:00:00.000Z&endTime=2024-05-10T12:06:00.000Z&sourceId=10&verbose=true&cadence=true&cadence=60`,
    `"message":null,.*"frames":${FRAMES}`,
  ],
  ['SunPy', '/v2/', '"171":{.*"sourceId":10', posted('getDataSources')],
  ['SunPy', '/v2/', `"id":3,${RECORD}`, posted('getClosestImage', { date: DATE, sourceId: '10' })],
  ['SunPy', '/v2/', '<WAVELNTH>171</WAVELNTH>', posted('getJP2Header', { id: '3' })],
  ['SunPy', `/v2/?action=getJP2Image&sourceId=10&date=${encodeURIComponent(DATE)}`, 'image/jp2 .{4}jP  '],
  [
    'SunPy',
    `/v2/?action=takeScreenshot&date=${encodeURIComponent(DATE)}&imageScale=38.4&${PICTURE}&watermark=False&display=True`,
    'PNG 3',
  ],
  [
    'JHelioviewer',
    '/v2/getJPX/?sourceId=10&startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:06:00Z&cadence=60&verbose=true&linked=true&jpip=true',
    `"message":null,"uri":"jpip://sun.test:80/movies/SDO_AIA_171_.*L?B60L?.jpx","frames":${FRAMES}`,
  ],
  ['JHelioviewer', `/v2/getJP2Image/?sourceId=10&date=${WHOLE_SECONDS}&json=true&jpip=true`, '"uri":"jpip://.*_171.jp2"'],
  ['JHelioviewer', `/v2/getJP2Image/?sourceId=10&date=${WHOLE_SECONDS}`, 'image/jp2 .{4}jP  '],
  ['the web client', '/?action=enable3D', '{"status_code":200,"status_txt":"OK","data":""}'],
  ['the web client', '/?action=logNotificationStatistics&notifications=granted', ' "granted"$'],
  ['the web client', '/?action=logNotificationStatistics&notifications=denied', ' "denied"$'],
  ['the web client', '/?action=getRandomSeed', '"seed":"[0-9a-f]{64}"'],
  [
    'the web client',
    '/?action=takeScreenshot&imageScale=24&date=2024/05/10T12:02:10Z&layers=[10,1,100]&events=&eventLabels=false&display=true' +
      '&watermark=false&x1=-1200&y1=-1200&x2=1200&y2=1200&x0=&y0=null&width=NaN&height=undefined&callback=undefined',
    String.raw`image/png PNG 3 .*"region":\[-1200,-1200,1200,1200\],"imageScale":24`,
  ],
])('%s gets what it reads from %.60s', async (_, path, answer, init) => {
  const response = await archive().app.request(`http://sun.test${path}`, {
    ...init,
    headers: { Origin: 'https://page.example' },
  });
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  expect([response.status, response.headers.get('Access-Control-Allow-Origin')], body.slice(0, 300)).toEqual([200, '*']);
  expect(`${response.headers.get('Content-Type')} ${body}`).toMatch(new RegExp(answer, 's'));
});

/** Parameters of a movie that hvpy sends beside those of its examples. */
const MOVIE = { format: 'mp4', frameRate: '15', maxFrames: null, scale: null, watermark: true, x0: null, size: 0 };

it.each<[string, string, string, boolean, number]>([
  ['without a field of view', '[10,1,100]', '[AR,all,1]', true, 1],
  ['of layers with a visibility other than 1', '[10,7,22],[13,7,11]', '[AR,HMI_HARP;SPoCA,1],[CH,all,1]', false, 2],
])('hvpy and helios follow a movie %s to its file', async (_, layers, events, eventsLabels, layerCount) => {
  const { json, get, build } = archive();
  const period = { startTime: at(0), endTime: at(5) };
  const queued = await json(hvpy('queueMovie', { ...period, layers, events, eventsLabels, imageScale: '1.0', ...MOVIE }));
  expect(queued.body).toMatchObject({ id: expect.any(String), token: expect.any(String), eta: expect.any(Number) });
  const { id, token } = queued.body as { id: string; token: string };
  const status = async () => (await json(hvpy('getMovieStatus', { id, format: 'mp4', verbose: false, token }))).body;
  expect(await status()).toMatchObject({ status: 0 });
  const { frames } = await build();
  expect([frames.length >= 5, frames.every(({ images }) => images.length === layerCount)]).toEqual([true, true]);
  expect(await status()).toMatchObject({ status: 2, width: 1920, height: 1200, numFrames: frames.length, frameRate: 15 });
  const details = (await json(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`)).body;
  expect(details).toMatchObject({ layers: expect.stringMatching(/^\[10,/), startDate: '2024-05-10 12:01:00' });
  expect(await (await get(hvpy('downloadMovie', { id, format: 'mp4', hq: false }))).text()).toMatch(/^movie\.mp4 /);
});

it('hvpy downloads the screenshot that it has taken', async () => {
  const { json, get } = archive();
  const picture = { date: at(2), imageScale: '1.0', layers: '[10,1,100]', events: '[AR,all,1]', eventLabels: true, scale: false };
  const field = { width: '100', height: '100', x0: '0', y0: '0', display: false, watermark: false, callback: null };
  const { body } = await json(hvpy('takeScreenshot', { ...picture, ...field }));
  const file = await get(hvpy('downloadScreenshot', { id: Number(body.id) }));
  expect([file.headers.get('Content-Type'), await file.text()]).toEqual(['image/png', expect.stringMatching(/^PNG 3 /)]);
});

it.each(['11:30:03.000', '11:30:03.030', '11:30:03.999'])(
  'the web client gets the images before and after the one that it shows, also for the time %s',
  async (time) => {
    const times = ['2024-01-01T11:29:51.030Z', '2024-01-01T11:30:03.030Z', '2024-01-01T11:30:15.030Z'];
    const { get } = testArchive({ index: new MemoryImageIndex(times.map((shown, i) => archivedImage(16 * i + 26, 10, shown))) });
    const response = await get(`/?action=getClosestImageDatesForSources&sources=10&date=2024-01-01T${time}Z`);
    expect(await response.json()).toEqual({ 10: { prev_date: '2024-01-01 11:29:51', next_date: '2024-01-01 11:30:15' } });
  },
);
