// The explorer without a pointer, without motion, on a slow line, on a phone and in other languages; its help; planets and saved views.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { downloaded, hold, inEveryDialog, inEveryPanel, openTool, playNoted, touch } from '../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, overlaps, parameters, settled } from '../support/explorer/looks.ts';
import { AT_NOON, DESKTOP, PHONE } from '../support/explorer/views.ts';
import { readPng } from '../support/imaging/read-png.ts';

const { served, pages } = sharedPages('noon');
let page: Page;

/** Presses a key until an element has the focus. */
async function focusBy(key: string, id: string): Promise<void> {
  for (let i = 0; i < 80; i += 1) {
    if ((await page.evaluate('document.activeElement.id')) === id) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach #${id}`);
}

it('a keyboard alone reaches the tools, sets a region and downloads it', async () => {
  page = await pages.open();
  await focusBy('Tab', 'tool-make');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#area');
  await focusBy('Tab', 'area');
  await page.keyboard.press('End');
  await page.waitForSelector('#region');
  await focusBy('Tab', 'region');
  const sides = async () => (await page.textContent('#region-size'))!.match(/\d+(?=″)/g)!.map(Number);
  const before = await sides();
  const left = (await boxOf(page, '#region')).x;
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await boxOf(page, '#region')).x).toBeCloseTo(left + 10, 0);
  await expect.poll(async () => (await sides())[0]).toBeLessThan(before[0]!);
  expect((await sides())[1]).toBe(before[1]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  const [, width, height] = /(\d+) × (\d+) pixels/.exec((await page.textContent('#region-size'))!)!;
  await focusBy('Shift+Tab', 'save-picture');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#take:enabled');
  await focusBy('Tab', 'take');
  const png = readPng((await downloaded(page, () => page.keyboard.press('Enter'))).file);
  expect([png.width, png.height]).toEqual([Number(width), Number(height)]);
});

it('a keyboard alone moves the picture, steps and plays, and opens and closes the help', async () => {
  page = await pages.open();
  await expect.poll(() => page.isEnabled('#next')).toBe(true);
  await focusBy('Tab', 'view');
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => parameters(page).has('imageScale')).toBe(true);
  await page.keyboard.press('.');
  await captioned(page, '12:01:');
  const captions = await playNoted(page, () => page.keyboard.press(' '));
  await expect.poll(captions).toContain('12:02:');
  await page.keyboard.press(' ');
  await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
  await focusBy('Shift+Tab', 'help');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog .keys');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.$('dialog')).toBeNull();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('help');
});

