// Tiles and images in the viewers of others: limb and edges are where the header says.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Circle, edgesIn, limbIn } from './edges.ts';
import { PACKAGES } from './packages.ts';
import { headerOf, jsonOf, service, verdict } from './verdicts.ts';
import { MAP_NAMES, type MapName, OPENSEADRAGON, SIDE_PX, serveViewers, type TileMap, type Viewers } from './viewers.ts';

/** Zoom of the tiles of 0.6 arcseconds a pixel. */
const FINEST = 11;
const CENTRE_PX = SIDE_PX / 2;

let viewers: Viewers;

beforeAll(async () => {
  viewers = await serveViewers();
});

afterAll(() => viewers?.close());

/** The image of a source, and numbers of its FITS header. */
async function imageOf(sourceId: number) {
  const { helioprojective } = await jsonOf(`/tiles/${sourceId}.json`);
  const keyword = await headerOf(helioprojective.image);
  return { id: helioprojective.image as number, edge: helioprojective.edge as number, keyword };
}

type Image = Awaited<ReturnType<typeof imageOf>>;

/** Pixels and scale of an image of as many columns as rows, and where the centre of the Sun is in it, from its header. */
function frameOf({ keyword }: Image) {
  const [scale, width] = [keyword('CDELT1'), keyword('NAXIS1')];
  const [west, north] = ['CRVAL1', 'CRVAL2'].map((name) => keyword(name) / scale) as [number, number];
  return { scale, width, sun: { x: keyword('CRPIX1') - 0.5 - west, y: width - (keyword('CRPIX2') - 0.5) + north } };
}

/** The map of a source at a zoom, around its own middle. */
async function mapOf(sourceId: number, zoom: number, centre: TileMap['centre'] = [0, 0]): Promise<TileMap> {
  const description = `${service}/tiles/${sourceId}.json`;
  const { tiles } = await jsonOf(`/tiles/${sourceId}.json`);
  const { edge } = await imageOf(sourceId);
  const capabilities = `${service}/tiles/${sourceId}/1.0.0/WMTSCapabilities.xml`;
  return { description, template: tiles[0], capabilities, zoom, resolution: 0.6 * 2 ** (FINEST - zoom), centre, edge };
}

const written = ({ x, y, radius }: Circle) => `centre ${x.toFixed(2)}, ${y.toFixed(2)}, radius ${radius.toFixed(2)} pixels`;

function expectWithinPixel(judge: string, found: Circle, expected: Circle): void {
  verdict(judge, `${written(found)}; expected ${written(expected)}`);
  for (const part of ['x', 'y', 'radius'] as const) expect(Math.abs(found[part] - expected[part])).toBeLessThan(1);
}

describe.each(MAP_NAMES)('%s', (name: MapName) => {
  it.each([
    ['AIA 1700', 16, 8, 'RSUN_OBS', 'fall'],
    // The limb of a coronal image is the crest of its brightening.
    ['AIA 171', 10, 8, 'RSUN_OBS', 'bend'],
    ['Solar Orbiter EUI FSI 174', 84, 7, 'RSUN_ARC', 'bend'],
  ] as const)('shows the limb of %s within a pixel of where the header says', async (title, sourceId, zoom, keyword, sign) => {
    const map = await mapOf(sourceId, zoom);
    const header = (await imageOf(sourceId)).keyword;
    const expected = { x: CENTRE_PX, y: CENTRE_PX, radius: header(keyword) / map.resolution };
    expectWithinPixel(`${name}, ${title}`, limbIn(await viewers.draw(name, map), expected, sign), expected);
  });

  it('shows the edges of TRACE 1600 where CRPIX, CRVAL and CDELT say', async () => {
    const { scale, width, sun } = frameOf(await imageOf(80));
    const centre = [(width / 2 - sun.x) * scale, (sun.y - width / 2) * scale] as const;
    const map = await mapOf(80, 10, centre);
    const half = (width * scale) / map.resolution / 2;
    const found = edgesIn(await viewers.draw(name, map));
    verdict(`${name}, TRACE 1600`, `edges ${Object.values(found).join(', ')}; expected ${CENTRE_PX} ± ${half.toFixed(2)}`);
    for (const side of [found.left, found.top]) expect(Math.abs(side - (CENTRE_PX - half))).toBeLessThan(1);
    for (const side of [found.right, found.bottom]) expect(Math.abs(side - (CENTRE_PX + half))).toBeLessThan(1);
  });
});

