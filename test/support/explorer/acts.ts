// What a user does in the explorer, for its tests.
import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from './looks.ts';
import { DESKTOP, IN_BRITISH_ENGLISH, PATIENCE } from './views.ts';

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

export async function enter(page: Page, selector: string, text: string): Promise<void> {
  await page.fill(selector, text);
  await page.press(selector, 'Enter');
}

/** Asks for a time by the field. */
export const ask = (page: Page, text: string) => enter(page, '#date', text);

export async function pause(page: Page): Promise<void> {
  await page.click('#play');
  await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
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

/** Opens the dialog of a picture from its panel. */
export async function openPicture(page: Page): Promise<void> {
  await page.click('#save-picture');
  await page.waitForSelector('#picture[aria-busy=false]', PATIENCE);
}
