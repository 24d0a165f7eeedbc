// The colours of a layer, on pixels of the screen, and its enhancement: filters beside the picture before, presets, and the warning beside measurements.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { describedIn } from '../../src/picture/moving-frame.ts';
import { fromBase64 } from '../../src/platform/util/bytes.ts';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { openTool } from '../support/explorer/acts.ts';
import { axeViolations, captioned, middleOf, parameters, requested, settled } from '../support/explorer/looks.ts';
import { DRAWN_FROM } from '../support/explorer/views.ts';
import type { PngPixels } from '../support/imaging/read-png.ts';

const { served, pages } = sharedPages('fine');

const DATE = 'date=2024-05-10T12:00:00Z';
/** A scale of tiles, whose pixels are those of the screen. */
const SCALE = 2.420441;
const AIA = `/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=${SCALE}`;
const RANGE = { low: 30, high: 140, gamma: 1.5 };
const RANGE_TEXT = `[${RANGE.low},${RANGE.high},${RANGE.gamma}]`;

/** R, G and B of the levels of AIA 171. */
async function colourTable(): Promise<Uint8Array> {
  const closest = `${served.service.url}/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z`;
  const { id } = (await (await fetch(closest)).json()) as { readonly id: string };
  const frame = await fetch(`${served.service.url}/v2/getFrame/?id=${id}&imageScale=38.727056`);
  expect(frame.status).toBe(200);
  return fromBase64(describedIn(new Uint8Array(await frame.arrayBuffer()))!.colours!);
}

/** Largest difference between a picture and another one in the colours of a range, whose formula stands here by itself. */
function furthest(full: PngPixels, ranged: PngPixels, table: Uint8Array): number {
  const levels = new Map(Array.from({ length: 256 }, (_, i) => [table.slice(3 * i, 3 * i + 3).join(), i] as const));
  const { low, high, gamma } = RANGE;
  let most = 0;
  for (let at = 0; at < full.rgba.length; at += 4) {
    const level = levels.get(full.rgba.slice(at, at + 3).join())!;
    const place = 255 * Math.min(1, Math.max(0, (level - low) / (high - low))) ** (1 / gamma);
    const [below, above] = [Math.floor(place), Math.ceil(place)];
    for (let channel = 0; channel < 3; channel += 1) {
      const [from, to] = [table[3 * below + channel]!, table[3 * above + channel]!];
      const expected = from + (to - from) * (place - below);
      most = Math.max(most, Math.abs(expected - ranged.rgba[at + channel]!));
    }
  }
  return most;
}

/** Waits until the picture no longer is another one. */
const changed = (page: Page, from: PngPixels) =>
  expect.poll(async () => Buffer.compare((await middleOf(page)).rgba, from.rgba), { timeout: 10_000 }).not.toBe(0);

it('the colours of a layer follow the sliders at once, without a request, on the exact levels of the tiles', async () => {
  const page = await pages.openTool('layers', AIA);
  await page.click('.colours summary');
  const full = await middleOf(page);
  const requests = requested(page, DRAWN_FROM);
  const [low, high, gamma] = ['Darkest level', 'Brightest level', 'Gamma'].map((name) => page.getByLabel(name, { exact: false }));
  await low!.fill(String(RANGE.low));
  await high!.fill(String(RANGE.high));
  await gamma!.fill(String(RANGE.gamma));
  const table = await colourTable();
  await expect.poll(async () => furthest(full, await middleOf(page), table), { timeout: 10_000 }).toBeLessThanOrEqual(1);
  expect(requests).toEqual([]);
  expect(page.url()).toContain(`ranges=${RANGE_TEXT}`);
  expect(await page.textContent('.colours summary')).toBe('Colours: levels 30 to 140, gamma 1.5');
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'All levels' }).click();
  await expect.poll(async () => Buffer.compare((await middleOf(page)).rgba, full.rgba), { timeout: 10_000 }).toBe(0);
  expect(page.url()).not.toContain('ranges=');
});

it('the colours of a layer move by the keys of the sliders', async () => {
  const page = await pages.openTool('layers', AIA);
  const full = await middleOf(page);
  await page.focus('.colours summary');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  for (let i = 0; i < 20; i += 1) await page.keyboard.press('ArrowRight');
  expect(page.url()).toContain('ranges=[20,255,1]');
  await changed(page, full);
});

