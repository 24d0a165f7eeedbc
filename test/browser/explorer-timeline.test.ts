import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { axeViolations, boxOf, parameters, timelineRange } from '../support/explorer/looks.ts';
import { AT_SEVEN, PHONE } from '../support/explorer/views.ts';

/** At the peak of the strongest flare of the sample's day. */
const SEVEN = Date.UTC(2024, 4, 10, 7);

let page: Page;

const { pages } = sharedPages('seven');

async function open(path = AT_SEVEN, options?: BrowserContextOptions): Promise<void> {
  page = await pages.open(path, options);
  await page.waitForSelector('.timeline-rows .marker', { state: 'attached' });
}

const valueText = () => page.getAttribute('.timeline-body', 'aria-valuetext');
const readout = () => page.textContent('.timeline-readout');

/** A point of the timeline at a time, by the range that it states. */
async function pointAt(atMs: number): Promise<[x: number, y: number]> {
  const box = await boxOf(page, '.timeline-body');
  const [from, to] = await timelineRange(page);
  return [box.x + ((atMs - from) / (to - from)) * box.width, box.y + box.height / 2];
}

const X_FLARE = /Flare X2\.1, peak 06:\d\d, 06:\d\d to 0\d:\d\d/;

it('the timeline reads out events and images under the pointer alone, and explains its signs in a legend, which Escape closes', async () => {
  await open();
  await page.mouse.move(...(await pointAt(SEVEN - 5 * MINUTE_MS)));
  await expect.poll(readout).toMatch(/^2024-05-10 06:5\d:\d\d UTC/);
  await expect.poll(readout).toMatch(X_FLARE);
  await expect.poll(readout).toMatch(/AIA 171: \d images? in 15 min/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.mouse.move(...(await pointAt(SEVEN - 180 * MINUTE_MS)));
  await expect.poll(readout).toMatch(/AIA 171: no images/);
  await page.mouse.move(10, 10);
  await page.waitForSelector('.timeline-readout', { state: 'detached' });
  await page.click('#timeline-legend');
  await expect.poll(() => page.textContent('.timeline-legend')).toMatch(/X-ray flux of GOES.*Flare.*Images of AIA 171.*Hatched/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.waitForSelector('.timeline-legend', { state: 'detached' });
  await expect.poll(() => page.getAttribute('#timeline-legend', 'aria-expanded')).toBe('false');
});

it('the timeline stays where a touch has ended without a pointer that is lifted', async () => {
  await open();
  const range = await timelineRange(page);
  await page.evaluate(`for (const [type, clientX] of [['down', 500], ['cancel', 500], ['move', 700]])
    document.querySelector('.timeline-body').dispatchEvent(new PointerEvent('pointer' + type, { clientX, pointerId: 1, bubbles: true }))`);
  await expect.poll(readout).toContain('UTC');
  expect(await timelineRange(page)).toEqual(range);
});

it('the timeline tells the same by keys, which lead from event to event', async () => {
  await open('/?date=2024-05-10T05:30:00Z&imageLayers=[10,1,100]');
  await page.focus('.timeline-body');
  const [from, to] = await timelineRange(page);
  // Quick presses add up.
  await page.evaluate(`for (let i = 0; i < 2; i += 1)
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))`);
  const nextMs = Date.UTC(2024, 4, 10, 5, 30) + (to - from) / 24;
  await expect.poll(() => Date.parse(parameters(page).get('date')!)).toBe(nextMs);
  for (let step = 0; step < 12 && !/X2\.1/.test((await valueText())!); step += 1) {
    const before = parameters(page).get('date');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => parameters(page).get('date')).not.toBe(before);
  }
  await expect.poll(valueText).toMatch(X_FLARE);
  await expect.poll(readout).toMatch(X_FLARE);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect.poll(valueText).not.toMatch(X_FLARE);
  await page.keyboard.press('Tab');
  await page.waitForSelector('.timeline-readout', { state: 'detached' });
});

it('the timeline draws the X-ray flux of some days over the classes A to X, with the flares as marks, and reads it out', async () => {
  await open();
  await page.waitForSelector('.flux', { state: 'attached' });
  await expect.poll(() => page.textContent('.timeline-flux')).toMatch(/^ABCMXX2\.1/);
  const [mark, curve, axis] = await Promise.all(
    ['.flare-label', '.flux', '.timeline-flux svg'].map(
      async (selector) => (await page.locator(selector).first().boundingBox())!,
    ),
  );
  // X2.1 is between the lines of X1 and X10, and the curve reaches it.
  expect(mark!.y + mark!.height / 2).toBeGreaterThan(axis!.y);
  expect(mark!.y + mark!.height / 2).toBeLessThan(axis!.y + axis!.height / 5);
  expect(Math.abs(mark!.y + mark!.height / 2 - curve!.y)).toBeLessThan(5);
  await page.mouse.move(...(await pointAt(SEVEN - 5 * MINUTE_MS)));
  await expect.poll(readout).toMatch(/X-ray flux [MX]\d\.\d \(\d(?:\.\d)? × 10⁻[⁴⁵] W\/m²\)/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  // Neither in a range of a month, nor where there is no room.
  await page.focus('.timeline-body');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('-');
  await expect.poll(valueText).toMatch(/30 d shown/);
  await page.waitForSelector('.timeline-flux', { state: 'detached' });
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('+');
  await page.waitForSelector('.timeline-flux');
  await page.setViewportSize({ width: 844, height: 390 });
  await page.waitForSelector('.timeline-flux', { state: 'hidden' });
});

it('the timeline says when the X-ray flux cannot be had, and shows the rest', async () => {
  page = await pages.empty();
  await page.route('**/v2/getXrayFlux/*', (route) =>
    route.fulfill({ json: { startTime: '2024-05-10T00:00:00Z', binSeconds: 60, peaks: [null], missingDays: ['2024-05-10'] } }),
  );
  await pages.open();
  await expect
    .poll(() => page.textContent('.timeline-failure p'))
    .toMatch(/^The X-ray flux of this range could not be loaded\. The source of the X-ray flux does not respond\./);
  await page.waitForSelector('.timeline-rows .marker', { state: 'attached' });
  await page.unroute('**/v2/getXrayFlux/*');
  await page.click('.timeline-failure button');
  await page.waitForSelector('.timeline-flux');
});

it('the timeline keeps the flares in a row of their own beside active regions', async () => {
  await open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1]`);
  await page.waitForSelector('.marker[data-pin=AR]', { state: 'attached' });
  const rowOf = async (pin: string) => {
    const boxes = await page.$$eval(`.marker[data-pin=${pin}] rect`, (rects) =>
      rects.map((rect) => [Number(rect.getAttribute('y')), Number(rect.getAttribute('y')) + Number(rect.getAttribute('height'))]),
    );
    return [Math.min(...boxes.map(([top]) => top!)), Math.max(...boxes.map(([, bottom]) => bottom!))];
  };
  const [regions, flares] = [await rowOf('AR'), await rowOf('FL')];
  expect(regions[1]! <= flares[0]! || flares[1]! <= regions[0]!).toBe(true);
});

it('the timeline shows the shown image where the counts of images lack it, and no gap where nothing has been counted', async () => {
  page = await pages.empty();
  await page.route('**/v2/getDataCoverage/?imageLayers=*', async (route) => {
    const response = await route.fetch();
    const series = (await response.json()) as { data: [number, number][] }[];
    return route.fulfill({ response, json: series.map((one) => ({ ...one, data: one.data.map(([at]) => [at, 0]) })) });
  });
  await pages.open();
  await page.waitForSelector('.timeline-rows .gap', { state: 'attached' });
  const drawn = await page.getAttribute('.timeline-rows .images', 'd');
  const [x, width] = /^M([\d.]+) [\d.]+h([\d.]+)v/.exec(drawn!)!.slice(1).map(Number);
  // The needle is in the middle.
  expect(x).toBeLessThanOrEqual(500.1);
  expect(x! + width!).toBeGreaterThanOrEqual(499.9);
});

it('the timeline reads out under a finger on a phone, until the timeline loses the focus', async () => {
  await open(AT_SEVEN, PHONE);
  await page.touchscreen.tap(...(await pointAt(SEVEN - 5 * MINUTE_MS)));
  await expect.poll(readout).toMatch(X_FLARE);
  const box = await boxOf(page, '.timeline-readout');
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(PHONE.viewport.width);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});
