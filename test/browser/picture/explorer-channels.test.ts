// The channels of the instrument that is shown.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { axeViolations, captioned, PATIENCE, PHONE, parameters } from '../../support/explorer.ts';

const { pages } = sharedPages('seven');
let page: Page;

const AT_SEVEN = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&centerX=100&centerY=-200&imageScale=3';
const query = () => Object.fromEntries(parameters(page));
const HELD = { date: '2024-05-10T07:00:00Z', centerX: '100', centerY: '-200', imageScale: '3' };

describe('the channels of the instrument', () => {
  it.each([
    ['desktop', { viewport: { width: 1440, height: 900 } }],
    ['phone', PHONE],
    ['phone on its side', { viewport: { width: 844, height: 390 }, hasTouch: true }],
  ])('show pictures on a %s, one click from each other at the same place and time, and a wall', async (_, options) => {
    page = await pages.open(AT_SEVEN, options);
    await page.click('[aria-label="Channels of the instrument"]');
    await expect.poll(() => page.locator('.channels img').count(), PATIENCE).toBe(2);
    expect(await page.locator('.channels button').allTextContents()).toEqual(['AIA 171', 'AIA 304', 'All channels']);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.click('.channels button:has-text("AIA 304")');
    await captioned(page, 'AIA 304');
    await expect.poll(query).toMatchObject({ ...HELD, imageLayers: '[13,1,100]' });
    await page.click('.channels button:has-text("All channels")');
    const picture = (await page.locator('.channels img').first().boundingBox())!;
    expect(picture.width).toBeGreaterThan(100);
    await page.click('.channels button:has-text("AIA 171")');
    await captioned(page, 'AIA 171');
    expect(await page.getAttribute('.channels', 'data-wall')).toBe('false');
  });

  it('follow each other by the keys [ and ]', async () => {
    page = await pages.open(AT_SEVEN);
    await page.keyboard.press(']');
    await captioned(page, 'AIA 304');
    await expect.poll(query).toMatchObject({ ...HELD, imageLayers: '[13,1,100]' });
    await page.keyboard.press('[');
    await captioned(page, 'AIA 171');
  });
});
