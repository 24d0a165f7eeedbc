// Play from grey frames, in Chromium, whose WebGL draws by software here.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { ask, hold, openTool, pause, playNoted } from '../../support/explorer/acts.ts';
import { axeViolations, boxOf, captioned, requested, settled } from '../../support/explorer/looks.ts';
import { IN_BRITISH_ENGLISH, PATIENCE } from '../../support/explorer/views.ts';
import { type PngPixels, readPng } from '../../support/imaging/read-png.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const IMAGES = 6;

/** Images of AIA 335 that are larger than a frame. */
const LARGE = 3;

/** The group of all pairs of filters of Hinode XRT. */
const ANY_XRT = 10_001;

const { served, pages } = sharedPages('fine', { mayLogErrors: true });
let page: Page;

const caption = () => page.textContent('#caption');
const isMoving = async () => (await page.getAttribute('#view', 'data-moving')) === 'true';
const isTile = ({ pathname }: URL) => pathname === '/v2/getTile/';

/** Middle of the picture, without what lies over its edges. */
const CLIP = { x: 240, y: 150, width: 800, height: 380 };
const REACH = 2;
/** Mean distance of what moves from the tiles, in grey levels; filters spread the loss of JPEG. */
const MOST_LEVELS = { plain: 2, filtered: 3.5 };

/** Mean and largest share of differences of R, G and B where `b` is moved by some pixels; pixels at the border are left out. */
function distance(a: PngPixels, b: PngPixels, dx: number, dy: number): number {
  const { width, height } = a;
  let [sum, count] = [0, 0];
  for (let y = REACH; y < height - REACH; y++)
    for (let x = REACH; x < width - REACH; x++)
      for (let channel = 0; channel < 3; channel++) {
        const [from, to] = [4 * (y * width + x) + channel, 4 * ((y + dy) * width + x + dx) + channel];
        sum += Math.abs(a.rgba[from]! - b.rgba[to]!);
        count += 1;
      }
  return sum / count;
}

const picture = async () => readPng(await page.screenshot({ clip: CLIP }));

const buffered = (images = IMAGES) =>
  expect.poll(() => page.getAttribute('.loop', 'data-buffered'), PATIENCE).toBe(String(images));

/** Plays from frames. @returns the captions since */
async function playing(images = IMAGES): Promise<() => Promise<string>> {
  const captions = await playNoted(page);
  await page.waitForSelector('#view[data-moving=true]');
  await buffered(images);
  return captions;
}

/** The tiles that take the place of what moves once they may come, with that before them. */
async function uncovered(release: () => void): Promise<{ readonly moving: PngPixels; readonly still: PngPixels }> {
  expect(await isMoving()).toBe(true);
  const moving = await picture();
  expect(moving.rgba.some((value, i) => i % 4 === 0 && value > 100)).toBe(true);
  release();
  await expect.poll(isMoving).toBe(false);
  await settled(page);
  return { moving, still: await picture() };
}

const DATE = 'date=2024-05-10T12:00:00Z';

