// The newest image: its age, the timeline that ends with it, and the one that takes its place.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { archivePages } from '../support/browser/explorer-pages.ts';
import { runCommand } from '../support/commands.ts';
import { axeViolations, parameters, settled, timelineRange } from '../support/explorer/looks.ts';
import { LARGE, LOW, PATIENCE, PHONE } from '../support/explorer/views.ts';
import { writeSampleFiles } from '../support/sample-files.ts';

const NOW = Date.now();
const HOURLY = { cadenceMs: HOUR_MS, size: 64 };

const { served, pages } = archivePages(
  [
    ...seriesShots({ sources: [10], fromMs: NOW - 22 * HOUR_MS - 9 * MINUTE_MS, toMs: NOW - 9 * MINUTE_MS, ...HOURLY }),
    // An archive that has not been filled for years.
    ...seriesShots({ sources: [13], fromMs: NOW - 9_030 * HOUR_MS, toMs: NOW - 9_000 * HOUR_MS, ...HOURLY }),
  ],
  { MOVIE_WORKERS: '0' },
);
let page: Page;

const age = () => page.textContent('#caption .age');
const shownAt = () => page.getAttribute('#caption time', 'datetime').then((text) => Date.parse(text!));

/** The part of the width of the timeline with images. */
const filledPart = () =>
  page.$eval('.timeline-rows .images', (path) => {
    const lengths = [...path.getAttribute('d')!.matchAll(/M([\d.-]+) [\d.]+h([\d.]+)v/g)].map(([, x, width]) =>
      Math.max(0, Math.min(Number(x) + Number(width), 1000) - Math.max(Number(x), 0)),
    );
    return lengths.reduce((sum, length) => sum + length, 0) / 1000;
  });

describe('the newest image', () => {
  it.each([
    ['a desktop', LARGE],
    ['a phone', PHONE],
    ['a phone on its side', LOW],
  ])('shows its age beside its time, and a timeline full of images that ends now, on %s', async (_, options) => {
    page = await pages.open('/', options);
    await expect.poll(age).toMatch(/^\d\d? min .*ago$/);
    expect(await page.getAttribute('#caption .age', 'class')).not.toMatch('off');
    await page.waitForSelector('.timeline-rows .images', { state: 'attached' });
    await expect.poll(filledPart).toBeGreaterThan(0.6);
    const [from, to] = await timelineRange(page);
    expect(to - Date.now()).toBeLessThan((to - from) * 0.03);
    expect(to).toBeGreaterThan(NOW);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('turns amber where it is old, and the timeline ends with it', async () => {
    page = await pages.open('/?imageLayers=[13,1,100]', LARGE);
    await expect.poll(age).toMatch(/^1 y 9 d ago$/);
    expect(await page.getAttribute('#caption .age', 'class')).toMatch('off');
    await page.waitForSelector('.timeline-rows .images', { state: 'attached' });
    await expect.poll(filledPart).toBeGreaterThan(0.6);
    const [from, to] = await timelineRange(page);
    expect(Math.abs(to - (await shownAt()))).toBeLessThan((to - from) * 0.03);
  });

  it('gives way to the next one within 90 seconds of its ingest, at the same place, until another time is chosen or it is held', async () => {
    page = await pages.empty(LARGE);
    await page.clock.install();
    await page.goto(served.service.url);
    await settled(page);
    await page.waitForSelector('.timeline-rows', { state: 'attached' });
    await expect.poll(() => page.getAttribute('#newest', 'aria-pressed')).toBe('true');
    await page.click('.zoom button >> nth=0');
    await expect.poll(() => parameters(page).has('imageScale')).toBe(true);
    const place = () => ['centerX', 'centerY', 'imageScale'].map((name) => parameters(page).get(name));
    const [before, placeBefore, entries] = [await shownAt(), await place(), await page.evaluate('history.length')];
    const add = async (atMs: number) => {
      const files = join(served.folder, String(atMs));
      await writeSampleFiles(seriesShots({ sources: [10], fromMs: atMs, toMs: atMs, cadenceMs: MINUTE_MS, size: 64 }), files);
      const { code } = await runCommand('src/cli/ingest.ts', [files], {
        STATE_DIR: served.stateDir,
        PORT: new URL(served.service.url).port,
      });
      expect(code).toBe(0);
    };
    await add(NOW - 5 * MINUTE_MS);
    await page.clock.fastForward(90_000);
    await expect.poll(shownAt, PATIENCE).toBeGreaterThan(before + 3 * MINUTE_MS);
    await settled(page);
    expect([place(), await page.evaluate('history.length')]).toEqual([placeBefore, entries]);
    expect(parameters(page).has('date')).toBe(false);
    const newer = await shownAt();
    await page.click('#newest');
    await expect.poll(() => page.getAttribute('#newest', 'aria-pressed')).toBe('false');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.fastForward(180_000);
    expect([asked, await shownAt()]).toEqual([[], newer]);
  });
});
