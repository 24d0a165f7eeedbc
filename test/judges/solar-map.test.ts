// Maps of the whole Sun before SunPy and reproject, and their tiles in OpenLayers and QGIS.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readPng } from '../support/imaging/read-png.ts';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { responseOf, service, verdict } from './verdicts.ts';
import { SIDE_PX, serveViewers } from './viewers.ts';

const hasReproject = hasModules('sunpy.map', 'reproject');

it.skipIf(!hasReproject)(
  `SunPy${hasReproject ? '' : ' (needs python3-sunpy and python3-reproject)'} reads a map, and finds its values by reprojection with the same weights`,
  () =>
    inFolder(async (folder) => {
      const output = outputOf('env', [
        `HOME=${folder}`,
        PYTHON,
        join(import.meta.dirname, 'solar-map.py'),
        service,
        folder,
      ]).toString();
      verdict('SunPy', output.trim());
      const found = JSON.parse(output.trim().split('\n').at(-1)!);
      expect(found).toMatchObject({ frame: 'heliographic_carrington', images: 4 });
      expect(found.off).toBeLessThan(0.1);
      expect(found.covered).toBeGreaterThan(0.4);
      expect(found.unlike).toBeLessThan(0.02);
      expect(found.median).toBeLessThan(0.01);
      for (const degrees of found.shiftDegrees) expect(Math.abs(degrees)).toBeLessThan(0.1);
      expect(found.ageSeconds).toBeLessThan(600);
    }),
);

const DATE = '2024-05-11';
const CAPABILITIES = `${service}/tiles/carrington/10/1.0.0/WMTSCapabilities.xml?date=${DATE}`;
/** Degrees of a pixel of the tiles of zoom 0, of which a viewer shows those up to 90 degrees from longitude and latitude 0. */
const RESOLUTION = 180 / 512;

const openLayers = async (): Promise<Buffer> => {
  const viewers = await serveViewers();
  onTestFinished(() => viewers.close());
  const page = await viewers.open({ script: 'ol/dist/ol.js' });
  await page.evaluate(`(async () => {
    const read = new ol.format.WMTSCapabilities().read(await (await fetch('${CAPABILITIES}')).text());
    const layer = read.Contents.Layer[0].Identifier;
    const options = ol.source.WMTS.optionsFromCapabilities(read, { layer, matrixSet: 'CRS84', crossOrigin: 'anonymous' });
    const layers = [new ol.layer.Tile({ source: new ol.source.WMTS(options) })];
    const view = new ol.View({ projection: options.projection, center: [0, 0], resolution: ${RESOLUTION} });
    const map = new ol.Map({ target: 'map', controls: [], layers, view });
    await new Promise((resolve) => map.once('rendercomplete', resolve));
  })()`);
  return await page.screenshot();
};

const qgis = (): Promise<Buffer> =>
  inFolder((folder) => {
    const file = join(folder, 'map.png');
    const layer = 'layers=carrington-10&styles=default&format=image/png&crs=OGC:CRS84&tileMatrixSet=CRS84';
    const source = `${layer}&url=${encodeURIComponent(CAPABILITIES)}`;
    const program = [PYTHON, join(import.meta.dirname, 'qgis-map.py'), 'wms', source, 'OGC:CRS84', String(RESOLUTION), file];
    outputOf('env', ['QT_QPA_PLATFORM=offscreen', `XDG_RUNTIME_DIR=${folder}`, ...program]);
    return readFile(file);
  });

it.for([
  ['OpenLayers', true, openLayers],
  ['QGIS', hasModules('qgis.core'), qgis],
] as const)(
  '%s shows the tiles of a map by WMTS in degrees, with each place of getSolarMap where it is',
  async ([name, isHere, draw], { skip }) => {
    if (!isHere) skip('needs python3-qgis');
    const shown = readPng(await draw());
    const query = `sourceId=10&date=${DATE}&width=1024&height=512&format=png`;
    const map = readPng(new Uint8Array(await (await responseOf(`/v2/getSolarMap/?${query}`)).arrayBuffer()));
    let [light, unlike] = [0, 0];
    for (let i = 0; i < SIDE_PX ** 2; i++) {
      // Longitude 0 is in the middle of the view, and at the left edge of the map.
      const column = ((i % SIDE_PX) + map.width - SIDE_PX / 2) % map.width;
      const at = 4 * (Math.floor(i / SIDE_PX) * map.width + column);
      const expected = map.rgba[at + 3] === 0 ? 0 : map.rgba[at]!;
      light += expected;
      unlike += Number(Math.abs(shown.rgba[4 * i]! - expected) > 2);
    }
    verdict(
      name,
      `${((100 * unlike) / SIDE_PX ** 2).toFixed(2)} % of the pixels are more than 2 levels from those of getSolarMap`,
    );
    expect(light / SIDE_PX ** 2).toBeGreaterThan(5);
    expect(unlike / SIDE_PX ** 2).toBeLessThan(0.001);
  },
);
