// Requests of @helioviewer/sun, a Sun for three.js, with its API address set to `http://HOST?action=`.
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/util/durations.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { recent } from '../samples/sample-files.ts';
import { bytesOf, jsonOf, recentArchive, send } from './archive.ts';

const API = 'http://helioedge.test?action=';
const TIME = new Date(recent.todayMs - 15 * DAY_MS);

const request = async (query: string) => {
  const response = await send(API + query, { headers: { Origin: 'https://page.example' } });
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  return response;
};

const closestImage = async () =>
  jsonOf<{ id: number; date: string }>(await request(`getClosestImage&sourceId=13&date=${TIME.toISOString()}`));

describe('@helioviewer/sun', () => {
  it('places the image by its record and its header', async () => {
    await recentArchive(13);
    const image = await closestImage();
    expect(image).toMatchObject({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      ...{ width: 64, height: 64, refPixelX: 32.5, refPixelY: 32.5, offsetX: 0, offsetY: 0, rotation: 0 },
      rsun: expect.any(Number),
    });
    const header = (await bytesOf(await request(`getJP2Header&id=${image.id}`))).toString();
    const numberOf = (tag: string) => Number.parseFloat(new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(header)?.[1] ?? '');
    expect([numberOf('NAXIS1'), numberOf('NAXIS2'), numberOf('CRPIX1'), numberOf('CRVAL1')]).toEqual([64, 64, 32.5, 0]);
    expect(numberOf('CDELT1')).toBeCloseTo((4096 * 0.6) / 64, 6);
    expect(numberOf('DSUN_OBS')).toBeGreaterThan(1.4e11);
    expect(header).toMatch(/<DATE_OBS>\d{4}-\d\d-\d\dT[\d:.]+<\/DATE_OBS>/);
  });

  it('loads its texture in low quality as jpg and in the default quality as png', async () => {
    await recentArchive(13);
    const { id } = await closestImage();
    const low = await bytesOf(await request(`downloadImage&id=${id}&scale=8&type=jpg`));
    expect(low.toString('hex', 0, 3)).toBe('ffd8ff');
    const { width, height } = readPng(await bytesOf(await request(`downloadImage&id=${id}&scale=4&type=png`)));
    expect([width, height]).toEqual([16, 16]);
  });
});
