// Spheres and planes of longitude by latitude against SunPy and reproject_interp, which share no code with the service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earthAt, RADIANS_PER_DEGREE } from '../../src/sun/coordinates/observer.ts';
import { readPng } from '../support/imaging/read-png.ts';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { headerOf, jsonOf, responseOf, verdict } from './verdicts.ts';

const hasReproject = hasModules('sunpy.map', 'reproject');
const DATE = '2024-05-10T12:00:00Z';
/** Carrington longitude of the meridian of the Earth when the image is taken, 5.1 s later. */
const L0 = earthAt(Date.parse(DATE) + 5100).l0Degrees;
/** Half of the scale of the file, so that nothing of a view is coarser than it where the viewer sees the surface at 57 degrees or less. */
const [SIDE, SCALE] = [512, 1.2];

const bytesOf = async (path: string) => new Uint8Array(await (await responseOf(path)).arrayBuffer());
/** Levels of a grey PNG. */
const levelsOf = async (path: string): Promise<Uint8Array> => {
  const { rgba } = readPng(await bytesOf(path));
  return Uint8Array.from({ length: rgba.length / 4 }, (_, i) => rgba[4 * i]!);
};

it.skipIf(!hasReproject).each([
  { projection: 'sphere,0,0', x: 0, y: 0 },
  { projection: 'sphere,35,20', x: 400, y: -300 },
  { projection: 'sphere,-60,-40', x: 200, y: 400 },
  { projection: 'carrington', x: null, y: 250 },
])(
  'reproject_interp shows $projection with the same levels',
  ({ projection, x: given, y }) =>
    inFolder(async (folder) => {
      const { id } = await jsonOf(`/v2/getClosestImage/?sourceId=16&date=${DATE}`);
      // About the meridian in the middle of the file.
      const x = given ?? 959.2 * RADIANS_PER_DEGREE * ((await headerOf(id))('CRLN_OBS') - 180);
      await writeFile(join(folder, 'image.fits'), await bytesOf(`/v2/getImageData/?sourceId=16&date=${DATE}`));
      await writeFile(join(folder, 'file'), await levelsOf(`/v2/downloadImage/?id=${id}&colour=false`));
      const region = `x0=${x}&y0=${-y}&width=${SIDE}&height=${SIDE}&imageScale=${SCALE}&display=true&watermark=false`;
      const picture = `date=${DATE}&layers=[16,1,100]&colour=false&projection=${projection}`;
      await writeFile(join(folder, 'drawn'), await levelsOf(`/v2/takeScreenshot/?${picture}&${region}`));
      const [, ...place] = projection.split(',').map(Number);
      const about = JSON.stringify({ side: SIDE, scale: SCALE, place: place.length > 0 ? place : null, x, y, l0: L0 });
      const program = [PYTHON, join(import.meta.dirname, 'views.py'), folder, about];
      const found = JSON.parse(
        outputOf('env', [`HOME=${folder}`, ...program])
          .toString()
          .trim()
          .split('\n')
          .at(-1)!,
      );
      verdict('reproject', `${projection}: ${JSON.stringify(found)}`);
      expect(found.count).toBeGreaterThan(100_000);
      expect(found.within).toBeGreaterThan(0.999);
    }),
  120_000,
);
