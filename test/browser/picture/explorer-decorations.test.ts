// What is drawn over the picture, against the header of its image and the sizes of Earth and Sun.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { boxOf } from '../../support/explorer/looks.ts';

/** Arcseconds of the page per pixel. */
const SCALE = 2;
const VIEW = `/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&imageScale=${SCALE}`;
/** From the astronomical unit: Allen's Astrophysical Quantities. */
const EARTH_ARCSEC = 17.57;
/** Megametres of an arcsecond there. */
const MM_PER_ARCSEC = 0.725;

const { served, pages } = sharedPages('seven');
let page: Page;
/** Radius of the Sun in the arcseconds of the page, by the header. */
let radius: number;

const numberOf = async (selector: string, attribute: string) => Number(await page.getAttribute(selector, attribute));

beforeAll(async () => {
  const image = await fetch(`${served.service.url}/v2/getClosestImage/?sourceId=10&date=2024-05-10T07:00:00Z`);
  const { id, scale } = (await image.json()) as { id: number; scale: number };
  const header = await (await fetch(`${served.service.url}/v2/getJP2Header/?id=${id}`)).text();
  const keyword = (name: string) => Number(new RegExp(`<${name}>([^<]+)`).exec(header)![1]);
  radius = (keyword('RSUN_OBS') / keyword('CDELT1')) * scale;
});

it('decorations of the picture show the limb of the header around the centre of the Sun, also where it is outside of the screen', async () => {
  for (const [x, y] of [
    [0, 0],
    [700, -300],
  ] as const) {
    page = await pages.open(`${VIEW}&centerX=${x}&centerY=${y}&grid=true`);
    await page.waitForSelector('.limb', { state: 'attached' });
    const { width, height } = await boxOf(page);
    expect(Math.abs((await numberOf('.limb', 'r')) - radius / SCALE)).toBeLessThan(0.5);
    expect(await numberOf('.limb', 'cx')).toBeCloseTo(width / 2 - x / SCALE, 0);
    expect(await numberOf('.limb', 'cy')).toBeCloseTo(height / 2 - y / SCALE, 0);
  }
});

it('decorations of the picture show a bar of the length that it states, and the Earth beside it in its size', async () => {
  page = await pages.open(`${VIEW}&centerX=0&centerY=0&earth=true`);
  await page.waitForSelector('.scale-bar .earth circle');
  expect(2 * (await numberOf('.scale-bar .earth circle', 'r')) * SCALE).toBeCloseTo(EARTH_ARCSEC, 0);
  const [, arcsec, megametres] = /(\d+)″ · (\d+) Mm/.exec((await page.textContent('.scale-bar'))!)!.map(Number);
  expect(await numberOf('.scale-bar > svg', 'width')).toBe(arcsec! / SCALE);
  expect(Math.abs(megametres! - arcsec! * MM_PER_ARCSEC)).toBeLessThanOrEqual(0.5);
});

it('decorations of the picture show a small Sun with the part of it that is on the screen, unless that is all', async () => {
  page = await pages.open(`${VIEW}&centerX=300&centerY=0`);
  await page.waitForSelector('.locator');
  const { width, height } = await boxOf(page);
  const [x, y, wide, high] = await Promise.all(['x', 'y', 'width', 'height'].map((name) => numberOf('.locator rect', name)));
  const [middle, r] = [await numberOf('.locator circle', 'cx'), await numberOf('.locator circle', 'r')];
  const pixelsPerArcsec = r / radius;
  const pixels = (arcsec: number) => arcsec * pixelsPerArcsec;
  expect(Math.abs(y! + high! / 2 - middle)).toBeLessThan(1);
  expect(Math.abs(high! - pixels(height * SCALE))).toBeLessThan(1);
  expect(Math.abs(x! - (middle + pixels(300 - (width * SCALE) / 2)))).toBeLessThan(1.5);
  expect(wide!).toBeGreaterThan(r);
  page = await pages.open('/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]');
  await page.waitForSelector('.scale-bar');
  expect(await page.$('.locator')).toBeNull();
});
