import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Firefox, hasFirefox } from '../support/browser/firefox.ts';
import { type Served, sharedArchive } from '../support/browser/served-browser.ts';
import { probeVideo } from '../support/movies/ffprobe.ts';
import { inFolder } from '../support/system/in-folder.ts';

const LINK = '/?date=2024-05-10T07:00:00Z&imageLayers=[10,1,100]&centerX=0&centerY=0&imageScale=4&lang=en';

describe.skipIf(!hasFirefox)('the explorer in Firefox (firefox-esr)', () => {
  let archive: Served;
  let firefox: Firefox;

  /** Opens the link, or another one of its kind, and waits for its picture. */
  async function open(more = ''): Promise<void> {
    await firefox.open(archive.service.url + LINK + more);
    await firefox.until(
      `document.querySelector('#view')?.dataset.loading === 'false' && document.querySelector('main[aria-busy=false]')`,
    );
  }

  const pick = (id: string, value: string) =>
    firefox.evaluate(
      `(() => { const one = document.getElementById('${id}'); one.value = '${value}'; one.dispatchEvent(new Event('change', { bubbles: true })); })()`,
    );

  beforeAll(async () => {
    // Kept as soon as it runs, so that it is ended when the archive fails.
    const starting = Firefox.start({ width: 1280, height: 800 }).then((started) => {
      firefox = started;
    });
    archive = await sharedArchive('seven');
    await starting;
    await open();
  });

  afterAll(() => firefox?.close());

  it('restores a link, and moves the picture by the pointer', async () => {
    await expect.poll(() => firefox.textOf('#caption')).toMatch(/AIA 171 2024-05-10 07:00:0\d UTC/);
    await firefox.drag([
      { x: 500, y: 300 },
      { x: 450, y: 320 },
      { x: 400, y: 320 },
    ]);
    await firefox.until(`new URLSearchParams(location.search).get('centerX') === '400'`);
    await expect.poll(() => firefox.evaluate(`new URLSearchParams(location.search).get('centerY')`)).toBe('-80');
    await open();
  });

  it('measures at the cross-hair', async () => {
    await firefox.click('#tool-measure');
    await firefox.until(`document.querySelector('#readout')`);
    // Checked already where the machine has no mouse.
    if (!(await firefox.evaluate<boolean>(`document.querySelector('.check input').checked`))) await firefox.click('.check input');
    await expect.poll(() => firefox.textOf('#readout dd')).toBe('0.0″, 0.0″');
    await expect.poll(() => firefox.textOf('#values dd')).toMatch(/^\d.* DN\/s \(.* to .*\), exact/);
  });

  it('measures the light curve of a region', async () => {
    await pick('task', 'region');
    await firefox.until(`document.querySelector('#sketch')`);
    // Every image.
    await pick('measure-cadence', '0');
    await firefox.click('#sketch ~ button');
    await firefox.until(`document.querySelector('#measured-x')`);
    await firefox.click('#measure');
    await firefox.until(`document.querySelector('.result')?.dataset.state === 'finished'`);
    await expect.poll(() => firefox.textOf('#measured-facts')).toContain('AIA 171');
    await firefox.until(`document.querySelector('.curve-line').getAttribute('d').split('L').length === 9`);
  });

  it('draws a region, and saves and prints it as a picture', async () => {
    await firefox.click('#tool-make');
    await firefox.until(`document.querySelector('#area')`);
    await pick('area', 'region');
    await firefox.until(`document.querySelector('.drawing-area')`);
    await firefox.drag([
      { x: 300, y: 250 },
      { x: 400, y: 300 },
      { x: 500, y: 350 },
    ]);
    await expect.poll(() => firefox.textOf('#region-size')).toMatch(/200 × 100 pixels$/);
    await firefox.click('#save-picture');
    await firefox.until(`document.querySelector('#picture[aria-busy=false]')`);
    await firefox.click('#take');
    await firefox.until(`document.querySelector('#picture-said').textContent !== ''`);
    await firefox.evaluate(
      `(window.print = () => { window.printed = document.querySelector('.sheet path').getAttribute('d'); }, 0)`,
    );
    await firefox.click('#print-picture');
    await firefox.until('window.printed');
    await firefox.click('.dialog .panel-head button');
  });

  it('saves what it plays as a movie, or leads to those of the service without WebGL 2', async () => {
    const failure = `[aria-labelledby=save] [role=alert]`;
    if (!(await firefox.evaluate<boolean>(`document.createElement('canvas').getContext('webgl2') !== null`))) {
      await firefox.click('#save-movie');
      await firefox.until(`document.querySelector('${failure}')`);
      expect(await firefox.textOf(`${failure} p`)).toBe(
        'The movie was not saved. This browser cannot make movies. The service makes them, below.',
      );
      return;
    }
    await firefox.evaluate(`(() => {
      const { createObjectURL } = URL;
      URL.createObjectURL = (file) => {
        window.savedFile = file;
        return createObjectURL.call(URL, file);
      };
    })()`);
    await firefox.click('#save-movie');
    await firefox.until(`document.querySelector('#saved').textContent !== ''`);
    const base64 = await firefox.evaluate(`window.savedFile.bytes().then((bytes) => bytes.toBase64())`);
    await inFolder(async (folder) => {
      const path = join(folder, 'saved');
      await writeFile(path, Buffer.from(base64, 'base64'));
      expect(await probeVideo(path)).toMatchObject({ frames: 9, width: 640, height: 320 });
    });
  });

  it('plays up to the last image, and finds a flare of the day', async () => {
    // Every change, because the last image may be shorter on the screen than the way from here to the page.
    await firefox.evaluate(`new MutationObserver(() => {
      window.hasPlayed ||= /07:20:/.test(document.querySelector('#caption').textContent);
    }).observe(document.querySelector('#caption'), { subtree: true, characterData: true, childList: true })`);
    await firefox.click('#play');
    await firefox.until('window.hasPlayed');
    await firefox.click('#tool-presets');
    await firefox.click('.chips button');
    await firefox.until(`document.querySelector('.pin-FL')`);
    await expect.poll(() => firefox.evaluate('location.search')).toContain('eventLayers=[FL,all,1]');
  });

  it('shows the Sun as Mars sees it, or says why not without WebGL 2, and compares two times', async () => {
    await open('&projection=observer,mars');
    const said = `location.search + document.querySelector('.notices').textContent`;
    await expect.poll(() => firefox.evaluate(said)).toMatch(/projection=observer,mars|no WebGL 2/);
    await open();
    await firefox.click('#tool-layers');
    const button = `[...document.querySelectorAll('aside.panel button')].find((one) => one.textContent === 'Compare this time with others')`;
    await firefox.until(button);
    await firefox.evaluate(`(${button}.click(), 0)`);
    await firefox.click('#next');
    await expect.poll(() => firefox.textOf('.swipe-line')).toMatch(/07:00:\d\d UTC.*07:05:\d\d UTC/);
    await firefox.click('#tool-layers');
  });

  it('moves the picture by a drag from a pin, and opens its details by a click, again after their panel was closed', async () => {
    await open('&eventLayers=[FL,all,1]');
    await firefox.until(`document.querySelector('button.pin-FL')`);
    const pin = () =>
      firefox.evaluate<{ x: number; y: number }>(
        `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector('button.pin-FL').getBoundingClientRect())`,
      );
    const from = await pin();
    await firefox.drag([from, { x: from.x - 30, y: from.y + 20 }, { x: from.x - 60, y: from.y + 40 }]);
    await expect.poll(async () => Math.abs((await pin()).x - (from.x - 60))).toBeLessThan(8);
    expect(await firefox.evaluate(`document.querySelector('aside.panel') === null`)).toBe(true);
    /** The stage is as wide as the page leaves it, a moment after a panel has closed. */
    const rested = async (): Promise<void> => {
      const before = await pin();
      await firefox.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => resolve(0)), 300))');
      const now = await pin();
      if (now.x !== before.x || now.y !== before.y) await rested();
    };
    for (let time = 0; time < 2; time++) {
      await rested();
      await firefox.click('button.pin-FL');
      await firefox.until(`document.querySelector('.details dl')`);
      expect(await firefox.textOf('.details dl')).toContain('X2.1');
      await firefox.click('.panel-head button');
      await firefox.until(`!document.querySelector('aside.panel')`);
    }
    expect(firefox.troubles).toEqual([]);
  });
});
