// Events over pictures that move.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriesShots } from '../../../demo/archive.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { archivePages } from '../../support/browser/explorer-pages.ts';
import { savedMovie } from '../../support/browser/saved-movie.ts';
import { playNoted } from '../../support/explorer/acts.ts';
import { PATIENCE } from '../../support/explorer/views.ts';
import { WITHOUT_MOVIES } from '../../support/served-archive.ts';
import { testFolder } from '../../support/system/test-folder.ts';

/** Around the strongest flare of the sample's day, which lasts from 6:36 to 7:58. */
const [FROM, TO] = [Date.UTC(2024, 4, 10, 6, 15), Date.UTC(2024, 4, 10, 8, 15)];

const times = { fromMs: FROM, toMs: TO, cadenceMs: 15 * MINUTE_MS };
const { served, pages } = archivePages(seriesShots({ sources: [10], ...times, size: 256 }), WITHOUT_MOVIES);
let page: Page;
const folder = testFolder();

it('a picture that moves pins the flare of the day while it lasts, and no longer', async () => {
  interface Row {
    readonly short_label: string;
    readonly start: string;
    readonly end: string;
  }
  interface Category {
    readonly pin: string;
    readonly groups: readonly { readonly data: readonly Row[] }[];
  }
  const rowsAt = async (minutes: number): Promise<Row[]> => {
    const time = new Date(FROM + minutes * MINUTE_MS).toISOString();
    let response!: Response;
    const states = async () => {
      response = await fetch(`${served.service.url}/v2/events/?startTime=${time}&format=tree`);
      return response.headers.get('X-Events-Sources');
    };
    await expect.poll(states, PATIENCE).toMatch(/^HEK=ok/);
    const categories = (await response.json()) as Category[];
    return categories.filter(({ pin }) => pin === 'FL').flatMap(({ groups }) => groups.flatMap(({ data }) => data));
  };
  const rows = (await Promise.all(Array.from({ length: 9 }, (_, i) => rowsAt(15 * i)))).flat();
  const ms = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`);
  expect(rows.some(({ start, end }) => ms(start) > FROM && ms(end) < TO)).toBe(true);
  page = await pages.open('/?date=2024-05-10T06:15:00Z&imageLayers=[10,1,100]&eventLayers=[FL,all,1]');
  await page.evaluate(`
      window.seen = [];
      const note = () => {
        const pins = [...document.querySelectorAll('button.pin')].map((pin) => pin.getAttribute('aria-label'));
        window.seen.push([document.querySelector('#caption').textContent, pins]);
      };
      new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
  await playNoted(page);
  const seen = () => page.evaluate('window.seen') as Promise<readonly (readonly [string, readonly string[]])[]>;
  const captions = async (hasPins: boolean) =>
    new Set((await seen()).flatMap(([caption, pins]) => (pins.length > 0 === hasPins ? [caption] : []))).size;
  await expect.poll(() => captions(true), PATIENCE).toBeGreaterThan(2);
  await expect.poll(() => captions(false), PATIENCE).toBeGreaterThan(1);
  // While frames move, pins follow the caption a few times a second: they agree where the picture rests.
  const isTrue = async () => {
    const [caption, pins] = (await seen()).at(-1)!;
    const [, day, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/.exec(caption)!;
    const atMs = Date.parse(`${day}T${time}Z`);
    const labels = rows
      .filter(({ start, end }) => ms(start) <= atMs && atMs <= ms(end))
      .map((row) => row.short_label.split('\n')[0]!);
    const areLasting = pins.every((pin) => labels.some((label) => pin.slice(3).startsWith(label)));
    return areLasting && pins.length > 0 === labels.length > 0;
  };
  for (let rest = 0; rest < 3; rest++) {
    await page.click('#play');
    await expect.poll(isTrue, PATIENCE).toBe(true);
    const before = (await seen()).length;
    await page.click('#play');
    await expect.poll(async () => (await seen()).length, PATIENCE).toBeGreaterThan(before + 2);
  }
});

it('a picture that moves keeps the pin of the flare to its images in the movie that it saves', async () => {
  page = await pages.openTool('make', '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&eventLayers=[FL,all,1]');
  await page.waitForSelector('#save', PATIENCE);
  await page.waitForSelector('.pin-FL', PATIENCE);
  const view = (await page.locator('#view').boundingBox())!;
  const pin = (await page.locator('.pin-FL').first().boundingBox())!;
  const [x, y] = [Math.round(pin.x + pin.width / 2 - view.x + 9), Math.round(pin.y + pin.height / 2 - view.y)];
  const { facts, frame } = await savedMovie(page, folder);
  const places = Array.from({ length: facts.frames }, (_, i) => frame(i).at(x, y));
  const colour = places[3]!;
  const arePinned = places.map((place) => place.every((level, channel) => Math.abs(level - colour[channel]!) < 40));
  // From 6:36 to 7:58, of images each quarter of an hour from 6:15.
  expect(arePinned).toEqual([false, false, true, true, true, true, true, false, false]);
});
