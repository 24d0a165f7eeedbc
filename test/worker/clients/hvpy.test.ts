// The documented examples of hvpy 1.1, request by request: the address, the order and the spelling are those of its calls.
import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { recent } from '../samples/sample-files.ts';
import { buildMovie, bytesOf, jp2Of, jsonOf, recentArchive, send } from './archive.ts';

type Value = string | number | boolean | null;

/** A value as Python writes it. */
const pythonText = (value: string | number | boolean) =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);

/** A call of hvpy: parameters that are None are left out, the others are percent-encoded. */
function call(name: string, parameters: Readonly<Record<string, Value>> = {}): Promise<Response> {
  const query = Object.entries(parameters).flatMap(([key, value]) =>
    value === null ? [] : `${key}=${encodeURIComponent(pythonText(value))}`,
  );
  return send(`/v2/${name}/${query.length > 0 ? '?' : ''}${query.join('&')}`);
}

/** `datetime.today() - timedelta(days=…, minutes=…)` as isoformat() writes it, with a Z. */
const ago = (days: number, minutes = 0) =>
  `${new Date(recent.todayMs - days * DAY_MS - minutes * MINUTE_MS).toISOString().slice(0, 19)}.123456Z`;
const unixAgo = (days: number, minutes = 0) => Math.floor((recent.todayMs - days * DAY_MS - minutes * MINUTE_MS) / 1000);

const PNG_SIZE = { width: 100, height: 100 };

/** Parameters that hvpy sends beside those of the examples. */
const MOVIE_DEFAULTS = { format: 'mp4', frameRate: '15', maxFrames: null, scale: null, watermark: true, x0: null, size: 0 };
const SCREENSHOT_DEFAULTS = { display: false, watermark: false, callback: null };

const closest = (sourceId: number, date: string) =>
  call('getClosestImage', { date, sourceId, callback: null }).then((response) => jsonOf<{ id: number; date: string }>(response));

it('the documented examples of hvpy: createMovie builds a movie of five minutes without a field of view', async () => {
  await recentArchive(10);
  const queued = await jsonOf<{ id: string; token: string }>(
    await call('queueMovie', {
      startTime: ago(15, 5),
      endTime: ago(15),
      layers: '[10,1,100]',
      events: '[AR,all,1]',
      eventsLabels: true,
      imageScale: '1.0',
      ...MOVIE_DEFAULTS,
    }),
  );
  expect(queued).toMatchObject({ id: expect.any(String), token: expect.any(String), eta: expect.any(Number) });
  const status = async () => {
    const { id, token } = queued;
    return jsonOf(await call('getMovieStatus', { id, format: 'mp4', verbose: false, callback: null, token }));
  };
  expect(await status()).toMatchObject({ status: 0 });
  const frames = await buildMovie();
  expect([5, 6]).toContain(frames.length);
  expect(await status()).toMatchObject({ status: 2, width: 1920, height: 1200, numFrames: frames.length, frameRate: 15 });
  const file = await bytesOf(await call('downloadMovie', { id: queued.id, format: 'mp4', hq: false }));
  expect(file.toString()).toBe('movie.mp4');
});

it('the documented examples of hvpy: queueMovie takes layers with a visibility other than 1', async () => {
  await recentArchive(12, 13);
  const queued = await jsonOf(
    await call('queueMovie', {
      startTime: ago(15, 5),
      endTime: ago(15),
      layers: '[12,7,22],[13,7,11]',
      events: '[AR,HMI_HARP;SPoCA,1],[CH,all,1]',
      eventsLabels: false,
      imageScale: '2.44',
      ...MOVIE_DEFAULTS,
    }),
  );
  expect(queued).toMatchObject({ id: expect.any(String) });
  expect((await buildMovie()).every(({ images }) => images.length === 2)).toBe(true);
});

it('the documented examples of hvpy: createScreenshot saves a PNG of 100x100 pixels', async () => {
  await recentArchive(10);
  const { id } = await jsonOf<{ id: number }>(
    await call('takeScreenshot', {
      date: ago(15),
      imageScale: '1.0',
      layers: '[10,1,100]',
      events: '[AR,all,1]',
      eventLabels: true,
      scale: false,
      width: '100',
      height: '100',
      x0: '0',
      y0: '0',
      ...SCREENSHOT_DEFAULTS,
    }),
  );
  const { width, height, rgba } = readPng(await bytesOf(await call('downloadScreenshot', { id })));
  expect({ width, height }).toEqual(PNG_SIZE);
  expect(rgba.some((value, i) => i % 4 < 3 && value > 30)).toBe(true);
});

