// The page of the API in Chromium, from the built files, with responses of the test.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/cli/settings.ts';
import { operations } from '../../src/routes/operations.ts';
import { DOCUMENT } from '../support/described-responses.ts';
import { watchTroubles } from '../support/explorer.ts';
import { launchChromium } from '../support/served-archive.ts';

/** Limit for a hang alone: the document and Swagger UI take seconds on a busy machine. */
const START_MS = 120_000;
const ORIGIN = 'http://sun.test';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const built = join(projectRoot, 'build', 'web');

const PHONE = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const;
const DESKTOP = { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' } as const;

let browser: Browser;
let policy: string;
let axe: string;

beforeAll(async () => {
  browser = await launchChromium();
  policy = /Content-Security-Policy: (.*)/.exec(await readFile(join(built, '_headers'), 'utf8'))![1]!;
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

afterAll(() => browser?.close());

/** The page under the policy of the deployed files. `troubles`: errors, and requests of other hosts. */
async function open(options: BrowserContextOptions, hash = '') {
  const page = await browser.newPage(options);
  const troubles = watchTroubles(page);
  await page.route('**/*', async (route) => {
    const { origin, pathname, protocol } = new URL(route.request().url());
    if (protocol === 'blob:') return route.continue();
    if (origin !== ORIGIN) troubles.push(route.request().url());
    if (pathname === '/v2/openapi.json') return route.fulfill({ json: DOCUMENT });
    if (pathname === '/v2/getTile/') return route.fulfill({ path: join(built, 'explorer', 'icon-180.png') });
    if (pathname.startsWith('/v2/')) return route.fulfill({ json: { id: 74, date: '2024-05-10 12:00:03' } });
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const headers = { 'Content-Security-Policy': policy };
    return route.fulfill({ body: await readFile(join(built, file)), contentType: TYPES[extname(file)]!, headers });
  });
  await page.goto(`${ORIGIN}/docs/${hash}`);
  await page.waitForSelector('.opblock', { timeout: START_MS });
  return { page, troubles };
}

const operation = (page: Page, id: string) => page.locator(`.opblock[id$="-${id}"]`);

async function send(page: Page, id: string) {
  if ((await operation(page, id).locator('.execute').count()) === 0) {
    await operation(page, id).locator('.opblock-summary-control').click();
  }
  await operation(page, id).locator('.execute').click();
  await operation(page, id).locator('.live-responses-table').waitFor();
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))');
  return found as string[];
}

describe('the page of the API', () => {
  it('lists every operation of v2, and sends an example without errors or other hosts', async () => {
    const { page, troubles } = await open(DESKTOP);
    await expect.poll(() => page.locator('.opblock-summary-path').count()).toBe(operations.size);
    await send(page, 'getClosestImage');
    const texts = await operation(page, 'getClosestImage').locator('.live-responses-table, .curl-command').allTextContents();
    expect(texts.join()).toContain(`${ORIGIN}/v2/getClosestImage/?date=2024-05-10T12%3A00%3A00Z&sourceId=10`);
    expect(texts.join()).toContain('"id": 74');
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('opens the operation that the address or a link names', async () => {
    const { page, troubles } = await open(DESKTOP, '#getTile');
    await send(page, 'getTile');
    await page.click('#guide-sunpy summary');
    await page.click('#guide-sunpy a');
    await operation(page, 'getSciDataScript').locator('.execute').waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/.*\/getSciDataScript$/);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('names this service in the guides', async () => {
    const { page } = await open(DESKTOP);
    expect(await page.locator('#guides details').evaluateAll((guides) => guides.map(({ id }) => id))).toEqual(
      ['curl', 'hvpy', 'sunpy', 'measure', 'jhelioviewer', 'tools', 'openlayers'].map((name) => `guide-${name}`),
    );
    await expect.poll(() => page.textContent('#guide-hvpy')).toContain(`set_api_url("${ORIGIN}/v2/")`);
    await page.close();
  });

  it('sends objects of a JSON body as objects', async () => {
    const { page } = await open(DESKTOP, '#postMovie');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await send(page, 'postMovie');
    expect((await sent).postDataJSON()).toMatchObject({ layers: '[11,1,100],[4,1,100]', eventsState: { tree_HEK: {} } });
    await page.close();
  });

  it.each([
    ['a dark desktop', DESKTOP],
    ['a light desktop', { ...DESKTOP, colorScheme: 'light' }],
    ['a phone', PHONE],
  ] as const)('is accessible and fits the width of %s', async (_name, options) => {
    const { page } = await open({ ...options, bypassCSP: true });
    for (const id of ['getTile', 'getClosestImage', 'postMovie']) await send(page, id);
    await expect.poll(() => violations(page)).toEqual([]);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.close();
  });
});
