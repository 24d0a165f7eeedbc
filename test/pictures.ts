// npm run pictures: photographs the main states of the explorer for docs/pictures, from a running service with the sample archive
// at $HELIOEDGE_URL (http://127.0.0.1:8787 unless set).
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { projectRoot } from '../src/cli/settings.ts';
import { openExplorer, openTool, settled } from './support/explorer.ts';
import { launchChromium } from './support/served-archive.ts';

const FOLDER = join(projectRoot, 'docs', 'pictures');
const QUALITY = 74;
/** Time for pictures of cards and the timeline. */
const REST_MS = 3_000;

const WIDE = { viewport: { width: 1200, height: 750 } };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.25 };

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly options?: BrowserContextOptions;
  readonly prepare?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: 'looks', address: '/?date=2024-05-10T07:00:00Z&imageLayers=[11,1,100]', prepare: (page) => openTool(page, 'presets') },
  {
    name: 'layers',
    address: '/?date=2024-05-10T12:00:00Z&imageLayers=[13,1,100],[4,1,100]',
    prepare: (page) => openTool(page, 'layers'),
  },
  {
    name: 'events',
    address: '/?date=2024-05-10T07:00:00Z&imageLayers=[11,1,100]&eventLayers=[FL,all,1],[CH,all,1],[FI,all,1]',
    prepare: async (page) => {
      await openTool(page, 'events');
      await page.waitForSelector('.pin');
    },
  },
  {
    name: 'measure',
    address: '/?date=2024-05-10T12:15:00Z&imageLayers=[10,1,100]&centerX=330&centerY=230&imageScale=0.8&grid=true&earth=true',
    prepare: async (page) => {
      await openTool(page, 'measure');
      await page.mouse.move(500, 400);
    },
  },
  { name: 'phone', address: '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]', options: PHONE },
];

const service = process.env.HELIOEDGE_URL ?? 'http://127.0.0.1:8787';
await mkdir(FOLDER, { recursive: true });
const browser = await launchChromium();
for (const { name, address, options = WIDE, prepare } of PICTURES) {
  const page = await openExplorer(browser, service + address, { locale: 'en-GB', timezoneId: 'UTC', ...options });
  await prepare?.(page);
  await page.waitForTimeout(REST_MS);
  await settled(page);
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), type: 'jpeg', quality: QUALITY });
  await page.close();
  console.log(`docs/pictures/${name}.jpg`);
}
await browser.close();