it.each<[what: string, address: string, images?: number]>([
  ['the Sun in the colours of AIA 171', `/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4`],
  ['a limb in its full resolution', `/?${DATE}&imageLayers=[10,1,100]&centerX=700&centerY=-400&imageScale=1.5`],
  [
    'some levels of AIA 171 over some of a masked LASCO C2',
    `/?${DATE}&imageLayers=[4,1,100],[10,1,60]&centerX=0&centerY=0&imageScale=12&ranges=[10,150,1.2],[0,120,1]`,
  ],
  [
    'a running difference of AIA 171',
    `/?date=2024-05-10T12:01:00Z&imageLayers=[10,1,100,1,1,1]&centerX=0&centerY=0&imageScale=4`,
    IMAGES - 1,
  ],
  [
    'a base difference of AIA 171 over one of a masked LASCO C2',
    `/?${DATE}&imageLayers=[4,1,100,2,1,1,2024-05-10T12:00:30Z],[10,1,60,2,1,1,2024-05-10T12:00:30Z]&centerX=0&centerY=0&imageScale=12`,
  ],
  ['AIA 171 by RHEF', `/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4&filters=[rhef]`],
  [
    'a running difference of AIA 171 in a steady brightness by RHEF',
    `/?date=2024-05-10T12:01:00Z&imageLayers=[10,1,100,1,1,1]&centerX=0&centerY=0&imageScale=4&filters=[rhef]&steady=[true]`,
    IMAGES - 1,
  ],
  ['a base ratio of AIA 171', `/?${DATE}&imageLayers=[10,1,100,3,1,1,2024-05-10T12:00:30Z]&centerX=0&centerY=0&imageScale=4`],
])('play from grey frames shows %s as the tiles do, at the same place', async (_, address, images = IMAGES) => {
  page = await pages.open(address);
  await page.selectOption('#speed', '2');
  const captions = await playing(images);
  await expect.poll(captions).toContain('12:02:');
  const release = await hold(page, isTile);
  await pause(page);
  const { moving, still } = await uncovered(release);
  expect(distance(moving, still, 0, 0)).toBeLessThan(MOST_LEVELS[address.includes('filters') ? 'filtered' : 'plain']);
  const moves = [-2, -1, 0, 1, 2].flatMap((dx) =>
    [-2, -1, 0, 1, 2].map((dy) => ({ dx, dy, off: distance(moving, still, dx, dy) })),
  );
  const best = moves.reduce((a, b) => (b.off < a.off ? b : a));
  expect(Math.max(Math.abs(best.dx), Math.abs(best.dy))).toBeLessThanOrEqual(1);
});

it('play loads nothing for panels with each of its images', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  await page.click('[aria-label="Channels of the instrument"]');
  await openTool(page, 'presets');
  await page.waitForSelector('.channels img');
  const captions = await playing();
  const asked = requested(page, /getClosestImage\//);
  await expect.poll(async () => (await captions()).split('\n').length).toBeGreaterThan(2 * IMAGES);
  expect(asked).toEqual([]);
  // The header stays that of an image.
  await openTool(page, 'data');
  await page.fill('#header-search', 'origin');
  const loops = async () => (await captions()).split('12:05:').length;
  const before = await loops();
  await expect.poll(loops).toBeGreaterThan(before + 1);
  expect(await page.textContent('.table')).toMatch(/^ORIGIN/);
  await pause(page);
  await expect.poll(() => asked.length).toBeGreaterThan(0);
});

