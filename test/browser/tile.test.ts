import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { servedBrowser } from '../support/browser/served-browser.ts';
import { serveArchive } from '../support/served-archive.ts';
import { type LocalServer, localServer } from '../support/system/local-server.ts';

const NOON = Date.UTC(2024, 4, 10, 12);

let site: LocalServer;
const served = servedBrowser(() =>
  serveArchive(seriesShots({ sources: [10], fromMs: NOON, toMs: NOON, cadenceMs: 1, size: 512 })),
);
let page: Page;

beforeAll(async () => {
  const html = await readFile(join(import.meta.dirname, 'tile-page.html'));
  site = await localServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
  page = await served.browser.newPage();
  await page.goto(site.url);
});

afterAll(() => site?.close());

/** A tile as read by a page of another site: its size, the mean red of its upper left sixteenth, one pixel. */
async function lookAt(tile: string, x: number, y: number) {
  const address = `${served.service.url}/v2/getTile/?${tile}`;
  return (await page.evaluate(`lookAt(${JSON.stringify(address)}, ${x}, ${y})`)) as {
    width: number;
    height: number;
    meanRed: number;
    pixel: number[];
  };
}

describe('a tile in a browser', () => {
  it('shows the Sun and is transparent beside the image, on a page of another origin', async () => {
    const closest = await fetch(`${served.service.url}/v2/getClosestImage/?sourceId=10&date=2024-05-10T12:00:00Z`);
    const { id, scale } = (await closest.json()) as { id: number; scale: number };
    // The image is 512 pixels wide, so that the tile right below its centre has its lower right quarter, and sky around it.
    const tile = await lookAt(`id=${id}&x=0&y=0&imageScale=${scale}`, 500, 500);
    expect([tile.width, tile.height]).toEqual([512, 512]);
    expect(tile.meanRed).toBeGreaterThan(30);
    expect(tile.pixel[3]).toBe(0);
  });

  it('becomes transparent far from the image', async () => {
    const tile = await lookAt('id=26&x=40&y=40&imageScale=4.8', 256, 256);
    expect([tile.width, tile.height, tile.meanRed, tile.pixel[3]]).toEqual([512, 512, 0, 0]);
  });
});
