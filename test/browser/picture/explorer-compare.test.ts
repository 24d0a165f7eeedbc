// Two layers or two times on the sides of a line, without a request, and the channels of the instrument that is shown.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { openTool, playNoted } from '../../support/explorer/acts.ts';
import { axeViolations, captioned, parameters, requested } from '../../support/explorer/looks.ts';
import { DRAWN_FROM, PATIENCE, PHONE, SCREENS } from '../../support/explorer/views.ts';

const { served, pages } = sharedPages('seven');
const DATE = '/?date=2024-05-10T07:00:00Z';
const DESK = { viewport: { width: 1280, height: 800 } };

/** Pixels of the disk away from lines, captions and tools. */
const disk = async (page: Page) => {
  const { x, y, width, height } = (await page.locator('#view').boundingBox())!;
  const clip = { x: Math.round(x + width * 0.55), y: Math.round(y + height * 0.4), width: 24, height: 24 };
  return (await page.screenshot({ clip })).toString('base64');
};

/** Chooses a comparison in the panel. @returns what moves the line to a percentage of the width, and gives the disk then */
async function compared(page: Page, choice: string): Promise<(percent: number) => Promise<string>> {
  await openTool(page, 'layers');
  await page.click(`text=${choice}`);
  await page.click('aside.panel [aria-label="Close"]');
  await page.waitForSelector('.swipe', PATIENCE);
  return async (percent) => {
    await page.fill('.swipe input', String(percent));
    return disk(page);
  };
}

it.each([DESK, PHONE])('a comparison swipes and blinks between two layers without a request', async (options) => {
  const page = await pages.open(`${DATE}&imageLayers=[10,1,100]`, options);
  const lower = await disk(page);
  await page.goto(`${served.service.url}${DATE}&imageLayers=[10,1,100],[13,1,100]`);
  await captioned(page, 'AIA 304');
  const upper = await disk(page);
  const at = await compared(page, 'Compare the top layer');
  const requests = requested(page, DRAWN_FROM);
  expect([await at(0), await at(100), await at(0)]).toEqual([upper, lower, upper]);
  expect(upper).not.toBe(lower);
  expect(await axeViolations(page)).toEqual([]);
  await page.click('.swipe >> text=Blink');
  await expect.poll(() => disk(page)).toBe(lower);
  await expect.poll(() => disk(page)).toBe(upper);
  expect(requests).toEqual([]);
  await page.click('.swipe >> text=End');
  await expect.poll(() => disk(page)).toBe(upper);
});

it('a comparison swipes between two times, whose captions stand on their sides', async () => {
  const page = await pages.open(`${DATE}&imageLayers=[10,1,100]`);
  const at = await compared(page, 'Compare this time with others');
  await page.click('#next');
  await captioned(page, '07:05:');
  const requests = requested(page, DRAWN_FROM);
  const [later, held] = [await at(0), await at(100)];
  expect(held).not.toBe(later);
  expect(requests).toEqual([]);
  expect(await page.locator('.swipe-line span').allTextContents()).toEqual([
    expect.stringMatching(/AIA 171 2024-05-10 07:00:/),
    expect.stringMatching(/AIA 171 2024-05-10 07:05:/),
  ]);
  await page.click('.swipe >> text=End');
  await expect.poll(() => disk(page)).toBe(later);
  await page.click('#previous');
  await captioned(page, '07:00:');
  await expect.poll(() => disk(page)).toBe(held);
});

const AT_PLACE = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&centerX=100&centerY=-200&imageScale=3';
const HELD = { date: '2024-05-10T07:00:00Z', centerX: '100', centerY: '-200', imageScale: '3' };

describe('the channels of the instrument', () => {
  it.each(SCREENS)(
    'show pictures on a %s, one click from each other at the same place and time, and a wall',
    async (_, options) => {
      const page = await pages.open(AT_PLACE, options);
      await page.click('[aria-label="Channels of the instrument"]');
      await expect.poll(() => page.locator('.channels img').count(), PATIENCE).toBe(2);
      expect(await page.locator('.channels button').allTextContents()).toEqual(['AIA 171', 'AIA 304', 'All channels']);
      await expect.poll(() => axeViolations(page)).toEqual([]);
      await page.click('.channels button:has-text("AIA 304")');
      await captioned(page, 'AIA 304');
      await expect.poll(() => Object.fromEntries(parameters(page))).toMatchObject({ ...HELD, imageLayers: '[13,1,100]' });
      await page.click('.channels button:has-text("All channels")');
      const picture = (await page.locator('.channels img').first().boundingBox())!;
      expect(picture.width).toBeGreaterThan(100);
      await page.click('.channels button:has-text("AIA 171")');
      await captioned(page, 'AIA 171');
      expect(await page.getAttribute('.channels', 'data-wall')).toBe('false');
    },
  );

  it('follow each other by the keys [ and ]', async () => {
    const page = await pages.open(AT_PLACE);
    await page.keyboard.press(']');
    await captioned(page, 'AIA 304');
    await expect.poll(() => Object.fromEntries(parameters(page))).toMatchObject({ ...HELD, imageLayers: '[13,1,100]' });
    await page.keyboard.press('[');
    await captioned(page, 'AIA 171');
    // Two quick ones lead over the other channel and back.
    const captions = await playNoted(page, async () => {
      for (const key of ']]') await page.keyboard.press(key);
    });
    await expect.poll(captions).toMatch(/AIA 304.*AIA 171/s);
  });
});