it('play from grey frames requests no tiles, and again nothing for the second loop', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  await page.selectOption('#speed', '30');
  const paths = requested(page);
  const captions = await playing();
  const count = (name: string) => paths.filter((path) => path.includes(`/v2/${name}/`)).length;
  expect([count('getTile'), count('getFrame'), count('getClosestImage'), count('getImagesAtTimes')]).toEqual([
    0,
    2 * IMAGES,
    1,
    1,
  ]);
  const before = paths.length;
  const loops = async () => (await captions()).split('12:05:').length;
  const seen = await loops();
  await expect.poll(loops).toBeGreaterThan(seen + 1);
  expect(paths.slice(before).filter((path) => /getFrame|getTile|getClosestImage\b/.test(path))).toEqual([]);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('play from grey frames filters frames by tables, which are all that it requests for another filter, once for all images', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]&filters=[rhef]`);
  const paths = requested(page, /getFrame/);
  await playing();
  const asked = () => [/getFrame\//, /getFrameTables\//].map((name) => paths.filter((path) => name.test(path)));
  const [frames, tables] = asked();
  expect([frames!.length, frames!.filter((path) => path.includes('filter='))]).toEqual([2 * IMAGES, []]);
  expect(tables!.map((path) => new URL(path).searchParams.get('ids')!.split(',').length)).toEqual([IMAGES]);
  await pause(page);
  await openTool(page, 'layers');
  await page.click('.enhance summary');
  await page.click('.enhance .card >> text=NRGF');
  await captioned(page, 'AIA 171 NRGF');
  for (const filters of [['nrgf'], []]) {
    await settled(page);
    paths.length = 0;
    const captions = await playing();
    await expect.poll(captions).toContain('12:03:');
    const [others, again] = asked();
    expect(again!.map((path) => new URL(path).searchParams.get('filter'))).toEqual(filters);
    // On a slow line the pictures of the next and the previous step.
    expect(others!.length).toBeLessThanOrEqual(2);
    await pause(page);
  }
});

it.each([
  ['of the newest image by a list and the images at its times', '', ['listImages', 'getImagesAtTimes']],
  ['of another image by the newest one and lists at a time', `${DATE}&`, ['getClosestImage', 'listImages', 'listImages']],
])('play from grey frames finds the frames %s', async (_, date, first) => {
  page = await pages.open(`/?${date}imageLayers=[10,1,100]`);
  await expect.poll(() => page.isEnabled('#previous')).toBe(date === '');
  await page.waitForLoadState('networkidle');
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname.split('/')[2]!));
  const release = await hold(page, ({ pathname }) => /getClosestImage\/|getImagesAtTimes/.test(pathname));
  await page.click('#play');
  const found = () => paths.filter((name) => /getClosestImage$|listImages|getImagesAtTimes/.test(name));
  await expect.poll(found).toEqual(first);
  release();
  await page.waitForSelector('#view[data-moving=true]');
  await buffered();
});

it('play from grey frames leaves out a frame that the service does not have, and asks again for one that it is too busy for', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  const scaled = new Map<string, number>();
  const [missing, busy] = [2, 3];
  const ids = (await (
    await fetch(`${served.service.url}/v2/listImages/?sourceId=10&startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:06:00Z`)
  ).json()) as { images: { id: number }[] };
  await page.route(/\/v2\/getFrame\//, async (route) => {
    const url = route.request().url();
    const id = Number(new URL(url).searchParams.get('id'));
    const times = (scaled.get(url) ?? 0) + 1;
    scaled.set(url, times);
    const json = { error: 'Not now.' };
    if (id === ids.images[missing]!.id) await route.fulfill({ status: 404, json });
    else if (id === ids.images[busy]!.id && times === 1)
      await route.fulfill({ status: 503, json, headers: { 'Retry-After': '0' } });
    else await route.continue();
  });
  const captions = await playing(IMAGES - 1);
  const loops = async () => (await captions()).split('12:05:').length;
  const seen = await loops();
  await expect.poll(loops).toBeGreaterThan(seen + 1);
  expect(await captions()).toContain('12:03:');
  expect(await captions()).not.toContain('12:02:');
  expect(await page.$('.notice.trouble')).toBeNull();
  const timesOf = (image: number) => [...scaled].flatMap(([url, n]) => (url.includes(`id=${ids.images[image]!.id}&`) ? [n] : []));
  expect([timesOf(missing).every((n) => n === 1), timesOf(busy)]).toEqual([true, [2, 2]]);
});

it('play from grey frames ends with a sentence when no frame can be had', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  await page.route(/\/v2\/getFrame\//, (route) => route.fulfill({ status: 500, json: { error: 'The frames are gone.' } }));
  await page.click('#play');
  expect(await page.textContent('.notice.trouble')).toContain('The frames are gone.');
  expect(await page.getAttribute('#play', 'aria-pressed')).toBe('false');
});

it('play from grey frames plays a group of sources, which has no list of images', async () => {
  page = await pages.open(`/?date=2024-05-10T12:00:00Z&imageLayers=[${ANY_XRT},1,100]`);
  await page.selectOption('#speed', '30');
  const statuses: number[] = [];
  page.on('response', (response) => statuses.push(response.status()));
  const captions = await playNoted(page);
  await page.waitForSelector('#view[data-moving=true]');
  await expect.poll(captions).toMatch(/XRT.*12:05:/);
  expect(statuses.filter((status) => status >= 400)).toEqual([]);
});

it('play from grey frames shows coarse frames while the fine ones load, and the fine ones of a new place', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4`);
  const release = await hold(
    page,
    ({ pathname, searchParams }) => pathname === '/v2/getFrame/' && Number(searchParams.get('imageScale')) < 6,
  );
  const captions = await playNoted(page);
  await expect.poll(captions).toContain('12:03:');
  expect(await page.getAttribute('.loop', 'data-buffered')).toBe('0');
  release();
  await buffered();
  const requested = page.waitForRequest((request) => /getFrame.*imageScale=2\.42/.test(request.url()), PATIENCE);
  await page.click('.zoom button >> nth=0');
  await requested;
  await buffered();
  await pause(page);
  await expect.poll(isMoving).toBe(false);
});

