// The examples and programs of docs/measure.md, run as they are against the application over sample images. Those of Zarr are in tools-page.test.ts.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { runSnippet } from '../../support/browser/snippets.ts';
import { AIA_171, AIA_193, HMI, NOON, SHOTS } from '../../support/measurement/samples.ts';
import { measuringService } from '../../support/measurement/service.ts';
import { hasModules } from '../../support/programs.ts';
import { serveApp } from '../../support/serve-app.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/measure.md'), 'utf8');
const HERE = 'http://127.0.0.1:8787';

const shots = (sourceId: number, hours: readonly number[]) =>
  hours.map((hour) => ({ sourceId, timeMs: NOON + (hour - 12) * HOUR_MS }));
const { app } = await measuringService({}, undefined, [
  ...shots(AIA_171, [6, 7, 8, 9, 10, 11, 12, 13]),
  ...shots(AIA_193, [6, 7]),
  ...shots(HMI, [7]),
]);
const served = await serveApp((request) => app.request(request));

afterAll(() => served.close());

/** The first program of a section in a language, for this service. */
function programOf(section: string, language: 'python' | 'js' | 'sh'): string {
  const [, text] = new RegExp(`(?:^|\\n)#+ ${section}\\n(.*?)(?=\\n#|$)`, 's').exec(page)!;
  const [, program] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text!)!;
  return program!.replaceAll(HERE, served.url);
}

/** Path of the file that the first command for cut-outs writes. */
const [, CUBE] = /curl -o cube\.fits "\$B([^"]+)"/.exec(programOf('Cut-outs', 'sh'))!;

/** What programs print, each with names of its own, in one process, because loading the packages takes longer than all of them. */
async function printedByPython<Name extends string>(programs: Readonly<Record<Name, string>>): Promise<Record<Name, string>> {
  const all = `
import contextlib, io, json
printed = {}
for name, program in json.loads(${JSON.stringify(JSON.stringify(programs))}).items():
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
    printed[name] = output.getvalue().strip()
print(json.dumps(printed))
`;
  let printed = '{}';
  await runSnippet('python', all, async ({ stdout }) => {
    printed = stdout;
  });
  return JSON.parse(printed);
}

async function jsonOf<T>(path: string): Promise<T> {
  return (await (await fetch(`${served.url}${path}`)).json()) as T;
}

describe.skipIf(!hasModules('requests', 'numpy', 'pandas', 'astropy.wcs'))('the Python program of docs/measure.md', () => {
  const ofSection = (section: string) => programOf(section, 'python');
  const programs = {
    values: ofSection('Values'),
    arrays: ofSection('Arrays'),
    curve: `${ofSection('Light curves')}\nprint(list(curve["mean"].round(2)), curve["date"].dt.hour.tolist())`,
    map: `${ofSection('Time-distance maps')}\nprint(rows.shape, rows.dtype)`,
    cube: `import urllib.request\nurllib.request.urlretrieve("${served.url}${CUBE}", "cube.fits")\n${ofSection('Cut-outs')}`,
    flare: ofSection('How much brighter does a flare make its region\\?'),
    drift: ofSection('How fast does the surface move across the disc\\?'),
    field: ofSection('How much strong field does a region have\\?'),
  };
  let printed: Record<keyof typeof programs, string>;
  beforeAll(async () => {
    printed = await printedByPython(programs);
  });

  it('for values prints what getValue says', async () => {
    const asked = '/v2/getValue/?sourceId=10&date=2024-05-10T12:00:00Z&x=100&y=200&size=30';
    const { value, lower, upper, unit } = await jsonOf<Record<string, number | string>>(asked);
    expect(printed.values).toMatch(new RegExp(`^[\\d.]+ ${unit}, ${lower} to ${upper}; mean [\\d.]+$`));
    expect(Number.parseFloat(printed.values) / Number(value)).toBeCloseTo(1, 3);
  });

  it('for arrays opens the file, with its unit and coordinates', () => {
    const [unit, median, x, y] = printed.arrays.replaceAll(/[[\](),]|array|np\.float64/g, ' ').split(/\s+/);
    expect(unit).toBe('DN/s');
    expect(Number(median)).toBeGreaterThan(10);
    // Degrees of the lower left corner of 300 x 200 arcseconds around 100, 200.
    expect(Math.abs((Number(x) > 180 ? Number(x) - 360 : Number(x)) * 3600 - -50)).toBeLessThan(6);
    expect(Math.abs(Number(y) * 3600 - 100)).toBeLessThan(6);
  });

  it('for light curves has a row for each image', async () => {
    const asked =
      'sourceId=10&startTime=2024-05-10T00:00:00Z&endTime=2024-05-11T00:00:00Z&x=250&y=200&width=200&height=200&track=rotation';
    const { curve } = await jsonOf<{ curve: { mean: number }[] }>(`/v2/getLightCurve/?${asked}`);
    const [means, hours] = [...printed.curve.matchAll(/\[([^\]]*)\]/g)]
      .slice(-2)
      .map(([, list]) => list!.replaceAll(/np\.float64|[()]/g, ''));
    expect(hours).toBe('6, 7, 8, 9, 10, 11, 12, 13');
    for (const [i, mean] of means!.split(',').map(Number).entries()) expect(mean).toBeCloseTo(curve[i]!.mean, 1);
  });

  it('for time-distance maps has a row for each image', () => {
    expect(printed.map).toMatch(/^\(8, \d{2,3}\) float32$/);
  });

  it('for cut-outs opens the cube that the first command has written', () => {
    expect(printed.cube).toMatch(/^\(3, \d+, \d+\) 2024-05-10T11:0/);
  });

  it('for the brightness of a flare finds its time, and that it leaves the scale', () => {
    const [, ratio, before, then] = /^07:00: ([\d.]+) times; beyond the scale (\d+)%, then (\d+)%$/
      .exec(printed.flare)!
      .map(Number);
    expect(ratio).toBeGreaterThan(1.1);
    expect(then).toBeGreaterThan(before! + 5);
  });

  it('for the drift of the surface finds the rotation', () => {
    const [, drift] = /^([\d.]+) arcseconds an hour to the west$/.exec(printed.drift)!.map(Number);
    // Positions of 4.8 arcseconds, over six hours.
    expect(Math.abs(drift! - 8.7)).toBeLessThan(0.8);
  });

  it('for the area of strong field prints that of getLightCurve with its interval', () => {
    const [, area, lower, upper] = /^(\d+) Mm² above 100 G as seen \((\d+) to (\d+)\)$/.exec(printed.field)!.map(Number);
    expect(lower! > 5000 && lower! < area! && area! < upper!).toBe(true);
  });
});