it('the documented examples of hvpy: getClosestImage and getTile show the image next to the date', async () => {
  await recentArchive(14);
  const image = await closest(14, ago(15, 2));
  expect(Math.abs(Date.parse(`${image.date.replace(' ', 'T')}Z`) / 1000 - unixAgo(15, 2))).toBeLessThanOrEqual(30);
  const tile = await call('getTile', { id: image.id, x: -1, y: -1, imageScale: 2, difference: null, baseDiffTime: null });
  expect(readPng(await bytesOf(tile))).toMatchObject({ width: expect.any(Number), height: expect.any(Number) });
  const header = await call('getJP2Header', { id: image.id, callback: 'xml_header' });
  expect((await bytesOf(header)).toString()).toMatch(/^xml_header\(.*<WAVELNTH>335<\/WAVELNTH>/s);
});

it('the documented examples of hvpy: getJP2Image returns the file, or its JPIP address as text', async () => {
  const ids = await recentArchive(14);
  const { id } = await closest(14, ago(15));
  const [name] = [...ids].find(([, known]) => known === Number(id))!;
  const file = await call('getJP2Image', { date: ago(15), sourceId: 14, jpip: false, json: false });
  expect((await bytesOf(file)).equals(jp2Of(recent.files, name))).toBe(true);
  const address = await call('getJP2Image', { date: ago(15), sourceId: 14, jpip: true, json: false });
  expect((await bytesOf(address)).toString()).toMatch(new RegExp(`^jpip://helioedge\\.test.*/${name}$`));
  const json = await jsonOf(await call('getJP2Image', { date: ago(15), sourceId: 14, jpip: true, json: true }));
  expect(json.uri).toMatch(/^jpip:/);
});

it('the documented examples of hvpy: getJPX makes a movie with a frame a minute', async () => {
  await recentArchive(14);
  const range = { startTime: ago(15, 5), endTime: ago(15), sourceId: 14, linked: false };
  const address = await call('getJPX', { ...range, verbose: false, jpip: true, cadence: 60 });
  expect((await bytesOf(address)).toString()).toMatch(/^jpip:\/\/helioedge\.test.*\/movies\/SDO_AIA_335_.*\.jpx$/);
  const { frames } = await jsonOf<{ frames: number[] }>(
    await call('getJPX', { ...range, verbose: true, jpip: false, cadence: 60 }),
  );
  expect(frames.length).toBeGreaterThanOrEqual(5);
  expect(new Set(frames.slice(1).map((frame, i) => frame - frames[i]!))).toEqual(new Set([60]));
  const linked = await call('getJPX', { ...range, linked: true, verbose: false, jpip: false, cadence: null });
  expect((await bytesOf(linked)).toString('latin1', 4, 8)).toBe('jP  ');
});

it('the documented examples of hvpy: getJPXClosestToMidPoint makes a frame of each interval', async () => {
  await recentArchive(14);
  const intervals = {
    startTimes: [unixAgo(15, 5), unixAgo(16, 5)].join(','),
    endTimes: [unixAgo(15), unixAgo(16)].join(','),
    sourceId: 14,
    linked: false,
  };
  const address = await call('getJPXClosestToMidPoint', { ...intervals, verbose: false, jpip: true });
  expect((await bytesOf(address)).toString()).toMatch(/^jpip:\/\/helioedge\.test.*\/movies\/SDO_AIA_335_/);
  const { frames } = await jsonOf<{ frames: number[] }>(
    await call('getJPXClosestToMidPoint', { ...intervals, verbose: true, jpip: false }),
  );
  const distances = frames.toReversed().map((frame, i) => Math.abs(frame - unixAgo(15 + i, 2.5)));
  expect(distances).toHaveLength(2);
  expect(Math.max(...distances)).toBeLessThanOrEqual(31);
});

it('the documented examples of hvpy: getDataSources and getStatus list the images', async () => {
  await recentArchive(10, 14);
  const sources = await jsonOf<{ SDO: { AIA: Record<string, { sourceId: number; end: string }> } }>(
    await call('getDataSources', { verbose: false, enable: null, callback: null }),
  );
  expect(Object.values(sources.SDO.AIA).map(({ sourceId }) => sourceId)).toEqual([10, 14]);
  expect(await jsonOf(await call('getStatus'))).toHaveProperty('AIA');
});

it('the documented examples of hvpy: shortenURL and getNewsFeed answer', async () => {
  const queryString = 'https://api.helioviewer.org/v2/queueMovie/?startTime=2010-03-01T12:12:12Z&endTime=2010-03-04T12:12:12Z';
  const { data } = await jsonOf<{ data: { long_url: string } }>(await call('shortenURL', { queryString, callback: null }));
  expect(data.long_url).toBe(queryString);
  expect((await bytesOf(await call('getNewsFeed'))).toString()).toMatch(/^<\?xml/);
});