it('the colours of a layer add up to the sum of the tinted levels of each layer', async () => {
  const at = `&centerX=0&centerY=0&imageScale=${SCALE}`;
  const levels: Uint8Array[] = [];
  for (const id of [12, 11, 10])
    levels.push((await middleOf(await pages.open(`/?${DATE}&imageLayers=[${id},1,100]&colour=false${at}`))).rgba);
  const query = 'imageLayers=[12,1,100],[11,1,60],[10,1,100]&tints=[red],[33ff99],[blue]&blends=[over],[add],[add]';
  const page = await pages.open(`/?${DATE}&${query}${at}`);
  const light = (level: number, colour: number, opacity = 1) =>
    Math.floor(opacity * Math.floor((colour * level) / 255 + 0.5) + 0.5);
  const expected = levels[0]!.map((red, i) => {
    const [green, blue] = [levels[1]![i]!, levels[2]![i]!];
    const sums = [
      light(red, 255) + light(green, 0x33, 0.6),
      light(green, 0xff, 0.6),
      light(green, 0x99, 0.6) + light(blue, 255),
      255,
    ];
    return Math.min(255, sums[i & 3]!);
  });
  expect(Buffer.compare((await middleOf(page)).rgba, expected)).toBe(0);
  expect(await page.textContent('#caption')).toMatch(/AIA 171 blue.*AIA 193 33ff99.*AIA 211 red/s);
});

it('the colours of a layer come with the address, also of masked tiles and of a finer level', async () => {
  const masked = `/?${DATE}&imageLayers=[4,1,100]&centerX=0&centerY=0&imageScale=24&ranges=`;
  let page = await pages.open(`${masked}[]`);
  const full = await middleOf(page);
  page = await pages.open(`${masked}[20,120,1]`);
  const ranged = await middleOf(page);
  const bright = (pixels: PngPixels) => pixels.rgba.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0);
  expect(bright(ranged)).not.toBe(bright(full));
  // The occulter stays transparent.
  const centre = 4 * (full.width * (full.height / 2) + full.width / 2);
  expect(ranged.rgba.slice(centre, centre + 3)).toEqual(full.rgba.slice(centre, centre + 3));
  page = await pages.open(`${AIA}&ranges=${RANGE_TEXT}`);
  await page.click('.zoom button >> nth=0');
  await settled(page);
  expect(page.url()).toContain(`ranges=${RANGE_TEXT}`);
  const finer = await middleOf(page);
  page = await pages.open(
    page
      .url()
      .slice(served.service.url.length)
      .replace(/&ranges=[^&]*/, ''),
  );
  expect(Buffer.compare((await middleOf(page)).rgba, finer.rgba)).not.toBe(0);
});

const becomes = (page: Page, expected: Uint8Array) =>
  expect.poll(async () => Buffer.compare((await middleOf(page)).rgba, expected), { timeout: 15_000 }).toBe(0);

async function openEnhance(page: Page): Promise<void> {
  await openTool(page, 'layers');
  await page.click('.enhance summary >> nth=0');
  await page.waitForSelector('.enhance .card');
}

it('the enhancement of a layer shows RHEF, its method, and the picture before while a button or after a key is pressed', async () => {
  const page = await pages.open(AIA);
  const before = (await middleOf(page)).rgba;
  await openEnhance(page);
  await page.click('.enhance .card >> text=RHEF');
  await captioned(page, 'AIA 171 RHEF');
  expect(page.url()).toContain('filters=[rhef]');
  const after = (await middleOf(page)).rgba;
  expect(Buffer.compare(after, before)).not.toBe(0);
  expect(await page.textContent('.enhance summary')).toBe('Enhance: RHEF');
  expect(await page.getAttribute('.enhance a', 'href')).toBe('https://arxiv.org/abs/2511.02798');
  await expect.poll(() => axeViolations(page)).toEqual([]);
  const held = page.getByRole('button', { name: 'Before and after' });
  await held.scrollIntoViewIfNeeded();
  const button = (await held.boundingBox())!;
  await page.mouse.move(button.x + 20, button.y + 10);
  await page.mouse.down();
  await becomes(page, before);
  expect(await page.textContent('#caption')).not.toContain('RHEF');
  await page.mouse.up();
  await becomes(page, after);
  await page.keyboard.press('b');
  await becomes(page, before);
  await page.keyboard.press('b');
  await becomes(page, after);
  expect(page.url()).toContain('filters=[rhef]');
  await page.click('.enhance .card >> text=as recorded');
  await becomes(page, before);
  expect(page.url()).not.toContain('filters');
});

