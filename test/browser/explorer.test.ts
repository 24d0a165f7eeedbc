import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { HOUR_MS } from '../../src/platform/util/durations.ts';
import { archivePages } from '../support/browser/explorer-pages.ts';
import { ask } from '../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, parameters, settled } from '../support/explorer/looks.ts';
import { PHONE } from '../support/explorer/views.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { WITHOUT_MOVIES } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const SHOTS = [
  ...seriesShots({ sources: [10], fromMs: NOON, toMs: NOON + 2 * HOUR_MS, cadenceMs: HOUR_MS, size: 512 }),
  ...seriesShots({ sources: [13, 4], fromMs: NOON, toMs: NOON, cadenceMs: HOUR_MS, size: 256 }),
];

const { served, pages } = archivePages(SHOTS, WITHOUT_MOVIES);
let page: Page;

const caption = () => page.textContent('#caption');

/** The middle of the picture, or what is beside it by some pixels. */
const picture = async (right = 0) =>
  readPng(await page.screenshot({ clip: { x: 440 + right, y: 220, width: 300, height: 200 } })).rgba;
/** The largest difference of two pictures in a channel. */
const furthest = (a: Uint8Array, b: Uint8Array) => a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

it('the explorer shows the newest image of AIA 171, the whole Sun in the middle', async () => {
  page = await pages.open();
  await expect.poll(() => caption()).toMatch(/AIA 171 2024-05-10 14:00:\d\d UTC/);
  await expect.poll(() => page.inputValue('#date')).toMatch(/^2024-05-10 14:00:\d\d UTC$/);
  await expect.poll(() => page.title()).toMatch(/^AIA 171 · 2024-05-10 14:00:\d\d UTC/);
  await expect.poll(() => page.textContent('.synthetic')).toBe('synthetic sample data');
  const box = await boxOf(page);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  /** Mean of the colour channels, 0 to 255, of a square of 8 pixels around a point of the screen. */
  const brightness = async (left: number, top: number) => {
    const { rgba } = readPng(await page.screenshot({ clip: { x: left - 4, y: top - 4, width: 8, height: 8 } }));
    return rgba.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / (3 * 64);
  };
  // The disk takes 0.39 of the picture from the centre to the limb, and the picture all of the height.
  for (const part of [-0.3, 0.3]) expect(await brightness(x + part * box.height, y)).toBeGreaterThan(25);
  expect(await brightness(box.x + box.width / 4 - 60, box.y + 30)).toBeLessThan(8);
});

it('the explorer steps to the previous and the next image until there are none', async () => {
  page = await pages.open();
  await expect.poll(() => page.isEnabled('#previous')).toBe(true);
  await expect.poll(() => page.isDisabled('#next')).toBe(true);
  await page.evaluate('for (let i = 0; i < 2; i += 1) document.getElementById("previous").click()');
  await captioned(page, '2024-05-10 12:00:');
  await expect.poll(() => page.isDisabled('#previous')).toBe(true);
  await page.click('#next');
  await captioned(page, '2024-05-10 13:00:');
  expect(parameters(page).get('date')).toMatch(/^2024-05-10T13:00:\d\dZ$/);
});

it('the explorer restores place, zoom, layers and overlays from its address in another browser', async () => {
  page = await pages.open('/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100],[13,1,40]');
  await page.click('[aria-label="Zoom in"]');
  await page.focus('#view');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => Number(parameters(page).get('centerX'))).toBeGreaterThan(0);
  const address = page.url();
  await settled(page);
  const before = await picture();
  await page.close();
  page = await pages.open(address.slice(served.service.url.length));
  expect(page.url()).toBe(address);
  await settled(page);
  await expect.poll(async () => furthest(before, await picture())).toBeLessThanOrEqual(1);
});

it('the explorer loads coarser tiles when zooming out, and keeps the finer ones for the way back', async () => {
  page = await pages.open();
  const before = await picture();
  const scales: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.includes('getTile')) scales.push(searchParams.get('imageScale'));
  });
  await page.click('[aria-label="Zoom out"]');
  await expect.poll(() => new Set(scales)).toEqual(new Set(['9.681764']));
  await settled(page);
  await page.focus('#view');
  await page.keyboard.press('+');
  await expect.poll(async () => furthest(before, await picture())).toBeLessThanOrEqual(1);
  // The finer ones are still there.
  expect(new Set(scales)).toEqual(new Set(['9.681764']));
});

