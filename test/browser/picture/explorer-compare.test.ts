// Two layers or two times on the sides of a line, without a request.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { explorerPages } from '../../support/browser/explorer-pages.ts';
import { servedBrowser, sharedArchive } from '../../support/browser/served-browser.ts';
import { axeViolations, captioned, DRAWN_FROM, openTool, PATIENCE, PHONE, requested } from '../../support/explorer.ts';

const served = servedBrowser(() => sharedArchive('seven'));
const pages = explorerPages(served);
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

describe('a comparison', () => {
  it.each([DESK, PHONE])('swipes and blinks between two layers without a request', async (options) => {
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

  it('swipes between two times, whose captions stand on their sides', async () => {
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
});
