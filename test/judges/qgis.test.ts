// The tiles in QGIS, by their address and by WMTS.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { limbIn } from './edges.ts';
import { headerOf, jsonOf, service, verdict } from './verdicts.ts';
import { SIDE_PX } from './viewers.ts';

const hasQgis = hasModules('qgis.core');
const PROGRAM = join(import.meta.dirname, 'qgis-map.py');
const HALF_WORLD_M = 20_037_508.342789244;
/** Arcseconds of a pixel. */
const RESOLUTION = 4.8;

const SOURCES = {
  'the address of the tiles': async () => {
    const { tiles } = await jsonOf('/tiles/16.json');
    return `type=xyz&zmin=0&zmax=15&url=${encodeURIComponent(tiles[0])}`;
  },
  'the capabilities of WMTS': async () => {
    const { helioprojective } = await jsonOf('/tiles/16.json');
    const layer = 'layers=16&styles=default&format=image/png&crs=EPSG:3857&tileMatrixSet=WebMercator';
    return `${layer}&tileDimensions=Time%3D${helioprojective.date}&url=${service}/tiles/16/1.0.0/WMTSCapabilities.xml`;
  },
};

it.skipIf(!hasQgis).each(Object.keys(SOURCES) as (keyof typeof SOURCES)[])(
  `QGIS${hasQgis ? '' : ' (needs python3-qgis)'} opens %s, with the limb of AIA 1700 where RSUN_OBS says`,
  (name) =>
    inFolder(async (folder) => {
      const file = join(folder, 'sun.png');
      const { helioprojective } = await jsonOf('/tiles/16.json');
      const metres = RESOLUTION * (HALF_WORLD_M / helioprojective.edge);
      const environment = ['QT_QPA_PLATFORM=offscreen', `XDG_RUNTIME_DIR=${folder}`];
      outputOf('env', [...environment, PYTHON, PROGRAM, 'wms', await SOURCES[name](), 'EPSG:3857', String(metres), file]);
      const keyword = await headerOf(helioprojective.image);
      const expected = { x: SIDE_PX / 2, y: SIDE_PX / 2, radius: keyword('RSUN_OBS') / RESOLUTION };
      const found = limbIn(await readFile(file), expected, 'fall');
      verdict(`QGIS by ${name}`, `radius ${found.radius.toFixed(2)} pixels, expected ${expected.radius.toFixed(2)}`);
      for (const part of ['x', 'y', 'radius'] as const) expect(Math.abs(found[part] - expected[part])).toBeLessThan(1);
    }),
);
