// Motion in the explorer in Chromium: rate, gaps and bytes of play, and scrubbing in a loaded range.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { seriesShots } from '../../../demo/archive.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { openExplorer } from '../../support/explorer/acts.ts';
import { launchChromium, serveArchive } from '../../support/served-archive.ts';
import { quantile } from '../measure.ts';
import type { Bench } from '../run.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
/** Longest wait for two loops. */
const PATIENCE_MS = 60_000;

/** Plays two loops as fast as the page plays: one without anything loaded, and one after all frames have loaded. `images`: of a loop. */
async function playing(page: Page, images: number) {
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
  const count = async () => (await page.evaluate('window.captions.length')) as number;
  // The policy of the page forbids the evaluation of text, by which the browser's driver would wait.
  const until = async (isThere: () => Promise<boolean>) => {
    for (const endMs = Date.now() + PATIENCE_MS; !(await isThere()); await page.waitForTimeout(200))
      if (Date.now() > endMs) throw new Error('Play takes too long.');
  };
  await until(async () => (await count()) >= images);
  await until(async () => (await page.getAttribute('.loop', 'data-buffered')) === String(images));
  const loaded = await count();
  // From the next first image on.
  await until(async () => (await count()) >= loaded + 2 * images);
  await page.click('#play');
  const seen = (await page.evaluate('window.captions')) as [number, string, number][];
  const pressedMs = (await page.evaluate('window.pressedMs')) as number;
  /** Images a second without the rest at the last one, the longest time between two, and bytes of frames and records of images. */
  const loopOf = (from: number) => {
    const shown = seen.slice(from, from + images);
    const gaps = shown.slice(1).map(([ms], i) => ms - shown[i]![0]);
    const [first, last] = [shown[0]!, shown.at(-1)!];
    return {
      rate: (1000 * (images - 1)) / (last[0] - first[0]),
      gapMs: Math.max(...gaps),
      bytes: last[2] - (seen[from - 1]?.[2] ?? 0),
    };
  };
  const firstText = seen[0]![1];
  const again = seen.findIndex(([, text], i) => i >= loaded && text === firstText);
  return [loopOf(0), loopOf(again), seen[0]![0] - pressedMs] as const;
}

/** Times in ms from a move of the pointer along the range of play to the frame of the screen with its image, once all have loaded. */
async function scrubbing(page: Page): Promise<number[]> {
  const shorter = '.timeline-zoom button >> nth=0';
  while (await page.isEnabled(shorter)) await page.click(shorter);
  const boxOf = async (selector: string) => (await (await page.waitForSelector(selector)).boundingBox())!;
  const [head, loop, shown] = [await boxOf('#playhead'), await boxOf('.loop'), await boxOf('svg.timeline-rows')];
  // The closest timeline may show a part of the range.
  const left = Math.max(loop.x, shown.x);
  const width = Math.min(loop.x + loop.width, shown.x + shown.width) - left;
  await page.evaluate(`
    window.scrubs = [];
    let movedMs = null;
    addEventListener('pointermove', ({ timeStamp }) => { movedMs = timeStamp; }, true);
    new MutationObserver(() => {
      if (movedMs === null) return;
      const fromMs = movedMs;
      movedMs = null;
      requestAnimationFrame(() => window.scrubs.push(performance.now() - fromMs));
    }).observe(document.querySelector('#caption'), { subtree: true, childList: true, characterData: true });
  `);
  const y = head.y + head.height / 2;
  await page.mouse.move(head.x + head.width / 2, y);
  await page.mouse.down();
  for (let move = 1; move <= SCRUB_MOVES; move += 1) {
    const way = (move * SCRUB_STEP) % 2;
    await page.mouse.move(left + width * (way > 1 ? 2 - way : way), y);
    await page.waitForTimeout(SCRUB_PAUSE_MS);
  }
  await page.mouse.up();
  return (await page.evaluate('window.scrubs')) as number[];
}

/** Moves of the pointer, by parts of the range of play, back and forth through it. */
const [SCRUB_MOVES, SCRUB_STEP, SCRUB_PAUSE_MS] = [60, 1 / 20, 120];
/** Images that are seen during them, at least. */
const LEAST_SCRUBBED = 20;

/** The screen of play, and its images. */
const SCREEN: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
const PLAYED = 48;

const DATE = 'date=2024-05-10T12:00:00Z';

export const bench: Bench = async ({ add }) => {
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
  const loops = async (layers: string, name: string, goals: { readonly first: number; readonly second: number }) => {
    const page = await openExplorer(browser, `${url}/?${DATE}&imageLayers=${layers}`, SCREEN);
    const [once, again, pressMs] = await playing(page, PLAYED);
    add(`first play, ${name}`, 'rate', 'images/s', once.rate, goals.first);
    add(`first play, ${name}`, 'longest gap', 'ms', once.gapMs, 150);
    add(`first play, ${name}`, 'transferred', 'kB', once.bytes / 1000, 3000);
    add(`first play, ${name}`, 'press to the first image', 'ms', pressMs, 1000);
    add(`second play, ${name}`, 'rate', 'images/s', again.rate, goals.second);
    add(`second play, ${name}`, 'longest gap', 'ms', again.gapMs);
    const tableBytes = (await page.evaluate(`performance.getEntriesByType('resource')
        .reduce((sum, { name, transferSize }) => sum + (name.includes('getFrameTables') ? transferSize : 0), 0)`)) as number;
    if (tableBytes > 0) add(`first play, ${name}`, 'tables, an image', 'kB', tableBytes / 1000 / PLAYED, 10);
    const scrubs = await scrubbing(page);
    if (scrubs.length < LEAST_SCRUBBED) throw new Error(`Only ${scrubs.length} images were seen while scrubbing.`);
    add(`scrub, ${name}`, 'pointer to image, 95th percentile', 'ms', quantile(scrubs, 0.95), 50);
    add(`scrub, ${name}`, 'pointer to image, median', 'ms', quantile(scrubs, 0.5));
    await page.close();
  };
  await loops('[11,1,100]', 'one layer', { first: 15, second: 30 });
  await loops('[11,1,100]&filters=[rhef]', 'one layer by RHEF', { first: 15, second: 30 });
  await loops('[11,1,100],[10,1,60],[13,1,40]', 'three layers', { first: 15, second: 30 });
  await browser.close();
  await archive.close();
};
