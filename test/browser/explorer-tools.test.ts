import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/platform/util/durations.ts';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { drag, openTool, pause, playNoted } from '../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, parameters, requested, settled } from '../support/explorer/looks.ts';
import { AT_SEVEN, PHONE } from '../support/explorer/views.ts';

let page: Page;

const { served, pages } = sharedPages('seven');

/** The middle of the picture. */
const MIDDLE = { x: 300, y: 220, width: 300, height: 200 };

it('highlights lead to an ejection and an active region, with their pins', async () => {
  page = await pages.openTool('presets');
  await page.click('[aria-labelledby=highlights-ejection] li:first-child button');
  await expect.poll(() => parameters(page).get('eventLayers')).toBe('[CE,all,1],[C3,all,1]');
  expect(parameters(page).get('imageLayers')).toBe('[13,1,100],[4,1,100]');
  await page.waitForSelector('.pin[aria-pressed=true]:is(.pin-CE, .pin-C3)');
  await page.click('[aria-labelledby=highlights-region] li:first-child button');
  await expect.poll(() => parameters(page).get('eventLayers')).toBe('[CE,all,1],[C3,all,1],[AR,all,1]');
  await page.waitForSelector('.pin-AR');
});

it('layers finds layers by name, and adds, fades, moves, hides and removes them', async () => {
  page = await pages.openTool('layers');
  await page.waitForSelector('.sources button');
  await expect.poll(() => page.textContent('.sources li:first-child strong')).toMatch(/^AIA/);
  await page.fill('#search', 'lasco c2');
  await page.click('.sources button');
  await captioned(page, /LASCO C2.*AIA 171/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  expect(parameters(page).get('imageLayers')).toBe('[10,1,100],[4,1,100]');
  await settled(page);
  const opaque = await page.screenshot({ clip: MIDDLE });
  await page.focus('.layer-item:first-child input[type=range]');
  for (let i = 0; i < 8; i += 1) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => parameters(page).get('imageLayers')).toBe('[10,1,100],[4,1,60]');
  expect((await page.screenshot({ clip: MIDDLE })).equals(opaque)).toBe(false);
  await page.click('[aria-label="Move LASCO C2 down"]');
  await expect.poll(() => parameters(page).get('imageLayers')).toBe('[4,1,60],[10,1,100]');
  await page.click('[aria-label="Hide AIA 171"]');
  await captioned(page, /^LASCO C2/);
  await page.click('[aria-label="Remove AIA 171"]');
  await expect.poll(() => parameters(page).get('imageLayers')).toBe('[4,1,60]');
});

