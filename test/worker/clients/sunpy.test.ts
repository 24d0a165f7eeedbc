// Requests of the HelioviewerClient of SunPy up to 5.1: forms by POST to the root of the API, files by GET with an action.
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/util/durations.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { recent } from '../samples/sample-files.ts';
import { bytesOf, jp2Of, jsonOf, recentArchive, send } from './archive.ts';

const DATE = `${new Date(recent.todayMs - 15 * DAY_MS).toISOString().slice(0, 23)}Z`;

const post = (action: string, parameters: Readonly<Record<string, string>> = {}) =>
  send('/v2/', { method: 'POST', body: new URLSearchParams({ action, ...parameters }) });

describe('the HelioviewerClient of SunPy', () => {
  it('posts forms for the sources, the closest image and its header', async () => {
    await recentArchive(14);
    const { SDO } = await jsonOf<{ SDO: { AIA: Record<string, { sourceId: number }> } }>(await post('getDataSources'));
    expect(SDO.AIA['335']!.sourceId).toBe(14);
    const image = await jsonOf<{ id: number; date: string }>(await post('getClosestImage', { date: DATE, sourceId: '14' }));
    expect(image.date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const header = await bytesOf(await post('getJP2Header', { id: String(image.id) }));
    expect(header.toString()).toContain('<WAVELNTH>335</WAVELNTH>');
  });

  it('downloads the file under its name, and a screenshot', async () => {
    await recentArchive(14);
    const response = await send(`/v2/?action=getJP2Image&sourceId=14&date=${encodeURIComponent(DATE)}`);
    const name = /filename="(.+)"/.exec(response.headers.get('Content-Disposition')!)![1]!;
    expect((await bytesOf(response)).equals(jp2Of(recent.files, name))).toBe(true);
    const query = `date=${encodeURIComponent(DATE)}&imageScale=38.4&layers=%5B14%2C1%2C100%5D&eventLabels=False&scale=False`;
    const field = 'scaleType=earth&scaleX=0&scaleY=0&width=64&height=48&x0=0&y0=0&watermark=False&display=True';
    const { width, height } = readPng(await bytesOf(await send(`/v2/?action=takeScreenshot&${query}&${field}`)));
    expect([width, height]).toEqual([64, 48]);
  });
});