/** The limb of AIA 1700 where the whole image is drawn with its upper left corner at a place. */
async function limbOfWhole(corner: { x: number; y: number }, sidePx: number): Promise<Circle> {
  const image = await imageOf(16);
  const { scale, width, sun } = frameOf(image);
  const zoom = sidePx / width;
  return { x: corner.x + sun.x * zoom, y: corner.y + sun.y * zoom, radius: (image.keyword('RSUN_OBS') / scale) * zoom };
}

it('OpenSeadragon by IIIF shows the limb of AIA 1700 where RSUN_OBS says', async () => {
  const { id } = await imageOf(16);
  const page = await viewers.open({ script: OPENSEADRAGON });
  await page.evaluate(`(async () => {
      const tileSources = ['${service}/iiif/3/image-${id}/info.json'];
      const still = { showNavigationControl: false, immediateRender: true, animationTime: 0, blendTime: 0 };
      const viewer = OpenSeadragon({ id: 'map', tileSources, crossOriginPolicy: 'Anonymous', ...still });
      await new Promise((resolve, reject) => {
        viewer.addOnceHandler('open-failed', ({ message }) => reject(new Error(message)));
        viewer.addOnceHandler('open', () => {
          const image = viewer.world.getItemAt(0);
          if (image.getFullyLoaded()) resolve();
          else image.addHandler('fully-loaded-change', ({ fullyLoaded }) => fullyLoaded && resolve());
        });
      });
      // Drawn with what has loaded.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    })()`);
  const expected = await limbOfWhole({ x: 0, y: 0 }, SIDE_PX);
  expectWithinPixel('OpenSeadragon, AIA 1700', limbIn(await page.screenshot(), expected, 'fall'), expected);
  await page.close();
});

it('Mirador shows the manifest of a day with the limb of AIA 1700 where RSUN_OBS says', async () => {
  const { version } = JSON.parse(await readFile(join(PACKAGES, 'mirador', 'package.json'), 'utf8'));
  const page = await viewers.open({ script: 'mirador/dist/mirador.min.js' });
  await page.setViewportSize({ width: 800, height: 640 });
  await page.addStyleTag({ content: '#map { position: relative; width: 800px; height: 640px }' });
  await page.evaluate(`(() => {
      const window = { allowClose: false, allowMaximize: false };
      const windows = [{ manifestId: '${service}/iiif/manifests/16/2024-05-10.json' }];
      const osdConfig = { immediateRender: true, animationTime: 0 };
      Mirador.viewer({ id: 'map', windows, window, osdConfig, workspaceControlPanel: { enabled: false } });
    })()`);
  const canvas = page.locator('.openseadragon-canvas canvas').first();
  await canvas.waitFor();
  const area = (await canvas.boundingBox())!;
  const sidePx = Math.min(area.width, area.height);
  const corner = { x: area.x + (area.width - sidePx) / 2, y: area.y + (area.height - sidePx) / 2 };
  const expected = await limbOfWhole(corner, sidePx);
  // Until the tiles are drawn.
  await expect
    .poll(async () => Math.abs(limbIn(await page.screenshot(), expected, 'fall').radius - expected.radius))
    .toBeLessThan(1);
  await expect.poll(() => page.textContent('h2')).toBe('AIA 1700, 2024-05-10');
  expectWithinPixel(`Mirador ${version}, AIA 1700`, limbIn(await page.screenshot(), expected, 'fall'), expected);
  await page.close();
});
