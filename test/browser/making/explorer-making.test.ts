// What the explorer makes of a view: pictures, movies, files and code.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { hasSunpy, runSnippet } from '../../support/browser/snippets.ts';
import { drag, openPicture } from '../../support/explorer/acts.ts';
import { axeViolations, boxOf, settled } from '../../support/explorer/looks.ts';
import { AT_SEVEN } from '../../support/explorer/views.ts';
import { readPng } from '../../support/imaging/read-png.ts';

let page: Page;

const { served, pages } = sharedPages('seven');

/** The code of each tab for a view of a part of the Sun. */
async function codeOfTabs(shown = 'imageLayers=[10,1,100]'): Promise<string[]> {
  page = await pages.openTool('data', `${AT_SEVEN}&centerX=100&centerY=-50&imageScale=3&${shown}`);
  const texts: string[] = [];
  await page.focus('#tab-hvpy');
  for (const name of ['hvpy', 'SunPy', 'curl', 'JHelioviewer']) {
    await expect.poll(() => page.textContent('[role=tab][aria-selected=true]')).toBe(name);
    texts.push((await page.textContent('#code pre'))!);
    await page.keyboard.press('ArrowRight');
  }
  return texts;
}

it('pictures of a view include screenshots with the grid of the page', async () => {
  page = await pages.open(`${AT_SEVEN}&centerX=300&centerY=-200&imageScale=2&grid=true`);
  // The header, which places the observer, says that the image is synthetic.
  await page.waitForSelector('.synthetic');
  await page.waitForSelector('.grid-lines', { state: 'attached' });
  await settled(page);
  const path = (await page.getAttribute('.grid-lines', 'd'))!;
  const box = await boxOf(page);
  const sides = `width=${Math.round(box.width)}&height=${Math.round(box.height)}`;
  const place = `layers=[10,1,100]&imageScale=2&x0=300&y0=-200&${sides}`;
  const address = `${served.service.url}/v2/takeScreenshot/?date=2024-05-10T07:00:00Z&${place}&grid=true&display=true`;
  const pictureOf = async (url: string) => readPng(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  const [with15, without] = await Promise.all([address, address.replace('grid=true', 'grid=false')].map(pictureOf));
  const { width, height, rgba } = with15!;
  const gain = (x: number, y: number) => rgba[(y * width + x) * 4 + 2]! - without!.rgba[(y * width + x) * 4 + 2]!;
  const gainAround = (x: number, y: number) =>
    Math.max(...[-1, 0].flatMap((dy) => [-1, 0].map((dx) => gain(Math.round(x) + dx, Math.round(y) + dy))));
  // Without the band of the watermark and the Earth.
  const points = [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((match) => [Number(match[1]), Number(match[2])] as const);
  const inside = points.filter(([x, y]) => x > 2 && y > 2 && x < width - 2 && y < height - 100);
  expect(inside.length).toBeGreaterThan(100);
  expect(inside.filter(([x, y]) => gainAround(x, y) < 20)).toEqual([]);
  let changed = 0;
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) if (gain(x, y) > 0) changed += 1;
  expect(changed / (width * height)).toBeLessThan(0.08);
});

it('pictures of a view include screenshots of a region that is drawn, moved and resized by the pointer', async () => {
  page = await pages.openTool('make', `${AT_SEVEN}&centerX=0&centerY=0&imageScale=4`);
  await page.selectOption('#area', 'region');
  const box = await boxOf(page);
  const dragBy = (fromX: number, fromY: number, toX: number, toY: number) =>
    drag(page, [box.x + fromX, box.y + fromY], [box.x + toX, box.y + toY]);
  const place = async () => {
    const region = await boxOf(page, '#region');
    return [region.x - box.x, region.y - box.y, region.width, region.height].map(Math.round);
  };
  await dragBy(400, 250, 200, 150);
  await expect.poll(() => place()).toEqual([200, 150, 200, 100]);
  await dragBy(300, 200, 310, 220);
  await expect.poll(() => place()).toEqual([210, 170, 200, 100]);
  await dragBy(410, 270, 460, 290);
  await expect.poll(() => place()).toEqual([210, 170, 250, 120]);
  // 250 pixels of 4 arcseconds at 1 au; the Earth is at 1.0096 au.
  await expect.poll(() => page.textContent('#region-size')).toMatch(/^99[01]″ × 47[56]″ 250 × 120 pixels$/);
  const asked = page.waitForRequest(/takeScreenshot/);
  await openPicture(page);
  const values = new URL((await asked).url()).searchParams;
  const centre = [(210 + 125 - box.width / 2) * 4, (170 + 60 - box.height / 2) * 4];
  expect(Number(values.get('x0'))).toBeCloseTo(centre[0]!, 0);
  expect(Number(values.get('y0'))).toBeCloseTo(centre[1]!, 0);
  expect([values.get('width'), values.get('height'), values.get('imageScale')]).toEqual(['250', '120', '4']);
});

it('data include the header, files and code of the view', async () => {
  page = await pages.openTool('data');
  await page.fill('#header-search', 'origin');
  await expect.poll(() => page.textContent('.table')).toBe('ORIGINhelioedge sample (synthetic)');
  const links = await page.$$eval('.links a', (all) => all.map((link) => link.getAttribute('href')!));
  const types = links.map(async (link) => (await fetch(served.service.url + link)).headers.get('Content-Type')?.split(';')[0]);
  expect(await Promise.all(types)).toEqual(['image/jp2', 'application/fits', 'text/xml', 'image/png']);
  await expect.poll(() => page.textContent('#code pre')).toContain(`set_api_url("${served.service.url}/v2/")`);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

describe('code for the view', () => {
  it.each([
    ['hvpy', undefined],
    ['the address of a filter on a sphere', 'imageLayers=[10,1,100]&filters=[rhef]&projection=sphere,20,-5'],
  ])('downloads data by each tab, and saves the same picture in Python by %s, and by curl', async (_, shown) => {
    const texts = await codeOfTabs(shown);
    if (shown) expect(texts[0]).toMatch(/filters=\[rhef\].*&projection=sphere,20,-5/);
    const [hvpy, , curl, jhelioviewer] = texts;
    const addresses = texts.slice(1).flatMap((text) => [...text.matchAll(/"(http[^"]+)"/g)].map((match) => match[1]!));
    const types = addresses.map(async (url) => (await fetch(url)).headers.get('Content-Type')?.split(';')[0]);
    expect(await Promise.all(types)).toEqual([
      'image/jp2',
      'image/png',
      'image/jp2',
      'text/xml',
      'application/json',
      'image/jpx',
    ]);
    const box = await boxOf(page);
    let saved = Buffer.alloc(0);
    await runSnippet('python', hvpy!, async ({ file }) => {
      saved = await file('sun.png');
    });
    const { width, height } = readPng(saved);
    expect([width, height]).toEqual([box.width, box.height].map(Math.round));
    await runSnippet('shell', curl!, async ({ stdout, file }) => {
      expect((await file('sun.png')).equals(saved)).toBe(true);
      expect(stdout).toContain('<WAVELNTH>171</WAVELNTH>');
    });
    await runSnippet('shell', jhelioviewer!, async ({ file }) => {
      const name = 'SDO_AIA_171_F2024-05-09T19.00.00Z_T2024-05-10T19.00.00ZL.jpx';
      expect((await file(name)).toString('latin1', 16, 24)).toBe('ftypjpx ');
    });
  });

  it.skipIf(!hasSunpy)(
    hasSunpy ? 'makes a map in SunPy' : 'makes a map in SunPy, which is skipped without python3-sunpy',
    async () => {
      const [, sunpy] = await codeOfTabs();
      await runSnippet(
        'python',
        `${sunpy}\nprint(sun.name, sun.data.shape, round(sun.scale[0].value, 3))\n`,
        async ({ stdout }) => {
          expect(stdout.trim()).toBe('AIA 171.0 Angstrom 2024-05-10 07:00:03 (256, 256) 9.6');
        },
      );
    },
  );
});