it('play from grey frames requests no frames that the service refuses, on a fine screen at any scale', async () => {
  const fine = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2 };
  page = await pages.open(`/?${DATE}&imageLayers=[14,1,100]`, fine);
  const scales: string[] = [];
  const statuses = new Set<number>();
  page.on('response', (response) => {
    const { pathname, searchParams } = new URL(response.url());
    if (pathname !== '/v2/getFrame/') return;
    scales.push(searchParams.get('imageScale')!);
    statuses.add(response.status());
  });
  await playing(LARGE);
  for (let i = 0; i < 3; i += 1) {
    await page.click('.zoom button >> nth=0');
    // The width of the screen has more pixels of the next level than a frame until the third step.
    const fine = i < 2 ? '2.42' : '1.21';
    await expect.poll(() => scales.filter((scale) => scale.startsWith(fine)).length, PATIENCE).toBeGreaterThanOrEqual(LARGE);
    await buffered(LARGE);
  }
  expect([...statuses]).toEqual([200]);
});

it('play from grey frames follows the pointer through loaded images, and shows the exact picture at its end', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  await playing();
  await pause(page);
  await expect.poll(isMoving).toBe(false);
  const paths = requested(page);
  // A minute has some pixels on the shortest range.
  const shorter = '.timeline-zoom button >> nth=0';
  while (await page.isEnabled(shorter)) await page.click(shorter);
  const second = async (name: string) => Number(await page.getAttribute('.timeline-body', `aria-value${name}`));
  const [head, range, from, to] = [
    await boxOf(page, '#playhead'),
    await boxOf(page, '.timeline-body'),
    await second('min'),
    await second('max'),
  ];
  const y = head.y + head.height / 2;
  await page.mouse.move(head.x + head.width / 2, y);
  await page.mouse.down();
  for (const image of [3, 0, 1, 2, 5]) {
    const atMs = NOON + image * MINUTE_MS;
    await page.mouse.move(range.x + (range.width * (atMs / 1000 - from)) / (to - from), y);
    await expect.poll(caption).toContain(`12:0${image}:`);
    expect(await isMoving()).toBe(true);
  }
  expect(paths.filter((path) => /getFrame|getTile|getImagesAtTimes|getClosestImage/.test(path))).toEqual([]);
  await page.mouse.up();
  await expect.poll(isMoving).toBe(false);
  await settled(page);
  expect(page.url()).toContain('date=2024-05-10T12:05:');
});

