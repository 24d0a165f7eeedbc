// Physical values in the explorer: under the pointer, as light curves of regions, and as time-distance maps.
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { drag, enter } from '../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, requested } from '../support/explorer/looks.ts';
import { DESKTOP, PHONE } from '../support/explorer/views.ts';

const PLACE = '&centerX=100&centerY=-200&imageScale=4';
const AT_SEVEN = `/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]${PLACE}`;
const RANGE = { start: '2024-05-10 06:40:00', end: '2024-05-10 07:21:00' };

const { served, pages } = sharedPages('seven', { mayLogErrors: true });
let page: Page;

async function open(path = AT_SEVEN, options = DESKTOP): Promise<void> {
  page = await pages.openTool('measure', path, options);
}

interface Answer {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly byte: number;
}

const valuesShown = async () => {
  await page.waitForSelector('#values[aria-busy=false]');
  return page.locator('#values dd').allTextContents();
};

/** The numbers of `87 DN/s (71 to 106), exact byte 52 ± 5`. */
const numbersIn = (text: string) => [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));

/** Opens the page, and chooses what is measured in the range of the images. */
async function choose(task: 'region' | 'path', path = AT_SEVEN): Promise<void> {
  await open(path);
  await page.selectOption('#task', task);
  for (const [name, text] of Object.entries(RANGE)) await enter(page, `#measure-${name}`, text);
}

const finished = () => page.waitForSelector('.result[data-state=finished]');

interface Curve {
  readonly curve: readonly { readonly date: string; readonly mean: number; readonly censored: number }[];
}

const answerOf = async <T>(address: string) => (await (await fetch(address)).json()) as T;

it('the values under the pointer follow getValue with interval and byte, or say that there are none', async () => {
  await open(`/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100],[4,1,50]${PLACE}`);
  const { x, y } = await boxOf(page);
  const responses: { url: string; answer: Promise<Answer> }[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/getValue/')) responses.push({ url: response.url(), answer: response.json() });
  });
  await page.mouse.move(x + 300, y + 260);
  await page.waitForSelector('#values[aria-busy=true]');
  const [aia, lasco] = await valuesShown();
  // The value of AIA, the refusal of LASCO, and its level.
  expect(responses.map(({ url }) => new URL(url).searchParams.get('raw'))).toEqual([null, null, 'true']);
  const { value, lower, upper, byte } = await responses[0]!.answer;
  const shown = numbersIn(aia!);
  expect(aia).toMatch(/^\d.* DN\/s \(.* to .*\), exact/);
  // Two digits of the width of the interval.
  const unit = (upper - lower) / 10;
  for (const [i, number] of [value, lower, upper].entries()) expect(Math.abs(shown[i]! - number)).toBeLessThanOrEqual(unit / 2);
  expect(shown[3]).toBe(byte);
  expect(lasco).toMatch(/^no physical values: .*Guide byte \d+$/);
  expect(numbersIn(lasco!)).toEqual([(await responses[2]!.answer).byte]);
  expect(await axeViolations(page)).toEqual([]);
});

it('the values under the pointer state what lies beyond the display range, and when the service can be asked again', async () => {
  await open();
  const { x, y } = await boxOf(page);
  const found = { byte: 255, value: 7998.4, lower: 7998.4, upper: null, unit: 'DN/s', status: 'exact', lossyLevels: 0 };
  const answers = [
    { json: { ...found, censored: 'above' } },
    { json: { ...found, censored: 'below', byte: 0, value: 6.04, lower: null, upper: 6.04 } },
    { status: 404, json: { error: 'There is no data at this place.', errno: 61 } },
    { status: 429, headers: { 'Retry-After': '7' }, json: { error: 'Too many requests.', errno: 40 } },
  ];
  const texts: string[] = [];
  for (const [i, answer] of answers.entries()) {
    await page.route('**/getValue/**', (route) => route.fulfill(answer), { times: 1 });
    await page.mouse.move(x + 300 + 20 * i, y + 260);
    await page.waitForSelector('#values[aria-busy=true]');
    texts.push((await valuesShown())[0]!);
  }
  expect(texts).toEqual([
    'above the display range: at least 7998 DN/s byte 255',
    'below the display range: at most 6.04 DN/s byte 0',
    'no data here',
    'Too many requests. Try again in 7 s.',
  ]);
});

it('the values under the pointer wait until the pointer of the values rests', async () => {
  await open();
  const { x, y } = await boxOf(page);
  const requests = requested(page, /getValue/);
  // Without waiting for the page between the steps.
  await page.mouse.move(x + 200, y + 200);
  await page.mouse.move(x + 400, y + 300, { steps: 40 });
  await page.waitForSelector('#values[aria-busy=true]');
  expect(numbersIn((await valuesShown())[0]!)).toHaveLength(5);
  expect(requests.length).toBeLessThan(20);
});

