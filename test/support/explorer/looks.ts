// What the explorer shows in a browser, for its tests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type PngPixels, readPng } from '../imaging/read-png.ts';
import { PATIENCE } from './views.ts';

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

export const boxOf = async (page: Page, selector = '#view') => (await page.locator(selector).first().boundingBox())!;

/** R, G and B of a colour as a style has it. */
export const channelsOf = (colour: string) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/** The addresses that the page requests from now on. */
export function requested(page: Page, which = /./): string[] {
  const urls: string[] = [];
  page.on('request', (request) => which.test(request.url()) && urls.push(request.url()));
  return urls;
}

/** The middle of the picture, without what lies over its edges. */
export async function middleOf(page: Page): Promise<PngPixels> {
  const { x, y, width, height } = await boxOf(page);
  const clip = { x: Math.round(x + (width - 400) / 2), y: Math.round(y + (height - 200) / 2), width: 400, height: 200 };
  return readPng(await page.screenshot({ clip }));
}

export const parameters = (page: Page) => new URL(page.url()).searchParams;

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