it('layers finds layers by what they show, in the language of the page', async () => {
  page = await pages.openTool('layers', `${AT_SEVEN}&lang=de`);
  const found = () => page.$$eval('.sources strong', (names) => names.map((name) => name.textContent).join());
  await page.fill('#search', 'Koronograph');
  await expect.poll(found).toBe('LASCO C2');
  await page.fill('#search', 'protuberanzen');
  await expect.poll(found).toBe('AIA 304');
  await page.fill('#search', 'solar dynamics');
  await expect.poll(found).toBe('AIA 171,AIA 304');
  await page.click('#tool-events');
  await page.waitForSelector('.types label');
  await page.fill('#search-events', 'sonnenflecken');
  const types = () => page.$$eval('.types .pin-mark', (marks) => marks.map((mark) => mark.textContent).join());
  await expect.poll(types).toBe('AR');
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it.each([
  ['a running difference', '5 minute', '[10,1,100,1,5,1]', /difference=1&diffCount=5&diffTime=1/, /Δ/],
  [
    'a base ratio to the image at the time of the choice',
    'ratio',
    '[10,1,100,3,1,1,2024-05-10T07:00:00Z]',
    /difference=3&baseDiffTime=/,
    /÷₀$/,
  ],
] as const)('layers show %s, which the address, the tiles and the caption state', async (_, choice, layers, tile, mark) => {
  page = await pages.open();
  const tiles = requested(page, /getTile/);
  await openTool(page, 'layers');
  await page.selectOption('.layer-item select', choice);
  await expect.poll(() => parameters(page).get('imageLayers')).toBe(layers);
  await settled(page);
  expect(tiles.at(-1)).toMatch(tile);
  await expect.poll(() => page.textContent('#caption strong')).toMatch(mark);
});

it('measurements read out the middle of the disk, and a length', async () => {
  page = await pages.openTool('measure', `${AT_SEVEN}&centerX=0&centerY=0&imageScale=4`);
  await page.click('text=Read out at a cross-hair');
  const values = async () => page.locator('#readout dd').allTextContents();
  // B0 of 10 May 2024, once the header is known, whose Carrington longitude is a twentieth of a degree from the meridian of the Earth.
  await expect.poll(async () => (await values())[1]).toMatch(/^0\.05°, −[23]\.\d\d°$/);
  const [helioprojective, , , radius] = await values();
  expect(helioprojective).toBe('0.0″, 0.0″');
  expect(radius).toBe('0.000');
  await page.click('text=Solar grid');
  await page.waitForSelector('.grid-lines', { state: 'attached' });
  await page.click('text=Ruler: drag');
  const box = await boxOf(page);
  await drag(page, [box.x + 100, box.y + 200], [box.x + 200, box.y + 200]);
  // 100 pixels of 4 arcseconds at 1 au are 290 Mm; the Earth is at 1.0096 au, where they look smaller.
  await expect.poll(() => page.textContent('#ruler')).toMatch(/^39[5-7]\.\d″ · 290\.\d Mm$/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('measurements state the place of an event as the cross-hair over it does, as the observer sees it', async () => {
  const tree = await fetch(`${served.service.url}/v2/events/?startTime=2024-05-10T07:00:00Z&format=tree`);
  const categories = (await tree.json()) as { pin: string; groups: { data: { hv_hpc_x: number; hv_hpc_y: number }[] }[] }[];
  const { hv_hpc_x: x, hv_hpc_y: y } = categories.find(({ pin }) => pin === 'FL')!.groups[0]!.data[0]!;
  page = await pages.open(`${AT_SEVEN}&centerX=${x}&centerY=${-y}&imageScale=1&eventLayers=[FL,all,1]`);
  await page.waitForSelector('.pin-FL');
  const box = await boxOf(page);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const numbers = (text: string | null) =>
    [...text!.replaceAll('−', '-').matchAll(/(-?[\d.]+)″/g)].map(([, value]) => Number(value));
  const place = numbers(
    await page.locator('.details dd', { hasText: 'as the observer of the lowest layer sees it' }).textContent(),
  );
  await openTool(page, 'measure');
  await page.click('text=Read out at a cross-hair');
  const readout = numbers(await page.textContent('#readout dd'));
  for (const [i, value] of [x, y].entries()) {
    expect(place[i]! - readout[i]!).toBeCloseTo(0, 1);
    // The Earth is 0.96 % farther away than 1 au.
    expect(place[i]! / value).toBeCloseTo(0.9905, 3);
  }
});

it('measurements follow a cross-hair on a touch screen, which has no pointer', async () => {
  page = await pages.openTool('measure', `${AT_SEVEN}&centerX=100&centerY=-50&imageScale=4`, PHONE);
  await page.waitForSelector('.crosshair', { state: 'attached' });
  // The view is at a scale of 1 au, from which the Earth is 0.96 % farther away.
  await expect.poll(() => page.textContent('#readout dd')).toMatch(/^99\.\d″, 49\.\d″$/);
  await page.click('aside.panel [aria-label="Close"]');
  await page.waitForSelector('.crosshair', { state: 'detached' });
});

it('the dialogs explain the picture, share it and close by Escape', async () => {
  page = await pages.open();
  await page.click('text=What am I seeing?');
  await page.waitForSelector('dialog h3');
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

it('time plays the last day of images by one press, and loops over the range that the timeline shows and drags', async () => {
  page = await pages.open('/');
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
  const timeline = await boxOf(page, '.timeline-range');
  const end = await boxOf(page, '#loop-end');
  const [x, y] = [end.x + end.width / 2, end.y + end.height / 2];
  await drag(page, [x, y], [x - timeline.width / 8, y]);
  await expect.poll(() => page.getAttribute('#loop-end', 'aria-valuetext')).toMatch(/^2024-05-10 07:0[45]:/);
  // The loop without what was on its way to the screen before.
  await page.evaluate('window.captions = []');
  await expect.poll(times).toContain('06:40');
  await page.evaluate('window.captions = []');
  await expect.poll(times).toMatch(/07:0[05] 06:40 06:45 .*07:0[05] 06:40/);
  await page.focus('#loop-end');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getAttribute('#loop-end', 'aria-valuetext')).toMatch(/^2024-05-10 07:0[12]:/);
  await pause(page);
  const late = await times();
  expect(late).not.toMatch(/07:(?:10|15|20)/);
  await expect.poll(() => parameters(page).get('date')).toMatch(/^2024-05-10T0[67]:/);
});

it('time plays on from an earlier image, and says when a source has no second one', async () => {
  page = await pages.open('/?date=2024-05-10T06:40:00Z&imageLayers=[10,1,100]');
  const captions = await playNoted(page);
  await expect.poll(captions).toContain('2024-05-10 06:55:');
  await page.click('#play');
  await expect.poll(() => parameters(page).get('date')).not.toBe('2024-05-10T06:40:00Z');
  page = await pages.open('/?date=2024-05-10T07:00:00Z&imageLayers=[13,1,100]');
  await page.click('#play');
  await expect.poll(() => page.textContent('.notice.trouble p')).toMatch(/no second image to play\./);
  await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
});

it('time shows counted events in a range of half a year, and hatches what is not counted', async () => {
  page = await pages.open();
  await page.waitForSelector('.timeline-body');
  await page.route('**/v2/getDataCoverage/?eventLayers=*', (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('startDate'));
    const data = Array.from({ length: 180 }, (_, i) => [start + i * 24 * 60 * MINUTE_MS, i < 60 ? null : 3]);
    const known = data.map((_, i) => (i < 60 ? 0 : i < 80 ? 0.5 : 1));
    return route.fulfill({ json: [{ event_type: 'FL', res: 'D', showInLegend: true, data, known }] });
  });
  await page.focus('.timeline-body');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('-');
  await page.waitForSelector('.timeline-rows .unknown', { state: 'attached' });
  await expect.poll(() => page.locator('.timeline-rows .marker').count()).toBe(120);
  const place = () =>
    page.$eval('.timeline-rows .unknown', (rect) => ['x', 'width'].map((name) => Number(rect.getAttribute(name))));
  await expect.poll(async () => (await place())[1]).toBeCloseTo((80 / 180) * 1000, 0);
  // The range is loaded at whole parts of its length, so it begins near the left edge.
  expect(Math.abs((await place())[0]!)).toBeLessThan(1000 / 12);
  expect(await page.textContent('.timeline-note')).toBe('Hatched above: events that are not counted yet.');
});

it('time needs no pointer: keys alone lead from the tools to another source and back', async () => {
  page = await pages.open();
  await page.focus('#tool-presets');
  await page.keyboard.press('Enter');
  await page.focus('.card:has-text("Chromosphere")');
  await page.keyboard.press('Enter');
  await captioned(page, 'AIA 304');
  expect(parameters(page).get('imageLayers')).toBe('[13,1,100]');
  await page.focus('.panel h2');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('tool-presets');
  await page.goBack();
  await captioned(page, 'AIA 171');
});