it('a preset that is chosen after the key for the picture before shows its filter', async () => {
  const page = await pages.open(`${AIA}&filters=[rhef]`);
  await page.keyboard.press('b');
  await expect.poll(() => page.textContent('#caption')).not.toContain('RHEF');
  await openTool(page, 'presets');
  await page.click('.card >> text=Off-limb loops');
  await captioned(page, 'AIA 171 RHEF');
});

it('the enhancement of a layer draws small pictures of the choices as the service draws them', async () => {
  const page = await pages.open(AIA);
  await openEnhance(page);
  const sources = await page.$$eval('.enhance .card img', (images) => images.map((image) => (image as { src?: string }).src));
  expect(new Set(sources).size).toBe(sources.length);
  expect(sources[0]).not.toContain('filter=');
  expect(sources[1]).toContain('filter=rhef');
  await expect
    .poll(() =>
      page.$$eval('.enhance .card img', (images) =>
        images.every((image) => (image as { naturalWidth?: number }).naturalWidth! > 0),
      ),
    )
    .toBe(true);
});

it('the enhancement of a layer offers no filter for a magnetogram', async () => {
  const page = await pages.openTool('layers', `/?${DATE}&imageLayers=[19,1,100]`);
  await page.click('.enhance summary');
  await page.getByText('A magnetic field has no brightness to enhance.').waitFor();
  expect(await page.$$('.enhance .card')).toEqual([]);
});

it('the enhancement of a layer says beside values that they are those of the image as recorded', async () => {
  let page = await pages.openTool('measure', `${AIA}&filters=[rhef]`);
  await page.getByText('Values are always those of the image as recorded.').waitFor();
  page = await pages.openTool('measure', AIA);
  expect(await page.getByText('Values are always those of the image as recorded.').count()).toBe(0);
});

it('the colour of a layer changes on the screen without a request', async () => {
  const page = await pages.open(`${AIA.replace('[10,1,100]', '[11,1,100],[10,1,100]')}&colour=false`);
  await openEnhance(page);
  const grey = (await middleOf(page)).rgba;
  const requests = requested(page, DRAWN_FROM);
  await page.locator('.enhance select').first().selectOption('blue');
  await becomes(
    page,
    grey.map((value, i) => ((i & 3) < 2 ? 0 : value)),
  );
  await page.getByLabel('Adds its light').check();
  await expect.poll(() => page.url()).toContain('tints=[],[blue]&colour=false&blends=[],[add]');
  await page.getByLabel('Colour of AIA 171').fill('#33aaff');
  await expect.poll(() => page.url()).toContain('tints=[],[33aaff]');
  expect(requests).toEqual([]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('the colour of a layer makes a tri-colour corona by a preset', async () => {
  const page = await pages.openTool('presets', AIA);
  await page.click('.card >> text=Tri-colour corona');
  await captioned(page, /AIA 171.*AIA 193.*AIA 211/s);
  expect(page.url()).toContain('imageLayers=[12,1,100],[11,1,100],[10,1,100]&tints=[red],[green],[blue]&blends=[],[add],[add]');
  expect(parameters(page).has('map')).toBe(false);
  await expect.poll(() => page.getAttribute('.card:has-text("Tri-colour corona")', 'aria-pressed')).toBe('true');
});

describe('the presets of the whole Sun', () => {
  it.each([
    ['Far side', 'sphere,180,0'],
    ['The Sun as a map', 'carrington'],
  ])('show it by images of helium within a day, and leave the map chosen in the plane: %s', async (title, projection) => {
    const page = await pages.openTool('presets', AIA);
    const card = page.locator(`.card:has-text("${title}")`);
    await expect
      .poll(() => card.locator('img').getAttribute('src'))
      .toMatch(/layers=\[85,1,100\],\[23,1,100\],\[13,1,100\].*projection=/);
    await card.click();
    await captioned(page, /AIA 304.*EUVI-A 304.*FSI 304/s);
    expect([parameters(page).get('projection'), parameters(page).get('map')]).toEqual([projection, 'true']);
    await expect.poll(() => card.getAttribute('aria-pressed')).toBe('true');
    expect((await middleOf(page)).rgba.filter((level, i) => i % 4 === 0 && level > 60).length).toBeGreaterThan(10_000);
    await page.click('.card >> text=Corona');
    await captioned(page, /AIA 171/);
    expect(['projection', 'map'].map((name) => parameters(page).get(name))).toEqual([null, 'true']);
  });
});
