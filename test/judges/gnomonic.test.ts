// Pictures of a rolled real file against reproject_interp of Astropy, which shares no code with the service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseXmlHeader } from '../../src/jp2/xml-header.ts';
import { compositionGrid, plateScale } from '../../src/picture/grids/pixel-grid.ts';
import { parseRegion } from '../../src/picture/picture.ts';
import { concatenated } from '../../src/platform/util/bytes.ts';
import { wcsOf } from '../../src/sun/wcs.ts';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { archiveFiles, readArchiveFile, xmlOfSample } from '../support/real-files.ts';
import { archiveOfFiles } from '../support/sample-archive.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { verdict } from './verdicts.ts';

const hasReproject = hasModules('reproject');
const SIDE = 512;
/** Rows of a strip that is decoded at once. */
const ROWS = 512;

it.skipIf(!hasReproject || archiveFiles.length === 0).each(['EUI_FSI', 'iris'])(
  'a rolled file of %s is drawn as by reproject_interp, within a level for 99.9 % of its pixels',
  async (words) => {
    const name = archiveFiles.find((file) => file.includes(words))!;
    const { layers, images } = await archiveOfFiles([{ path: `X/2022/04/01/1/${name}`, jp2: readArchiveFile(name) }]);
    const image = images[0]!;
    const { geometry } = image;
    const wcs = wcsOf(parseXmlHeader(xmlOfSample(name))!.fits, image.sourceId)!;
    const [width, height] = wcs.naxis;
    const layer = { image, reference: null };
    const strips: Uint8Array[] = [];
    for (let top = 0; top < height; top += ROWS) {
      const strip = { left: 0, top, step: 1, width, height: Math.min(ROWS, height - top) };
      strips.push((await layers.draw(layer, strip, 'levels', undefined, 'file')).samples);
    }
    // About the limb of FSI, and the raster of IRIS, at the scale of the file.
    const [x, y] = words === 'iris' ? [460, 479] : [900, 0];
    const imageScale = geometry.scaleArcsecPerPixel;
    const field = parseRegion({ imageScale, x0: x, y0: -y, width: SIDE, height: SIDE });
    const drawn = await layers.draw(layer, compositionGrid(geometry, field), 'levels');
    const to = {
      naxis: [SIDE, SIDE],
      crpix: [(SIDE + 1) / 2 - x / imageScale, (SIDE + 1) / 2 - y / imageScale],
      cdelt: [plateScale(geometry), plateScale(geometry)],
      crval: [0, 0],
      pc: [
        [1, 0],
        [0, 1],
      ],
    };
    await inFolder(async (folder) => {
      await writeFile(join(folder, 'file'), concatenated(strips));
      await writeFile(join(folder, 'drawn'), drawn.samples);
      const program = join(import.meta.dirname, 'gnomonic.py');
      const found = JSON.parse(outputOf(PYTHON, [program, folder, JSON.stringify({ from: wcs, to })]).toString());
      verdict('reproject', `${words}: ${JSON.stringify(found)}`);
      expect(found.count).toBeGreaterThan(20_000);
      expect(found.within).toBeGreaterThan(0.999);
    });
  },
  120_000,
);
