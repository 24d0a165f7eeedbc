import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { planSeries } from '../../demo/archive.ts';
import { HOUR_MS } from '../../src/util/durations.ts';
import { launchChromium, type ServedArchive, serveArchive } from '../support/served-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const PATIENCE = { timeout: 10_000 };

let archive: ServedArchive;
let browser: Browser;
let page: Page;
/** Console errors and uncaught exceptions of the page. */
let troubles: string[];

beforeAll(async () => {
  const shots = [
    ...planSeries({ sources: [10], fromMs: NOON, toMs: NOON + 2 * HOUR_MS, cadenceMs: HOUR_MS, size: 512 }),
    ...planSeries({ sources: [13, 4], fromMs: NOON, toMs: NOON, cadenceMs: HOUR_MS, size: 256 }),
  ];
  archive = await serveArchive(shots);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await archive?.close();
});

async function openPage(options: Parameters<Browser['newPage']>[0] = { viewport: { width: 1280, height: 800 } }, hash = '') {
  page = await browser.newPage(options);
  troubles = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.goto(`${archive.service.url}/${hash}`);
  await shown('AIA 171');
}

/** Waits until the image of a source has loaded. */
async function shown(name: string) {
  await expect.poll(() => text('name'), PATIENCE).toBe(name);
  await page.waitForSelector('#view[data-loading=false]');
}

const text = (id: string) => page.textContent(`#${id}`);
const tileScales = async () =>
  new Set(
    await page.$$eval('#view img', (tiles) =>
      tiles.map((tile) => new URL(tile.getAttribute('src')!, 'http://x').searchParams.get('imageScale')),
    ),
  );

/** Mean brightness, 0 to 255, of a square of 8 pixels at a point of the screen. */
async function brightness(x: number, y: number): Promise<number> {
  const png = (await page.screenshot({ clip: { x: x - 4, y: y - 4, width: 8, height: 8 } })).toString('base64');
  const measure = `(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob());
    const context = Object.assign(document.createElement('canvas'), { width: 8, height: 8 }).getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, 8, 8);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum += data[i] + data[i + 1] + data[i + 2];
    return sum / (3 * 64);
  })()`;
  return judge.evaluate(measure) as Promise<number>;
}

/** Page that decodes screenshots, because the policy of the explorer forbids data URLs. */
let judge: Page;

