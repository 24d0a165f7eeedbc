// Cut-outs in SAOImage DS9, which exports the picture that it shows, and places a region by the keywords.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInstalled, outputOf } from '../support/programs.ts';
import { inFolder } from '../support/system/in-folder.ts';
import { limbIn } from './edges.ts';
import { headerOf, jsonOf, responseOf, verdict } from './verdicts.ts';

const hasPrograms = ['ds9', 'xvfb-run'].every(isInstalled);
const SIDE_ARCSEC = 2304;
const SCALE = 4.8;
const CUT = { x: '0', y: '0', width: `${SIDE_ARCSEC}`, height: `${SIDE_ARCSEC}`, scale: `${SCALE}`, format: 'fits' };
/** A point as DS9 saves it, in pixels from 1, y up. */
const POINT = /^point\(([\d.]+),([\d.]+)\)/m;

it.skipIf(!hasPrograms)(
  `DS9${hasPrograms ? '' : ' (needs saods9, xvfb and xauth)'} opens a cut-out, with the limb of AIA 1700 where RSUN_OBS says`,
  () =>
    inFolder(async (folder) => {
      const { helioprojective } = await jsonOf('/tiles/16.json');
      const asked = { sourceId: '16', startTime: helioprojective.date, endTime: helioprojective.date, ...CUT };
      const response = await responseOf(`/v2/getCutout/?${new URLSearchParams(asked)}`);
      const file = (name: string) => join(folder, name);
      await writeFile(file('cube.fits'), new Uint8Array(await response.arrayBuffer()));
      // The centre of the Sun alone: DS9 8.4 takes CDELT in arcseconds for degrees.
      const commands = [
        ['command', 'wcs; point(0d,0d)'],
        ['system', 'image'],
        ['save', file('centre.reg')],
        ['delete', 'all'],
      ];
      const shown = [...commands.flatMap((command) => ['-regions', ...command]), '-cmap', 'grey', '-nan', 'black'];
      const exported = ['-export', 'png', file('sun.png'), '-quit'];
      outputOf('env', [`HOME=${folder}`, 'xvfb-run', '-a', 'ds9', file('cube.fits'), ...shown, ...exported]);
      const [, x, y] = POINT.exec(await readFile(file('centre.reg'), 'utf8')) ?? [];
      const keyword = await headerOf(helioprojective.image);
      const expected = { x: Number(x) - 0.5, y: SIDE_ARCSEC / SCALE + 0.5 - Number(y), radius: keyword('RSUN_OBS') / SCALE };
      const found = limbIn(await readFile(file('sun.png')), expected, 'fall');
      const text = ({ x, y, radius }: typeof found) => [x, y, radius].map((at) => at.toFixed(2)).join(', ');
      verdict('DS9', `limb ${text(found)} (x, y, radius in pixels), expected ${text(expected)}`);
      for (const part of ['x', 'y', 'radius'] as const) expect(Math.abs(found[part] - expected[part])).toBeLessThan(1);
    }),
);
