// npm run pictures: photographs the main states of the explorer for docs/pictures, makes an animation of a movie, and the plots of measure.md, from a
// running service with the sample archive at $HELIOEDGE_URL (http://127.0.0.1:8787 unless set). The animation needs ffmpeg with libwebp.
// `npm run pictures -- day presets` makes those two alone.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { projectRoot } from '../src/cli/command.ts';
import { openExplorer, openTool } from './support/explorer/acts.ts';
import { settled } from './support/explorer/looks.ts';
import { launchChromium } from './support/served-archive.ts';

const FOLDER = join(projectRoot, 'docs', 'pictures');
const QUALITY = 74;
/** Time for pictures of cards and the timeline. */
const REST_MS = 3_000;

const WIDE = { viewport: { width: 1200, height: 750 }, colorScheme: 'dark' } as const;
const PHONE = {
  colorScheme: 'dark',
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
  deviceScaleFactor: 1.25,
} as const;

interface Picture {
  readonly name: string;
  readonly address: string;
  readonly options?: BrowserContextOptions;
  readonly prepare?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'presets',
    address: '/?date=2024-05-10T07:00:00Z&imageLayers=[11,1,100]',
    prepare: (page) => openTool(page, 'presets'),
  },
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
  {
    name: 'curve',
    address: '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&centerX=300&centerY=240&imageScale=1.2',
    prepare: async (page) => {
      await openTool(page, 'measure');
      await page.selectOption('#task', 'region');
      await page.fill('#measure-start', '2024-05-10 04:00');
      await page.fill('#measure-end', '2024-05-10 12:00');
      await page.click('#sketch');
      await page.waitForSelector('.drawing-area');
      const { x, y, width, height } = (await page.locator('#view').boundingBox())!;
      await page.mouse.move(x + width / 2 - 90, y + height / 2 - 70);
      await page.mouse.down();
      await page.mouse.move(x + width / 2 + 90, y + height / 2 + 70, { steps: 5 });
      await page.mouse.up();
      await page.click('#measure');
      await page.waitForSelector('.result[data-state=finished]');
      await page.locator('#measured-facts').scrollIntoViewIfNeeded();
      await page.focus('#curve');
      await page.keyboard.press('ArrowRight');
    },
  },
  { name: 'phone', address: '/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]', options: PHONE },
];

const service = process.env.HELIOEDGE_URL ?? 'http://127.0.0.1:8787';
await mkdir(FOLDER, { recursive: true });

/** A day of AIA 193 inside LASCO C2 with flares, ejections and the Earth, as the service makes it. */
const MOVIE = {
  startTime: '2024-05-10T00:00:00Z',
  endTime: '2024-05-11T00:00:00Z',
  layers: '[11,1,100],[4,1,100]',
  events: '[FL,all,1],[CE,all,1]',
  eventsLabels: 'true',
  scale: 'true',
  imageScale: '8',
  x0: '0',
  y0: '0',
  width: '800',
  height: '500',
  frameRate: '10',
};
/** Quality of libwebp, 0 to 100: about a megabyte for the 48 frames. */
const ANIMATION_QUALITY = '45';

async function json<T>(path: string): Promise<T> {
  return (await (await fetch(service + path)).json()) as T;
}

async function animate(name: string): Promise<void> {
  const { id } = await json<{ readonly id: string }>(`/v2/queueMovie/?${new URLSearchParams(MOVIE)}`);
  for (let status = 0; status < 2; ) {
    ({ status } = await json<{ readonly status: number }>(`/v2/getMovieStatus/?id=${id}&format=mp4&wait=30`));
  }
  const options = ['-c:v', 'libwebp_anim', '-quality', ANIMATION_QUALITY, '-compression_level', '6', '-loop', '0'];
  const source = `${service}/v2/downloadMovie/?id=${id}&format=mp4&hq=true`;
  execFileSync('ffmpeg', ['-y', '-loglevel', 'error', '-i', source, ...options, join(FOLDER, `${name}.webp`)], {
    stdio: 'inherit',
  });
  console.log(`docs/pictures/${name}.webp`);
}

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

if (isWanted('day')) await animate('day');
const browser = await launchChromium();
for (const { name, address, options = WIDE, prepare } of PICTURES.filter(({ name }) => isWanted(name))) {
  const page = await openExplorer(browser, service + address, { locale: 'en-GB', timezoneId: 'UTC', ...options });
  await prepare?.(page);
  await page.waitForTimeout(REST_MS);
  await settled(page);
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), type: 'jpeg', quality: QUALITY });
  await page.close();
  console.log(`docs/pictures/${name}.jpg`);
}
await browser.close();

/** The plots of docs/measure.md, by the commands below them. */
const guide = await readFile(join(projectRoot, 'docs', 'measure.md'), 'utf8');
for (const [, name = '', path] of guide.matchAll(/\(pictures\/([\w-]+)\.png\)\n\n```sh\ncurl -o \S+ "\$B([^"]+)"/g)) {
  if (!isWanted(name)) continue;
  const response = await fetch(service + path);
  if (!response.ok) throw new Error(`${path} responds with ${response.status}: ${await response.text()}`);
  await writeFile(join(FOLDER, `${name}.png`), new Uint8Array(await response.arrayBuffer()));
  console.log(`docs/pictures/${name}.png`);
}