describe('the explorer', () => {
  beforeEach(async () => {
    judge = await browser.newPage();
  });

  afterEach(async () => {
    expect(troubles).toEqual([]);
    await page.close();
    await judge.close();
  });

  it('shows the newest image of AIA 171, the whole Sun in the middle', async () => {
    await openPage();
    expect(await text('taken')).toMatch(/^2024-05-10 14:00:\d\d UTC$/);
    expect(await text('distance')).toBe('less than 1 s');
    expect(await text('image-scale')).toMatch(/^512 × 512, 4\.8\d″ per pixel$/);
    const box = (await page.locator('#view').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // The disk takes 0.39 of the picture from the centre to the limb, and the picture all of the height.
    const onDisk = await Promise.all([-0.3, 0.3].map((part) => brightness(x + part * box.height, y)));
    expect(Math.min(...onDisk)).toBeGreaterThan(25);
    expect(await brightness(box.x + 20, box.y + 20)).toBeLessThan(8);
  });

  it('steps to the previous and the next image until there are none', async () => {
    await openPage();
    await expect.poll(() => page.isEnabled('#previous'), PATIENCE).toBe(true);
    expect(await page.isDisabled('#next')).toBe(true);
    for (let clicks = 0; clicks < 2; clicks += 1) await page.click('#previous');
    await expect.poll(() => text('taken'), PATIENCE).toMatch('2024-05-10 12:00:');
    await expect.poll(() => page.isDisabled('#previous'), PATIENCE).toBe(true);
    await page.click('#next');
    await expect.poll(() => text('taken'), PATIENCE).toMatch('2024-05-10 13:00:');
    await shown('AIA 171');
    expect(await text('ids')).toMatch(/^10, \d+$/);
  });

  it('loads finer tiles when zooming in and coarser ones when zooming out', async () => {
    await openPage();
    expect(await tileScales()).toEqual(new Set(['4.840882']));
    for (let i = 0; i < 2; i += 1) await page.click('#zoom-out');
    await expect.poll(tileScales, PATIENCE).toEqual(new Set(['9.681764']));
    await page.focus('#view');
    await page.keyboard.press('+');
    await expect.poll(tileScales, PATIENCE).toEqual(new Set(['4.840882']));
    expect([await text('view-scale'), await text('tile-scale')]).toEqual(['6.88″ per pixel', '4.84″ per pixel']);
  });

  it('moves with the pointer', async () => {
    await openPage();
    const left = () => page.$eval('#view img', (tile) => tile.getBoundingClientRect().left);
    const before = await left();
    await page.mouse.move(500, 400);
    await page.mouse.down();
    await page.mouse.move(400, 400, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await left()) - before, PATIENCE).toBeCloseTo(-100, 0);
  });

  it('finds the image nearest to a time, and keeps the time for another source that covers it', async () => {
    await openPage();
    await page.fill('#date', '2024-05-10T12:10:00');
    await expect.poll(() => text('taken'), PATIENCE).toMatch('2024-05-10 12:00:');
    expect(await text('distance')).toMatch(/^9 min \d+ s earlier$/);
    await page.selectOption('#levels label:last-child select', '304');
    await shown('AIA 304');
    await page.selectOption('#levels label:first-child select', 'SOHO');
    await shown('LASCO C2');
    expect(await page.$$eval('#levels label', (labels) => labels.map((label) => label.firstChild!.textContent))).toEqual([
      'Observatory',
      'Instrument',
      'Detector',
      'Measurement',
    ]);
  });

  it('offers the file, its header and its record', async () => {
    await openPage();
    const links = await page.$$eval('#files a', (all) => all.map((link) => link.getAttribute('href')!));
    const types = links.map(async (link) => (await fetch(archive.service.url + link)).headers.get('Content-Type')?.split(';')[0]);
    expect(await Promise.all(types)).toEqual(['image/jp2', 'text/xml', 'application/json']);
  });

  it('fits a phone without horizontal scrolling, and opens the image of its address', async () => {
    const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true };
    await openPage(phone, '#sourceId=10&date=2024-05-10T13:00:00Z');
    expect(await text('taken')).toMatch(/^2024-05-10 13:00:\d\d UTC$/);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const heights = await page.$$eval('button, select, input', (all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  });

  it('shows the progress of a sample archive until it is complete', async () => {
    const token = (await readFile(join(archive.stateDir, 'admin-token'), 'utf8')).trim();
    const report = (init: RequestInit) =>
      fetch(`${archive.service.url}/admin/sample`, { ...init, headers: { Authorization: `Bearer ${token}` } });
    expect((await report({ method: 'PUT', body: '{"done": 123, "total": 404}' })).status).toBe(200);
    await openPage();
    await page.waitForSelector('#sample:visible');
    expect(await text('sample')).toBe('Sample archive: 123 of 404 images so far');
    expect((await report({ method: 'PUT', body: '{"done": 403, "total": 404}' })).status).toBe(200);
    await expect.poll(() => text('sample'), PATIENCE).toBe('Sample archive: 403 of 404 images so far');
    expect((await report({ method: 'DELETE' })).status).toBe(200);
    await expect.poll(() => page.isHidden('#sample'), PATIENCE).toBe(true);
  });

  it('stops polling when no sample archive is under way', async () => {
    const requested: string[] = [];
    await openPage();
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    expect(await page.isHidden('#sample')).toBe(true);
    await page.waitForTimeout(6_000);
    expect(requested).not.toContain('/health');
  });

  it('opens the first layer of a shared view of the web client, and the newest image for an unknown one', async () => {
    const view = { date: NOON, centerX: 0, centerY: 0, imageScale: 2.4, imageLayers: [{ sourceId: 13 }] };
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(view) };
    const saved = await fetch(`${archive.service.url}/v2/saveWebClientState/`, init);
    const { data } = (await saved.json()) as { data: string };
    await openPage();
    await page.goto(`${archive.service.url}/load/${data}`);
    await shown('AIA 304');
    expect(new URL(page.url()).search).toBe(`?loadState=${data}`);
    expect(troubles).toEqual([]);
    await page.goto(`${archive.service.url}/load/unknown`);
    await shown('AIA 171');
    // The browser reports the response for the unknown view.
    expect(troubles.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('opens the image of a short link, which has no hash', async () => {
    await openPage(undefined, '?sourceId=10&date=2024-05-10T13:00:00Z');
    expect(await text('taken')).toMatch(/^2024-05-10 13:00:\d\d UTC$/);
  });
});

describe('files of the explorer', () => {
  it('have their content types and the policy of the page', async () => {
    const responses = ['main.js', 'style.css', 'icon.svg'].map((name) => fetch(`${archive.service.url}/explorer/${name}`));
    const headers = (await Promise.all(responses)).map((response) => response.headers);
    expect(headers.map((one) => one.get('Content-Type')?.split(';')[0])).toEqual([
      'text/javascript',
      'text/css',
      'image/svg+xml',
    ]);
    for (const one of headers) expect(one.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  });
});
