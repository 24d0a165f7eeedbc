import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/util/durations.ts';
import { explorerPages } from '../support/browser/explorer-pages.ts';
import { servedBrowser, sharedArchive } from '../support/browser/served-browser.ts';
import { hasSunpy, runSnippet } from '../support/browser/snippets.ts';
import {
  axeViolations,
  BUILT,
  brightness,
  captioned,
  DESKTOP,
  openTool,
  PATIENCE,
  PHONE,
  playNoted,
  settled,
} from '../support/explorer.ts';
import { readPng } from '../support/imaging/read-png.ts';

/** Before the strongest flare of the sample's day. */
const AT_SEVEN = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]';

let page: Page;

const served = servedBrowser(() => sharedArchive('seven'));
const pages = explorerPages(served);

async function open(path = AT_SEVEN, options: BrowserContextOptions = DESKTOP): Promise<void> {
  page = await pages.open(path, options);
}

/** The code of each tab for a view of a part of the Sun. */
async function codeOfTabs(): Promise<string[]> {
  await open(`${AT_SEVEN}&centerX=100&centerY=-50&imageScale=3`);
  await openTool(page, 'data');
  const texts: string[] = [];
  await page.focus('#tab-hvpy');
  for (const name of ['hvpy', 'SunPy', 'curl', 'JHelioviewer']) {
    await expect.poll(() => page.textContent('[role=tab][aria-selected=true]')).toBe(name);
    texts.push((await page.textContent('#code pre'))!);
    await page.keyboard.press('ArrowRight');
  }
  return texts;
}

const query = () => new URL(page.url()).searchParams;
const caption = () => page.textContent('#caption');

/**
 * The request that hvpy sends for a call of takeScreenshot in a program: all parameters as text, dates as isoformat() with Z, None left
 * out (hvpy 1.1: `execute_api_call`, `takeScreenshotInputParameters`).
 */
function hvpyRequest(program: string): string {
  const [, call] = /hvpy\.takeScreenshot\(([\s\S]*?)\n {4}\)/.exec(program)!;
  const base = /set_api_url\("([^"]+)"\)/.exec(program)![1]!;
  const query = new URLSearchParams({ eventLabels: 'False', scale: 'False', watermark: 'False' });
  for (const [, name, value] of call!.matchAll(/^\s+(\w+)=(.+),$/gm)) {
    const date = /^datetime\((\d+), (\d+), (\d+), (\d+), (\d+), (\d+)\)$/.exec(value!)?.slice(1).map(Number);
    const [year = 0, month = 1, ...rest] = date ?? [];
    const iso = date && new Date(Date.UTC(year, month - 1, ...rest)).toISOString().replace('.000', '');
    query.set(name!, iso ?? value!.replaceAll('"', ''));
  }
  return `${base}takeScreenshot/?${query}`;
}

describe('presets', () => {
  it('lead to a flare of the day in two clicks, with its pin', async () => {
    await open();
    await openTool(page, 'presets');
    await page.waitForSelector('.chips button', PATIENCE);
    await expect.poll(() => page.textContent('.chips li:first-child')).toMatch(/^X2\.1 06:\d\d$/);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.click('.chips li:first-child button');
    await expect.poll(() => query().get('eventLayers')).toBe('[FL,all,1]');
    await page.waitForSelector('.pin-FL', PATIENCE);
  });

  it('show other layers', async () => {
    await open();
    await openTool(page, 'presets');
    await page.click('.card:has-text("Chromosphere")');
    await captioned(page, 'AIA 304');
    expect(query().get('imageLayers')).toBe('[13,1,100]');
  });
});

describe('highlights', () => {
  it('lead to an ejection and an active region, with their pins', async () => {
    await open();
    await openTool(page, 'presets');
    await page.click('[aria-labelledby=highlights-ejection] li:first-child button', PATIENCE);
    await expect.poll(() => query().get('eventLayers')).toBe('[CE,all,1],[C3,all,1]');
    await page.click('[aria-labelledby=highlights-region] li:first-child button');
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,all,1]');
    await page.waitForSelector('.pin-AR', PATIENCE);
  });

  it('lead to a flare by three taps on a phone', async () => {
    await open(AT_SEVEN, PHONE);
    await page.tap('#tool-presets');
    await page.waitForSelector('.chips button', PATIENCE);
    await page.tap('.chips li:first-child button');
    await page.waitForSelector('.pin-FL', PATIENCE);
    await page.tap('.pin-FL');
    await expect.poll(() => page.textContent('.details')).toContain('X2.1');
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });
});

