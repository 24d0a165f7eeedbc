// Filters and composites against their definitions in numpy and scipy, which share no code with the service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPng } from '../support/imaging/read-png.ts';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { testFolder } from '../support/system/test-folder.ts';
import { headerOf, jsonOf, responseOf, verdict } from './verdicts.ts';

const hasScipy = hasModules('numpy', 'scipy');
const PROGRAMS = join(import.meta.dirname, 'filters.py');

const folder = testFolder();

/** Writes the channels of a picture, the first one unless stated, for a program of filters.py. */
async function write(name: string, path: string, channels = 1): Promise<void> {
  const { rgba } = readPng(new Uint8Array(await (await responseOf(path)).arrayBuffer()));
  await writeFile(
    join(folder, name),
    rgba.filter((_, i) => i % 4 < channels),
  );
}

/** What a program prints. */
function printed(program: string, about: object = {}): Record<string, number> {
  const found = JSON.parse(outputOf(PYTHON, [PROGRAMS, program, folder, JSON.stringify(about)]).toString());
  verdict(`numpy, ${program}`, JSON.stringify(found));
  return found;
}

describe.skipIf(!hasScipy)('a picture equals its definition in numpy and scipy', () => {
  it.each([
    ['rhef', 10, 256],
    ['mgn', 10, 256],
    ['mgn', 16, 1024],
  ])('%s of source %i, %i pixels wide', async (filter, sourceId, width) => {
    const id = (await jsonOf(`/tiles/${sourceId}.json`)).helioprojective.image;
    const keyword = await headerOf(id);
    expect(keyword('NAXIS1')).toBe(width);
    const image = `/v2/downloadImage/?id=${id}&colour=false`;
    await write('levels', image);
    await write(filter, `${image}&filter=${filter === 'rhef' ? 'rhef:1' : filter}`);
    const about = {
      x: keyword('CRPIX1') - 1 - keyword('CRVAL1') / keyword('CDELT1'),
      y: keyword('NAXIS2') - keyword('CRPIX2') + keyword('CRVAL2') / keyword('CDELT2'),
      limb: keyword('RSUN_OBS') / keyword('CDELT1'),
    };
    const { mean, p99, similarity, ...edges } = printed(filter, about);
    if (filter === 'rhef') {
      expect(mean).toBeLessThan(1.2);
      expect(p99).toBeLessThan(8);
    } else expect(Math.min(similarity!, ...Object.values(edges))).toBeGreaterThan(0.99);
  });

  it('composite of AIA 304, 171 and 193', async () => {
    const { date } = (await jsonOf('/tiles/10.json')).helioprojective;
    const picture = (layers: string, tints: string) =>
      `/v2/takeScreenshot/?date=${date}&imageScale=4.8&x0=0&y0=0&width=512&height=512&display=true&watermark=false&layers=${layers}&tints=${tints}`;
    const layers = [13, 10, 11].map((source) => `[${source},1,100]`);
    for (const [i, name] of ['red', 'green', 'blue'].entries()) await write(name, picture(layers[i]!, '[ffffff]'));
    await write('composite', `${picture(layers.join(), '[red],[green],[blue]')}&blends=[over],[add],[add]`, 3);
    const { different, brightest } = printed('composite');
    expect({ different, isDark: brightest! < 100 }).toEqual({ different: 0, isDark: false });
  });
});
