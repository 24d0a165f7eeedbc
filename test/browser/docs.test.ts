// The page of the API in Chromium, from the built files, with responses of the test.
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/faces/operations.ts';
import { BUILT_PAGES, builtPages, ORIGIN } from '../support/browser/built-pages.ts';
import { DOCUMENT } from '../support/described-responses.ts';
import { axeViolations, watchTroubles } from '../support/explorer/looks.ts';
import { launchChromium } from '../support/served-archive.ts';

/** Limit for a hang alone: the document and Swagger UI take seconds on a busy machine. */
const START_MS = 120_000;

const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1280, height: 900 };

let browser: Browser;
let respondWithFile: (route: Route) => Promise<void>;
/** The page that all tests use, because it computes for seconds when it opens, and when it opens an operation. */
let page: Page;
/** Errors, and requests of other hosts. */
let troubles: string[];

beforeAll(async () => {
  respondWithFile = await builtPages();
  browser = await launchChromium();
  page = await browser.newPage({ viewport: DESKTOP, colorScheme: 'dark' });
  troubles = watchTroubles(page);
  await page.route('**/*', respond);
  await page.goto(`${ORIGIN}/docs/#getTile`);
  await page.waitForSelector('.opblock', { timeout: START_MS });
});

afterAll(() => browser?.close());

/** Answers with the built files under their policy, and for the service. */
async function respond(route: Route): Promise<void> {
  const { origin, pathname, protocol } = new URL(route.request().url());
  if (protocol === 'blob:') return route.continue();
  if (origin !== ORIGIN) troubles.push(route.request().url());
  if (pathname === '/v2/openapi.json') return route.fulfill({ json: DOCUMENT });
  if (pathname === '/v2/getTile/') return route.fulfill({ path: join(BUILT_PAGES, 'explorer', 'icon-180.png') });
  if (pathname.startsWith('/v2/')) return route.fulfill({ json: { id: 74, date: '2024-05-10 12:00:03' } });
  return respondWithFile(route);
}

const operation = (id: string) => page.locator(`.opblock[id$="-${id}"]`);
const responseOf = (id: string) => operation(id).locator('.live-responses-table');

/** Sends the example of an operation, which is opened first where it is not. */
async function send(id: string): Promise<void> {
  if ((await operation(id).locator('.opblock-body').count()) === 0)
    await operation(id).locator('.opblock-summary-control').click();
  await operation(id).locator('.execute').click();
  await responseOf(id).waitFor();
}

it('the page of the API opens the operation that the address or a link names', async () => {
  await operation('getTile').locator('.execute').click();
  await responseOf('getTile').waitFor();
  await page.click('#guide-sunpy summary');
  await page.click('#guide-sunpy a');
  await operation('getSciDataScript').locator('.execute').waitFor();
  expect(new URL(page.url()).hash).toMatch(/^#\/.*\/getSciDataScript$/);
  expect(troubles).toEqual([]);
});

it('the page of the API lists every operation of v2, and sends an example without errors or other hosts', async () => {
  await expect.poll(() => page.locator('.opblock-summary-path').count()).toBe(operations.size);
  await send('getClosestImage');
  const texts = await operation('getClosestImage').locator('.live-responses-table, .curl-command').allTextContents();
  expect(texts.join()).toContain(`${ORIGIN}/v2/getClosestImage/?date=2024-05-10T12%3A00%3A00Z&sourceId=10`);
  expect(texts.join()).toContain('"id": 74');
  expect(troubles).toEqual([]);
});

it('the page of the API names this service in the guides', async () => {
  expect(await page.locator('#guides details').evaluateAll((guides) => guides.map(({ id }) => id))).toEqual(
    ['curl', 'hvpy', 'sunpy', 'measure', 'jhelioviewer', 'tools', 'embed', 'openlayers'].map((name) => `guide-${name}`),
  );
  await expect.poll(() => page.textContent('#guide-hvpy')).toContain(`set_api_url("${ORIGIN}/v2/")`);
});

it('the page of the API sends objects of a JSON body as objects', async () => {
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await send('postMovie');
  expect((await sent).postDataJSON()).toMatchObject({ layers: '[11,1,100],[4,1,100]', eventsState: { tree_HEK: {} } });
});

const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const withoutColours = Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }]));

// All rules once, then those for what differs: the colours, or the width.
it.each([
  ['a dark desktop', 'dark', DESKTOP, {}],
  ['a light desktop', 'light', DESKTOP, { runOnly: OF_COLOURS }],
  ['a phone', 'dark', PHONE, { rules: withoutColours }],
] as const)('the page of the API passes axe and fits the width of %s', async (_name, colorScheme, viewport, rules) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  await expect.poll(() => page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0);
  for (const id of ['getTile', 'getClosestImage', 'postMovie']) if ((await responseOf(id).count()) === 0) await send(id);
  await expect.poll(() => axeViolations(page, rules)).toEqual([]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
});
