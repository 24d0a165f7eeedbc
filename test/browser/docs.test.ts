// The page of the API in Chromium, from the built files, with answers of the test.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsPage } from '../../src/cli/build/docs-page.ts';
import { projectRoot } from '../../src/cli/settings.ts';
import { DOCUMENT } from '../support/described-responses.ts';
import { launchChromium } from '../support/served-archive.ts';

const ORIGIN = 'http://docs.test';
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' } as const;
const sources = join(projectRoot, 'src', 'web');

const PHONE = { viewport: { width: 390, height: 800 } };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

let browser: Browser;
let html: string;
let policy: string;
let axe: string;

beforeAll(async () => {
  browser = await launchChromium();
  html = docsPage(DOCUMENT, await readFile(join(sources, 'docs', 'guides.html'), 'utf8'));
  policy = /Content-Security-Policy: (.*)/.exec(await readFile(join(sources, 'static', '_headers'), 'utf8'))![1]!;
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
});

afterAll(() => browser?.close());

/** The page under the policy of the deployed files. `asked`: paths that it requested. */
async function open(options: BrowserContextOptions) {
  const page = await browser.newPage(options);
  const asked: string[] = [];
  const troubles: string[] = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(pathname);
    if (pathname.startsWith('/v2/')) return route.fulfill({ json: { id: 74, date: '2024-05-10 12:00:03' } });
    const extension = pathname.endsWith('/') ? 'html' : (pathname.split('.').at(-1) as keyof typeof TYPES);
    const body = extension === 'html' ? html : await readFile(join(sources, 'static', pathname));
    return route.fulfill({ body, contentType: TYPES[extension], headers: { 'Content-Security-Policy': policy } });
  });
  await page.goto(`${ORIGIN}/docs/`);
  return { page, asked, troubles };
}

const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth');

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))');
  return found as string[];
}

describe('the page of the API', () => {
  it('loads the console only when it is wanted, sends the example, and passes its id to other forms', async () => {
    const { page, asked, troubles } = await open(DESKTOP);
    expect(asked).not.toContain('/docs/console.js');
    await page.click('#getClosestImage button[data-try]');
    await page.click('#getClosestImage form button');
    await page.waitForSelector('#getClosestImage .good');
    expect(await page.textContent('#getClosestImage .response pre:last-child')).toContain('"id": 74');
    await page.click('#getTile button[data-try]');
    await page.waitForSelector('#getTile form');
    const lines = await page.locator('#getTile form > pre code').allTextContents();
    const address = `${ORIGIN}/v2/getTile/?id=74&x=-1&y=-1&imageScale=2.42044088`;
    expect(lines).toEqual([address, `curl '${address}'`]);
    expect(troubles).toEqual([]);
    await page.close();
  });

  it('sends objects of a JSON body as objects', async () => {
    const { page } = await open(DESKTOP);
    await page.click('#postMovie button[data-try]');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.click('#postMovie form button');
    expect((await sent).postDataJSON()).toMatchObject({ layers: '[11,1,100],[4,1,100]', eventsState: { tree_HEK: {} } });
    await page.close();
  });

  it.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('is accessible and fits the width of %s', async (_name, options) => {
    const { page } = await open({ ...options, bypassCSP: true });
    await page.click('#getDataSources button[data-try]');
    await page.waitForSelector('#getDataSources form');
    expect(await violations(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
    await page.close();
  });
});
