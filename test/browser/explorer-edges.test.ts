// The narrowest phones in every language, and sources that are groups of others.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { HOUR_MS } from '../../src/util/durations.ts';
import { LANGUAGES } from '../../src/web/explorer/texts/languages.ts';
import { explorerPages } from '../support/browser/explorer-pages.ts';
import { servedBrowser } from '../support/browser/served-browser.ts';
import { axeViolations, openTool, PATIENCE, PHONE } from '../support/explorer.ts';
import { serveArchive } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** Al_poly/Open and Be_thin/Open of XRT, of the group of any filters. */
const [XRT_POLY, XRT_THIN, XRT_ANY] = [48, 60, 10001];

const times = { fromMs: NOON - HOUR_MS, toMs: NOON, cadenceMs: HOUR_MS / 4, size: 256 };
const served = servedBrowser(() =>
  serveArchive([
    ...seriesShots({ sources: [10, XRT_POLY], ...times }),
    ...seriesShots({ sources: [XRT_THIN], ...times, toMs: NOON - HOUR_MS / 2 }),
  ]),
);
const pages = explorerPages(served);
let page: Page;

describe('a screen of 320 pixels', () => {
  /** What lies over each other, and buttons and labels that are cut off. */
  const defects = `(() => {
    const boxes = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0)
      .map((element) => ({ name: selector + ' ' + (element.id || element.textContent.trim()), ...element.getBoundingClientRect().toJSON() }));
    const pairs = (all) => all.flatMap((a, i) => all.slice(i + 1)
      .filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
      .map((b) => a.name + ' over ' + b.name));
    const all = (...selectors) => pairs(selectors.flatMap(boxes));
    const cut = [...document.querySelectorAll('.rail .label, .time-row button, .panel button, .panel h2, .panel h3, .panel .field, dialog h2, dialog button')]
      .filter((one) => one.getClientRects().length > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map((one) => 'cut: ' + one.textContent);
    const pen = document.createElement('canvas').getContext('2d');
    const chosen = [...document.querySelectorAll('.time-row select, .fields select')].filter((one) => {
      pen.font = getComputedStyle(one).font;
      return one.clientWidth > 0 && pen.measureText(one.selectedOptions[0].text).width > one.clientWidth - 14;
    }).map((one) => 'cut: ' + one.selectedOptions[0].text);
    const outside = boxes('.rail button, .time-row > *, .panel button, .panel select, .panel input, dialog button, dialog select')
      .filter(({ left, right }) => left < -1 || right > innerWidth + 1).map(({ name }) => 'outside: ' + name);
    return [
      ...all('.bar .brand', '.bar button'), ...all('.zoom button', '.caption p', '.synthetic', '.scale-bar'),
      ...all('.rail .label'), ...all('.time-row button', '.time-row select', '.time-row input'), ...cut, ...chosen, ...outside,
    ];
  })()`;

  it.each(Object.keys(LANGUAGES))('shows every part of the page in full, in %s', async (language) => {
    const path = `/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]&earth=true&grid=true&lang=${language}`;
    page = await pages.open(path, { ...PHONE, viewport: { width: 320, height: 640 } });
    await page.waitForSelector('.timeline-rows', PATIENCE);
    await expect.poll(() => page.evaluate(defects)).toEqual([]);
    for (const name of ['presets', 'layers', 'events', 'measure', 'make', 'data']) {
      await openTool(page, name);
      await expect.poll(async () => [name, await page.evaluate(defects)]).toEqual([name, []]);
    }
    await page.click('#tool-data');
    for (const name of ['seeing', 'share', 'help']) {
      await page.click(`#${name}`);
      await page.waitForSelector('dialog .dialog > :nth-child(2):not(.quiet)', PATIENCE);
      await expect.poll(async () => [name, await page.evaluate(defects)]).toEqual([name, []]);
      await page.click('dialog .panel-head button');
    }
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});

describe('a group of sources', () => {
  it('lists the images of the source that the shown image belongs to', async () => {
    page = await pages.open(`/?date=2024-05-10T12:00:00Z&imageLayers=[${XRT_ANY},1,100]`);
    await openTool(page, 'data');
    await expect
      .poll(() => page.textContent('.panel'))
      .toContain('Listed are the images of XRT Al_poly/Open, the source of the shown image.');
    await expect.poll(() => page.locator('.times li').count()).toBe(5);
    const list = await fetch(served.service.url + (await page.getAttribute('a[href*="format=csv"]', 'href')));
    expect([list.status, (await list.text()).trim().split('\n').length]).toEqual([200, 6]);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });
});