describe('layers', () => {
  it('finds layers by name, and adds, fades, moves, hides and removes them', async () => {
    await open();
    await openTool(page, 'layers');
    await page.waitForSelector('.sources button', PATIENCE);
    await expect.poll(() => page.textContent('.sources li:first-child strong')).toMatch(/^AIA/);
    await page.fill('#search', 'lasco c2');
    await page.click('.sources button');
    await captioned(page, /LASCO C2.*AIA 171/);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    expect(query().get('imageLayers')).toBe('[10,1,100],[4,1,100]');
    await page.focus('.layer-item:first-child input[type=range]');
    for (let i = 0; i < 8; i += 1) await page.keyboard.press('ArrowLeft');
    await expect.poll(() => query().get('imageLayers')).toBe('[10,1,100],[4,1,60]');
    expect(
      await page.$eval('#view .layer:last-child', (layer) => (layer as unknown as { style: { opacity: string } }).style.opacity),
    ).toBe('0.6');
    await page.click('[aria-label="Move LASCO C2 down"]');
    await expect.poll(() => query().get('imageLayers')).toBe('[4,1,60],[10,1,100]');
    await page.click('[aria-label="Hide AIA 171"]');
    await captioned(page, /^LASCO C2/);
    await page.click('[aria-label="Remove AIA 171"]');
    await expect.poll(() => query().get('imageLayers')).toBe('[4,1,60]');
  });

  it('finds layers by what they show, in the language of the page', async () => {
    await open(`${AT_SEVEN}&lang=de`);
    await openTool(page, 'layers');
    const found = () => page.$$eval('.sources strong', (names) => names.map((name) => name.textContent).join());
    await page.fill('#search', 'Koronograph');
    await expect.poll(found).toBe('LASCO C2');
    await page.fill('#search', 'protuberanzen');
    await expect.poll(found).toBe('AIA 304');
    await page.fill('#search', 'solar dynamics');
    await expect.poll(found).toBe('AIA 171,AIA 304');
    await page.click('#tool-events');
    await page.waitForSelector('.types label', PATIENCE);
    await page.fill('#search-events', 'sonnenflecken');
    const types = () => page.$$eval('.types .pin-mark', (marks) => marks.map((mark) => mark.textContent).join());
    await expect.poll(types).toBe('AR,SS');
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('show a running difference, which the address and the tiles state', async () => {
    await open();
    await openTool(page, 'layers');
    await page.selectOption('.layer-item select', '5 minute');
    await expect.poll(() => query().get('imageLayers')).toBe('[10,1,100,1,5,1]');
    await settled(page);
    await expect.poll(() => page.getAttribute('#view img', 'src')).toMatch(/difference=1&diffCount=5&diffTime=1/);
  });
});

describe('events', () => {
  it('appear as pins and in the list, and lead to their peak', async () => {
    await open();
    await openTool(page, 'events');
    await page.waitForSelector('.types label', PATIENCE);
    await page.click('.types label:has-text("Flare")');
    await expect.poll(() => page.$$eval('#event-list > li', (items) => items.length)).toBeGreaterThan(0);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.click('.pin >> nth=0');
    await expect.poll(() => page.$$eval('#event-list [aria-expanded=true]', (open) => open.length)).toBe(1);
    await expect.poll(() => page.textContent('.event-sources')).toMatch(/HEK: \d+ events \(loaded .+ ago\)/);
    await page.click('.details button');
    await expect.poll(() => query().get('date')).not.toBe('2024-05-10T07:00:00Z');
    expect(query().get('eventLayers')).toBe('[FL,all,1]');
  });

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ])('show the details of a pin in the viewport of a %s, with measured values in its language', async (_, options) => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1],[FL,all,1],[FI,all,1]&lang=de`, options);
    await page.click('button.pin-FL');
    await expect.poll(() => page.textContent('.details dl')).toMatch(/GOES-KlasseX2\.1Maximaler Fluss2,1 × 10⁻⁴ W\/m²/);
    const isInView = () =>
      page.$eval('.details dl', (list) => {
        const body = list.closest('.panel-body')!.getBoundingClientRect();
        const { top, bottom } = list.querySelector('dd')!.getBoundingClientRect();
        return top >= body.top && bottom <= body.bottom;
      });
    await expect.poll(isInView).toBe(true);
    expect(await page.isHidden('.details details dl')).toBe(true);
    await page.click('.details summary');
    await expect.poll(() => page.textContent('.details details dl')).toContain('fl_peakflux');
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('show one pin for the reports of an event by several methods, each of which can be left out', async () => {
    await open(`${AT_SEVEN}&eventLayers=[AR,all,1]`);
    const pins = () => page.locator('button.pin-AR').count();
    await page.waitForSelector('button.pin-AR', PATIENCE);
    await page.waitForSelector('.outline', { ...PATIENCE, state: 'attached' });
    const both = await pins();
    await openTool(page, 'events');
    const listed = () => page.locator('#event-list > li').count();
    await expect.poll(listed).toBeGreaterThan(both);
    await page.click('button.pin-AR[title$="and 1 more report"] >> nth=0');
    await page.click('[aria-labelledby=other-reports] button');
    await expect.poll(() => page.textContent('.details dl')).toMatch(/Mm²/);
    await page.click('.methods label:has-text("SPoCA")');
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,NOAA_SWPC_Observer,1]');
    await expect.poll(() => page.locator('.outline').count()).toBe(0);
    await page.click('.methods label:has-text("SPoCA")');
    await expect.poll(() => query().get('eventLayers')).toBe('[AR,all,1]');
    await expect.poll(pins).toBe(both);
  });

  it('leave the picture to drags and to the wheel that begin on a pin', async () => {
    await open(`${AT_SEVEN}&eventLayers=[FL,all,1]`);
    const pin = page.locator('button.pin-FL');
    await pin.waitFor(PATIENCE);
    const place = async () => {
      const { x, y, width, height } = (await pin.boundingBox())!;
      return { x: x + width / 2, y: y + height / 2 };
    };
    const before = await place();
    await page.mouse.move(before.x, before.y);
    await page.mouse.down();
    await page.mouse.move(before.x - 60, before.y + 40, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => Math.abs((await place()).x - (before.x - 60))).toBeLessThan(8);
    expect(await page.$('aside.panel')).toBeNull();
    const at = await place();
    const scale = () => Number(query().get('imageScale'));
    await expect.poll(scale).toBeGreaterThan(0);
    const far = scale();
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, -300);
    await expect.poll(scale).toBeLessThan(far);
    await pin.click();
    await page.waitForSelector('.details', PATIENCE);
  });
});

describe('measurements', () => {
  it('read out the middle of the disk, and a length', async () => {
    await open(`${AT_SEVEN}&centerX=0&centerY=0&imageScale=4`);
    await openTool(page, 'measure');
    await page.click('text=Read out at a cross-hair');
    const values = async () => page.$$eval('#readout dd', (all) => all.map((one) => one.textContent));
    // B0 of 10 May 2024, once the header is known.
    await expect.poll(async () => (await values())[1]).toMatch(/^−?0\.00°, −[23]\.\d\d°$/);
    const [helioprojective, , , radius] = await values();
    expect(helioprojective).toBe('0.0″, 0.0″');
    expect(radius).toBe('0.000');
    await page.click('text=Solar grid');
    await page.waitForSelector('.grid-lines', { state: 'attached' });
    await page.click('text=Ruler: drag');
    const box = (await page.locator('#view').boundingBox())!;
    await page.mouse.move(box.x + 100, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 200, { steps: 3 });
    await page.mouse.up();
    // 100 pixels of 4 arcseconds at 1 au are 290 Mm; the Earth is at 1.0096 au, where they look smaller.
    await expect.poll(() => page.textContent('#ruler')).toMatch(/^39[5-7]\.\d″ · 290\.\d Mm$/);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('follow a cross-hair on a touch screen, which has no pointer', async () => {
    await open(`${AT_SEVEN}&centerX=100&centerY=-50&imageScale=4`, PHONE);
    await openTool(page, 'measure');
    await page.waitForSelector('.crosshair', { state: 'attached', ...PATIENCE });
    // The view is at a scale of 1 au, from which the Earth is 0.96 % farther away.
    await expect.poll(() => page.textContent('#readout dd')).toMatch(/^99\.\d″, 49\.\d″$/);
    await page.click('aside.panel [aria-label="Close"]');
    await page.waitForSelector('.crosshair', { state: 'detached', ...PATIENCE });
  });
});

describe('pictures of a view', () => {
  it('include screenshots that equal it', async () => {
    const judge = await served.browser.newPage();
    await open(`${AT_SEVEN}&centerX=200&centerY=-100&imageScale=3`);
    await openTool(page, 'make');
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await settled(page);
    const [download] = await Promise.all([page.waitForEvent('download', PATIENCE), page.click('#take')]);
    expect(download.suggestedFilename()).toMatch(/^2024-05-10T07_00_00_AIA_171_synthetic\.png$/);
    const { width, height, rgba } = readPng(await readFile((await download.path())!));
    const box = (await page.locator('#view').boundingBox())!;
    expect([width, height]).toEqual([Math.round(box.width), Math.round(box.height)]);
    for (const [right, down] of [
      [0.4, 0.35],
      [0.5, 0.6],
      [0.3, 0.55],
      [0.6, 0.42],
    ] as const) {
      const [x, y] = [Math.round(right * width), Math.round(down * height)];
      let sum = 0;
      for (let dy = -4; dy < 4; dy += 1)
        for (let dx = -4; dx < 4; dx += 1) for (let c = 0; c < 3; c += 1) sum += rgba[((y + dy) * width + x + dx) * 4 + c]!;
      const inView = await brightness(page, judge, box.x + x, box.y + y);
      expect(Math.abs(inView - sum / 192)).toBeLessThan(4);
    }
    await judge.close();
  });

  it('include screenshots with the grid of the page', async () => {
    await open(`${AT_SEVEN}&centerX=300&centerY=-200&imageScale=2&grid=true`);
    // The header, which places the observer, says that the image is synthetic.
    await page.waitForSelector('.synthetic', PATIENCE);
    await page.waitForSelector('.grid-lines', { state: 'attached', ...PATIENCE });
    await openTool(page, 'make');
    await settled(page);
    const path = (await page.getAttribute('.grid-lines', 'd'))!;
    const asked = page.waitForRequest(/takeScreenshot/);
    await Promise.all([page.waitForEvent('download', PATIENCE), page.click('#take')]);
    const address = (await asked).url();
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

  it('include screenshots of a region that is drawn, moved and resized by the pointer', async () => {
    await open(`${AT_SEVEN}&centerX=0&centerY=0&imageScale=4`);
    await openTool(page, 'make');
    await page.selectOption('#area', 'region');
    const box = (await page.locator('#view').boundingBox())!;
    const drag = async (fromX: number, fromY: number, toX: number, toY: number) => {
      await page.mouse.move(box.x + fromX, box.y + fromY);
      await page.mouse.down();
      await page.mouse.move(box.x + toX, box.y + toY, { steps: 3 });
      await page.mouse.up();
    };
    const place = async () => {
      const region = (await page.locator('#region').boundingBox())!;
      return [region.x - box.x, region.y - box.y, region.width, region.height].map(Math.round);
    };
    await drag(400, 250, 200, 150);
    await expect.poll(() => place()).toEqual([200, 150, 200, 100]);
    await drag(300, 200, 310, 220);
    await expect.poll(() => place()).toEqual([210, 170, 200, 100]);
    await drag(410, 270, 460, 290);
    await expect.poll(() => place()).toEqual([210, 170, 250, 120]);
    // 250 pixels of 4 arcseconds at 1 au; the Earth is at 1.0096 au.
    await expect.poll(() => page.textContent('#region-size')).toMatch(/^99[01]″ × 47[56]″ 250 × 120 pixels$/);
    const asked = page.waitForRequest(/takeScreenshot/);
    await Promise.all([page.waitForEvent('download', PATIENCE), page.click('#take')]);
    const values = new URL((await asked).url()).searchParams;
    const centre = [(210 + 125 - box.width / 2) * 4, (170 + 60 - box.height / 2) * 4];
    expect(Number(values.get('x0'))).toBeCloseTo(centre[0]!, 0);
    expect(Number(values.get('y0'))).toBeCloseTo(centre[1]!, 0);
    expect([values.get('width'), values.get('height'), values.get('imageScale')]).toEqual(['250', '120', '4']);
  });

  it('include movies that are made, listed and played', async () => {
    await open();
    await openTool(page, 'make');
    await page.selectOption('label:has-text("Time around") select', '3600000');
    await page.click('#make-movie');
    await page.waitForSelector('.movie video', BUILT);
    await page.evaluate('document.querySelector("video").play()');
    await expect.poll(() => page.evaluate('document.querySelector("video").currentTime')).toBeGreaterThan(0);
    await page.reload();
    await openTool(page, 'make');
    await page.waitForSelector('.movie video', PATIENCE);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });
});

describe('data', () => {
  it('include the header, files and code of the view', async () => {
    await open();
    await openTool(page, 'data');
    await page.fill('#header-search', 'origin');
    await expect.poll(() => page.textContent('.table')).toBe('ORIGINhelioedge sample (synthetic)');
    const links = await page.$$eval('.links a', (all) => all.map((link) => link.getAttribute('href')!));
    const types = links.map(async (link) => (await fetch(served.service.url + link)).headers.get('Content-Type')?.split(';')[0]);
    expect(await Promise.all(types)).toEqual(['image/jp2', 'text/xml', 'image/png']);
    await expect.poll(() => page.textContent('#code pre')).toContain(`set_api_url("${served.service.url}/v2/")`);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('downloads data by the code of each tab', async () => {
    const texts = await codeOfTabs();
    const screenshot = hvpyRequest(texts[0]!);
    const typeOf = async (url: string) => {
      const response = await fetch(url);
      return [response.status, response.headers.get('Content-Type')?.split(';')[0]];
    };
    expect(await typeOf(screenshot)).toEqual([200, 'image/png']);
    const addresses = texts.slice(1).flatMap((text) => [...text.matchAll(/"(http[^"]+)"/g)].map((match) => match[1]!));
    const types = await Promise.all(addresses.map(typeOf));
    expect(types.map(([status]) => status)).toEqual(addresses.map(() => 200));
    expect(types.map(([, type]) => type)).toEqual([
      'image/jp2',
      'image/png',
      'image/jp2',
      'text/xml',
      'application/json',
      'image/jpx',
    ]);
    const pictures = [screenshot, addresses[1]!].map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer()));
    const [byHvpy, byCurl] = await Promise.all(pictures);
    expect(byCurl!.equals(byHvpy!)).toBe(true);
  });
});

describe('code for the view', () => {
  it('saves the same picture by hvpy and by curl', async () => {
    const [hvpy, , curl, jhelioviewer] = await codeOfTabs();
    const { clientWidth, clientHeight } = await page.$eval('#view', (view) => ({
      clientWidth: (view as unknown as { clientWidth: number }).clientWidth,
      clientHeight: (view as unknown as { clientHeight: number }).clientHeight,
    }));
    let saved = Buffer.alloc(0);
    await runSnippet('python', hvpy!, async ({ file }) => {
      saved = await file('sun.png');
    });
    const { width, height } = readPng(saved);
    expect([width, height]).toEqual([clientWidth, clientHeight]);
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

describe('the dialogs', () => {
  it('explain the picture, share it and close by Escape', async () => {
    await open();
    await page.click('text=What am I seeing?');
    await page.waitForSelector('dialog h3', PATIENCE);
    await expect.poll(() => page.textContent('dialog')).toMatch(/AIA 171.*iron/);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.$('dialog')).toBeNull();
    await page.click('.bar >> text=Share');
    const link = `${served.service.url}${AT_SEVEN}`;
    await expect.poll(() => page.inputValue('dialog input >> nth=0')).toBe(link);
    const embedded = await fetch(link.replace('/?', '/embed?'));
    expect(embedded.headers.get('Content-Security-Policy')).toContain('frame-ancestors *');
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('embed the picture elsewhere', async () => {
    await open('/embed?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]');
    await expect.poll(() => caption()).toMatch('AIA 171');
    await expect.poll(() => page.getAttribute('.open-explorer', 'href')).toBe(`${served.service.url}${AT_SEVEN}`);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });
});

describe('time', () => {
  it('plays the last day of images by one press, and loops over the range that the timeline shows and drags', async () => {
    await open('/');
    await captioned(page, '07:20:');
    await page.selectOption('#speed', '30');
    const captions = await playNoted(page);
    const times = async () => {
      const all = (await captions()).match(/\d\d:\d\d(?=:)/g) ?? [];
      return all.filter((time, i) => time !== all[i - 1]).join(' ');
    };
    await expect.poll(times).toContain('06:40 06:45');
    await expect.poll(times).toContain('06:40 06:45 06:50 06:55 07:00');
    await expect.poll(times).toContain('06:40 06:45 06:50 06:55 07:00 07:05 07:10 07:15 07:20 06:40');
    await expect.poll(() => page.getAttribute('#loop-start', 'aria-valuetext')).toMatch(/^2024-05-09 07:20:/);
    await expect.poll(() => page.getAttribute('#loop-end', 'aria-valuetext')).toMatch(/^2024-05-10 07:20:/);
    await expect.poll(() => page.getAttribute('.loop', 'data-buffered')).toBe('9');
    await expect.poll(() => axeViolations(page)).toEqual([]);
    // Two hours, of which the drag takes a quarter of an hour.
    for (let i = 0; i < 3; i += 1) await page.click('.timeline-zoom button >> nth=0');
    await expect.poll(() => page.getAttribute('.timeline-body', 'aria-valuetext')).toMatch(/2 h shown/);
    const timeline = (await page.locator('.timeline-range').boundingBox())!;
    const end = (await page.locator('#loop-end').boundingBox())!;
    const [x, y] = [end.x + end.width / 2, end.y + end.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - timeline.width / 8, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.getAttribute('#loop-end', 'aria-valuetext')).toMatch(/^2024-05-10 07:0[45]:/);
    // The loop without what was on its way to the screen before.
    await page.evaluate('window.captions = []');
    await expect.poll(times).toContain('06:40');
    await page.evaluate('window.captions = []');
    await expect.poll(times).toMatch(/07:0[05] 06:40 06:45 .*07:0[05] 06:40/);
    await page.focus('#loop-end');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getAttribute('#loop-end', 'aria-valuetext')).toMatch(/^2024-05-10 07:0[12]:/);
    await page.click('#play');
    await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
    const late = await times();
    expect(late).not.toMatch(/07:(?:10|15|20)/);
    await expect.poll(() => query().get('date')).toMatch(/^2024-05-10T0[67]:/);
  });

  it('plays on from an earlier image, and says when a source has no second one', async () => {
    await open('/?date=2024-05-10T06:40:00Z&imageLayers=[10,1,100]');
    const captions = await playNoted(page);
    await expect.poll(captions).toContain('2024-05-10 06:55:');
    await page.click('#play');
    await expect.poll(() => query().get('date')).not.toBe('2024-05-10T06:40:00Z');
    await open('/?date=2024-05-10T07:00:00Z&imageLayers=[13,1,100]');
    await page.click('#play');
    await expect.poll(() => page.textContent('.notice.trouble p')).toMatch(/no second image to play\./);
    await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
  });

  it('moves along the timeline by keys', async () => {
    await open();
    await page.waitForSelector('.timeline-body', PATIENCE);
    await page.focus('.timeline-body');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => query().get('date')).not.toBe('2024-05-10T07:00:00Z');
    await page.keyboard.press('-');
    await expect.poll(() => page.getAttribute('.timeline-body', 'aria-valuetext')).toMatch(/3 d shown/);
  });

  it('shows counted events in a range of half a year, and hatches what is not counted', async () => {
    await open();
    await page.waitForSelector('.timeline-body', PATIENCE);
    await page.route('**/v2/getDataCoverage/?eventLayers=*', (route) => {
      const start = Number(new URL(route.request().url()).searchParams.get('startDate'));
      const data = Array.from({ length: 180 }, (_, i) => [start + i * 24 * 60 * MINUTE_MS, i < 60 ? null : 3]);
      const known = data.map((_, i) => (i < 60 ? 0 : i < 80 ? 0.5 : 1));
      return route.fulfill({ json: [{ event_type: 'FL', res: 'D', showInLegend: true, data, known }] });
    });
    await page.focus('.timeline-body');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('-');
    await page.waitForSelector('.timeline-rows .unknown', { state: 'attached', ...PATIENCE });
    await expect.poll(() => page.$$eval('.timeline-rows .marker', (bins) => bins.length)).toBe(120);
    const place = () =>
      page.$eval('.timeline-rows .unknown', (rect) => ['x', 'width'].map((name) => Number(rect.getAttribute(name))));
    await expect.poll(async () => (await place())[1]).toBeCloseTo((80 / 180) * 1000, 0);
    // The range is loaded at whole parts of its length, so it begins near the left edge.
    expect(Math.abs((await place())[0]!)).toBeLessThan(1000 / 12);
    expect(await page.textContent('.timeline-note')).toBe('Hatched above: events that are not counted yet.');
  });

  it('needs no pointer: keys alone lead from the tools to another source and back', async () => {
    await open();
    await page.focus('#tool-presets');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.card', PATIENCE);
    await page.focus('.card:has-text("Chromosphere")');
    await page.keyboard.press('Enter');
    await captioned(page, 'AIA 304');
    await page.focus('.panel h2');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tool-presets');
    await page.goBack();
    await captioned(page, 'AIA 171');
  });
});