const printedByNode = async (program: string) =>
  (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])).stdout.trim();

it('the JavaScript program of docs/measure.md for values has what getValue says', async () => {
  const { value, unit } = await jsonOf<Record<string, unknown>>(
    '/v2/getValue/?sourceId=10&date=2024-05-10T12:00:00Z&x=100&y=200',
  );
  expect(await printedByNode(`${programOf('Values', 'js')}\nconsole.log(value, unit);`)).toBe(`${value} ${unit}`);
});

it('the JavaScript program of docs/measure.md for light curves prints a row for each image', async () => {
  const printed = await printedByNode(programOf('Light curves', 'js'));
  const [head, ...rows] = printed.split('\n').filter((line) => line !== '');
  expect(head).toMatch(/^id,date,reason,.*,mean,/);
  expect(rows.map((row) => row.split(',')[1]!.slice(0, 13))).toEqual(['2024-05-10T11', '2024-05-10T12', '2024-05-10T13']);
});

it('the JavaScript program of docs/measure.md for time-distance maps has the values along the path', async () => {
  const program = `${programOf('Time-distance maps', 'js')}\nconsole.log(map.length, path.length, map[0].values.length, step);`;
  const [images, places, values, step] = (await printedByNode(program)).split(' ').map(Number);
  expect([images, values]).toEqual([3, places]);
  expect((places! - 1) * step!).toBeCloseTo(300, -1);
});

it('the JavaScript program of docs/measure.md for cut-outs has the values of all images', async () => {
  const program = `${programOf('Cut-outs', 'js')}\nconsole.log(values.length, values.some((value) => value > 0));`;
  const head = new TextDecoder('latin1').decode((await (await fetch(served.url + CUBE)).arrayBuffer()).slice(0, 2880));
  const sides = [1, 2, 3].map((axis) => Number(new RegExp(`NAXIS${axis} *= *(\\d+)`).exec(head)![1]));
  expect(await printedByNode(program)).toBe(`${sides[0]! * sides[1]! * sides[2]!} true`);
});

const examples = [...page.matchAll(/^curl .*?"\$B(\/v2\/[^"]+)"/gm)].map((match) => match[1]!);

/** With as many images as a movie needs. */
const exampleService = measuringService({}, undefined, [
  ...SHOTS,
  { sourceId: AIA_193, timeMs: NOON },
  ...[-60, -30, 30].map((minutes) => ({ sourceId: AIA_171, timeMs: NOON + minutes * MINUTE_MS })),
]);

it('docs/measure.md gives an example of each operation that measures, and lets curl take brackets as they are', () => {
  const named = new Set(examples.map((example) => example.split('/')[2]));
  expect([...named].sort()).toEqual(['getCutout', 'getImageData', 'getLightCurve', 'getSolarMap', 'getTimeDistance', 'getValue']);
  const commands = page.match(/^curl .*$/gm)!;
  expect(commands.filter((command) => /"[^"]*[[{]/.test(command) && !/^curl -g /.test(command))).toEqual([]);
});

it.each(examples)('docs/measure.md: %s is served', async (example) => {
  const { ask } = await exampleService;
  const url = new URL(example, 'http://sun.test');
  const response = await ask(url.pathname.split('/')[2]!, Object.fromEntries(url.searchParams));
  const isMovie = url.searchParams.get('format') === 'mp4';
  expect([response.status, response.headers.has('Location')]).toEqual([isMovie ? 303 : 200, isMovie]);
  if (isMovie) return;
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(200);
});
