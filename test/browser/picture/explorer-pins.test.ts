// Events on the picture and in their list.
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { downloaded, drag, openTool, touch } from '../../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, parameters, requested } from '../../support/explorer/looks.ts';
import { AT_SEVEN, DESKTOP, PHONE, SCREENS } from '../../support/explorer/views.ts';

let page: Page;

const { pages } = sharedPages('seven');

async function middle(pin: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await pin.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

it('events appear as pins and in the list, offer feeds and webhooks, and lead to their peak', async () => {
  page = await pages.openTool('events');
  await page.click('.types label:has-text("Flare")');
  await expect.poll(() => page.locator('#event-list > li').count()).toBeGreaterThan(0);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.click('.pin >> nth=0');
  await expect.poll(() => page.locator('#event-list [aria-expanded=true]').count()).toBe(1);
  await expect.poll(() => page.textContent('.event-sources')).toMatch(/HEK: \d+ events \(loaded .+ ago\)/);
  await page.click('.tell summary');
  expect(await page.textContent('.tell')).toMatch(/Tell me of M flares.*feed.*webhook/is);
  expect(await axeViolations(page)).toEqual([]);
  const feed = await fetch(new URL((await page.getAttribute('.tell a:has-text("Flare")', 'href'))!, page.url()));
  expect([feed.status, feed.headers.get('Content-Type')]).toEqual([200, expect.stringMatching(/atom/)]);
  await page.click('.details button');
  await expect.poll(() => parameters(page).get('date')).not.toBe('2024-05-10T07:00:00Z');
  expect(parameters(page).get('eventLayers')).toBe('[FL,all,1]');
});

it('events name type, heliographic place and time in their list, and lead to the next and the previous one of their type', async () => {
  page = await pages.openTool('events', `${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1]`);
  const rows = () => page.locator('#event-list .row-button').allTextContents();
  await expect
    .poll(async () => (await rows()).find((row) => row.includes('X2.1')))
    .toMatch(/FLX2\.1Flare · [NS]\d\d[EW]\d\d · 06:\d\d · /);
  expect((await rows()).filter((row) => /Active region · [NS]\d\d[EW]\d\d · \d\d:\d\d/.test(row)).length).toBeGreaterThan(3);
  expect(await axeViolations(page)).toEqual([]);
  await page.click('[aria-label="Next: Flare"]');
  await expect.poll(() => Date.parse(parameters(page).get('date')!)).toBeGreaterThan(Date.UTC(2024, 4, 10, 7));
  const after = Date.parse(parameters(page).get('date')!);
  await page.click('[aria-label="Previous: Flare"]');
  await expect.poll(() => Date.parse(parameters(page).get('date')!)).toBeLessThan(after);
});

it('events make a table of active regions with the flares of the day, which is saved as CSV', async () => {
  page = await pages.openTool('events', AT_SEVEN, PHONE);
  await page.click('.region-table summary');
  const cells = () =>
    page.$$eval('.region-table tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!)));
  await expect.poll(async () => (await cells()).reduce((sum, row) => sum + Number(row[4]), 0)).toBeGreaterThan(3);
  for (const row of await cells()) expect(row.slice(0, 3).join(' ')).toMatch(/^\d{4,5} (?:[NS]\d\d[EW]\d\d)? [αβγδ]*$/);
  expect(await axeViolations(page)).toEqual([]);
  const { name, file } = await downloaded(page, () => page.click('.region-table > button'));
  const lines = file.toString().trim().split('\r\n');
  expect(name).toBe('regions-2024-05-10.csv');
  expect(lines[0]).toBe('"NOAA","Position","Class","Area (µHem)","Flares of the day"');
  expect(lines.slice(1)).toEqual((await cells()).map((row) => row.map((cell) => `"${cell}"`).join()));
  // The flares of a day are those of all its images.
  const asked = requested(page, /hapi/);
  await page.click('.region-table tbody button');
  await page.waitForSelector('#event-list .details');
  expect(parameters(page).get('eventLayers')).toBe('[AR,all,1]');
  await page.keyboard.press('.');
  await captioned(page, '07:05:');
  expect([asked, (await cells()).some((row) => Number(row[4]) > 0)]).toEqual([[], true]);
});

it('events take one stop of the Tab key on the picture, within which arrow keys move', async () => {
  page = await pages.open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1]`);
  await page.waitForSelector('.pin >> nth=3');
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

it.each(SCREENS)('events fill the view by their chip on a %s, with a pin of their own label beside them', async (_, options) => {
  page = await pages.openTool('presets', `${AT_SEVEN}&eventLayers=[AR,all,1]`, options);
  await page.click('[aria-labelledby=highlights-flare] button:has-text("X2.1")');
  await expect.poll(() => parameters(page).get('eventLayers')).toBe('[AR,all,1],[FL,all,1]');
  const chosen = page.locator('.pin[aria-pressed=true]');
  await chosen.waitFor();
  expect(await chosen.locator('.pin-label').textContent()).toBe('X2.1');
  const scale = Number(parameters(page).get('imageScale'));
  const view = await boxOf(page);
  // The panel may have closed or opened since.
  expect(scale * Math.min(view.width, view.height)).toBeGreaterThan(200);
  expect(scale).toBeLessThan(2.5);
  const pin = (await chosen.boundingBox())!;
  const [dx, dy] = [pin.x + pin.width / 2 - view.x - view.width / 2, pin.y + pin.height / 2 - view.y - view.height / 2];
  expect([Math.abs(dx - 28), Math.abs(dy + 28)].every((off) => off < 12)).toBe(true);
});

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])('events show the details of a pin in the viewport of a %s, with measured values in its language', async (_, options) => {
  page = await pages.open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1],[FI,all,1]&lang=de`, options);
  await (options === PHONE ? page.tap : page.click).call(page, 'button.pin-FL');
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

it('events show one pin for the reports of an event by several methods, each of which can be left out', async () => {
  page = await pages.open(`${AT_SEVEN}&eventLayers=[AR,all,1]`);
  const pins = () => page.locator('button.pin-AR').count();
  await page.waitForSelector('button.pin-AR');
  await page.waitForSelector('.outline', { state: 'attached' });
  const both = await pins();
  await openTool(page, 'events');
  const listed = () => page.locator('#event-list > li').count();
  await expect.poll(listed).toBeGreaterThan(both);
  await page.click('button.pin-AR[title$="and 1 more report"] >> nth=0');
  await page.click('[aria-labelledby=other-reports] button');
  await expect.poll(() => page.textContent('.details dl')).toMatch(/Mm²/);
  await page.click('.methods label:has-text("SPoCA")');
  await expect.poll(() => parameters(page).get('eventLayers')).toBe('[AR,NOAA_SWPC_Observer,1]');
  await expect.poll(() => page.locator('.outline').count()).toBe(0);
  await page.click('.methods label:has-text("SPoCA")');
  await expect.poll(() => parameters(page).get('eventLayers')).toBe('[AR,all,1]');
  await expect.poll(pins).toBe(both);
});

it('events leave the picture to drags and to the wheel that begin on a pin, and open by a click that moves a little', async () => {
  page = await pages.open(`${AT_SEVEN}&eventLayers=[FL,all,1]`);
  const pin = page.locator('button.pin-FL');
  await pin.waitFor();
  const place = () => middle(pin);
  const before = await place();
  await drag(page, [before.x, before.y], [before.x - 60, before.y + 40]);
  await expect.poll(async () => Math.abs((await place()).x - (before.x - 60))).toBeLessThan(8);
  expect(await page.$('aside.panel')).toBeNull();
  const at = await place();
  const scale = () => Number(parameters(page).get('imageScale'));
  await expect.poll(scale).toBeGreaterThan(0);
  const far = scale();
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, -300);
  await expect.poll(scale).toBeLessThan(far);
  // The touch that begins here does not end on the picture, as when its pin leaves the page.
  await pin.dispatchEvent('pointerdown', { bubbles: true, isPrimary: true, pointerId: 77, pointerType: 'touch', button: 0 });
  const { x, y } = await place();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 2, y);
  await page.mouse.up();
  await page.waitForSelector('.details');
});

it('events leave the picture to a pinch that begins on a pin', async () => {
  page = await pages.open(`${AT_SEVEN}&eventLayers=[FL,all,1]&centerX=0&centerY=0&imageScale=8`, PHONE);
  const pin = page.locator('button.pin-FL');
  await pin.waitFor();
  const on = await middle(pin);
  await touch(page, ...[60, 70, 90, 120].map((apart) => [on, { x: on.x, y: on.y + apart }]));
  // The fingers are twice as far apart.
  await expect.poll(() => Number(parameters(page).get('imageScale'))).toBeCloseTo(4, 1);
  expect(await page.$('aside.panel')).toBeNull();
});
