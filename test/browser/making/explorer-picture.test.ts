// Pictures to take home: the dialog, its files, and that they are the picture of the page.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { downloaded, drag, hold, openPicture, openTool } from '../../support/explorer/acts.ts';
import { axeViolations, boxOf, requested, settled } from '../../support/explorer/looks.ts';
import { LARGE, PHONE } from '../../support/explorer/views.ts';
import { readPng } from '../../support/imaging/read-png.ts';

const { pages } = sharedPages('fine', { mayLogErrors: true });

const ready = (page: Page) => page.waitForSelector('#picture[aria-busy=false]');

/** Opens the dialog of a view. */
async function opened(query: string, options: BrowserContextOptions = LARGE): Promise<Page> {
  const page = await pages.openTool('make', `/?date=2024-05-10T12:01:10Z&${query}`, options);
  await openPicture(page);
  return page;
}

/** Leaves out all that is drawn over the picture but the mark. */
async function bare(page: Page): Promise<void> {
  for (const box of await page.$$('#picture .checks input')) await box.uncheck();
  await ready(page);
}

/** The canvas of the page over black. */
async function canvasPixels(page: Page) {
  const url = String(await page.evaluate(`document.querySelector('#view canvas.motion').toDataURL()`));
  const { width, height, rgba } = readPng(Buffer.from(url.split(',')[1]!, 'base64'));
  return {
    width,
    height,
    rgba: rgba.map((value, i) => (i % 4 === 3 ? 255 : Math.round((value * rgba[i - (i % 4) + 3]!) / 255))),
  };
}

const AT = 'centerX=100&centerY=-50&imageScale=2.6';

it.each([
  ['a fine image', 'imageLayers=[13,1,100]&centerX=-300&centerY=200&imageScale=0.605110'],
  ['ranges and opacities', `imageLayers=[10,1,100],[11,1,50]&ranges=[30,140,1.5],[]&${AT}`],
  ['a running difference', `imageLayers=[10,1,100,1,1,1]&${AT}`],
  ['the view of Mars', 'imageLayers=[10,1,100],[20,1,100]&projection=observer,mars'],
])('the downloaded picture equals the canvas: %s', async (_, query) => {
  const page = await opened(query);
  await bare(page);
  const { width, height, rgba } = readPng((await downloaded(page)).file);
  const canvas = await canvasPixels(page);
  expect([width, height]).toEqual([canvas.width, canvas.height]);
  let far = 0;
  for (let i = 0; i < rgba.length; i += 4) if ([0, 1, 2].some((c) => Math.abs(rgba[i + c]! - canvas.rgba[i + c]!) > 3)) far += 1;
  expect(far / (width * height)).toBeLessThan(0.01);
});

it('the downloaded picture keeps every pixel of the source in a region of 727 by 545 arcseconds', async () => {
  const page = await pages.openTool(
    'make',
    '/?date=2024-05-10T12:01:10Z&imageLayers=[13,1,100]&centerX=0&centerY=0&imageScale=3.635',
    LARGE,
  );
  await page.selectOption('#area', 'region');
  const { x, y } = await boxOf(page);
  await drag(page, [x + 300, y + 200], [x + 500, y + 350]);
  await openPicture(page);
  expect(await page.inputValue('#picture-size')).toBe('source');
  const { width, height } = readPng((await downloaded(page)).file);
  expect(width).toBeGreaterThanOrEqual(1200);
  expect(width / height).toBeCloseTo(200 / 150, 2);
  for (const [size, side] of Object.entries({ '4k': 3840, screen: 200 })) {
    await page.selectOption('#picture-size', size);
    await ready(page);
    expect(readPng((await downloaded(page)).file).width).toBe(side);
  }
});

it('the downloaded picture shows caption, scale, grid, events and credit where they are wanted, and says how it was made', async () => {
  const page = await opened(`imageLayers=[10,1,100]&${AT}&eventLayers=[AR,all,1]`);
  // Labels of providers may have characters that XML has not.
  await page.route('**/v2/events/**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"short_label":"', '"short_label":"\\u0001') });
  });
  await page.reload();
  await openTool(page, 'make');
  await openPicture(page);
  await bare(page);
  const plain = readPng((await downloaded(page)).file);
  /** Places of the pixels that an option changes. */
  const changed = async (label: string) => {
    const option = page.locator('#picture').getByLabel(label, { exact: true });
    await option.check();
    await ready(page);
    const { rgba } = readPng((await downloaded(page)).file);
    await option.uncheck();
    await ready(page);
    const places: (readonly [number, number])[] = [];
    for (let i = 0; i < rgba.length; i += 4)
      if ([0, 1, 2, 3].some((c) => rgba[i + c] !== plain.rgba[i + c]))
        places.push([(i >> 2) % plain.width, Math.floor((i >> 2) / plain.width)]);
    return places;
  };
  const within = (pixels: readonly (readonly [number, number])[], isIn: (x: number, y: number) => boolean) =>
    pixels.length > 200 && pixels.every(([x, y]) => isIn(x, y));
  expect(within(await changed('Caption'), (x, y) => x < 400 && y < 40)).toBe(true);
  expect(within(await changed('Scale'), (x, y) => x < 300 && y > plain.height - 60)).toBe(true);
  expect(within(await changed('Credits of the missions'), (x, y) => x < 600 && y < 40)).toBe(true);
  expect((await changed('Solar grid of 15°')).length).toBeGreaterThan(5000);
  expect((await changed('Events')).length).toBeGreaterThan(200);
  const { name, file } = await downloaded(page);
  expect(name).toBe('2024-05-10T12_01_10_AIA_171_synthetic.png');
  const text = file.toString('latin1');
  expect(text).toMatch(/Address: \/\?date=2024-05-10T12:01:10Z/);
  expect(text).toMatch(/Credit: Courtesy of NASA\/SDO/);
});

