// How similar moving pictures are to the exact tiles on the screen, in Chromium, with real images where they are there: whole Suns at
// 1440x900, at each density of the canvas of motion.
import type { Browser, Page } from 'playwright-core';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { fileNameTime, formatIso } from '../../../src/sun/time.ts';
import { settled } from '../../support/explorer/looks.ts';
import { IN_BRITISH_ENGLISH } from '../../support/explorer/views.ts';
import { type PngPixels, readPng } from '../../support/imaging/read-png.ts';
import { launchChromium } from '../../support/served-archive.ts';
import { atTime, largeImages } from '../images.ts';
import type { Bench } from '../run.ts';
import { ingest, sourceOf, withService } from '../service.ts';

const IMAGES = ['SDO_AIA_AIA_193', 'SDO_AIA_AIA_171', 'SDO_AIA_AIA_304', 'SDO_HMI_HMI_magnetogram', 'LASCO_C3'];
const GOAL = 0.97;

/** Side and step of the windows, and the constants of Wang et al. (2004) for 255 levels. */
const [SIDE, STEP, C1, C2] = [8, 4, (0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** Luminance by the weights of BT.709. */
const luminance = ({ rgba }: PngPixels): Float64Array =>
  Float64Array.from(
    { length: rgba.length / 4 },
    (_, i) => 0.2126 * rgba[4 * i]! + 0.7152 * rgba[4 * i + 1]! + 0.0722 * rgba[4 * i + 2]!,
  );

/** Mean structural similarity of two pictures of the same size. */
function similarity(one: PngPixels, other: PngPixels): number {
  const { width, height } = one;
  const [a, b] = [luminance(one), luminance(other)];
  let [total, windows] = [0, 0];
  for (let top = 0; top + SIDE <= height; top += STEP)
    for (let left = 0; left + SIDE <= width; left += STEP) {
      const sums = { a: 0, b: 0, aa: 0, bb: 0, ab: 0 };
      for (let y = top; y < top + SIDE; y += 1)
        for (let x = left; x < left + SIDE; x += 1) {
          const [u, v] = [a[y * width + x]!, b[y * width + x]!];
          sums.a += u;
          sums.b += v;
          sums.aa += u * u;
          sums.bb += v * v;
          sums.ab += u * v;
        }
      const mean = (sum: number) => sum / SIDE ** 2;
      const [ma, mb] = [mean(sums.a), mean(sums.b)];
      const [va, vb, covariance] = [mean(sums.aa) - ma * ma, mean(sums.bb) - mb * mb, mean(sums.ab) - ma * mb];
      total += ((2 * ma * mb + C1) * (2 * covariance + C2)) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
      windows += 1;
    }
  return total / windows;
}

/** Pixels over the edges of the picture that buttons, captions and the mark may take. */
const EDGES = { sides: 16, top: 72, bottom: 150 };

/** Without what lies over its edges: the square of the Sun in the middle of the screen. */
async function clipOf(page: Page) {
  const { x, y, width, height } = (await (await page.waitForSelector('#view')).boundingBox())!;
  const side = Math.min(width, height);
  return {
    x: Math.round(x + (width - side) / 2) + EDGES.sides,
    y: Math.round(y + (height - side) / 2) + EDGES.top,
    width: Math.round(side) - 2 * EDGES.sides,
    height: Math.round(side) - EDGES.top - EDGES.bottom,
  };
}

/** Makes frames of the screen seem to take longer, by the milliseconds in `window.slowMs`. */
const SLOW_SCREEN = `
  window.slowMs = 0;
  const request = requestAnimationFrame;
  let behindMs = 0;
  window.requestAnimationFrame = (draw) => request((ms) => {
    behindMs += window.slowMs;
    draw(ms + behindMs);
  });`;
/** A frame of the screen that is too slow for play, and the longest times until the canvas has fewer pixels for it, and until frames load. */
const [SLOW_MS, LOWERED_MS, LOADED_MS] = [50, 6000, 60_000];
/** Pixels of the canvas per pixel of the screen, in width. */
const DENSITY = `(({ width, clientWidth }) => width / clientWidth)(document.querySelector('canvas.motion'))`;
/** A whole Sun that plays from fine frames begins with all pixels. */
const ALL = 1;

async function until(page: Page, isThere: () => Promise<boolean>, patienceMs: number): Promise<boolean> {
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await page.waitForTimeout(100))
    if (await isThere()) return true;
  return false;
}

/** Compares the frames of an image that play, at all densities that play has, with its tiles. */
async function compared(page: Page) {
  const clip = await clipOf(page);
  const picture = async () => readPng(await page.screenshot({ clip }));
  const tiles = await picture();
  await page.click('#play');
  const isMoving = async () => !(await picture()).rgba.every((level, i) => level === tiles.rgba[i]);
  if (!(await until(page, isMoving, LOADED_MS))) throw new Error('Play shows no frame.');
  const density = async () => (await page.evaluate(DENSITY)) as number;
  if (!(await until(page, async () => (await density()) === ALL, LOADED_MS))) throw new Error('The frames take too long.');
  const found: { readonly density: number; readonly similarity: number }[] = [];
  for (let isLower = true; isLower; ) {
    const present = await density();
    found.push({ density: present, similarity: similarity(tiles, await picture()) });
    await page.evaluate(`window.slowMs = ${SLOW_MS}`);
    isLower = await until(page, async () => (await density()) < present, LOWERED_MS);
    await page.evaluate('window.slowMs = 0');
  }
  return found;
}

/** Opens a page on a screen whose frames the bench slows down. */
async function opened(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ ...IN_BRITISH_ENGLISH, viewport: { width: 1440, height: 900 } });
  await page.addInitScript(SLOW_SCREEN);
  await page.goto(address);
  await settled(page);
  return page;
}

export const bench: Bench = async ({ log, add }) => {
  const images = await largeImages(log, IMAGES);
  const browser = await launchChromium();
  await withService(log, async (url) => {
    for (const image of images) {
      const takenAtMs = fileNameTime(image.fileName)!;
      for (const { fileName, file } of [image, atTime(image, takenAtMs + MINUTE_MS)]) await ingest(url, fileName, file);
      const date = formatIso(takenAtMs);
      const page = await opened(browser, `${url}/?date=${date}&imageLayers=[${await sourceOf(url, image.fileName)},1,100]`);
      for (const { density, similarity: value } of await compared(page))
        add(`${image.name}, ${density.toFixed(2)} of the pixels in width`, 'similarity', '', value, GOAL);
      await page.close();
    }
  });
  await browser.close();
};
