// The explorer in a browser, for its tests.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type PngPixels, readPng } from './imaging/read-png.ts';

export const PATIENCE = { timeout: 60_000 };
/** For a movie, before which others may be built. */
export const BUILT = { timeout: 150_000 };
export const IN_BRITISH_ENGLISH = { timezoneId: 'Europe/Berlin', locale: 'en-GB' };
export const AT_NOON = '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]';
/** AIA 171 during the strongest flare of the sample's day. */
export const AT_SEVEN = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]';
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true };
export const LARGE = { viewport: { width: 1440, height: 900 } };
export const LOW = { viewport: { width: 844, height: 390 }, hasTouch: true };
export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

export const SCREENS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['desktop', LARGE],
  ['phone', PHONE],
  ['phone on its side', LOW],
];

/** Half the size of the one that the package exports. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Console errors and uncaught exceptions of a page. */
export function watchTroubles(page: Page): string[] {
  const troubles: string[] = [];
  page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
  page.on('pageerror', (error) => troubles.push(error.message));
  return troubles;
}

/** Waits until a picture is complete and nothing loads. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('#view[data-loading=false]', PATIENCE);
  await page.waitForSelector('main[aria-busy=false]', PATIENCE);
}

/** Waits for a caption that contains a text, and for its picture. */
export async function captioned(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => page.textContent('#caption')).toMatch(text);
  await settled(page);
}

/**
 * Plays. @returns the captions since, a line each: the page notes them, because one that plays may be shorter on the screen
 * than the way from here to the page
 */
export async function playNoted(page: Page, start = () => page.click('#play')): Promise<() => Promise<string>> {
  await page.evaluate(`
    window.captions = [];
    new MutationObserver(() => {
      const { textContent } = document.querySelector('#caption');
      if (window.captions.at(-1) !== textContent) window.captions.push(textContent);
    }).observe(document.querySelector('#caption'), { subtree: true, characterData: true, childList: true });
  `);
  await start();
  return () => page.evaluate(`window.captions.join('\\n')`) as Promise<string>;
}

export async function openExplorer(browser: Browser, address: string, options: BrowserContextOptions = DESKTOP): Promise<Page> {
  const page = await browser.newPage({ ...IN_BRITISH_ENGLISH, ...options });
  await page.goto(address);
  await settled(page);
  return page;
}

/** Opens a tool and waits for its panel. */
export async function openTool(page: Page, name: string): Promise<void> {
  await page.click(`#tool-${name}`);
  await page.waitForSelector('aside.panel .panel-body > :not(.quiet):visible >> nth=0', PATIENCE);
}

const TOOLS = ['presets', 'layers', 'events', 'measure', 'make', 'data'];

/** Opens every tool, in each of which there are none of some defects. */
export async function inEveryPanel(page: Page, defects: () => Promise<unknown>): Promise<void> {
  for (const name of TOOLS) {
    await openTool(page, name);
    await expect.poll(async () => [name, await defects()]).toEqual([name, []]);
  }
}

/** Opens and closes every dialog of the bar, in each of which there are none of some defects. */
export async function inEveryDialog(page: Page, defects: () => Promise<unknown>): Promise<void> {
  for (const name of ['seeing', 'share', 'help']) {
    await page.click(`#${name}`);
    await page.waitForSelector('dialog .dialog > :nth-child(2):not(.quiet)', PATIENCE);
    await expect.poll(async () => [name, await defects()]).toEqual([name, []]);
    await page.click('dialog .panel-head button');
  }
}

/** Pairs of elements that share more than a pixel, of each list of selectors. */
export const overlaps = (page: Page, lists: readonly (readonly string[])[]): Promise<string[]> =>
  page.evaluate(`${JSON.stringify(lists)}.flatMap((selectors) => {
    const all = selectors.flatMap((selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0)
      .map((one) => ({ name: selector + ' ' + (one.id || one.textContent.trim()), ...one.getBoundingClientRect().toJSON() })));
    return all.flatMap((a, i) => all.slice(i + 1)
      .filter((b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
      .map((b) => a.name + ' over ' + b.name));
  })`);

