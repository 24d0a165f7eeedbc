// Movies of what play shows, which the browser encodes; ffprobe and ffmpeg judge the files.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { type Pixels, savedMovie } from '../../support/browser/saved-movie.ts';
import { ask, openTool } from '../../support/explorer/acts.ts';
import { axeViolations, captioned } from '../../support/explorer/looks.ts';
import { DESKTOP, PATIENCE, PHONE } from '../../support/explorer/views.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const IMAGES = 6;
const RATE = 10;

const { pages } = sharedPages('fine', { mayLogErrors: true });
let page: Page;
const folder = testFolder();

const saved = () => savedMovie(page, folder);

async function open(query: string, date = '2024-05-10T12:00:00Z', options: BrowserContextOptions = DESKTOP): Promise<void> {
  page = await pages.openTool('make', `/?date=${date}&${query}`, options);
  await page.waitForSelector('#save', PATIENCE);
}

/** Shows the image of a minute, such as `12:01:`. */
async function goTo(minute: string): Promise<void> {
  await ask(page, `2024-05-10 ${minute}00`);
  await captioned(page, minute);
}

async function screen(): Promise<Pixels> {
  const { width, height, rgba } = readPng(await page.locator('#view').screenshot());
  return { width, height, at: (x, y) => [...rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)] };
}

/** Mean difference of R, G and B around the centres of two pictures, in a square of some pixels. */
function difference(a: Pixels, b: Pixels, side: number): number {
  const corner = ({ width, height }: Pixels) => [Math.floor((width - side) / 2), Math.floor((height - side) / 2)] as const;
  const [[ax, ay], [bx, by]] = [corner(a), corner(b)];
  let sum = 0;
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const other = b.at(bx + x, by + y);
      for (const [channel, value] of a.at(ax + x, ay + y).entries()) sum += Math.abs(value - other[channel]!);
    }
  return sum / (3 * side * side);
}

/** Pixels of an area with a channel above half. */
function brightPixels(picture: Pixels, [left, top, width, height]: readonly [number, number, number, number]): number {
  let count = 0;
  for (let y = top; y < top + height; y++)
    for (let x = left; x < left + width; x++) if (Math.max(...picture.at(x, y)) > 127) count += 1;
  return count;
}

const PLACE = 'centerX=0&centerY=0&imageScale=4';
const TWO_LAYERS = `imageLayers=[4,1,100],[10,1,80]&${PLACE}&ranges=[],[20,200,1.3]`;

