// Small things that people expect of the page: what fits on a screen, what leads where, and what a pointer means.
import { readFile } from 'node:fs/promises';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
import { retry } from '../../src/platform/util/retry.ts';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { inEveryPanel, openTool } from '../support/explorer/acts.ts';
import { axeViolations, boxOf, parameters, settled, timelineRange } from '../support/explorer/looks.ts';
import { AT_SEVEN, DESKTOP, LARGE, LOW, PATIENCE, PHONE } from '../support/explorer/views.ts';

/** Rules of axe that are not on by default. */
const SIZES: RunOptions = { runOnly: { type: 'rule', values: ['target-size'] } };

const { served, pages } = sharedPages('seven');
let page: Page;

describe('the timeline', () => {
  it('keeps the time below the pointer while the wheel changes its range', async () => {
    page = await pages.open(AT_SEVEN, LARGE);
    await page.waitForSelector('.timeline-rows');
    const { x, y, width, height } = await boxOf(page, '.timeline-body');
    const part = 0.8;
    const below = async () => {
      const [from, to] = await timelineRange(page);
      return from + part * (to - from);
    };
    const before = await below();
    await page.mouse.move(x + part * width, y + height / 2);
    for (const turn of [-100, -100, 100]) {
      const [from, to] = await timelineRange(page);
      await page.mouse.wheel(0, turn);
      await expect.poll(async () => (await timelineRange(page)).join()).not.toBe([from, to].join());
      expect(Math.abs((await below()) - before)).toBeLessThan(2 * MINUTE_MS);
    }
    expect(parameters(page).get('date')).toBe('2024-05-10T07:00:00Z');
  });

  it.each([
    ['a phone on its side', LOW],
    ['a page at 200 %', { viewport: { width: 720, height: 450 } }],
  ])('keeps its own place beside the time control on %s, within the screen, also while it is read out', async (_, options) => {
    page = await pages.open(AT_SEVEN, options);
    await page.waitForSelector('.timeline-rows');
    const body = await boxOf(page, '.timeline-body');
    await page.mouse.move(body.x + body.width / 3, body.y + body.height / 2);
    await page.waitForSelector('.timeline-readout');
    const field = await boxOf(page, '#date');
    for (const selector of ['.timeline-body', '.playhead', '.timeline-readout']) {
      const box = await boxOf(page, selector);
      expect([selector, box.y >= field.y + field.height || box.y + box.height <= field.y]).toEqual([selector, true]);
      expect([selector, box.y + box.height <= options.viewport.height]).toEqual([selector, true]);
    }
  });

  it('explains the curve of the X-ray flux only where it draws it', async () => {
    for (const [options, count] of [
      [LARGE, 1],
      [PHONE, 0],
    ] as const) {
      page = await pages.open(AT_SEVEN, options);
      await page.waitForSelector('.flux', { state: 'attached' });
      await page.click('#timeline-legend');
      await page.waitForSelector('.timeline-legend');
      expect(await page.locator('.timeline-legend li:visible:has-text("GOES")').count()).toBe(count);
    }
  });
});

it('the page keeps the tools free of the hint of the time field on a phone', async () => {
  page = await pages.open(AT_SEVEN, PHONE);
  await page.fill('#date', '-3h');
  await expect.poll(() => page.textContent('#date-understood')).toMatch('Understood');
  const [hint, rail] = [await boxOf(page, '#date-understood'), await boxOf(page, '.rail')];
  expect(hint.y + hint.height).toBeLessThanOrEqual(rail.y);
});

it('the page offers the full screen where the browser has it, and not on an iPhone', async () => {
  page = await pages.open(AT_SEVEN);
  const button = page.locator('.bar button:has-text("Full screen")');
  expect(await button.count()).toBe(1);
  const phone = await served.browser.newPage(PHONE);
  await phone.addInitScript(`Object.defineProperty(Document.prototype, 'fullscreenEnabled', { value: undefined })`);
  await phone.goto(served.service.url + AT_SEVEN);
  await phone.waitForSelector('#help', PATIENCE);
  expect(await phone.locator('.bar button:has-text("Full screen")').count()).toBe(0);
  await phone.close();
});

it('the page opens the page of a movie that a link of helioviewer.org names', async () => {
  page = await pages.empty();
  await page.route('**/movie/*', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>a movie</h1>' }));
  await page.goto(`${served.service.url}/?movieId=VXvX5`);
  await page.waitForURL(`${served.service.url}/movie/VXvX5`);
});

it('the page measures a map of distance and time on the coronagraph around the disk', async () => {
  page = await pages.openTool('measure', '/?date=2024-05-10T07:00:00Z&imageLayers=[13,1,100],[4,1,100]');
  await page.selectOption('#task', 'path');
  await expect.poll(() => page.textContent('#measured-layer option:checked')).toBe('LASCO C2');
  await page.selectOption('#task', 'region');
  await expect.poll(() => page.textContent('#measured-layer option:checked')).toBe('AIA 304');
});

it('the page shows the result of a measurement without scrolling', async () => {
  page = await pages.openTool('measure', AT_SEVEN, DESKTOP);
  await page.selectOption('#task', 'region');
  await page.click('text=Place it in the middle');
  await page.click('#measure');
  await page.waitForSelector('.result[data-state=finished]');
  const [result, panel] = [await boxOf(page, '.result'), await boxOf(page, '.panel-body')];
  expect(result.y).toBeLessThan(panel.y + panel.height / 2);
});

it('the page offers the shown image as a FITS file, by its values or its bytes', async () => {
  // The browser logs that the response about a law is 422.
  const allowing = await served.browser.newContext(LARGE);
  for (const [source, raw] of Object.entries({ 4: 'true', 10: null })) {
    page = await allowing.newPage();
    await page.goto(`${served.service.url}/?date=2024-05-10T07:00:00Z&imageLayers=[${source},1,100]`);
    await settled(page);
    await openTool(page, 'data');
    const link = page.locator('.links a:has-text("FITS file")');
    const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), link.click(PATIENCE)]);
    expect(new URL(download.url()).searchParams.get('raw')).toBe(raw);
    const bytes = await readFile((await download.path())!);
    expect(new TextDecoder().decode(bytes.subarray(0, 30))).toMatch(/^SIMPLE {2}= +T/);
  }
  await allowing.close();
});

it.each([
  ['light', LARGE],
  ['light', PHONE],
  ['dark', LOW],
] as const)('the page keeps targets of 24 pixels beside the pins in every panel, %s', async (colorScheme, options) => {
  page = await pages.open('/?date=2024-05-10T07:00:00Z&imageLayers=[13,1,100],[4,1,100]', { ...options, colorScheme });
  await inEveryPanel(page, () => axeViolations(page, SIZES));
});

it('the page keeps the time of the newest image in the status on a phone', async () => {
  page = await pages.empty(PHONE);
  const cell = 'td:has-text("2024-05-10 07:20"):visible';
  // A status that was read before the images were there is shown for half a minute.
  const shown = () => page.goto(`${served.service.url}/status`).then(() => page.waitForSelector(cell, { timeout: 1_000 }));
  await retry(shown, { forMs: MINUTE_MS, firstMs: 1_000, longestMs: 4_000 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
});
