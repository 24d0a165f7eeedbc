// Motion in the explorer in Chromium: rate, gaps and bytes of play.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { seriesShots } from '../../demo/archive.ts';
import { MINUTE_MS } from '../../src/util/durations.ts';
import { openExplorer } from '../support/explorer.ts';
import { launchChromium, serveArchive } from '../support/served-archive.ts';
import { goalResults } from './measure.ts';
import type { Bench } from './run.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** Longest wait for two loops. */
const PATIENCE_MS = 60_000;

/** What one loop of play shows. */
interface Loop {
  /** Images a second, without the rest at the last one. */
  readonly rate: number;
  /** Longest time between two images, in ms. */
  readonly gapMs: number;
  /** Bytes of frames and records of images. */
  readonly bytes: number;
}

/** Plays two loops, the first without anything loaded and both as fast as the page plays. `images`: of a loop. */
async function playing(page: Page, images: number): Promise<[first: Loop, second: Loop, pressMs: number]> {
  await page.selectOption('#speed', '30');
  await page.evaluate(`
    window.captions = [];
    performance.clearResourceTimings();
    performance.setResourceTimingBufferSize(5000);
    new MutationObserver(() => {
      const text = document.querySelector('#caption').textContent;
      const bytes = performance.getEntriesByType('resource').reduce((sum, entry) => sum + entry.transferSize, 0);
      if (window.captions.at(-1)?.[1] !== text) window.captions.push([performance.now(), text, bytes]);
    }).observe(document.querySelector('#caption'), { subtree: true, childList: true, characterData: true });
    window.pressedMs = performance.now();
    document.querySelector('#play').click();
  `);
  // The policy of the page forbids the evaluation of text, by which the browser's driver would wait.
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await page.waitForTimeout(200)) {
    if (((await page.evaluate('window.captions.length')) as number) >= 2 * images) break;
  }
  await page.click('#play');
  const seen = (await page.evaluate('window.captions')) as [number, string, number][];
  const pressedMs = (await page.evaluate('window.pressedMs')) as number;
  const loopOf = (from: number): Loop => {
    const shown = seen.slice(from, from + images);
    const gaps = shown.slice(1).map(([ms], i) => ms - shown[i]![0]);
    const [first, last] = [shown[0]!, shown.at(-1)!];
    return {
      rate: (1000 * (images - 1)) / (last[0] - first[0]),
      gapMs: Math.max(...gaps),
      bytes: last[2] - (seen[from - 1]?.[2] ?? 0),
    };
  };
  return [loopOf(0), loopOf(images), seen[0]![0] - pressedMs];
}

/** The screen of play, and its images. */
const SCREEN: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const PLAYED = 48;

const DATE = 'date=2024-05-10T12:00:00Z';

export const bench: Bench = {
  async run(log) {
    const shots = seriesShots({
      sources: [10, 11, 13],
      fromMs: NOON,
      toMs: NOON + (PLAYED - 1) * MINUTE_MS,
      cadenceMs: MINUTE_MS,
      size: 1024,
    });
    const archive = await serveArchive(shots);
    const browser = await launchChromium();
    const { url } = archive.service;
    const { results, add } = goalResults(log, 1);
    const loops = async (layers: string, name: string, goals: { readonly first?: number; readonly second: number }) => {
      const page = await openExplorer(browser, `${url}/?${DATE}&imageLayers=${layers}`, SCREEN);
      const [once, again, pressMs] = await playing(page, PLAYED);
      add(`first play, ${name}`, 'rate', 'images/s', once.rate, goals.first);
      add(`first play, ${name}`, 'longest gap', 'ms', once.gapMs, 150);
      add(`first play, ${name}`, 'transferred', 'kB', once.bytes / 1000, 3000);
      add(`first play, ${name}`, 'press to the first image', 'ms', pressMs, 1000);
      add(`second play, ${name}`, 'rate', 'images/s', again.rate, goals.second);
      add(`second play, ${name}`, 'longest gap', 'ms', again.gapMs);
      await page.close();
    };
    await loops('[11,1,100]', 'one layer', { first: 15, second: 30 });
    await loops('[11,1,100],[10,1,60],[13,1,40]', 'three layers', { second: 30 });
    await browser.close();
    await archive.close();
    return results;
  },
};