it('the values under the pointer show the values at a tap on a touch screen', async () => {
  await open(AT_SEVEN, PHONE);
  const { x, y } = await boxOf(page);
  const before = (await page.textContent('#readout'))!;
  await page.touchscreen.tap(x + 120, y + 150);
  await page.waitForSelector('#mark', { state: 'attached' });
  await expect.poll(() => page.textContent('#readout')).not.toBe(before);
  await expect.poll(async () => (await valuesShown())[0]).toMatch(/DN\/s/);
  expect(await axeViolations(page)).toEqual([]);
});

it('a light curve follows getLightCurve for a box drawn on the picture, and leads to the time of its points', async () => {
  await choose('region');
  await page.click('#sketch');
  await page.waitForSelector('.drawing-area');
  const { x, y } = await boxOf(page);
  await drag(page, [x + 200, y + 150], [x + 250, y + 200]);
  // 50 pixels of 4 arcseconds at 1 au, from which the Earth is 0.96 % farther away.
  expect(Number(await page.inputValue('#measured-width'))).toBeCloseTo(198, 0);
  await page.click('#measure');
  await finished();
  const address = (await page.locator('.links a', { hasText: 'CSV' }).getAttribute('href'))!;
  expect(await page.textContent('#code pre')).toContain(address);
  expect(address).not.toContain('track');
  const { curve } = await answerOf<Curve>(served.service.url + address.replace('format=csv', 'format=json'));
  expect(curve).toHaveLength(9);
  await page.focus('#curve');
  await page.keyboard.press('Home');
  for (const { date, mean, censored } of curve.slice(0, 3)) {
    const text = (await page.textContent('#curve-reading'))!;
    expect(text).toContain(date.slice(0, 19).replace('T', ' '));
    expect(text.includes('% of the pixels beyond the display range')).toBe(censored > 0);
    expect(Math.abs(Number(/mean ([\d.]+)/.exec(text)![1]) / mean - 1)).toBeLessThan(0.05);
    await page.keyboard.press('ArrowRight');
  }
  expect(await page.locator('#curve').getAttribute('aria-valuetext')).toContain('06:55');
  await page.getByLabel('X-ray flux of GOES beside it').check();
  await expect.poll(() => page.getAttribute('.goes', 'd')).toMatch(/^M[\d. ]+L/);
  const hasArrows = (await page.getAttribute('.curve-open', 'd')) !== '';
  expect(await page.getByText(/^Arrows: the interval/).count()).toBe(hasArrows ? 1 : 0);
  expect(await axeViolations(page)).toEqual([]);
  await page.focus('#curve');
  await page.keyboard.press('Enter');
  await captioned(page, '06:55:');
  // A click at the right end goes to the last image.
  const plot = (await page.locator('#curve .plot-frame rect').first().boundingBox())!;
  await page.mouse.click(plot.x + plot.width - 4, plot.y + plot.height / 2);
  await captioned(page, '07:20:');
});

it('a light curve rotates a region with the Sun over more than an hour, from the time at which it was drawn', async () => {
  await choose('region');
  await page.click('text=Place it in the middle');
  for (const side of ['width', 'height']) await page.fill(`#measured-${side}`, '200');
  const tracked = page.getByLabel('Rotate with the Sun');
  expect(await tracked.isChecked()).toBe(false);
  await enter(page, '#measure-start', '2024-05-10 06:00:00');
  await expect.poll(() => tracked.isChecked()).toBe(true);
  const drawnAt = (await page.getAttribute('#caption time', 'datetime'))!.slice(0, 19);
  await page.click('#next');
  await captioned(page, '07:05:');
  const asked = page.waitForRequest(/getLightCurve/);
  await page.click('#measure');
  const parameters = `track=rotation&trackFrom=${drawnAt}Z`;
  expect((await asked).url()).toContain(parameters);
  await finished();
  expect(await page.textContent('#code pre')).toContain(parameters);
  await tracked.uncheck();
  await page.click('#measure');
  await expect.poll(() => page.textContent('#code pre')).not.toContain('track');
});

