// What captions say: the image that is subtracted, the angle between observers, and that nothing is shown.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { archivePages } from '../../support/browser/explorer-pages.ts';
import { ask, hold } from '../../support/explorer/acts.ts';
import { captioned, requested } from '../../support/explorer/looks.ts';
import { LARGE, PHONE } from '../../support/explorer/views.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { PICTURES_ALONE } from '../../support/served-archive.ts';

const HALF_HOUR_MS = 1_800_000;
const NOON = Date.UTC(2024, 4, 10, 12);
const shot = (sourceId: number, timeMs = NOON) => ({ sourceId, timeMs, size: 512 });

const { pages } = archivePages(
  [
    ...[0, 1, 2, 3].map((i) => shot(4, NOON - i * HALF_HOUR_MS)),
    ...[NOON - 60_000, NOON].map((timeMs) => shot(10, timeMs)),
    ...[13, 19, 20].map((sourceId) => shot(sourceId)),
  ],
  PICTURES_ALONE,
);
const open = (layers: string, options: BrowserContextOptions = LARGE) =>
  pages.open(`/?date=2024-05-10T12:01:00Z&imageLayers=${layers}&centerX=0&centerY=0&imageScale=5`, options);

const compared = (page: Page) =>
  page.$$eval('#caption .compared', (all) => all.map(({ textContent, className }) => `${className}:${textContent}`));

it.each([
  ['a difference of a minute from an image half an hour older', '[4,1,100,1,1,1]', /^compared off: − 11:30:\d\d$/],
  ['a base between two images', '[4,1,100,2,1,1,2024-05-10T11:20:00Z]', /^compared off: − 11:00:\d\d$/],
  ['a ratio', '[4,1,100,3,1,1,2024-05-10T11:30:59Z]', /^compared: ÷ 11:30:\d\d$/],
  ['a difference of a minute from the image of that minute', '[10,1,100,1,1,1]', /^compared: − 11:59:\d\d$/],
])('the caption of a picture names the image of %s, in amber where it is far from what was asked', async (_, layers, text) => {
  for (const options of [LARGE, PHONE]) {
    const page = await open(layers, options);
    await expect.poll(() => compared(page)).toEqual([expect.stringMatching(text)]);
    const colour = await page.evaluate(`getComputedStyle(document.querySelector('#caption .compared')).color`);
    const [red, , blue] = String(colour).match(/\d+/g)!.map(Number);
    expect(red! - blue! > 60).toBe(/off/.test(text.source));
  }
});

it('the caption of a picture states the angle of a layer whose observer is elsewhere, and none of one near the lowest', async () => {
  const page = await open('[10,1,100],[4,1,100],[20,1,60]');
  await expect
    .poll(() => page.$$eval('#caption p', (all) => all.map(({ textContent }) => /\d+° from .*/.exec(textContent!)?.[0])))
    .toEqual([expect.stringMatching(/^1?\d° from AIA 171$/), undefined, undefined]);
});

it('a magnetogram over the corona leaves it as it is beside the disc, and shows on the disc', async () => {
  const [both, corona] = ['[13,1,100],[19,1,50]', '[13,1,100]'].map((layers) => async () => {
    const view = (await open(layers)).locator('#view');
    const { width, height, rgba } = readPng(await view.screenshot());
    return (x: number) => [...rgba.subarray(4 * ((height >> 1) * width + (width >> 1) + x)).subarray(0, 3)];
  });
  const [seen, alone] = [await both!(), await corona!()];
  for (const x of [-215, -205, 205, 215]) expect(seen(x)).toEqual(alone(x));
  expect(seen(20)).not.toEqual(alone(20));
});

it.each([LARGE, PHONE])(
  'a time that is asked for stands in its field at once, while the caption is that of the picture that is there',
  async (options) => {
    const page = await open('[10,1,100]', options);
    const release = await hold(page, /getClosestImage/);
    await ask(page, '2024-05-10 11:59');
    expect(await page.inputValue('#date')).toBe('2024-05-10 11:59:00 UTC');
    expect(await page.textContent('#caption')).toMatch('12:00:');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.stage'), '::after').animationName`)).toBe('loading');
    release();
    await captioned(page, '11:59:');
    expect(await page.inputValue('#date')).toBe('2024-05-10 11:59:00 UTC');
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.stage'), '::after').content`)).toBe('none');
  },
);

it('a time that is asked for loads a coarse picture before its tiles once the line has become slow', async () => {
  const page = await open('[10,1,100]');
  const session = await page.context().newCDPSession(page);
  const line = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { ...line, latency: 400 });
  const paths = requested(page);
  await ask(page, '2024-05-10 11:59');
  await captioned(page, '11:59:');
  const [frame, tile] = ['/getFrame/', '/getTile/'].map((name) => paths.findIndex((path) => path.includes(name)));
  expect(frame).toBeGreaterThanOrEqual(0);
  expect(tile).toBeGreaterThan(frame!);
  await session.send('Network.emulateNetworkConditions', { ...line, latency: 0 });
});
