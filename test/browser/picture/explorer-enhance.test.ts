// The enhancement of a layer: filters beside the picture before, colours, presets, and the warning beside measurements.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { axeViolations, captioned, DRAWN_FROM, middleOf, openTool, parameters, requested } from '../../support/explorer.ts';

const { pages } = sharedPages('fine');

const DATE = 'date=2024-05-10T12:00:00Z';
const AIA = `/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=2.420441`;

const becomes = (page: Page, expected: Uint8Array) =>
  expect.poll(async () => Buffer.compare((await middleOf(page)).rgba, expected), { timeout: 15_000 }).toBe(0);

async function openEnhance(page: Page): Promise<void> {
  await openTool(page, 'layers');
  await page.click('.enhance summary >> nth=0');
  await page.waitForSelector('.enhance .card');
}

describe('the enhancement of a layer', () => {
  it('shows RHEF, its method, and the picture before while a button or after a key is pressed', async () => {
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

  it('draws small pictures of the choices as the service draws them', async () => {
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

  it('offers no filter for a magnetogram', async () => {
    const page = await pages.open(`/?${DATE}&imageLayers=[19,1,100]`);
    await openTool(page, 'layers');
    await page.click('.enhance summary');
    await page.getByText('A magnetic field has no brightness to enhance.').waitFor();
    expect(await page.$$('.enhance .card')).toEqual([]);
  });

  it('says beside values that they are those of the image as recorded', async () => {
    let page = await pages.open(`${AIA}&filters=[rhef]`);
    await openTool(page, 'measure');
    await page.getByText('Values are always those of the image as recorded.').waitFor();
    page = await pages.open(AIA);
    await openTool(page, 'measure');
    expect(await page.getByText('Values are always those of the image as recorded.').count()).toBe(0);
  });
});

describe('the colour of a layer', () => {
  it('changes on the screen without a request', async () => {
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

  it('makes a tri-colour corona by a preset', async () => {
    const page = await pages.open(AIA);
    await openTool(page, 'presets');
    await page.click('.card >> text=Tri-colour corona');
    await captioned(page, /AIA 171.*AIA 193.*AIA 211/s);
    expect(page.url()).toContain('imageLayers=[12,1,100],[11,1,100],[10,1,100]&tints=[red],[green],[blue]&blends=[],[add],[add]');
    expect(parameters(page).has('map')).toBe(false);
    await expect.poll(() => page.getAttribute('.card:has-text("Tri-colour corona")', 'aria-pressed')).toBe('true');
  });
});

describe('the presets of the whole Sun', () => {
  it.each([
    ['Far side', 'sphere,180,0'],
    ['The Sun as a map', 'carrington'],
  ])('show it by images of helium within a day, and leave the map chosen in the plane: %s', async (title, projection) => {
    const page = await pages.open(AIA);
    await openTool(page, 'presets');
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