it('the explorer says how it reads a time before it is shown, relative to the shown image or as the newest, and what is wrong with it', async () => {
  page = await pages.open();
  await page.fill('#date', '-1h');
  await expect.poll(() => page.textContent('#date-understood')).toMatch(/^Understood: 2024-05-10 13:00:\d\d UTC$/);
  await page.press('#date', 'Enter');
  await captioned(page, '2024-05-10 13:00:');
  await page.fill('#date', 'yesterday 06:00');
  await expect.poll(() => page.textContent('#date-understood')).toMatch(/ 06:00:00 UTC$/);
  await page.fill('#date', 'now');
  await expect.poll(() => page.textContent('#date-understood')).toBe('Understood: Newest');
  await page.press('#date', 'Enter');
  await captioned(page, '2024-05-10 14:00:');
  expect(parameters(page).has('date')).toBe(false);
  const before = page.url();
  await ask(page, '31 February 2024');
  await expect.poll(() => page.textContent('#date-error')).toMatch(/31 February 2024.*is not a time/);
  expect(page.url()).toBe(before);
});

it('the explorer shows a calendar that marks days with images, and the same time of another day', async () => {
  page = await pages.open('/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]', PHONE);
  await page.click('.time-row [aria-label=Calendar]');
  await page.waitForSelector('.calendar [data-images=true]');
  const marked = () => page.$$eval('.calendar [data-images=true] .unseen', (days) => days.map((day) => day.textContent));
  await expect.poll(marked).toEqual(['2024-05-10, 3 images']);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.click('.month [aria-label="Previous month"]');
  await expect.poll(() => page.textContent('.month strong')).toBe('April 2024');
  await expect.poll(() => page.textContent('.calendar button:last-child .unseen')).toBe('2024-04-30, no images');
  await page.click('.month [aria-label="Next month"]');
  await page.click('.calendar button >> nth=8');
  await expect.poll(() => parameters(page).get('date')).toBe('2024-05-09T12:00:00Z');
  await expect.poll(() => page.$('dialog')).toBeNull();
});

it('the explorer shows all of the time on screens of 320 to 390 pixels', async () => {
  page = await pages.open('/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]', PHONE);
  const cut = () =>
    page.$$eval('.time-row *, .other-time', (all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && !one.matches('.unseen, .label, svg *, .unseen *, option'))
        .map((one) => one.id || one.className),
    );
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 740 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await expect.poll(cut).toEqual([]);
  }
});

it('the explorer states the distance of a far image, and offers the newest', async () => {
  page = await pages.open('/?date=2010-05-10T12:00:00Z&imageLayers=[10,1,100]');
  await expect.poll(() => caption()).toMatch(/AIA 171 2024-05-10 12:00:\d\d UTC 14 y/);
  await expect.poll(() => page.textContent('.notices')).toMatch(/Nearest AIA 171 image: 14 y .* later than the requested time/);
  await page.click('.notices button');
  await captioned(page, '2024-05-10 14:00:');
  expect(parameters(page).has('date')).toBe(false);
  await expect.poll(() => page.textContent('.notices')).toBe('');
});

it('the explorer warns of a distance above the cadence of the source', async () => {
  page = await pages.open('/?date=2024-05-10T14:50:00Z&imageLayers=[10,1,100]');
  const distance = () => page.getAttribute('#caption .distance', 'class');
  await expect.poll(distance).toBe('distance near');
  await ask(page, '2024-05-10 15:20');
  await expect.poll(distance).toBe('distance off');
});

it.each([
  ['/?sourceId=99999', /There is no source “99999”, so AIA 171 is shown\..*Choose layers/],
  ['/?sourceId=2000', /Source 2000 is SUVI 94 .*This archive has no images of SUVI 94, so AIA 171 is shown/],
  ['/?eventLayers=[ZZ,all,1]', /“ZZ” is not a type of events.*Choose events/],
  ['/?loadState=unknown', /shared view “unknown…” does not exist/],
])('the explorer says how it reads %s', async (path, sentence) => {
  page = await pages.open(path);
  await expect.poll(() => caption()).toMatch('AIA 171');
  await expect.poll(() => page.textContent('.notices')).toMatch(sentence);
});

