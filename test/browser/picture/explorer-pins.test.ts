// Events on the picture and in their list.
import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { explorerPages } from '../../support/browser/explorer-pages.ts';
import { servedBrowser, sharedArchive } from '../../support/browser/served-browser.ts';
import { AT_SEVEN, axeViolations, DESKTOP, openTool, PATIENCE, PHONE } from '../../support/explorer.ts';

let page: Page;

const served = servedBrowser(() => sharedArchive('seven'));
const pages = explorerPages(served);

async function open(path = AT_SEVEN, options: BrowserContextOptions = DESKTOP): Promise<void> {
  page = await pages.open(path, options);
}

const query = () => new URL(page.url()).searchParams;

describe('events', () => {
  it('appear as pins and in the list, and lead to their peak', async () => {
    await open();
    await openTool(page, 'events');
    await page.waitForSelector('.types label', PATIENCE);
    await page.click('.types label:has-text("Flare")');
    await expect.poll(() => page.$$eval('#event-list > li', (items) => items.length)).toBeGreaterThan(0);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.click('.pin >> nth=0');
    await expect.poll(() => page.$$eval('#event-list [aria-expanded=true]', (open) => open.length)).toBe(1);
    await expect.poll(() => page.textContent('.event-sources')).toMatch(/HEK: \d+ events \(loaded .+ ago\)/);
    await page.click('.details button');
    await expect.poll(() => query().get('date')).not.toBe('2024-05-10T07:00:00Z');
    expect(query().get('eventLayers')).toBe('[FL,all,1]');
  });

  it('name type, heliographic place and time in their list, and lead to the next and the previous one of their type', async () => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1]`);
    await openTool(page, 'events');
    const rows = () => page.$$eval('#event-list .row-button', (all) => all.map((one) => one.textContent!));
    await expect
      .poll(async () => (await rows()).find((row) => row.includes('X2.1')))
      .toMatch(/FLX2\.1Flare · [NS]\d\d[EW]\d\d · 06:\d\d · /);
    expect((await rows()).filter((row) => /Active region · [NS]\d\d[EW]\d\d · \d\d:\d\d/.test(row)).length).toBeGreaterThan(3);
    expect(await axeViolations(page)).toEqual([]);
    await page.click('[aria-label="Next: Flare"]');
    await expect.poll(() => Date.parse(query().get('date')!)).toBeGreaterThan(Date.UTC(2024, 4, 10, 7));
    const after = Date.parse(query().get('date')!);
    await page.click('[aria-label="Previous: Flare"]');
    await expect.poll(() => Date.parse(query().get('date')!)).toBeLessThan(after);
  });

  it('make a table of active regions with the flares of the day, which is saved as CSV', async () => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1]`, PHONE);
    await openTool(page, 'events');
    await page.click('.region-table summary', PATIENCE);
    const cells = () =>
      page.$$eval('.region-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!)));
    await expect.poll(async () => (await cells()).reduce((sum, row) => sum + Number(row[4]), 0)).toBeGreaterThan(3);
    for (const row of await cells()) expect(row.slice(0, 3).join(' ')).toMatch(/^\d{4,5} (?:[NS]\d\d[EW]\d\d)? [αβγδ]*$/);
    expect(await axeViolations(page)).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('.region-table > button')]);
    const lines = readFileSync((await download.path())!, 'utf8')
      .trim()
      .split('\r\n');
    expect(download.suggestedFilename()).toBe('regions-2024-05-10.csv');
    expect(lines[0]).toBe('"NOAA","Position","Class","Area (µHem)","Flares of the day"');
    expect(lines.slice(1)).toEqual((await cells()).map((row) => row.map((cell) => `"${cell}"`).join()));
  });

  it('take one stop of the Tab key on the picture, within which arrow keys move', async () => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1]`);
    await page.waitForSelector('.pin >> nth=3', PATIENCE);
    const focused = () => page.evaluate('[...document.querySelectorAll(".pin")].indexOf(document.activeElement)');
    await page.focus('#view');
    await page.keyboard.press('Tab');
    const first = (await focused()) as number;
    expect(first).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe(first + 1);
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe(first);
    await page.keyboard.press('Tab');
    expect(await focused()).toBe(-1);
  });

  it.each([
    ['desktop', { viewport: { width: 1440, height: 900 } }],
    ['phone', PHONE],
    ['phone on its side', { viewport: { width: 844, height: 390 }, hasTouch: true }],
  ])('fill the view by their chip on a %s, with a pin of their own label beside them', async (_, options) => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1]`, options);
    await openTool(page, 'presets');
    await page.click('[aria-labelledby=highlights-flare] button:has-text("X2.1")', PATIENCE);
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,all,1],[FL,all,1]');
    const chosen = page.locator('.pin[aria-pressed=true]');
    await chosen.waitFor(PATIENCE);
    expect(await chosen.locator('.pin-label').textContent()).toBe('X2.1');
    const scale = Number(query().get('imageScale'));
    const view = (await page.locator('#view').boundingBox())!;
    // The panel may have closed or opened since.
    expect(scale * Math.min(view.width, view.height)).toBeGreaterThan(200);
    expect(scale).toBeLessThan(2.5);
    const pin = (await chosen.boundingBox())!;
    const [dx, dy] = [pin.x + pin.width / 2 - view.x - view.width / 2, pin.y + pin.height / 2 - view.y - view.height / 2];
    expect([Math.abs(dx - 28), Math.abs(dy + 28)].every((off) => off < 12)).toBe(true);
  });

  it('offer feeds and webhooks in words', async () => {
    await open(AT_SEVEN);
    await openTool(page, 'events');
    await page.click('.tell summary', PATIENCE);
    expect(await page.textContent('.tell')).toMatch(/Tell me of M flares.*feed.*webhook/is);
    expect(await axeViolations(page)).toEqual([]);
    const feed = await fetch(new URL((await page.getAttribute('.tell a:has-text("Flare")', 'href'))!, page.url()));
    expect([feed.status, feed.headers.get('Content-Type')]).toEqual([200, expect.stringMatching(/atom/)]);
  });

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('show the details of a pin in the viewport of a %s, with measured values in its language', async (_, options) => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1],[FI,all,1]&lang=de`, options);
    await page.click('button.pin-FL');
    await expect.poll(() => page.textContent('.details dl')).toMatch(/GOES-KlasseX2\.1Maximaler Fluss2,1 × 10⁻⁴ W\/m²/);
    const isInView = () =>
      page.$eval('.details dl', (list) => {
        const body = list.closest('.panel-body')!.getBoundingClientRect();
        const { top, bottom } = list.querySelector('dd')!.getBoundingClientRect();
        return top >= body.top && bottom <= body.bottom;
      });
    await expect.poll(isInView).toBe(true);
    expect(await page.isHidden('.details details dl')).toBe(true);
    await page.click('.details summary');
    await expect.poll(() => page.textContent('.details details dl')).toContain('fl_peakflux');
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('show one pin for the reports of an event by several methods, each of which can be left out', async () => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1]`);
    const pins = () => page.locator('button.pin-AR').count();
    await page.waitForSelector('button.pin-AR', PATIENCE);
    await page.waitForSelector('.outline', { ...PATIENCE, state: 'attached' });
    const both = await pins();
    await openTool(page, 'events');
    const listed = () => page.locator('#event-list > li').count();
    await expect.poll(listed).toBeGreaterThan(both);
    await page.click('button.pin-AR[title$="and 1 more report"] >> nth=0');
    await page.click('[aria-labelledby=other-reports] button');
    await expect.poll(() => page.textContent('.details dl')).toMatch(/Mm²/);
    await page.click('.methods label:has-text("SPoCA")');
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,NOAA_SWPC_Observer,1]');
    await expect.poll(() => page.locator('.outline').count()).toBe(0);
    await page.click('.methods label:has-text("SPoCA")');
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,all,1]');
    await expect.poll(pins).toBe(both);
  });

  it('leave the picture to drags and to the wheel that begin on a pin', async () => {
    await open(`${AT_SEVEN}&eventLayers=[FL,all,1]`);
    const pin = page.locator('button.pin-FL');
    await pin.waitFor(PATIENCE);
    const place = async () => {
      const { x, y, width, height } = (await pin.boundingBox())!;
      return { x: x + width / 2, y: y + height / 2 };
    };
    const before = await place();
    await page.mouse.move(before.x, before.y);
    await page.mouse.down();
    await page.mouse.move(before.x - 60, before.y + 40, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => Math.abs((await place()).x - (before.x - 60))).toBeLessThan(8);
    expect(await page.$('aside.panel')).toBeNull();
    const at = await place();
    const scale = () => Number(query().get('imageScale'));
    await expect.poll(scale).toBeGreaterThan(0);
    const far = scale();
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await expect.poll(scale).toBeLessThan(far);
    await pin.click();
    await page.waitForSelector('.details', PATIENCE);
  });

  it('leave the picture to a pinch that begins on a pin', async () => {
    await open(`${AT_SEVEN}&eventLayers=[FL,all,1]&centerX=0&centerY=0&imageScale=8`, PHONE);
    const pin = page.locator('button.pin-FL');
    await pin.waitFor(PATIENCE);
    const box = (await pin.boundingBox())!;
    const on = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) => {
      const points = type === 'touchEnd' ? [] : [on, { x: on.x, y: on.y + apart }];
      return session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((at, id) => ({ ...at, id })) });
    };
    await touch('touchStart', 60);
    for (const apart of [70, 90, 120]) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    await session.detach();
    // The fingers are twice as far apart.
    await expect.poll(() => Number(query().get('imageScale'))).toBeCloseTo(4, 1);
    expect(await page.$('aside.panel')).toBeNull();
  });

  it('open by a click that moves a little, after a touch whose end did not reach the picture', async () => {
    await open(`${AT_SEVEN}&eventLayers=[FL,all,1]`);
    const pin = page.locator('button.pin-FL');
    await pin.waitFor(PATIENCE);
    // As when the pin of the touch leaves the page.
    await pin.dispatchEvent('pointerdown', { bubbles: true, isPrimary: true, pointerId: 77, pointerType: 'touch', button: 0 });
    const { x, y, width, height } = (await pin.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 2, y + height / 2);
    await page.mouse.up();
    await page.waitForSelector('.details', PATIENCE);
  });
});
