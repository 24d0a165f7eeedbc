// Requests of viewers and scripts in their own spelling: helios, @helioviewer/sun, OpenSpace, SunPy up to 5.1 and JHelioviewer.
import { expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { recent } from '../samples/sample-files.ts';
import { buildMovie, bytesOf, jp2Of, jsonOf, recentArchive, send } from './archive.ts';

const END_MS = recent.todayMs - 15 * DAY_MS;
const iso = (ms: number) => new Date(ms).toISOString();
/** Without fractions of a second. */
const seconds = (ms: number) => `${iso(ms).slice(0, 19)}Z`;
const DATE = iso(END_MS);
const WRITTEN = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

interface ClosestImage {
  readonly id: number | string;
  readonly date: string;
  readonly rsun: number;
}

/** A request of a page of another origin. */
async function fromPage(path: string): Promise<Response> {
  const response = await send(path, { headers: { Origin: 'https://page.example' } });
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  return response;
}

const START_MS = END_MS - 4 * MINUTE_MS;
/** Splits dates at everything that is no digit. */
const parseDate = (date: string) => {
  const [year, month, day, ...time] = date.split(/[^0-9]/).map(Number);
  return Date.UTC(year!, month! - 1, day, ...time.slice(0, 3));
};
const closestImage = async (ms: number) =>
  jsonOf<ClosestImage>(await fromPage(`/v2/getClosestImage/?sourceId=10&date=${iso(ms)}`));

it('helios finds the images of a period by their times, and loads them as jpg, png and webp', async () => {
  await recentArchive(10);
  const times = [0, 1, 2, 3].map((minutes) => START_MS + minutes * MINUTE_MS);
  const images = await Promise.all(times.map(closestImage));
  expect(new Set(images.map(({ id }) => id)).size).toBe(4);
  for (const [i, image] of images.entries()) {
    expect(Math.abs(parseDate(image.date) - times[i]!)).toBeLessThanOrEqual(MINUTE_MS / 2 + 1000);
    expect(image).toMatchObject({ width: 64, height: 64, refPixelX: 32.5, refPixelY: 32.5 });
    expect(image.rsun).toBeGreaterThan(20);
  }
  for (const [type, signature] of Object.entries({ jpg: 'ffd8ff', png: '89504e47', webp: '52494646' })) {
    const picture = await bytesOf(await fromPage(`/v2/downloadImage/?id=${images[0]!.id}&scale=4&type=${type}`));
    expect(picture.toString('hex', 0, signature.length / 2)).toBe(signature);
  }
});

it('helios reads the layers and the period of a movie', async () => {
  await recentArchive(10);
  const movie = `startTime=${iso(START_MS)}&endTime=${DATE}&layers=[10,1,100]&events=&eventsLabels=false&imageScale=4.8`;
  const { id } = await jsonOf<{ id: string }>(await send(`/v2/queueMovie/?${movie}`));
  const { length } = await buildMovie();
  const details = await jsonOf(await fromPage(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`));
  expect(details).toMatchObject({ layers: '[10,1,100]', numFrames: length });
  for (const date of [details.startDate, details.endDate])
    expect(parseDate(String(date))).toBeGreaterThanOrEqual(START_MS - 1000);
  expect(details).not.toHaveProperty('error');
});

it('@helioviewer/sun places an image by its record and its header at `?action=`, and loads its texture', async () => {
  await recentArchive(13);
  const request = (query: string) => fromPage(`http://helioedge.test?action=${query}`);
  const image = await jsonOf<ClosestImage>(await request(`getClosestImage&sourceId=13&date=${DATE}`));
  expect(image).toMatchObject({
    date: expect.stringMatching(WRITTEN),
    ...{ width: 64, height: 64, refPixelX: 32.5, refPixelY: 32.5, offsetX: 0, offsetY: 0, rotation: 0 },
    rsun: expect.any(Number),
  });
  const header = (await bytesOf(await request(`getJP2Header&id=${image.id}`))).toString();
  const numberOf = (tag: string) => Number.parseFloat(new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(header)?.[1] ?? '');
  expect(['NAXIS1', 'NAXIS2', 'CRPIX1', 'CRVAL1'].map(numberOf)).toEqual([64, 64, 32.5, 0]);
  expect(numberOf('CDELT1')).toBeCloseTo((4096 * 0.6) / 64, 6);
  expect(numberOf('DSUN_OBS')).toBeGreaterThan(1.4e11);
  expect(header).toMatch(/<DATE_OBS>\d{4}-\d\d-\d\dT[\d:.]+<\/DATE_OBS>/);
  const texture = readPng(await bytesOf(await request(`downloadImage&id=${image.id}&scale=4&type=png`)));
  expect([texture.width, texture.height]).toEqual([16, 16]);
});

it('OpenSpace lists the frames of a period with a cadence that it gives twice, and downloads their files', async () => {
  const endMs = Math.floor(END_MS / MINUTE_MS) * MINUTE_MS + 30_000;
  const names = [...(await recentArchive(10)).keys()].sort();
  const period = `startTime=${iso(endMs - 6 * MINUTE_MS)}&endTime=${iso(endMs)}`;
  const response = await send(`/v2/getJPX/?${period}&sourceId=10&verbose=true&cadence=true&cadence=60`);
  const { frames, message } = await jsonOf<{ frames: number[]; message: string | null }>(response);
  expect([frames.length, message]).toEqual([6, null]);
  for (const [i, frame] of frames.entries()) {
    const date = seconds(Math.floor(frame) * 1000).replace('Z', '.000Z');
    const file = await bytesOf(await send(`/v2/getJP2Image/?date=${date}&sourceId=10`));
    expect(file.equals(jp2Of(recent.files, names[i]!))).toBe(true);
  }
});

it('SunPy posts forms for sources, image and header, and downloads the file under its name and a screenshot', async () => {
  await recentArchive(14);
  const post = (action: string, parameters: Readonly<Record<string, string>> = {}) =>
    send('/v2/', { method: 'POST', body: new URLSearchParams({ action, ...parameters }) });
  const { SDO } = await jsonOf<{ SDO: { AIA: Record<string, { sourceId: number }> } }>(await post('getDataSources'));
  expect(SDO.AIA['335']!.sourceId).toBe(14);
  const image = await jsonOf<ClosestImage>(await post('getClosestImage', { date: DATE, sourceId: '14' }));
  expect(image.date).toMatch(WRITTEN);
  const header = await bytesOf(await post('getJP2Header', { id: String(image.id) }));
  expect(header.toString()).toContain('<WAVELNTH>335</WAVELNTH>');
  const response = await send(`/v2/?action=getJP2Image&sourceId=14&date=${encodeURIComponent(DATE)}`);
  const name = /filename="(.+)"/.exec(response.headers.get('Content-Disposition')!)![1]!;
  expect((await bytesOf(response)).equals(jp2Of(recent.files, name))).toBe(true);
  const query = `date=${encodeURIComponent(DATE)}&imageScale=38.4&layers=%5B14%2C1%2C100%5D&eventLabels=False&scale=False`;
  const field = 'scaleType=earth&scaleX=0&scaleY=0&width=64&height=48&x0=0&y0=0&watermark=False&display=True';
  const { width, height } = readPng(await bytesOf(await send(`/v2/?action=takeScreenshot&${query}&${field}`)));
  expect([width, height]).toEqual([64, 48]);
});

it('JHelioviewer opens a linked movie and an image by JPIP, and loads an image as a file', async () => {
  const names = [...(await recentArchive(10)).keys()];
  const period = `startTime=${seconds(END_MS - 6 * MINUTE_MS)}&endTime=${seconds(END_MS)}&cadence=60`;
  const movie = await jsonOf<{ uri: string; frames: number[]; message: null }>(
    await send(`/v2/getJPX/?sourceId=10&${period}&verbose=true&linked=true&jpip=true`),
  );
  expect([movie.frames.length, movie.message]).toEqual([6, null]);
  expect(movie.uri).toMatch(/^jpip:\/\/helioedge\.test:80\/movies\/SDO_AIA_171_[\w.-]+\.jpx$/);
  const target = new URL(movie.uri.replace('jpip:', 'http:')).pathname;
  const session = await send(`${target}?cnew=http&type=jpp-stream&tid=0&len=512&metareq=%5B*%5D!!`);
  expect([session.status, session.headers.get('Content-Type')]).toEqual([200, 'image/jpp-stream']);
  expect(session.headers.get('JPIP-cnew')).toMatch(/^cid=/);
  const nearest = `/v2/getJP2Image/?sourceId=10&date=${seconds(END_MS)}`;
  const { uri } = await jsonOf<{ uri: string }>(await send(`${nearest}&json=true&jpip=true`));
  expect(names).toContain(uri.slice(uri.lastIndexOf('/') + 1));
  const file = await send(nearest);
  expect(file.headers.get('Content-Type')).toBe('image/jp2');
  expect((await bytesOf(file)).toString('latin1', 4, 8)).toBe('jP  ');
});