it('the explorer keeps most of the picture of a phone visible below several notices', async () => {
  page = await pages.open('/?date=soon&imageLayers=[10,1,abc,1,x],[99999,1,100]&centerX=5&eventLayers=[ZZ,all,1]', PHONE);
  await expect.poll(() => page.locator('.notice').count()).toBe(6);
  const [notices, view] = [await page.locator('.notices').boundingBox(), await page.locator('#view').boundingBox()];
  expect(notices!.height).toBeLessThan(view!.height / 2);
  await page.click('.notice:last-child button');
  await page.waitForSelector('aside.panel');
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('the explorer names a layer without images beside others, and removes it', async () => {
  page = await pages.open('/?imageLayers=[88,1,100],[10,1,100]');
  await expect.poll(() => page.textContent('.notices')).toMatch(/SUVI 94 has no images\./);
  await page.click('.notices >> text=Remove SUVI 94');
  await expect.poll(() => parameters(page).get('imageLayers')).toBe('[10,1,100]');
  await expect.poll(() => page.textContent('.notices')).toBe('');
});

it('the explorer stays usable with all layers hidden', async () => {
  page = await pages.openTool('layers', '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]');
  await page.click('[aria-label="Hide AIA 171"]');
  await expect.poll(() => parameters(page).get('imageLayers')).toBe('[10,0,100]');
  await page.getByText('All layers are hidden.').waitFor();
  await page.click('[aria-label="Show AIA 171"]');
  await captioned(page, 'AIA 171 2024-05-10 12:00:');
  expect(parameters(page).has('centerX')).toBe(false);
});

it('the explorer understands links of its earlier versions, with the view in the fragment', async () => {
  page = await pages.open('/#sourceId=13&date=2024-05-10T12:00:00Z');
  await captioned(page, 'AIA 304');
  expect(parameters(page).get('imageLayers')).toBe('[13,1,100]');
});

it('the explorer opens a shared view of the web client', async () => {
  const view = { date: NOON, centerX: 0, centerY: 0, imageScale: 2.4, imageLayers: [{ sourceId: 13 }] };
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(view) };
  const saved = await fetch(`${served.service.url}/v2/saveWebClientState/`, init);
  const { data } = (await saved.json()) as { data: string };
  page = await pages.open(`/load/${data}`);
  await captioned(page, 'AIA 304');
  expect(parameters(page).get('imageScale')).toBe('2.4');
});

it('the explorer fits a phone without scrolling, with large targets and the picture in most of the height', async () => {
  page = await pages.open('/?sourceId=10&date=2024-05-10T13:00:00Z', PHONE);
  await expect.poll(() => caption()).toMatch('2024-05-10 13:00:');
  await expect
    .poll(() => page.evaluate('[document.documentElement.scrollWidth, document.documentElement.scrollHeight]'))
    .toEqual([390, 844]);
  const small = await page.$$eval('button, select, input', (all) =>
    all.map((one) => one.getBoundingClientRect()).filter(({ width, height }) => Math.min(width, height) < 44),
  );
  expect(small).toEqual([]);
  expect((await boxOf(page)).height).toBeGreaterThan(0.6 * 844);
});

it('the explorer shows the progress of a sample archive until it is complete', async () => {
  const token = (await readFile(join(served.stateDir, 'admin-token'), 'utf8')).trim();
  const report = (init: RequestInit) =>
    fetch(`${served.service.url}/admin/sample`, { ...init, headers: { Authorization: `Bearer ${token}` } });
  expect((await report({ method: 'PUT', body: '{"done": 123, "total": 404}' })).status).toBe(200);
  // The answer to an earlier page is cached for five seconds.
  const health = async () => (await fetch(`${served.service.url}/health`)).text();
  await expect.poll(health).toContain('"done":123');
  page = await pages.open();
  await expect.poll(() => page.textContent('#sample')).toBe('Sample archive: 123 of 404 images so far');
  await page.setViewportSize(PHONE.viewport);
  const short = `getComputedStyle(document.querySelector('#sample'), '::after').content`;
  await expect.poll(() => page.evaluate(short)).toMatch(/^"123 \/ 404"/);
  expect((await report({ method: 'DELETE' })).status).toBe(200);
  await expect.poll(() => page.isHidden('#sample')).toBe(true);
});

it('files of the explorer carry their content types and the policy of the page', async () => {
  const page = await (await fetch(`${served.service.url}/`)).text();
  const paths = [...page.matchAll(/(?:src|href)="(\/explorer\/app\/[^"]+)"/g)].map((match) => match[1]!);
  expect(paths.length).toBeGreaterThan(1);
  for (const path of ['/explorer/icon.svg', '/favicon.ico', ...paths]) {
    const { ok, headers } = await fetch(served.service.url + path);
    expect([path, ok]).toEqual([path, true]);
    expect(headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  }
  // Shown three times while the page starts.
  expect((await fetch(`${served.service.url}/explorer/icon.svg`)).headers.get('Cache-Control')).toBe('public, max-age=86400');
});
