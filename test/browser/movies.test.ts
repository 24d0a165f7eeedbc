import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { servedBrowser, sharedArchive } from '../support/browser/served-browser.ts';
import { watchTroubles } from '../support/explorer/looks.ts';
import { BUILT, PATIENCE } from '../support/explorer/views.ts';
import { localServer } from '../support/system/local-server.ts';

const served = servedBrowser(() => sharedArchive('noon'));
let page: Page;
let troubles: string[];
let id: string;

beforeAll(async () => {
  page = await served.browser.newPage({ viewport: { width: 800, height: 700 } });
  troubles = watchTroubles(page);
  const query = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T18:00:00Z&layers=[11,1,100]&events=&eventsLabels=false';
  const field = 'imageScale=6&x0=0&y0=0&width=400&height=400&frameRate=12';
  const response = await fetch(`${served.service.url}/v2/queueMovie/?${query}&${field}`);
  ({ id } = (await response.json()) as { id: string });
});

interface Playing {
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly source: string;
  /** Mean red at the centre of the frame and in its corner. */
  readonly middle: number;
  readonly corner: number;
}

/** The video of the page after half a second of playback. */
async function watch(): Promise<Playing> {
  return (await page.evaluate(`(async () => {
    const video = document.querySelector('video');
    video.muted = true;
    await video.play();
    while (video.currentTime < 0.5) await new Promise((done) => setTimeout(done, 20));
    video.pause();
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d');
    canvas.drawImage(video, 0, 0);
    const red = (x, y) => {
      const { data } = canvas.getImageData(x, y, 20, 20);
      return data.reduce((sum, value, i) => sum + (i % 4 === 0 ? value : 0), 0) / 400;
    };
    return { time: video.currentTime, width: video.videoWidth, height: video.videoHeight, source: video.currentSrc, middle: red(190, 190), corner: red(2, 2) };
  })()`)) as Playing;
}

it('the page of a movie shows that the movie is being built, and plays it once it is ready', async () => {
  const response = await page.goto(`${served.service.url}/v2/playMovie/?id=${id}&format=mp4`);
  expect([200, 202]).toContain(response!.status());
  await page.waitForSelector('video', BUILT);
  const shown = await watch();
  expect([shown.width, shown.height]).toEqual([400, 400]);
  expect(shown.time).toBeGreaterThanOrEqual(0.5);
  expect(shown.source).toMatch(/\.mp4$/);
  expect(shown.middle).toBeGreaterThan(shown.corner + 20);
  expect(troubles).toEqual([]);
});

it('the page of a movie plays as webm at the requested size in a frame of another origin', async () => {
  const site = `<link rel="icon" href="data:,"><iframe width="700" height="600" src="${served.service.url}/v2/playMovie/?id=${id}&format=webm&width=300&height=200"></iframe>`;
  const elsewhere = await localServer((_, response) => response.setHeader('Content-Type', 'text/html').end(site));
  await page.goto(elsewhere.url.replace('127.0.0.1', 'localhost'));
  const video = page.frameLocator('iframe').locator('video');
  await video.waitFor(PATIENCE);
  const box = await video.boundingBox();
  expect(box!.width).toBeLessThanOrEqual(300);
  const frame = page.frames()[1]!;
  const size = `(async () => {
      const video = document.querySelector('video');
      while (video.readyState < 2) await new Promise((done) => setTimeout(done, 20));
      return [video.videoWidth, video.currentSrc.endsWith('.webm')];
    })()`;
  await expect.poll(() => frame.evaluate(size)).toEqual([400, true]);
  expect(troubles).toEqual([]);
  await elsewhere.close();
});