describe('a movie that the browser saves', () => {
  it('shows the played images as they are on the screen, with captions, scale and mark', async () => {
    await open(TWO_LAYERS);
    const tiles: string[] = [];
    page.on('request', (request) => request.url().includes('/getTile/') && tiles.push(request.url()));
    await page.selectOption('#saved-speed', String(RATE));
    const { name, facts, frame } = await saved();
    expect(tiles).toEqual([]);
    expect(name).toMatch(/^2024-05-10T12_00_\d\d_2024-05-10T12_05_\d\d_AIA_171_LASCO_C2_synthetic\.mp4$/);
    await expect
      .poll(() => page.textContent('#saved'))
      .toMatch(/^The movie is in your downloads: 6 images of \d+ × \d+ pixels, 0\.6 s, [\d.]+ MB\.$/);
    const { width, height } = (await page.locator('#view').boundingBox())!;
    expect(facts).toMatchObject({ codec: 'h264', frameRate: `${RATE}/1`, frames: IMAGES });
    expect([facts.width % 2, facts.height % 2]).toEqual([0, 0]);
    expect(Math.abs(facts.width - width)).toBeLessThanOrEqual(1);
    expect(Math.abs(facts.height - height)).toBeLessThanOrEqual(1);
    expect(facts.durationSeconds).toBeCloseTo(IMAGES / RATE, 2);
    expect(facts.tags.title).toMatch(/^AIA 171, LASCO C2 · 2024-05-10 12:00:/);
    expect(facts.tags.comment).toMatch(/^Address: \/\?date=2024-05-10/);
    for (const [index, time] of [
      [0, '12:00:'],
      [IMAGES - 1, '12:05:'],
    ] as const) {
      await goTo(time);
      const picture = frame(index);
      expect(difference(picture, await screen(), 400)).toBeLessThan(4);
      expect(brightPixels(picture, [0, 0, 300, 50])).toBeGreaterThan(500);
      expect(brightPixels(picture, [0, facts.height - 40, 160, 40])).toBeGreaterThan(100);
      expect(brightPixels(picture, [facts.width - 160, facts.height - 40, 160, 40])).toBeGreaterThan(200);
    }
    // Another image, not the first one again.
    expect(difference(frame(0), frame(IMAGES - 1), 400)).toBeGreaterThan(0.1);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });

  it('shows layers at their present opacity, and grid and pins as they are on the screen', async () => {
    await open(`imageLayers=[10,1,100]&${PLACE}&grid=true&earth=true&eventLayers=[AR,all,1]`);
    await page.waitForSelector('.pin', PATIENCE);
    const full = (await saved()).frame(0);
    const shown = difference(full, await screen(), 400);
    const view = (await page.locator('#view').boundingBox())!;
    for (const pin of await page.$$('.pin-AR')) {
      const { x, y, width, height } = (await pin.boundingBox())!;
      // Right of the letters.
      const [red, green, blue] = full.at(Math.round(x + width / 2 - view.x + 9), Math.round(y + height / 2 - view.y));
      expect([red! > 200, Math.abs(green! - 157) < 40, Math.abs(blue! - 157) < 40]).toEqual([true, true, true]);
    }
    await openTool(page, 'layers');
    await page.fill('.layer-item input[type=range]', '40');
    await openTool(page, 'make');
    const faint = (await saved()).frame(0);
    const shownFaint = difference(faint, await screen(), 400);
    // The colours of lines and pins have half of the resolution of the picture.
    expect(Math.max(shown, shownFaint)).toBeLessThan(8);
    expect(difference(faint, full, 400)).toBeGreaterThan(10);
  });

  it.each([
    ['sphere,30,-5', 8],
    ['unwrapped', 8],
    // A filter raises what encoding loses, in the plane too.
    ['sphere,30,-5&filters=[rhef]', 12],
  ])('shows the projection %s with its grid and pins', async (projection, most) => {
    await open(`imageLayers=[10,1,100]&projection=${projection}&grid=true&eventLayers=[AR,all,1]`);
    await page.waitForSelector('.grid-lines', PATIENCE);
    const picture = (await saved()).frame(0);
    expect(difference(picture, await screen(), 400)).toBeLessThan(most);
    const bright = (one: Pixels) => brightPixels(one, [0, 60, one.width, one.height - 120]);
    expect(bright(picture) / bright(await screen())).toBeGreaterThan(0.7);
  });

  it('shows differences as they are on the screen, from the first image that has another to subtract', async () => {
    await open(`imageLayers=[10,1,100,1,1,1]&${PLACE}`, '2024-05-10T12:01:00Z');
    const { name, facts, frame } = await saved();
    expect(name).toMatch(/^2024-05-10T12_01_/);
    expect(facts.frames).toBe(IMAGES - 1);
    for (const [index, time] of [
      [0, '12:01:'],
      [IMAGES - 2, '12:05:'],
    ] as const) {
      await goTo(time);
      expect(difference(frame(index), await screen(), 400)).toBeLessThan(4);
    }
  });

  it.each([
    ['vp9', ['avc1'], 4],
    // It has the range of television, with fewer levels.
    ['vp8', ['avc1', 'vp09'], 6],
  ])('becomes %s in WebM where the browser has nothing before it', async (codec, missing, mostDifference) => {
    page = await pages.empty();
    await page.addInitScript(`
      const supported = VideoEncoder.isConfigSupported.bind(VideoEncoder);
      VideoEncoder.isConfigSupported = async (config) =>
        ${JSON.stringify(missing)}.includes(config.codec.slice(0, 4)) ? { supported: false, config } : supported(config);
    `);
    await open(TWO_LAYERS);
    const { name, facts, frame } = await saved();
    expect(name).toMatch(/\.webm$/);
    expect(facts).toMatchObject({ codec, frames: IMAGES });
    expect(difference(frame(0), await screen(), 400)).toBeLessThan(mostDifference);
    await page.close();
  });

  it('gets twice the pixels of a phone with a fine screen, and at least 640 of a small region', async () => {
    await open('imageLayers=[10,1,100]', undefined, PHONE);
    await expect.poll(() => axeViolations(page)).toEqual([]);
    const { width } = (await page.locator('#view').boundingBox())!;
    const { facts } = await saved();
    expect(facts).toMatchObject({ width: 2 * width, frames: IMAGES });
    await page.selectOption('#area', 'square');
    await expect.poll(async () => (await saved()).facts.width).toBeGreaterThanOrEqual(640);
    await expect.poll(() => axeViolations(page)).toEqual([]);
  });
});

