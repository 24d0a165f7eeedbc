// The examples of docs/tools.md, run as they are against the application over sample images.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { startDemoEvents } from '../../../demo/events/server.ts';
import { type RunSnippet, runSnippet } from '../../support/browser/snippets.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { hasModules } from '../../support/programs.ts';
import { sampleArchive } from '../../support/sample-archive.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/tools.md'), 'utf8');
const NOON = Date.parse('2024-05-10T12:00:00Z');

const shots = [0, 1].map((hours) => ({ sourceId: 10, timeMs: NOON + hours * 3_600_000, size: 512 }));
const { index, objects } = await sampleArchive(shots);
const demo = await startDemoEvents();
const { service, clock } = eventsApp(demo.url);
clock.nowMs = Date.parse('2024-05-11T00:00:00Z');
const app = servedApp(testServices({ index, objects, events: service, clock: () => clock.nowMs }));
const served: ServedApp = await serveApp((request) => {
  // The application of a deployment sees the address that clients use.
  const { pathname, search } = new URL(request.url);
  return app.request(new Request(served.url + pathname + search, request));
});

afterAll(async () => {
  await served.close();
  await demo.stop();
});

/** The example of a section, for this service. */
function exampleOf(section: string): string {
  const [, text] = new RegExp(`\\n## ${section}\\n.*?\\n\`\`\`sh\\n(.*?)\`\`\``, 's').exec(page)!;
  expect(text).toContain('B=http://127.0.0.1:8787\n');
  return text!.replaceAll('http://127.0.0.1:8787', served.url);
}

const jsonOf = async (run: RunSnippet, name: string) => JSON.parse(String(await run.file(name)));

it('the example of the tiles finds the tiles of an image, and the one above and left of the centre of the Sun', async () => {
  await runSnippet('shell', exampleOf('Tiles'), async (run) => {
    const { helioprojective } = await jsonOf(run, 'tiles.json');
    expect(run.stdout.trim()).toBe(`${served.url}/tiles/image-${helioprojective.image}/{z}/{x}/{y}.png`);
    const { width, rgba } = readPng(new Uint8Array(await run.file('tile.png')));
    const light = (x: number, y: number) => rgba[4 * (y * width + x)]! + rgba[4 * (y * width + x) + 1]!;
    // The limb is 950 arcseconds from the lower right corner, 198 pixels.
    expect(light(511 - 120, 511 - 120)).toBeGreaterThan(2 * light(511 - 225, 511 - 225));
  });
});

it('the example of WMTS gets the tile of the same place by the capabilities', async () => {
  await runSnippet('shell', exampleOf('WMTS'), async (run) => {
    const { width, rgba } = readPng(new Uint8Array(await run.file('tile.png')));
    expect([width, rgba[4 * (width - 120) * (width + 1)]! > 60]).toEqual([512, true]);
  });
});

it('the example of the feeds gets both formats, and 304 for the Atom feed that it has', async () => {
  await runSnippet('shell', exampleOf('Feeds'), async (run) => {
    expect(run.stdout.trim()).toBe('304');
    expect(String(await run.file('feed.atom')).match(/<entry>/g)).toHaveLength(2);
    expect((await jsonOf(run, 'feed.json')).items).toHaveLength(2);
    const [flare] = (await jsonOf(run, 'flares.json')).items;
    expect([flare.title, flare.date_published]).toEqual([
      expect.stringMatching(/^Flare: [ABCMX]\d/),
      expect.stringMatching(/^2024-05-1/),
    ]);
  });
});

it('the example of HAPI gets the images of the last day, and the same in binary', async () => {
  await runSnippet('shell', exampleOf('HAPI'), async (run) => {
    const lines = run.stdout.trim().split('\n');
    expect(lines.map((line) => line.split(','))).toEqual([
      [expect.stringMatching(/^2024-05-10T12:0/), '1', expect.stringMatching(/^1\.0/)],
      [expect.stringMatching(/^2024-05-10T13:0/), '2', expect.stringMatching(/^1\.0/)],
    ]);
    const { parameters } = await jsonOf(run, 'info.json');
    const bytesOf = ({ type, length }: { type: string; length?: number }) => length ?? (type === 'double' ? 8 : 4);
    const size = parameters.map(bytesOf).reduce((sum: number, bytes: number) => sum + bytes, 0);
    expect((await run.file('images.bin')).length).toBe(2 * size);
  });
});

it('the example of STAC gets a collection, two pages of its items, and those of two collections', async () => {
  await runSnippet('shell', exampleOf('STAC'), async (run) => {
    expect((await jsonOf(run, 'collection.json')).title).toBe('AIA 171');
    const pages = await Promise.all(['page.json', 'next.json'].map((name) => jsonOf(run, name)));
    expect(pages.map(({ features }) => features[0].properties['solar:image'])).toEqual([1, 2]);
    expect((await jsonOf(run, 'found.json')).numberReturned).toBe(2);
  });
});

it('the example of IIIF gets the manifest of a day, an image of it, and a turned quarter of that', async () => {
  await runSnippet('shell', exampleOf('IIIF'), async (run) => {
    const { items } = await jsonOf(run, 'manifest.json');
    expect(items).toHaveLength(2);
    expect(await jsonOf(run, 'info.json')).toMatchObject({ type: 'ImageService3', width: 512, height: 512 });
    const { width, height, rgba } = readPng(new Uint8Array(await run.file('quarter.png')));
    expect([width, height]).toEqual([200, 200]);
    // The centre of the Sun is in the upper left corner.
    expect(rgba[4 * (20 * 200 + 20)]).toBeGreaterThan(2 * rgba[4 * (190 * 200 + 190)]!);
  });
});

