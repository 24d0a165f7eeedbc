// Pictures on paper: the sheet that the dialog of a picture and Ctrl+P print, and what a print of the page itself shows.
import { correction, generate } from 'lean-qr/nano';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { servedBrowser, sharedArchive } from '../../support/browser/served-browser.ts';
import { openPicture, openTool } from '../../support/explorer/acts.ts';
import { boxOf, settled } from '../../support/explorer/looks.ts';
import { AT_SEVEN, DESKTOP, IN_BRITISH_ENGLISH, PATIENCE, PHONE } from '../../support/explorer/views.ts';

const served = servedBrowser(() => sharedArchive('seven'));

/** Millimetres of a margin, and of the sides of sheets. */
const MARGIN = 12;
const PAPER = { A4: [210, 297], Letter: [215.9, 279.4] } as const;
const PIXELS_PER_MM = 96 / 25.4;
const ON_PAPER = [
  ['A4', false, DESKTOP],
  ['A4', true, PHONE],
  ['Letter', false, PHONE],
  ['Letter', true, DESKTOP],
] as const;

/** Opens the page with a printer that only notes that it has been used. */
async function opened(options: typeof DESKTOP): Promise<Page> {
  const page = await served.browser.newPage({ ...IN_BRITISH_ENGLISH, ...options });
  onTestFinished(() => page.close());
  page.setDefaultTimeout(PATIENCE.timeout);
  await page.addInitScript('window.print = () => document.documentElement.dataset.printed = true');
  await page.goto(served.service.url + AT_SEVEN);
  await settled(page);
  return page;
}

/** Shows the page as paper does. @returns the pixels of a sheet within its margins */
async function onPaper(page: Page, format: keyof typeof PAPER, isLandscape: boolean) {
  const sides = PAPER[format].map((side) => Math.floor((side - 2 * MARGIN) * PIXELS_PER_MM));
  const [width, height] = (isLandscape ? sides.toReversed() : sides) as [number, number];
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ media: 'print' });
  return { width, height };
}

/** The number of sheets of the PDF file of a print. */
async function sheets(page: Page, format: keyof typeof PAPER, isLandscape: boolean): Promise<number> {
  const pdf = await page.pdf({ format, landscape: isLandscape, printBackground: true });
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)!.length;
}

/** Colour and points of a text. */
const inkOf = (page: Page, selector: string): Promise<[colour: string, points: number]> =>
  page.evaluate(
    `(({ color, fontSize }) => [color, 0.75 * Number.parseFloat(fontSize)])(getComputedStyle(document.querySelector('${selector}')))`,
  );

const TOOLS = 'button:visible, input:visible, select:visible, .timeline:visible';

it.each(ON_PAPER)(
  'a printed picture fills one sheet of %s (landscape: %s) with its words and the way to it',
  async (format, isLandscape, options) => {
    const page = await opened(options);
    await openTool(page, 'make');
    await openPicture(page);
    await page.click('#print-picture');
    await page.waitForSelector('[data-printed]');
    const sheet = await onPaper(page, format, isLandscape);
    expect(await page.locator(TOOLS).count()).toBe(0);
    const [picture, words, code] = [
      await boxOf(page, '.sheet canvas'),
      await boxOf(page, '.sheet footer'),
      await boxOf(page, '.sheet svg'),
    ];
    const [width, height] = await page.$eval('.sheet canvas', (canvas) => {
      const { width, height } = canvas as unknown as { width: number; height: number };
      return [width, height] as const;
    });
    expect(Math.max(width, height)).toBeGreaterThanOrEqual(1900);
    expect(picture.width / picture.height).toBeCloseTo(width / height, 1);
    expect(picture.x).toBeGreaterThanOrEqual(0);
    expect(picture.x + picture.width).toBeLessThanOrEqual(sheet.width);
    expect(words.y + words.height).toBeLessThanOrEqual(sheet.height);
    const text = (await page.textContent('.sheet footer'))!;
    expect(text).toMatch(/AIA 171 2024-05-10 07:00:0\d UTC/);
    expect(text).toContain('synthetic sample data');
    expect(text).toContain('Courtesy of NASA/SDO and the AIA');
    const address = (await page.getAttribute('.sheet a', 'href'))!;
    expect(address).toContain('date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]');
    expect(text).toContain(address);
    const modules = generate(address, { minCorrectionLevel: correction.M });
    const places = Array.from({ length: modules.size ** 2 }, (_, i) => [i % modules.size, Math.floor(i / modules.size)] as const);
    const dark = places.filter(([x, y]) => modules.get(x, y)).map(([x, y]) => `M${x} ${y}h1v1h-1z`);
    expect(await page.getAttribute('.sheet path', 'd')).toBe(dark.join(''));
    expect(code.width / PIXELS_PER_MM).toBeGreaterThan(35);
    const [ink, points] = await inkOf(page, '.sheet p');
    expect(ink).toBe('rgb(0, 0, 0)');
    expect(points).toBeGreaterThanOrEqual(9);
    expect(await sheets(page, format, isLandscape)).toBe(1);
    await expect.poll(() => page.$('.sheet')).toBeNull();
  },
);

it('a printed picture follows Ctrl+P', async () => {
  const page = await opened(DESKTOP);
  await page.keyboard.press('Control+p');
  await page.waitForSelector('[data-printed]');
  expect(await page.locator('.sheet canvas').count()).toBe(1);
});

it.each(ON_PAPER)(
  'a print of the page by the menu has the picture and its caption alone: %s (landscape: %s)',
  async (format, isLandscape, options) => {
    const page = await opened(options);
    await openTool(page, 'layers');
    const sheet = await onPaper(page, format, isLandscape);
    expect(await page.locator(TOOLS).count()).toBe(0);
    for (const part of ['#view canvas', '.caption']) {
      const box = await boxOf(page, part);
      expect([part, box.x >= 0, box.x + box.width <= sheet.width, box.y + box.height <= sheet.height]).toEqual([
        part,
        true,
        true,
        true,
      ]);
    }
    expect((await inkOf(page, '.caption strong'))[0]).toBe('rgb(0, 0, 0)');
    expect(await sheets(page, format, isLandscape)).toBe(1);
  },
);