it('play from grey frames moves from image to image by the keys of the playhead before anything has been played', async () => {
  page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]`);
  await page.focus('#playhead');
  await page.keyboard.press('ArrowRight');
  await expect.poll(caption).toContain('12:01:');
  await expect.poll(() => page.getAttribute('#playhead', 'aria-valuetext')).toContain('12:01:');
  await page.keyboard.down('ArrowRight');
  await page.waitForSelector('#view[data-moving=true]');
  await expect.poll(caption).toContain('12:02:');
  await page.keyboard.up('ArrowRight');
  await expect.poll(isMoving).toBe(false);
  expect(page.url()).toContain('date=2024-05-10T12:02:');
  expect(await page.getAttribute('#playhead', 'aria-valuetext')).toContain('12:02:');
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('play from grey frames plays from pictures of the service in a browser without WebGL', async () => {
  page = await served.browser.newPage();
  await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
  await page.goto(`${served.service.url}/?${DATE}&imageLayers=[10,1,100]`);
  await settled(page);
  const captions = await playNoted(page);
  await expect.poll(captions).toContain('12:03:');
  expect(await isMoving()).toBe(false);
  await pause(page);
  await page.close();
});

it('play from grey frames plays a running difference without tiles, with a frame of each image once', async () => {
  page = await pages.open(`/?date=2024-05-10T12:01:00Z&imageLayers=[10,1,100,1,1,1]`);
  const paths = requested(page);
  // The first image has none before it.
  await playing(IMAGES - 1);
  expect(paths.filter((path) => path.includes('/getTile/'))).toEqual([]);
  const frames = paths.filter((path) => path.includes('/getFrame/'));
  expect(new Set(frames).size).toBe(2 * IMAGES);
  expect(paths.filter((path) => path.includes('/getImagesAtTimes/')).length).toBe(2);
});

describe('a new time whose tiles take long', () => {
  it('appears coarsely with its caption and address, by a step without a request for neighbours, and by the date field', async () => {
    page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4`);
    await expect.poll(() => page.isEnabled('#next')).toBe(true);
    const release = await hold(page, isTile);
    const neighbours = requested(page, /ImageDatesForSources/);
    await page.click('#next');
    await expect.poll(caption).toContain('12:01:');
    expect(neighbours).toEqual([]);
    expect(page.url()).toContain('date=2024-05-10T12:01:');
    await ask(page, '2024-05-10 12:03');
    await expect.poll(caption).toContain('12:03:');
    expect(await page.getAttribute('main', 'aria-busy')).toBe('true');
    const { moving, still } = await uncovered(release);
    expect(distance(moving, still, 0, 0)).toBeLessThan(8);
    await page.goBack();
    await expect.poll(caption).toContain('12:01:');
  });

  it('waits for its tiles where the coarse frames fail', async () => {
    page = await pages.open(`/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4`);
    await expect.poll(() => page.isEnabled('#next')).toBe(true);
    const release = await hold(page, isTile);
    // Those that are drawn, and not the small one that has the colours of the tiles.
    const isDrawn = (url: URL) => url.pathname.includes('/getFrame/') && Number(url.searchParams.get('imageScale')) < 30;
    await page.route(isDrawn, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('getFrame'),
      ...PATIENCE,
    });
    await page.click('#next');
    await failed;
    expect(await page.textContent('#caption')).toContain('12:00:');
    release();
    await expect.poll(caption).toContain('12:01:');
    await settled(page);
    expect(await isMoving()).toBe(false);
  });

  describe('on a slow line', () => {
    /** Requests for images and frames, and whether they went over the line. */
    const requests = () =>
      page.evaluate(`performance.getEntriesByType('resource').filter(({ name }) => /getClosestImage\\/|getFrame/.test(name))
        .map(({ name, transferSize }) => [new URL(name).pathname.split('/')[2], transferSize > 0])`) as Promise<
        [string, boolean][]
      >;

    const openSlowly = async () => {
      page = await served.browser.newPage(IN_BRITISH_ENGLISH);
      const session = await page.context().newCDPSession(page);
      await session.send('Network.enable');
      const line = { latency: 400, downloadThroughput: 1e6, uploadThroughput: 1e6, connectionType: 'cellular3g' } as const;
      await session.send('Network.emulateNetworkConditions', { offline: false, ...line });
      await page.goto(`${served.service.url}/?${DATE}&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4`);
      await settled(page);
      await expect.poll(() => page.isEnabled('#next')).toBe(true);
      await page.waitForLoadState('networkidle');
      await page.evaluate('performance.clearResourceTimings()');
    };

    it('appears by a step without a round trip, because the page has loaded it before', async () => {
      await openSlowly();
      await page.click('#next');
      await expect.poll(caption).toContain('12:01:');
      expect((await requests()).slice(0, 2)).toEqual([
        ['getClosestImage', false],
        ['getFrame', false],
      ]);
      await page.close();
    });

    it('appears by the date field after two round trips: its image, and a coarse frame', async () => {
      await openSlowly();
      const urls = requested(page);
      const release = await hold(page, isTile);
      await ask(page, '2024-05-10 12:03');
      await expect.poll(caption).toContain('12:03:');
      expect(urls.slice(0, 2).map((url) => new URL(url).pathname)).toEqual(['/v2/getClosestImage/', '/v2/getFrame/']);
      const { moving, still } = await uncovered(release);
      expect(distance(moving, still, 0, 0)).toBeLessThan(8);
      await page.close();
    });
  });
});
