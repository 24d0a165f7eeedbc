// clients/python: its wheel, built and used as its users do, before SunPy, pandas, astropy and xarray.
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/cli/command.ts';
import { hasModules, outputOf, PYTHON } from '../support/programs.ts';
import { testFolder } from '../support/system/test-folder.ts';
import { headerOf, jsonOf, service, verdict } from './verdicts.ts';

const BUILDING = ['build', 'setuptools', 'wheel'];
const hasSunpy = hasModules(...BUILDING, 'sunpy.net', 'sunpy.map', 'glymur', 'pandas', 'xarray', 'zarr', 'aiohttp');
const PROGRAMS = join(import.meta.dirname, 'python-client.py');
const SOURCES = [10, 11, 13, 18, 0, 4, 5, 21, 32, 84];

const folder = testFolder();

/** What a program of python-client.py prints. */
function printed(program: string) {
  const files = join(folder, program);
  const environment = [`PYTHONPATH=${join(folder, 'installed')}`, `HELIOEDGE_URL=${service}`, `HOME=${folder}`];
  const output = outputOf('env', [...environment, PYTHON, PROGRAMS, program, files]).toString();
  return JSON.parse(output.trim().split('\n').at(-1)!);
}

beforeAll(async () => {
  if (!hasSunpy) return;
  await cp(join(projectRoot, 'clients', 'python'), join(folder, 'source'), { recursive: true });
  outputOf(PYTHON, ['-m', 'build', '--wheel', '--no-isolation', '--outdir', join(folder, 'dist'), join(folder, 'source')]);
  const [wheel] = await readdir(join(folder, 'dist'));
  outputOf(PYTHON, ['-m', 'zipfile', '-e', join(folder, 'dist', wheel!), join(folder, 'installed')]);
  for (const program of ['maps', 'values', 'errors', 'without_parfive', 'contract']) await mkdir(join(folder, program));
});

it('the Python package has at most 400 lines', async () => {
  const path = join(projectRoot, 'clients', 'python', 'helioedge');
  const files = (await readdir(path)).filter((name) => name.endsWith('.py'));
  const lines = await Promise.all(
    files.map(async (name) => (await readFile(join(path, name), 'utf8')).trimEnd().split('\n').length),
  );
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(400);
});

describe.skipIf(!hasSunpy)(`the Python package${hasSunpy ? '' : ' (needs python3-sunpy and others)'}`, () => {
  it('finds, fetches and opens images of ten sources by Fido', async () => {
    const { seconds, requests, maps, hourly, nothing, cutout } = printed('maps');
    verdict('SunPy', `first map ${seconds.toFixed(1)} s after the imports, ${requests} requests`);
    // The catalogue and a list; parfive sends that of the file.
    expect(requests).toBe(2);
    expect(Object.keys(maps).map(Number).sort()).toEqual([...SOURCES].sort());
    for (const source of SOURCES) {
      const [count, errors, file, , date, width] = maps[source];
      const { images } = await jsonOf(
        `/v2/listImages/?sourceId=${source}&startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T14:30:00Z`,
      );
      expect([source, count, errors]).toEqual([source, images.length, []]);
      expect(file.endsWith(`/${images[0].name}`)).toBe(true);
      expect(`${date}Z`).toBe(images[0].date);
      expect(width).toBe((await headerOf(images[0].id))('NAXIS1'));
    }
    expect(SOURCES.map((source) => maps[source][3])).toEqual([
      ...['AIAMap', 'AIAMap', 'AIAMap', 'HMIMap', 'EITMap', 'LASCOMap', 'LASCOMap', 'EUVIMap', 'SWAPMap', 'EUIMap'],
    ]);
    expect(hourly).toHaveLength(2);
    expect(nothing).toBe(0);
    expect(cutout).toEqual(['ct / s', expect.closeTo(250, -1), expect.closeTo(200, -1), expect.closeTo(32, -1)]);
  });

  it('leads from a question to a light curve, a map and a cube with units, times and the bytes of the service', async () => {
    const { curve, units, table, level, map, path, cube, picture } = printed('values');
    const range = 'sourceId=10&startTime=2024-05-10T11:00:00Z&endTime=2024-05-10T14:30:00Z';
    const { curve: expected } = await jsonOf(
      `/v2/getLightCurve/?${range}&x=250&y=200&width=200&height=200&track=rotation&statistics=mean,max`,
    );
    type Row = { date: string; mean: number; meanLower: number; meanUpper: number };
    const rows = (expected as Row[]).map(({ date, mean, meanLower, meanUpper }) => [
      Date.parse(date),
      mean,
      meanLower,
      meanUpper,
    ]);
    expect((curve as [string, ...number[]][]).map(([date, ...figures]) => [Date.parse(date), ...figures])).toEqual(rows);
    expect(units).toMatchObject({ mean: 'DN/s', maxUpper: 'DN/s' });
    expect(table).toEqual(['DN / s', expect.stringMatching(/^2024-05-10T12:0/), 3]);
    expect([level, map]).toEqual(['level', [[3, expect.any(Number)], 'DN/s', expect.any(Number)]]);
    expect(path).toEqual([[3, expect.any(Number)], 'DN / s', 'arcsec']);
    const [{ id }] = (await jsonOf(`/v2/listImages/?${range}`)).images;
    const { byte } = await jsonOf(`/v2/getValue/?id=${id}&frame=pixel&x=129&y=129`);
    expect(cube).toEqual([
      { time: 3, y: 256, x: 256, keyword: 16 },
      'uint8',
      expect.stringMatching(/^2024-05-10T12:0/),
      byte,
      'DN/s',
    ]);
    expect(picture).toBe('PNG');
  });

  it('makes a movie', () => {
    expect(printed('movie')).toEqual({ type: 'ftyp' });
  });

  it('waits as long as the limits of a minute want', () => {
    expect(printed('busy')).toEqual([200, [60]]);
  });

  it('raises the sentences of the service', () => {
    expect(printed('errors')).toEqual([
      ['Expected a UTC date like 2024-01-31T12:00:00Z for startTime, got yesterday.', 400, 'startTime'],
      ['Expected the id or the name of a datasource, such as AIA 171, got AIA 172.', null, 'source'],
      [expect.stringMatching(/^Expected a number .* for imageScale, got -1\.$/), 400, 'imageScale'],
      ['No archived image has this path.', 404, null],
      ['Expected a level from 0 to 0, got 9.', null, 'level'],
      [expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not respond: /), null, null],
    ]);
  });

  it('fetches files by requests where parfive is missing', () => {
    expect(printed('without_parfive')).toEqual({
      client: null,
      file: expect.stringMatching(/_304\.jp2$/),
      again: true,
      curve: 3,
    });
  });

  it('keeps to the interface of the clients of SunPy 8', () => {
    const found = printed('contract');
    const [result, queued, kept] = found.fetched;
    expect(found).toMatchObject({
      abstract: [],
      registered: true,
      handles: [true, false, false],
      attrs: ['helioedge', ['Kind', 'Box'], true],
      values: true,
      url: `${service}/docs/`,
      table: [true, 'HelioedgeClient', 3],
      keywords: ['downloader', 'path'],
      // Names of its base_client that the package imports, which SunPy 8 has.
      sunpy: ['BaseClient', 'QueryResponseTable'],
    });
    expect([result, queued.length]).toEqual([null, 3]);
    expect(queued[0][1]).toBe(kept[0]);
    expect(queued[0][0]).toBe(`${service}/jp2/AIA/2024/05/10/171/${queued[0][1].split('/').at(-1)}`);
  });
});