it.each([
  ['a large screen', LARGE],
  ['a phone', PHONE],
])('the dialog shows what is saved on %s, without a violation of axe', async (_, options) => {
  const page = await opened(`imageLayers=[10,1,100]&${AT}`, options);
  const preview = await boxOf(page, '#picture canvas');
  expect(preview.width).toBeLessThanOrEqual(options.viewport.width);
  expect(preview.height).toBeGreaterThan(100);
  expect(await axeViolations(page)).toEqual([]);
});

it('the dialog draws what is wanted last, also where an earlier picture waits for its events', async () => {
  const path = `/?date=2024-05-10T12:01:10Z&imageLayers=[10,1,100]&${AT}&eventLayers=[AR,all,1]`;
  const page = await pages.openTool('make', path, LARGE);
  const release = await hold(page, /\/v2\/events\//);
  await page.click('#save-picture');
  await expect.poll(release.held).toBeGreaterThan(0);
  await page.locator('#picture').getByLabel('Events', { exact: true }).uncheck();
  await ready(page);
  const { file } = await downloaded(page);
  release();
  await page.waitForLoadState('networkidle');
  expect((await downloaded(page)).file.equals(file)).toBe(true);
});

it('the dialog writes as large as the screen without a choice of size, and pauses play', async () => {
  const page = await opened(`imageLayers=[10,1,100]&${AT}`, PHONE);
  const { file } = await downloaded(page);
  for (const size of ['hd', 'screen']) {
    await page.selectOption('#picture-size', size);
    await ready(page);
  }
  expect((await downloaded(page)).file.equals(file)).toBe(true);
  await page.keyboard.press('Escape');
  // The panel covers the button.
  await page.locator('#view').press(' ');
  await page.waitForSelector('#view[data-moving=true]');
  await openPicture(page);
  expect(await page.getAttribute('#play', 'aria-pressed')).toBe('false');
});

it('the dialog saves the picture before an enhancement while the page shows that', async () => {
  const page = await pages.open('/?date=2024-05-10T12:01:10Z&imageLayers=[10,1,100]&filters=[rhef]', LARGE);
  await page.keyboard.press('b');
  await page.waitForFunction(`!document.querySelector('#caption').textContent.includes('RHEF')`);
  await openTool(page, 'make');
  await openPicture(page);
  const asked = requested(page, /takeScreenshot/);
  await page.selectOption('#picture-size', 'hd');
  await ready(page);
  expect(asked.join()).not.toContain('rhef');
});

it('the dialog says why a picture is not saved', async () => {
  const page = await pages.empty(LARGE);
  await page.route('**/v2/getDataSources/**', (route) => route.abort());
  await pages.openTool('make', '/?date=2024-05-10T12:01:10Z', LARGE);
  await page.getByLabel('Credits of the missions').uncheck();
  await openPicture(page);
  await page.click('#take');
  await expect.poll(() => page.textContent('#picture-said')).toContain('cannot be reached');
});

it('the dialog copies the picture', async () => {
  const page = await opened(`imageLayers=[10,1,100]&${AT}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#copy-picture');
  await page.getByText('The picture is in the clipboard.').waitFor();
  const width = await page.evaluate(`(async () => {
      const [item] = await navigator.clipboard.read();
      return (await createImageBitmap(await item.getType('image/png'))).width;
    })()`);
  expect(width).toBe(await page.evaluate(`document.querySelector('#picture canvas').width`));
});

it('the dialog hands the file on where the device can', async () => {
  const page = await pages.empty(PHONE);
  await page.addInitScript(`
      navigator.canShare = ({ files }) => files[0].type.startsWith('image/');
      navigator.share = async ({ files }) => { document.documentElement.dataset.shared = files[0].name + ' ' + files[0].size; };
    `);
  await opened(`imageLayers=[10,1,100]&${AT}`, PHONE);
  await page.selectOption('#picture-format', 'webp');
  await page.click('#share-picture');
  await expect
    .poll(() => page.getAttribute('html', 'data-shared'))
    .toMatch(/^2024-05-10T12_01_10_AIA_171_synthetic\.webp \d{4,}$/);
  await page.close();
});

it('the dialog says why there is no picture, and tries again', async () => {
  const page = await opened(`imageLayers=[10,1,100]&${AT}`);
  await page.route('**/takeScreenshot/**', (route) => route.fulfill({ status: 503, body: '' }));
  await page.selectOption('#picture-size', 'hd');
  await page.waitForSelector('#picture .failure');
  expect(await page.isDisabled('#take')).toBe(true);
  await page.unroute('**/takeScreenshot/**');
  await page.click('#picture .failure button');
  await ready(page);
  expect(readPng((await downloaded(page)).file).width).toBe(1920);
  await settled(page);
});