it('the example of SAMP gets the files that ds9 and TOPCAT are sent, and names the service to JHelioviewer', async () => {
  await runSnippet('shell', exampleOf('SAMP'), async (run) => {
    expect(String((await run.file('aia171.fits')).subarray(0, 2880))).toMatch(/^SIMPLE {2}= +T[\s\S]*NAXIS1 {2}= +512/);
    expect(String(await run.file('images.vot')).match(/<TR>/g)).toHaveLength(2);
  });
  const [, sources] = /\n## SAMP\n.*?\n```json\n(.*?)```/s.exec(page)!;
  const [{ name, api }] = JSON.parse(sources!)['org.helioviewer.jhv.source.image'];
  expect(name).toBe('helioedge');
  const tree = await fetch(`${api.replace('http://127.0.0.1:8787', served.url)}getDataSources/?verbose=true`);
  expect([tree.status, Object.keys((await tree.json()) as object)]).toEqual([200, expect.arrayContaining(['SDO'])]);
});

/** The lines that a program for this service prints. */
async function printedByNode(program: string): Promise<string[]> {
  const { outputFiles } = await build({
    stdin: { contents: program.replace('http://127.0.0.1:8787', served.url), loader: 'ts', resolveDir: import.meta.dirname },
    alias: { 'helioedge-client': join(import.meta.dirname, '../../../clients/typescript/client.ts') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const running = promisify(execFile)(process.execPath, ['--input-type=module', '-']);
  running.child.stdin!.end(outputFiles[0]!.text);
  return (await running).stdout.trim().split('\n');
}

it('the program of the typed client prints the images of a day', async () => {
  const [, program] = /\n## Typed client\n.*?\n```ts\n(.*?)```/s.exec(page)!;
  expect(await printedByNode(program!)).toEqual([
    expect.stringMatching(/^1 2024-05-10T12:0\S+Z$/),
    expect.stringMatching(/^2 2024-05-10T13:0\S+Z$/),
  ]);
});

it('the program of Zarr in Python reads values, and times with xarray', async (context) => {
  if (!hasModules('zarr', 'fsspec', 'aiohttp', 'xarray', 'pandas'))
    return context.skip('without python3-zarr and python3-xarray');
  const text = readFileSync(join(import.meta.dirname, '../../../docs/measure.md'), 'utf8');
  const [, program] = /\n## Zarr\n.*?\n```python\n(.*?)```/s.exec(text)!;
  await runSnippet('python', program!.replaceAll('http://127.0.0.1:8787', served.url), async ({ stdout }) => {
    const [first, ...rest] = stdout.trim().split('\n');
    const [, unit, mean] = /^\(2, 512, 512\) (\S+) ([\d.]+)$/.exec(first!)!;
    expect([unit, Number(mean) > 0]).toEqual(['DN/s', true]);
    // The first image by xarray has the mean that zarr-python gives.
    const [, seen] = /^2024-05-10 12:00:\d\S* +([\d.]+)$/m.exec(rest.join('\n'))!;
    expect(Number(seen)).toBeCloseTo(Number(mean), 2);
  });
});

it('the program of Zarr in JavaScript reads values of one image', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/measure.md'), 'utf8');
  const [, program] = /\n## Zarr\n.*?\n```js\n(.*?)```/s.exec(text)!;
  const [printed] = await printedByNode(`${program!}\nconsole.log(JSON.stringify([shape, ...data]));`);
  const [shape, ...values] = JSON.parse(printed!) as [number[], ...number[]];
  expect([shape, values.length]).toEqual([[10, 10], 100]);
  const at = new URLSearchParams('sourceId=10&date=2024-05-10T12:00:00Z&frame=pixel&x=301&y=301');
  const { value } = (await (await fetch(`${served.url}/v2/getValue/?${at}`)).json()) as { value: number };
  expect(values[0]).toBeCloseTo(value, 2);
});

it('the example of the Model Context Protocol lists the tools, and calls one', async () => {
  await runSnippet('shell', exampleOf('Model Context Protocol'), async (run) => {
    expect((await jsonOf(run, 'tools.json')).result.tools.length).toBeGreaterThan(9);
    expect(JSON.parse((await jsonOf(run, 'image.json')).result.content[0].text)).toMatchObject({ id: 1, name: 'AIA 171' });
    expect(JSON.parse(run.stdout).result).toMatchObject({ isError: true });
  });
});

it('the example of the descriptions shows the Link header, and gets the catalogue and llms.txt', async () => {
  await runSnippet('shell', exampleOf('Descriptions'), async (run) => {
    expect(run.stdout).toMatch(/^link: .*rel="service-desc"/i);
    const { linkset } = await jsonOf(run, 'catalog.json');
    const anchors = ['/v2/', '/tiles', '/feeds', '/zarr', '/hapi', '/stac', '/iiif/3', '/mcp'].map((path) => served.url + path);
    expect(linkset.map(({ anchor }: { anchor: string }) => anchor).sort()).toEqual(anchors.sort());
    expect(String(await run.file('llms.txt'))).toMatch(/^# helioedge\n/);
  });
});
