// Requests of helios, the 3-D viewer in the browser: images of a period by the nearest image of each time, and their pictures.
import { describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { recent } from '../samples/sample-files.ts';
import { buildMovie, bytesOf, jsonOf, recentArchive, send } from './archive.ts';

const START_MS = recent.todayMs - 15 * DAY_MS - 4 * MINUTE_MS;

interface ClosestImage {
  readonly id: number | string;
  readonly date: string;
  readonly width: number;
  readonly height: number;
  readonly refPixelX: number;
  readonly refPixelY: number;
  readonly rsun: number;
}

/** A request of a page of another origin. */
const fromPage = (path: string) => send(path, { headers: { Origin: 'https://helios.example' } });

/** helios splits dates at everything that is no digit. */
const parseDate = (date: string) => {
  const [year, month, day, hour, minute, second] = date.split(/[^0-9]/).map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
};

const closestImage = async (date: Date) =>
  jsonOf<ClosestImage>(await fromPage(`/v2/getClosestImage/?sourceId=10&date=${date.toISOString()}`));

describe('helios', () => {
  it('finds the images of a period by their times', async () => {
    await recentArchive(10);
    const times = [0, 1, 2, 3].map((minutes) => START_MS + minutes * MINUTE_MS);
    const images = await Promise.all(times.map((time) => closestImage(new Date(time))));
    expect(new Set(images.map(({ id }) => id)).size).toBe(4);
    for (const [i, image] of images.entries()) {
      expect(Math.abs(parseDate(image.date) - times[i]!)).toBeLessThanOrEqual(MINUTE_MS / 2 + 1000);
      expect(image).toMatchObject({ width: 64, height: 64, refPixelX: 32.5, refPixelY: 32.5 });
      expect(image.rsun).toBeGreaterThan(20);
    }
  });

  it('reads the layers and the period of a movie', async () => {
    await recentArchive(10);
    const [start, end] = [START_MS, START_MS + 4 * MINUTE_MS].map((ms) => new Date(ms).toISOString());
    const movie = `startTime=${start}&endTime=${end}&layers=[10,1,100]&events=&eventsLabels=false&imageScale=4.8`;
    const { id } = await jsonOf<{ id: string }>(await send(`/v2/queueMovie/?${movie}`));
    const { length } = await buildMovie();
    const details = await jsonOf(await fromPage(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`));
    expect(details).toMatchObject({ layers: '[10,1,100]', numFrames: length });
    for (const date of [details.startDate, details.endDate])
      expect(parseDate(String(date))).toBeGreaterThanOrEqual(START_MS - 1000);
    expect(details).not.toHaveProperty('error');
  });

  it('loads pictures as jpg, png and webp from a page of another origin', async () => {
    await recentArchive(10);
    const { id } = await closestImage(new Date(START_MS));
    for (const [type, signature] of [
      ['jpg', 'ffd8ff'],
      ['png', '89504e47'],
      ['webp', '52494646'],
    ]) {
      const response = await fromPage(`/v2/downloadImage/?id=${id}&scale=4&type=${type}`);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect((await bytesOf(response)).toString('hex', 0, signature!.length / 2)).toBe(signature);
    }
  });
});