/** The encoders that the page has made, by their states. */
const encoderStates = () => page.evaluate('window.encoders.map(({ state }) => state)') as Promise<string[]>;

it('saving ends without a file when it is cancelled, and can begin again', async () => {
  page = await pages.empty();
  await page.addInitScript(`
      window.encoders = [];
      const { VideoEncoder } = window;
      window.VideoEncoder = class extends VideoEncoder {
        constructor(init) {
          super(init);
          window.encoders.push(this);
        }
      };
    `);
  await open('imageLayers=[10,1,100]');
  const held = Promise.withResolvers<void>();
  let frames = 0;
  await page.route('**/v2/getFrame/**', async (route) => {
    frames += 1;
    if (frames > 2) await held.promise;
    await route.continue().catch(() => undefined);
  });
  const downloads: string[] = [];
  page.on('download', (download) => downloads.push(download.suggestedFilename()));
  await page.click('#save-movie');
  await expect.poll(() => page.textContent('[aria-labelledby=save] progress + p')).toBe('Image 2 of 6');
  expect(await encoderStates()).toEqual(['configured']);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.click('#save-movie');
  await expect.poll(() => page.textContent('#saved')).toBe('Cancelled; nothing was saved.');
  expect(await encoderStates()).toEqual(['closed']);
  held.resolve();
  await page.unroute('**/v2/getFrame/**');
  expect(await page.$('[aria-labelledby=save] progress')).toBeNull();
  expect(downloads).toEqual([]);
  expect((await saved()).facts.frames).toBe(IMAGES);
  expect(downloads).toHaveLength(1);
  expect(await encoderStates()).toEqual(['closed', 'closed']);
  await page.close();
});

it('saving says why nothing was saved, and tries again', async () => {
  await open('imageLayers=[10,1,100]');
  await page.route('**/v2/getFrame/**', (route) => route.abort());
  await page.click('#save-movie');
  await expect
    .poll(() => page.textContent('[aria-labelledby=save] [role=alert] p'))
    .toMatch(/^The movie was not saved\. .*cannot be reached/);
  await page.unroute('**/v2/getFrame/**');
  const [download] = await Promise.all([
    page.waitForEvent('download', PATIENCE),
    page.click('[aria-labelledby=save] [role=alert] button'),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.mp4$/);
  expect(await page.$('[aria-labelledby=save] [role=alert]')).toBeNull();
});

it('saving leads to the movies of the service where it cannot be done', async () => {
  page = await pages.empty();
  await page.addInitScript('delete window.VideoEncoder');
  await open('imageLayers=[10,1,100]');
  expect(await page.textContent('[aria-labelledby=save] p')).toBe(
    'This browser cannot make movies. The service makes them, below.',
  );
  expect(await page.$('#save-movie')).toBeNull();
  expect(await page.isEnabled('#make-movie')).toBe(true);
  await page.close();
});
