// The canvas of the explorer against screenshots of the service, on pixels, and after what browsers do to a canvas.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { hold, openTool } from '../../support/explorer/acts.ts';
import { boxOf, middleOf, parameters, requested, settled } from '../../support/explorer/looks.ts';
import { DESKTOP, DRAWN_FROM } from '../../support/explorer/views.ts';
import { type PngPixels, readPng } from '../../support/imaging/read-png.ts';

const { served, pages } = sharedPages('fine');

/** Arcseconds per pixel of the tiles of the archive, whose pixels are those of a screen of one pixel each. */
const SCALE = 2.420441;
/** Size of the middle of the picture. */
const SIZE = { width: 400, height: 200 };

const viewOf = (layers: string, imageScale: number) => `date=2024-05-10T12:01:00Z&imageLayers=${layers}&imageScale=${imageScale}`;
const LAYERS = '[10,1,100],[11,1,50]&ranges=[30,140,1.5],[]';

type Pixels = Pick<PngPixels, 'width' | 'height' | 'rgba'>;

/** What the service draws there, with `ratio` pixels for each of the page. */
async function drawnPixels(page: Page, layers: string, scale: number, ratio = 1): Promise<Pixels> {
  const { width, height } = await boxOf(page);
  const sides = `&width=${Math.round(width) * ratio}&height=${Math.round(height) * ratio}`;
  const query = `date=2024-05-10T12:01:00Z&layers=${layers}&imageScale=${scale / ratio}&x0=0&y0=0${sides}`;
  const response = await fetch(`${served.service.url}/v2/takeScreenshot/?${query}&watermark=false&display=true`);
  expect(response.status, query).toBe(200);
  const whole = readPng(new Uint8Array(await response.arrayBuffer()));
  const clip = { width: SIZE.width * ratio, height: SIZE.height * ratio };
  const [left, top] = [(whole.width - clip.width) / 2, (whole.height - clip.height) / 2];
  const rgba = Buffer.concat(
    Array.from({ length: clip.height }, (_, row) => {
      const from = 4 * ((top + row) * whole.width + left);
      return whole.rgba.subarray(from, from + 4 * clip.width);
    }),
  );
  return { ...clip, rgba };
}

/** The largest difference of two pictures, in levels. */
function furthest(a: Pixels, b: Pixels): number {
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  return a.rgba.reduce((most, value, i) => Math.max(most, i % 4 === 3 ? 0 : Math.abs(value - b.rgba[i]!)), 0);
}

/** The mean over the colours of two pictures of a number of the levels by which they differ. */
const meanDifference = (a: Pixels, b: Pixels, of = (levels: number) => levels): number =>
  a.rgba.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : of(Math.abs(value - b.rgba[i]!))), 0) / (0.75 * a.rgba.length);

const opened = (layers: string, scale = SCALE, options?: BrowserContextOptions) =>
  pages.open(`/?${viewOf(layers, scale)}&centerX=0&centerY=0`, options);

// A level of an image is up to two of a colour or a difference, and six of a ratio to a level of 43.
it.each([
  ['grey', '[10,1,100]&colour=false', 1],
  ['colours', '[10,1,100]', 2],
  ['ranges and opacities', LAYERS, 2],
  ['an image that is turned', '[9,1,100]&colour=false', 2],
  ['a running difference', '[10,1,100,1,1,1]', 2],
  ['a ratio', '[10,1,100,3,1,1,2024-05-10T12:00:59Z]', 6],
])('the canvas draws %s as a screenshot of the service, within a level', async (_, layers, most) => {
  const page = await opened(layers);
  expect(furthest(await middleOf(page), await drawnPixels(page, layers, SCALE))).toBeLessThanOrEqual(most);
});

// The limb of AIA, whose view EUVI-A continues, and those of AIA, EUVI-A and FSI: the service's picture of the highest layer alone differs.
it.each([
  ['[13,1,100],[23,1,100]', 'sphere,60,0', 2],
  ['[13,1,100],[23,1,100]', 'polar,north', 1],
  ['[13,1,100],[23,1,100]', 'observer,mars', 0],
  ['[13,1,100],[23,1,100],[85,1,100]', 'sphere,90,0', 20],
  ['[13,1,100],[10,1,100],[23,1,100]', 'sphere,60,0', 0],
])(
  'the canvas shows observers of one line as a screenshot of the service, their mean unless a layer lies between: %s in %s',
  async (layers, kind, least) => {
    const projection = `&projection=${kind}`;
    const page = await opened(layers + projection);
    const drawn = await drawnPixels(page, layers + projection, SCALE);
    expect(meanDifference(await middleOf(page), drawn)).toBeLessThan(1);
    const highest = await drawnPixels(page, layers.slice(layers.lastIndexOf('[')) + projection, SCALE);
    expect(meanDifference(highest, drawn)).toBeGreaterThanOrEqual(least);
  },
);

it.each([
  ['as fine as the screen', '[10,1,100]'],
  ['coarser than the screen', '[23,1,100]'],
])('the canvas draws an image that is %s on a sphere as a screenshot of the service, within a level', async (_, layer) => {
  const layers = `${layer}&colour=false&projection=sphere,15,0`;
  const page = await opened(layers);
  const within = (levels: number) => Number(levels <= 1);
  expect(meanDifference(await middleOf(page), await drawnPixels(page, layers, SCALE), within)).toBeGreaterThan(0.97);
});

