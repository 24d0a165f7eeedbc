// The explorer in Chromium: time to the first Sun on several lines, requests and bytes of the first view, and frame times while panning
// three layers and turning a sphere of them.
import type { Browser, Page } from 'playwright-core';
import { seriesShots } from '../../../demo/archive.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { ask, openExplorer } from '../../support/explorer/acts.ts';
import { settled } from '../../support/explorer/looks.ts';
import { DESKTOP } from '../../support/explorer/views.ts';
import { launchChromium, serveArchive } from '../../support/served-archive.ts';
import { median, quantile, repeated } from '../measure.ts';
import type { Bench } from '../run.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const FRAMES = 16;
/** Visits of each line; the median counts. */
const VISITS = 5;
/** Longest wait for a Sun. */
const PATIENCE_MS = 60_000;
/** Pause until the service and the page have finished what follows their last task. */
const REST_MS = 3_000;

/** Conditions of the network in bytes a second and milliseconds: none, and the presets of Chromium's developer tools. */
const LINES = {
  'this machine': null,
  'slow 4G': { downloadThroughput: (1.6e6 / 8) * 0.9, uploadThroughput: (750e3 / 8) * 0.9, latency: 150 },
  'slow 3G': { downloadThroughput: (500e3 / 8) * 0.8, uploadThroughput: (500e3 / 8) * 0.8, latency: 400 },
} as const;
/** What the browser states of a slow line. */
const CONNECTION = { connectionType: 'cellular3g' } as const;
/** Something of a new time on slow 3G. */
const STEP_TARGET_MS = 1500;
const TARGETS_MS: Readonly<Record<keyof typeof LINES, number>> = { 'this machine': 800, 'slow 4G': 1800, 'slow 3G': 3000 };

type Conditions = Exclude<(typeof LINES)[keyof typeof LINES], null>;

async function throttle(page: Page, conditions: Conditions): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, ...conditions, ...CONNECTION });
}

/**
 * Milliseconds until something of a new time is on the screen, on slow 3G: from a press of the button to the next image, whose coarse picture
 * the page has loaded before, and from a time that is entered in the field.
 */
async function newTimes(browser: Browser, url: string): Promise<readonly [step: number, entered: number]> {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  await throttle(page, LINES['slow 3G']);
  await page.goto(`${url}/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]`);
  await settled(page);
  await page.evaluate(`
    window.times = [];
    const begun = ({ timeStamp }) => window.times.push({ begunMs: timeStamp });
    document.querySelector('#next').addEventListener('click', begun, true);
    document.querySelector('#date').addEventListener('keydown', (event) => { if (event.key === 'Enter') begun(event); }, true);
    new MutationObserver(() => requestAnimationFrame((ms) => { window.times.at(-1).seenMs ??= ms; }))
      .observe(document.querySelector('#caption'), { subtree: true, childList: true, characterData: true });
  `);
  for (const act of [() => page.click('#next:enabled'), () => ask(page, '2024-05-10 12:09')]) {
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(REST_MS);
    await act();
    await page.waitForTimeout(REST_MS);
    await settled(page);
  }
  const seen = (await page.evaluate('window.times.map(({ begunMs, seenMs }) => seenMs - begunMs)')) as [number, number];
  await context.close();
  return seen;
}

/**
 * A visit with an empty cache: milliseconds from the request of the page to the paint of its largest element, which is the Sun, and until the
 * tiles of the screen are there; requests that the browser's cache did not answer, their bytes as they are transferred, and those of the
 * scripts that have come before these tiles.
 * @throws Error when no Sun is painted
 */