/** Start and end of the timeline, milliseconds since 1970. */
export const timelineRange = (page: Page) =>
  page.$eval('.timeline-body', (body) =>
    ['aria-valuemin', 'aria-valuemax'].map((name) => Number(body.getAttribute(name)) * 1000),
  ) as Promise<[from: number, to: number]>;

type Place = readonly [x: number, y: number];

/** Drags by the mouse. */
export async function drag(page: Page, from: Place, to: Place): Promise<void> {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
}

/** Puts fingers on the page, moves them, and lifts them: the places of all fingers, step by step. */
export async function touch(page: Page, ...steps: (readonly { readonly x: number; readonly y: number }[])[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const [i, points] of [...steps, []].entries()) {
    const type = i === 0 ? 'touchStart' : i < steps.length ? 'touchMove' : 'touchEnd';
    await session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((at, id) => ({ ...at, id })) });
  }
  await session.detach();
}

export const boxOf = async (page: Page, selector = '#view') => (await page.locator(selector).first().boundingBox())!;

export async function enter(page: Page, selector: string, text: string): Promise<void> {
  await page.fill(selector, text);
  await page.press(selector, 'Enter');
}

/** Asks for a time by the field. */
export const ask = (page: Page, text: string) => enter(page, '#date', text);

/** R, G and B of a colour as a style has it. */
export const channelsOf = (colour: string) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

export async function pause(page: Page): Promise<void> {
  await page.click('#play');
  await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
}

/** Requests of what pictures are drawn from. Lists and headers, which panels and the timeline need, may load at any time. */
export const DRAWN_FROM = /\/v2\/(?:get(?:Tile|Frame)|takeScreenshot)\//;

/** The addresses that the page requests from now on. */
export function requested(page: Page, which = /./): string[] {
  const urls: string[] = [];
  page.on('request', (request) => which.test(request.url()) && urls.push(request.url()));
  return urls;
}

/** Holds the responses to some requests from now on, those of tiles and frames by default, until the result is called. */
export async function hold(page: Page, which: RegExp | ((url: URL) => boolean) = /\/v2\/get(Tile|Frame)\//) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let held = 0;
  await page.route(which, async (route) => {
    held += 1;
    await promise;
    // A superseded request has ended meanwhile.
    await route.continue().catch(() => undefined);
  });
  return Object.assign(resolve, { held: () => held });
}

/** The file that an action saves. */
export async function downloaded(page: Page, act: () => Promise<void> = () => page.click('#take')) {
  const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), act()]);
  return { name: download.suggestedFilename(), file: await readFile((await download.path())!) };
}

/** The middle of the picture, without what lies over its edges. */
export async function middleOf(page: Page): Promise<PngPixels> {
  const { x, y, width, height } = await boxOf(page);
  const clip = { x: Math.round(x + (width - 400) / 2), y: Math.round(y + (height - 200) / 2), width: 400, height: 200 };
  return readPng(await page.screenshot({ clip }));
}

export const parameters = (page: Page) => new URL(page.url()).searchParams;

/** Opens the dialog of a picture from its panel. */
export async function openPicture(page: Page): Promise<void> {
  await page.click('#save-picture');
  await page.waitForSelector('#picture[aria-busy=false]', PATIENCE);
}

/**
 * Violations of the accessibility rules of axe in the present state of a page, as `rule: selectors`.
 * @param rules all of its default rules, or some of them
 */
export async function axeViolations(page: Page, rules: RunOptions = {}): Promise<string[]> {
  // The policy of the page forbids inline scripts, but not those of the browser's own debugger.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const run = `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...rules })}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`;
  return (await page.evaluate(run)) as string[];
}
