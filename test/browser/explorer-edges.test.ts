// The narrowest phones in every language, and sources that are groups of others.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { LANGUAGES } from '../../src/explorer/texts/languages.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { archivePages } from '../support/browser/explorer-pages.ts';
import { inEveryDialog, inEveryPanel } from '../support/explorer/acts.ts';
import { axeViolations, overlaps } from '../support/explorer/looks.ts';
import { PHONE } from '../support/explorer/views.ts';
import { WITHOUT_MOVIES } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** Al_poly/Open and Be_thin/Open of XRT, of the group of any filters. */
const [XRT_POLY, XRT_THIN, XRT_ANY] = [48, 60, 10001];

const times = { fromMs: NOON - HOUR_MS, toMs: NOON, cadenceMs: HOUR_MS / 4, size: 256 };
const { served, pages } = archivePages(
  [
    ...seriesShots({ sources: [10, XRT_POLY], ...times }),
    ...seriesShots({ sources: [XRT_THIN], ...times, toMs: NOON - HOUR_MS / 2 }),
  ],
  WITHOUT_MOVIES,
);
let page: Page;

/** Buttons, labels and choices that are cut off or outside of the screen. */
const cutOff = `(() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
    const cut = seen('.rail .label, .time-row button, .panel button, .panel h2, .panel h3, .panel .field, dialog h2, dialog button')
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline');
    const pen = document.createElement('canvas').getContext('2d');
    const chosen = seen('.time-row select, .fields select').filter((one) => {
      pen.font = getComputedStyle(one).font;
      return one.clientWidth > 0 && pen.measureText(one.selectedOptions[0].text).width > one.clientWidth - 14;
    });
    const outside = seen('.rail button, .time-row > *, .panel button, .panel select, .panel input, dialog button, dialog select')
      .filter((one) => one.getBoundingClientRect().left < -1 || one.getBoundingClientRect().right > innerWidth + 1);
    return [...cut, ...chosen, ...outside].map((one) => one.id + ' ' + one.textContent);
  })()`;
const defects = async () => [
  ...(await overlaps(page, [
    ['.bar .brand', '.bar button'],
    ['.zoom button', '.caption p', '.synthetic', '.scale-bar'],
    ['.rail .label'],
    ['.time-row button', '.time-row select', '.time-row input'],
  ])),
  ...(await page.evaluate<string[]>(cutOff)),
];

it.each(Object.keys(LANGUAGES))('a screen of 320 pixels shows every part of the page in full, in %s', async (language) => {
  const path = `/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]&earth=true&grid=true&lang=${language}`;
  page = await pages.open(path, { ...PHONE, viewport: { width: 320, height: 640 } });
  await page.waitForSelector('.timeline-rows');
  await expect.poll(defects).toEqual([]);
  await inEveryPanel(page, defects);
  await page.click('#tool-data');
  await inEveryDialog(page, defects);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});

it('a group of sources lists the images of the source that the shown image belongs to', async () => {
  page = await pages.openTool('data', `/?date=2024-05-10T12:00:00Z&imageLayers=[${XRT_ANY},1,100]`);
  await expect
    .poll(() => page.textContent('.panel'))
    .toContain('Listed are the images of XRT Al_poly/Open, the source of the shown image.');
  await expect.poll(() => page.locator('.times li').count()).toBe(5);
  const list = await fetch(served.service.url + (await page.getAttribute('a[href*="format=csv"]', 'href')));
  expect([list.status, (await list.text()).trim().split('\n').length]).toEqual([200, 6]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});