it('a light curve is the one that was asked for last, stops on request, and says when a refused one may be measured', async () => {
  await choose('region');
  await page.click('text=Place it in the middle');
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = async (route: Route) => promise.then(() => route.continue());
  await page.route('**/getClosestImageDatesForSources/**', late, { times: 1 });
  const asked = requested(page, /getLightCurve/);
  await page.click('#measure');
  await page.fill('#measured-width', '70');
  await page.click('#measure');
  await finished();
  resolve();
  await page.waitForLoadState('networkidle');
  // The interval of the earlier one was found after it.
  expect(asked).toEqual([expect.stringContaining('width=70')]);
  await page.route('**/getLightCurve/**', () => undefined, { times: 1 });
  await page.click('#measure');
  await page.click('#stop-measuring');
  await page.waitForSelector('.result[data-state=stopped]');
  const refusal = { status: 429, headers: { 'Retry-After': '30' }, json: { error: 'Too many pixels at once.', errno: 40 } };
  await page.route('**/getLightCurve/**', (route) => route.fulfill(refusal), { times: 1 });
  await page.click('#measure');
  await expect.poll(() => page.textContent('.result .failure')).toContain('Too many pixels at once. Try again in 30 s.');
  expect(await axeViolations(page)).toEqual([]);
  await page.click('.result .failure button');
  await finished();
});

it('a light curve offers the levels of images without physical values, and says what they are', async () => {
  await choose('region', `/?date=2024-05-10T07:00:00Z&imageLayers=[4,1,100]&centerX=100&centerY=-200&imageScale=20`);
  await page.click('text=Place it in the middle');
  const place = { x: '3500', y: '0', width: '800', height: '800' };
  for (const [name, value] of Object.entries(place)) await page.fill(`#measured-${name}`, value);
  await page.click('#measure');
  await expect.poll(() => page.textContent('.result .failure')).toMatch(/^no physical values: /);
  // As the user sees it, without scrolling.
  const view = await boxOf(page, '.panel');
  const button = await boxOf(page, '.result .failure button');
  expect(button.y + button.height).toBeLessThanOrEqual(view.y + view.height);
  expect(await page.locator('.result .links').count()).toBe(0);
  await page.locator('.result .failure button').press('Enter');
  await finished();
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('measure');
  expect(await page.isChecked('text=Levels of the images in place of values')).toBe(true);
  expect(await page.textContent('#measured-facts')).toContain('levels of the images, not physical values');
  const address = (await page.locator('.links a', { hasText: 'CSV' }).getAttribute('href'))!;
  expect(address).toContain('raw=true');
  const { curve } = await answerOf<Curve>(served.service.url + address.replace('format=csv', 'format=json'));
  await page.focus('#curve');
  await page.keyboard.press('Home');
  const [, mean, unit] = /mean ([\d.]+) (\S+)/.exec((await page.textContent('#curve-reading'))!)!;
  expect(Math.abs(Number(mean) / curve[0]!.mean - 1)).toBeLessThan(0.05);
  expect(unit).toBe('level');
  expect(await axeViolations(page)).toEqual([]);
});

it('a light curve takes the polygon that is drawn from click to click and moved by keys', async () => {
  await choose('region');
  await page.selectOption('#measured-kind', 'polygon');
  await page.click('#sketch');
  const { x, y } = await boxOf(page);
  for (const [right, down] of [
    [200, 200],
    [300, 200],
    [250, 300],
  ] as const)
    await page.mouse.click(x + right, y + down);
  await page.keyboard.press('Enter');
  const vertices = async () => numbersIn((await page.inputValue('#measured-vertices')).replaceAll('-', ''));
  expect(await vertices()).toHaveLength(6);
  const [first] = await vertices();
  await page.focus('#measured');
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => Math.abs((await vertices())[0]! - first!)).toBeCloseTo(39.6, 0);
});

it('a time-distance map draws a time-distance map with a row an image for a line given as numbers, and leads to the time of a column', async () => {
  await choose('path');
  await page.click('text=Place it in the middle');
  await enter(page, '#measured-vertices', '0, 100; 300, 200');
  await page.click('#measure');
  await finished();
  const address = (await page.locator('.links a', { hasText: 'FITS' }).getAttribute('href'))!;
  expect(address).toContain('path=[[0,100],[300,200]]&width=10');
  interface TimeDistance {
    readonly map: readonly { readonly date: string; readonly values: readonly number[] }[];
    readonly step: number;
  }
  const { map, step } = await answerOf<TimeDistance>(served.service.url + address.replace('format=fits', 'format=json'));
  await page.focus('#map');
  await page.keyboard.press('Home');
  for (const key of ['ArrowRight', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
  const [, time, distance, value] = /^(.*) UTC · ([\d.]+)″ · ([\d.]+) DN\/s$/.exec((await page.textContent('#map-reading'))!)!;
  expect(map[1]!.date.slice(0, 19).replace('T', ' ')).toBe(time);
  expect(Number(distance)).toBeCloseTo(2 * step, 1);
  expect(Math.abs(Number(value) / map[1]!.values[2]! - 1)).toBeLessThan(0.01);
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await captioned(page, '06:45:');
});