it('the canvas draws the picture anew after the browser has taken its context away, and after another size of the window', async () => {
  const page = await opened(LAYERS);
  const before = await middleOf(page);
  await page.evaluate(`{
      const canvas = document.querySelector('#view canvas.motion');
      canvas.dataset.lost = 'true';
      canvas.getContext('webgl2').getExtension('WEBGL_lose_context').loseContext();
    }`);
  await page.waitForSelector('#view canvas.motion:not([data-lost])');
  await settled(page);
  expect(furthest(await middleOf(page), before)).toBe(0);
  await page.setViewportSize({ width: 900, height: 620 });
  await settled(page);
  const smaller = await boxOf(page);
  expect(furthest(await middleOf(page), await drawnPixels(page, LAYERS, SCALE))).toBeLessThanOrEqual(2);
  await page.setViewportSize(DESKTOP.viewport);
  await expect.poll(async () => (await boxOf(page)).width).toBeGreaterThan(smaller.width);
  await settled(page);
  expect(furthest(await middleOf(page), before)).toBe(0);
});

it('the canvas draws two pixels for each of the page on a screen that has three', async () => {
  const page = await opened('[10,1,100]', 3 * SCALE, { ...DESKTOP, deviceScaleFactor: 3 });
  const drawn = await drawnPixels(page, '[10,1,100]', 3 * SCALE, 3);
  expect(meanDifference(await middleOf(page), drawn)).toBeLessThan(1);
  const box = await boxOf(page);
  const width = await page.evaluate(`document.querySelector('#view canvas.motion').width`);
  expect(width).toBe(2 * Math.round(box.width));
});

it('the canvas shows a coarser level where the textures of a processor have at most 2048 pixels a side', async () => {
  const page = await pages.empty({ viewport: { width: 2600, height: 1500 } });
  await page.addInitScript(`{
      const { prototype } = WebGL2RenderingContext;
      const { getParameter, texStorage2D } = prototype;
      prototype.getParameter = function (name) {
        return name === this.MAX_TEXTURE_SIZE ? 2048 : getParameter.call(this, name);
      };
      prototype.texStorage2D = function (target, levels, format, width, height) {
        const { dataset } = document.documentElement;
        dataset.side = Math.max(width, height, dataset.side ?? 0);
        texStorage2D.call(this, target, levels, format, width, height);
      };
    }`);
  await page.goto(`${served.service.url}/?${viewOf('[13,1,100]', SCALE / 4)}&centerX=0&centerY=0`);
  await settled(page);
  const side = Number(await page.getAttribute('html', 'data-side'));
  expect(side).toBeGreaterThan(1024);
  expect(side).toBeLessThanOrEqual(2048);
  expect(meanDifference(await middleOf(page), await drawnPixels(page, '[13,1,100]', SCALE / 4))).toBeLessThan(3);
  await page.close();
});

it('the canvas keeps a projection that is chosen in a closer view whose other tiles take long', async () => {
  const page = await pages.openTool('layers', `/?${viewOf('[13,1,100]', SCALE / 4)}&centerX=300&centerY=0`);
  const release = await hold(page, /getTile/);
  await page.selectOption('#projection', 'carrington');
  await page.waitForSelector('#view[data-moving=true]');
  release();
  await page.waitForSelector('#view[data-moving=false]');
  await settled(page);
  expect([parameters(page).get('projection'), parameters(page).has('centerX')]).toEqual(['carrington', false]);
});

it('the canvas becomes grey by the control of the layer, without a request', async () => {
  const page = await opened('[10,1,100]');
  await openTool(page, 'layers');
  await page.click('.colours summary');
  const drawn = requested(page, DRAWN_FROM);
  await page.getByLabel('Grey', { exact: false }).check();
  await expect.poll(() => page.url()).toContain('colour=false');
  await expect
    .poll(async () => {
      const { rgba } = await middleOf(page);
      return rgba.some((value, i) => i % 4 !== 3 && value !== rgba[i - (i % 4)]);
    })
    .toBe(false);
  expect(drawn).toEqual([]);
});

it.each(['png', 'jpg', 'webp'])('the canvas shows the view of a screenshot that is dropped on it as %s', async (type) => {
  const page = await opened('[11,1,100]');
  const query = `date=2024-05-10T12:00:00Z&layers=[10,1,70]&ranges=[30,140,1.5]&imageScale=4&x1=-400&y1=-300&x2=600&y2=500&type=${type}`;
  const taken = await fetch(`${served.service.url}/v2/takeScreenshot/?${query}&display=true`);
  expect(taken.status).toBe(200);
  const file = Buffer.from(await taken.arrayBuffer()).toString('base64');
  const data = await page.evaluateHandle(`{
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob('${file}'), (c) => c.charCodeAt(0))], 'sun.${type}'));
      data;
    }`);
  await page.dispatchEvent('#view', 'drop', { dataTransfer: data });
  await page.waitForURL(/ranges=/);
  await settled(page);
  const view = parameters(page);
  expect(view.get('ranges')).toBe('[30,140,1.5]');
  expect([view.get('centerX'), view.get('centerY'), view.get('imageScale')].map(Number)).toEqual([100, 100, 4]);
  expect(view.get('imageLayers')).toMatch(/^\[.*10.*70\]|AIA.*171.*70/);
});
