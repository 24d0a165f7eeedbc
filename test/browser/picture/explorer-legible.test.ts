// What is written and drawn over pictures, measured on the pixels of the screen over pictures of eight sources.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriesShots } from '../../../demo/archive.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { archivePages } from '../../support/browser/explorer-pages.ts';
import { channelsOf } from '../../support/explorer/looks.ts';
import { LARGE, PHONE } from '../../support/explorer/views.ts';
import { type PngPixels, readPng } from '../../support/imaging/read-png.ts';
import { WITHOUT_MOVIES } from '../../support/served-archive.ts';

const SEVEN = Date.UTC(2024, 4, 10, 7);
/** HMI, AIA, and LASCO. */
const SOURCES = [18, 19, 16, 9, 10, 13, 4, 5];

const times = { fromMs: SEVEN, toMs: SEVEN, cadenceMs: MINUTE_MS };
const { pages } = archivePages(seriesShots({ sources: SOURCES, ...times, size: 256 }), WITHOUT_MOVIES);

/** Relative luminance of WCAG, of channels from 0 to 255. */
function luminance(channels: Iterable<number>): number {
  const [red = 0, green = 0, blue = 0] = [...channels].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const luminanceAt = ({ rgba, width }: PngPixels, x: number, y: number) =>
  luminance(rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 3));

const pixelsOf = async (page: Page) => readPng(await page.screenshot({ scale: 'css' }));

interface Text {
  readonly text: string;
  /** As the style computes it. */
  readonly colour: string;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

const TEXTS = '#caption strong, #caption time, #caption .distance, .scale-bar > span, .synthetic';

/** The texts over the picture, each with the box of its letters. */
const textsOn = async (page: Page) =>
  (await page.evaluate(`[...document.querySelectorAll('${TEXTS}')].flatMap((one) =>
    [...one.getClientRects()].map(({ x, y, width, height }) =>
      ({ text: one.textContent, colour: getComputedStyle(one).color, box: { x, y, width, height } })))`)) as Text[];

/** The least contrast of each text with the pixels below it. */
async function textContrasts(page: Page): Promise<[text: string, contrast: number][]> {
  const texts = await textsOn(page);
  const setColour = (colour: string) =>
    page.evaluate(`for (const one of document.querySelectorAll('${TEXTS}')) one.style.color = '${colour}'`);
  await setColour('transparent');
  const pixels = await pixelsOf(page);
  await setColour('');
  return texts.map(({ text, colour, box }) => {
    const own = luminance(channelsOf(colour));
    let least = Number.POSITIVE_INFINITY;
    // Within the line around the mark of synthetic data.
    for (let y = Math.ceil(box.y) + 2; y < box.y + box.height - 3; y += 1)
      for (let x = Math.ceil(box.x) + 2; x < box.x + box.width - 3; x += 1)
        least = Math.min(least, contrast(own, luminanceAt(pixels, x, y)));
    return [text, least];
  });
}

/** Pixels from a line within which its dark edge is. */
const REACH = 4;

/** The contrast within a few pixels of each of some points of the limb and the grid. */
async function lineContrasts(page: Page): Promise<number[]> {
  const pixels = await pixelsOf(page);
  const points = (await page.evaluate(`[...document.querySelectorAll('.limb, .grid-lines')].flatMap((line) =>
    Array.from({ length: 60 }, (_, i) => {
      const { x, y } = line.getPointAtLength((line.getTotalLength() * (i + 0.5)) / 60).matrixTransform(line.getScreenCTM());
      return document.elementsFromPoint(x, y).some((element) => element.id === 'view') &&
        !document.elementsFromPoint(x, y).some((element) => element.matches('button, #caption *')) ? [[x, y]] : [];
    }).flat())`)) as [number, number][];
  const stage = (await page.locator('.stage').boundingBox())!;
  const isFree = ([x, y]: [number, number]) =>
    x > 130 && x < stage.x + stage.width - 70 && y > stage.y + 40 && y < stage.y + stage.height - 60;
  return points.filter(isFree).map(([x, y]) => {
    const around: number[] = [];
    for (let dy = -REACH; dy <= REACH; dy += 1)
      for (let dx = -REACH; dx <= REACH; dx += 1) around.push(luminanceAt(pixels, Math.round(x) + dx, Math.round(y) + dy));
    return contrast(Math.max(...around), Math.min(...around));
  });
}

it.each(SOURCES)(
  'texts and lines over a picture keep a contrast of 4.5 and of 3 over source %d, whole and enlarged',
  async (source) => {
    const scale = source === 5 ? 56 : source === 4 ? 12 : 1.5;
    for (const [options, place] of [
      [LARGE, `&centerX=0&centerY=0&imageScale=${scale}`],
      [PHONE, ''],
    ] as const) {
      // A second after the image, which the caption says.
      const page = await pages.open(`/?date=2024-05-10T06:59:00Z&imageLayers=[${source},1,100]&grid=true${place}`, options);
      const texts = await textContrasts(page);
      expect(texts.length).toBeGreaterThan(4);
      expect(texts.filter(([, least]) => least < 4.5)).toEqual([]);
      const lines = await lineContrasts(page);
      expect(lines.length).toBeGreaterThan(10);
      expect(lines.filter((one) => one < 3)).toEqual([]);
    }
  },
);