it('a phone shows no violation of axe in any sheet and dialog of a phone, and targets of 44 pixels', async () => {
  page = await pages.open(`${AT_NOON}&grid=true`, PHONE);
  await inEveryPanel(page, async () => [
    ...(await axeViolations(page)),
    ...(await page.$$eval('.panel button, .panel select, .panel input:not([type=checkbox]), .panel .links a', (all) =>
      all.filter((one) => one.getBoundingClientRect().height < 43.9).map((one) => one.textContent),
    )),
  ]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
  await inEveryDialog(page, () => axeViolations(page));
});

it('a phone draws a region with a finger', async () => {
  page = await pages.openTool('make', AT_NOON, PHONE);
  await page.selectOption('#area', 'region');
  const box = await boxOf(page);
  const at = (right: number, down: number) => [{ x: box.x + right, y: box.y + down }];
  await touch(page, at(80, 60), at(120, 90), at(230, 160));
  const region = async () => {
    const { x, y, width, height } = await boxOf(page, '#region');
    return [x - box.x, y - box.y, width, height].map(Math.round);
  };
  await expect.poll(region).toEqual([80, 60, 150, 100]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

const lying = () =>
  overlaps(page, [
    ['.bar', '.stage', '.panel', '.rail', '.time'],
    ['.zoom', '.caption p', '.synthetic', '.scale-bar'],
    ['.rail button'],
    ['.time-row button', '.time-row select', '.time-row input', '.timeline'],
  ]);

it.each([
  ['a phone on its side', 844, 390],
  ['1440 x 900 at 200 %', 720, 450],
  ['1280 x 800 at 200 %', 640, 400],
])('a low screen leaves most of the height to the picture on %s', async (_, width, height) => {
  page = await pages.open(AT_NOON, { ...DESKTOP, viewport: { width, height } });
  await page.waitForSelector('.timeline-rows');
  const part = async () => (await boxOf(page)).height / height;
  await expect.poll(part).toBeGreaterThanOrEqual(0.55);
  await expect.poll(lying).toEqual([]);
  await inEveryPanel(page, async () => [...(await lying()), ...((await part()) < 0.35 ? ['a low picture'] : [])]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await expect
    .poll(() => page.evaluate('[document.documentElement.scrollWidth, document.documentElement.scrollHeight]'))
    .toEqual([width, height]);
});

it('reduced motion keeps every part of the page still', async () => {
  page = await pages.openTool('presets', AT_NOON, { ...DESKTOP, reducedMotion: 'reduce' });
  await page.click('#help');
  const moving = `[...document.querySelectorAll('*')].filter((one) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(one);
      return !/^0s(, 0s)*$/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth';
    }).length + document.getAnimations().length`;
  await expect.poll(() => page.evaluate(moving)).toBe(0);
  await expect.poll(() => page.getAttribute('#play', 'aria-pressed')).toBe('false');
});

it('a slow line shows the Sun before the scripts are there, and the controls after them', async () => {
  page = await pages.empty();
  const release = await hold(page, /explorer\/app\/.*js$/);
  await page.goto(served.service.url, { waitUntil: 'commit' });
  const isPainted = `(() => { const first = document.getElementById('first'); return first?.complete && first.naturalWidth > 0; })()`;
  await expect.poll(() => page.evaluate(isPainted)).toBe(true);
  await expect.poll(() => page.getAttribute('#app', 'aria-busy')).toBe('true');
  release();
  await settled(page);
  await expect.poll(() => page.isEnabled('#play')).toBe(true);
});

const german = { ...DESKTOP, locale: 'de-DE' };

it('the language follows the browser, with times in ISO notation, until another is chosen in the help, which stays', async () => {
  page = await pages.open(AT_NOON, german);
  await expect.poll(() => page.getAttribute('html', 'lang')).toBe('de');
  await expect.poll(() => page.textContent('#tool-layers')).toBe('Ebenen');
  await expect.poll(() => page.inputValue('#date')).toBe('2024-05-10 12:00:00 UTC');
  await openTool(page, 'measure');
  await expect.poll(() => page.textContent('#readout')).toContain('Helioprojektiv');
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.click('.panel-head button');
  await page.click('#help');
  await page.selectOption('#language', 'fr');
  await expect.poll(() => page.getAttribute('html', 'lang')).toBe('fr');
  await settled(page);
  expect(page.url()).toBe(served.service.url + AT_NOON);
  await page.goto(served.service.url);
  await settled(page);
  await expect.poll(() => page.textContent('#tool-layers')).toBe('Couches');
});

it('the language follows a link, and stays in later addresses', async () => {
  page = await pages.open(`${AT_NOON}&lang=es`, german);
  await expect.poll(() => page.getAttribute('html', 'lang')).toBe('es');
  await page.click('#next');
  await captioned(page, '12:01:');
  expect(parameters(page).get('lang')).toBe('es');
});

it('the help leads through the parts of the page by keys, and explains terms', async () => {
  page = await pages.open();
  await page.click('#help');
  await page.click('#start-tour');
  await page.waitForSelector('#tour');
  expect(await axeViolations(page)).toEqual([]);
  const titles: string[] = [];
  for (let step = 1; step <= 8; step += 1) {
    await expect.poll(() => page.textContent('#tour .quiet')).toBe(`Step ${step} of 8`);
    titles.push((await page.textContent('#tour-title'))!);
    if (step < 8) await page.keyboard.press('ArrowRight');
  }
  expect(titles).toEqual(['The picture', 'Presets', 'Layers', 'Events', 'Time', 'Measure', 'Make', 'Data']);
  await page.keyboard.press('Escape');
  await page.waitForSelector('#tour', { state: 'detached' });
  await page.click('#help');
  await page.click('#open-glossary');
  await page.fill('#glossary-search', 'x-ray flux');
  await expect.poll(() => page.locator('#glossary dt').allTextContents()).toEqual(['flare class']);
});

it('planets and saved views shows planets with their trajectories, in the address too, and keeps the view in the browser', async () => {
  page = await pages.openTool('measure', `${AT_NOON}&centerX=0&centerY=0&imageScale=60&grid=true&eventLayers=[FL,all,1]`);
  await page.getByLabel('Planets and probes').check();
  await expect.poll(() => page.textContent('#body-list')).toMatch(/Jupiter: .*behind the Sun/);
  await expect.poll(() => page.locator('#bodies .body-name').allTextContents()).toContain('Jupiter');
  expect(await page.locator('#bodies .way').count()).toBeGreaterThan(10);
  expect(parameters(page).get('bodies')).toBe('true');
  await openTool(page, 'data');
  const codeOf = async (name: string) => {
    await page.click(`[id="tab-${name}"]`);
    return (await page.textContent('#code pre'))!;
  };
  expect(await codeOf('hvpy')).toMatch(
    /^# hvpy has no parameters for: grid, planets\.[\s\S]*\nurlretrieve\(".*&events=\[FL,all,1\]&.*&grid=true&.*", "sun\.png"\)\n$/,
  );
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.click('#code button');
  await expect.poll(() => page.textContent('#code button')).toBe('Copied');
  expect(await codeOf('SunPy')).toMatch(/sun\.draw_grid\([\s\S]*format=flat[\s\S]*event\["pin"\] in \["FL"\]/);
  expect(await page.textContent('#code button')).toBe('Copy');
  expect(await codeOf('curl')).toMatch(/&events=\[FL,all,1\]&.*&grid=true&celestialBodiesLabels=earth-mercury,earth-venus,/);
  const science = /"([^"]+lang=sunpy)"/.exec(await codeOf('Science data'))![1]!;
  expect(new URL(science).searchParams.get('startDate')).toBe('2024-05-10T11:30:00Z');
  expect(await (await fetch(science)).text()).toMatch(/^#!.*python/);
  await openTool(page, 'presets');
  await page.fill('#view-name', 'Jupiter passes');
  await page.click('text=Save this view');
  const saved = page.locator('.saved-views a');
  await expect.poll(() => saved.textContent()).toContain('Jupiter passes');
  expect(await saved.getAttribute('href')).toContain('imageScale=60');
  await page.reload();
  await settled(page);
  await openTool(page, 'presets');
  await expect.poll(() => saved.count()).toBe(1);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByLabel('Remove Jupiter passes from the list').click();
  await expect.poll(() => saved.count()).toBe(0);
});