async function visit(browser: Browser, url: string, line: keyof typeof LINES) {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  const conditions = LINES[line];
  if (conditions) await throttle(page, conditions);
  await page.addInitScript(`
    window.suns = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.url.includes('/v2/')) window.suns.push(entry.startTime);
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new MutationObserver(() => {
      if (document.querySelector('#view[data-loading=false]')) window.completeMs ??= performance.now();
    }).observe(document, { subtree: true, childList: true, attributeFilter: ['data-loading'] });
  `);
  await page.goto(url);
  await page.waitForSelector('#view[data-loading=false]', { timeout: PATIENCE_MS });
  const completeMs = (await page.evaluate('window.completeMs')) as number;
  await page.waitForTimeout(REST_MS);
  const [sunMs, requests, bytes, scriptBytes] = (await page.evaluate(`(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const sizes = entries.map(({ transferSize }) => transferSize).filter((bytes) => bytes > 0);
    const scripts = entries.filter(({ name, responseEnd }) => name.endsWith('.js') && responseEnd < window.completeMs);
    const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
    return [window.suns[0] ?? null, sizes.length, sum(sizes), sum(scripts.map(({ encodedBodySize }) => encodedBodySize))];
  })()`)) as [number | null, number, number, number];
  await context.close();
  if (sunMs === null) throw new Error(`No Sun on ${line}`);
  return { sunMs, completeMs, requests, bytes, scriptBytes };
}

/** Drags the picture to the left and down, or back. */
async function drag(page: Page, direction: -1 | 1): Promise<void> {
  await page.mouse.move(640, 400);
  await page.mouse.down();
  for (let i = 0; i < 60; i++) await page.mouse.move(640 + direction * 3 * i, 400 - direction * 2 * i);
  await page.mouse.up();
}

/**
 * Milliseconds between frames while the pointer drags the picture over tiles that the browser has: the service runs on the same
 * processor, so that new tiles would measure the decoder.
 */
async function panning(page: Page): Promise<number[]> {
  for (const direction of [-1, 1] as const) await drag(page, direction);
  await settled(page);
  await page.waitForTimeout(REST_MS);
  await page.evaluate(`
    window.times = [];
    const note = (now) => { window.times.push(now); requestAnimationFrame(note); };
    requestAnimationFrame(note);
  `);
  for (const direction of [-1, 1, -1, 1] as const) await drag(page, direction);
  const times = (await page.evaluate('window.times')) as number[];
  return times.slice(1).map((time, i) => time - times[i]!);
}

export const bench: Bench = async ({ add }) => {
  const shots = [
    ...seriesShots({ sources: [10], fromMs: NOON, toMs: NOON + (FRAMES - 1) * MINUTE_MS, cadenceMs: MINUTE_MS, size: 1024 }),
    ...seriesShots({ sources: [13, 19], fromMs: NOON, toMs: NOON, cadenceMs: MINUTE_MS, size: 1024 }),
  ];
  const archive = await serveArchive(shots);
  const browser = await launchChromium();
  const { url } = archive.service;
  // The first visit compiles the service and the browser, and draws the picture.
  const first = await visit(browser, url, 'this machine');
  add('new service and browser', 'first Sun', 'ms', first.sunMs, TARGETS_MS['this machine']);
  for (const line of Object.keys(LINES) as (keyof typeof LINES)[]) {
    const visits = await repeated(() => visit(browser, url, line), VISITS, 0);
    add(line, 'first Sun', 'ms', median(visits.map(({ sunMs }) => sunMs)), TARGETS_MS[line]);
    add(line, 'all tiles', 'ms', median(visits.map(({ completeMs }) => completeMs)));
    if (line !== 'this machine') continue;
    add('first view', 'requests', 'requests', Math.max(...visits.map(({ requests }) => requests)), 25);
    add('first view', 'transferred', 'kB', median(visits.map(({ bytes }) => bytes)) / 1000);
    add('first view', 'script until all tiles', 'kB', median(visits.map(({ scriptBytes }) => scriptBytes)) / 1000);
  }
  const times = await repeated(() => newTimes(browser, url), VISITS, 0);
  for (const [i, way] of ['step', 'time in the field'].entries())
    add(`slow 3G, ${way}`, 'something of the new time', 'ms', median(times.map((of) => of[i]!)), STEP_TARGET_MS);
  const layers = '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100],[13,1,60],[19,1,40]&centerX=0&centerY=0&imageScale=2.4';
  for (const [way, view, goal] of [
    ['panning', '', 20],
    ['turning a sphere of', '&projection=sphere,0,0', 1000 / 30],
  ] as const) {
    const page = await openExplorer(browser, url + layers + view);
    const frames = await panning(page);
    add(`${way} three layers, cached tiles`, 'frame p95', 'ms', quantile(frames, 0.95), goal);
    add(`${way} three layers, cached tiles`, 'frame median', 'ms', median(frames));
    await page.close();
  }
  await browser.close();
  await archive.close();
};
