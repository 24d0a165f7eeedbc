// getSciDataScript, as the web client opens it: a plain link whose answer is a file.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allSources } from '../../../src/sun/catalogue/sources.ts';
import { hasModules, PYTHON } from '../../support/programs.ts';
import { inFolderSync } from '../../support/system/in-folder.ts';
import { testArchive } from '../../support/test-archive.ts';

const { get } = testArchive();

async function script(query: string): Promise<{ status: number; headers: Headers; text: string }> {
  const times = 'startDate=2024-01-02T03:04:05Z&endDate=2024-01-03T00:00:00Z';
  const response = await get(`/?action=getSciDataScript&imageScale=2.4&${times}&provider=vso&${query}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const hasPython = hasModules('py_compile');

/** Compiles a script, without running it, and returns what the compiler says. */
function compile(text: string): string {
  return inFolderSync((folder) => {
    writeFileSync(join(folder, 'script.py'), text);
    return execFileSync(PYTHON, ['-m', 'py_compile', join(folder, 'script.py')], { encoding: 'utf8', stdio: 'pipe' });
  });
}

it('getSciDataScript for SunPy writes a Python file that searches the data of each layer with units', async () => {
  const { status, headers, text } = await script('lang=sunpy&sourceIds=[10,18,19,1,4,6,23,29,32,33,38]');
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/x-script.python; charset=utf-8']);
  const name = 'helioviewer_sunpy_20240102_030405__20240103_000000.py';
  expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${name}"`);
  expect(text).toContain('TIME = a.Time("2024-01-02T03:04:05", "2024-01-03T00:00:00")');
  for (const line of [
    '"SDO AIA 171": a.Instrument("AIA") & a.Wavelength(171 * u.angstrom),',
    '"SDO HMI continuum": a.Instrument("HMI") & a.Physobs("intensity"),',
    '"SDO HMI magnetogram": a.Instrument("HMI") & a.Physobs("LOS_magnetic_field"),',
    '"SOHO EIT 195": a.Source("SOHO") & a.Instrument("EIT") & a.Wavelength(195 * u.angstrom),',
    '"SOHO LASCO C2 white-light": a.Source("SOHO") & a.Instrument("LASCO") & a.Detector("C2"),',
    '"SOHO MDI magnetogram": a.Source("SOHO") & a.Instrument("MDI") & a.Physobs("LOS_magnetic_field"),',
    'a.Source("STEREO_A") & a.Instrument("SECCHI") & a.Detector("EUVI") & a.Wavelength(304 * u.angstrom),',
    'a.Source("STEREO_A") & a.Instrument("SECCHI") & a.Detector("COR2"),',
    '"PROBA2 SWAP 174": a.Source("PROBA2") & a.Instrument("SWAP") & a.Wavelength(174 * u.angstrom),',
    'a.Source("Yohkoh") & a.Instrument("SXT"),',
    'a.Source("Hinode") & a.Instrument("XRT"),',
  ]) {
    expect(text).toContain(line);
  }
});

it('getSciDataScript for SunPy uses the archive of Solar Orbiter through its package, and names layers without an archive', async () => {
  const { text } = await script('lang=sunpy&sourceIds=[84,131]');
  expect(text).toContain('a.Instrument("EUI") & a.Level(2) & a.soar.Product("eui-fsi174-image")');
  expect(text).toMatch(/^import sunpy_soar /m);
  expect(text).toMatch(/# Layers whose data no archive of this script has:\n# {3}PUNCH /);
  expect((await script('lang=sunpy&sourceIds=[10]')).text).not.toContain('sunpy_soar');
});

it.skipIf(!hasPython)('getSciDataScript for SunPy compiles in Python 3 for every datasource', async () => {
  const known: string[] = [];
  const ids = allSources.map(({ id }) => id);
  for (let i = 0; i < ids.length; i += 32) {
    const { status, text } = await script(`lang=sunpy&movieId=abc12&sourceIds=[${ids.slice(i, i + 32)}]`);
    if (status === 200) known.push(text);
  }
  expect(known.length).toBeGreaterThan(2);
  expect(compile(known.join('\n'))).toBe('');
});

const view = 'x1=-300&y1=-900&x2=500&y2=-100';

it('getSciDataScript for SolarSoft writes an IDL file with cut-outs of SDO, whose centre is north of the disk centre, and VSO searches', async () => {
  const { headers, text } = await script(`lang=sswidl&sourceIds=[10,19,4]&${view}`);
  expect(headers.get('Content-Type')).toBe('text/x-rsiidl-src; charset=utf-8');
  const name = 'helioviewer_sswidl_20240102_030405__20240103_000000.pro';
  expect(headers.get('Content-Disposition')).toBe(`attachment; filename="${name}"`);
  expect(text).toContain("tstart = '2024/01/02 03:04:05'\ntend = '2024/01/03 00:00:00'");
  expect(text).toContain('xcen = 100.0 & ycen = 500.0');
  expect(text).toContain('fovx = 800.0 & fovy = 800.0');
  expect(text).toContain("waves = ['171', 'mag']");
  expect(text).toContain("vso_search(tstart, tend, instr='aia', wave='171 Angstrom')");
  expect(text).toContain("vso_search(tstart, tend, source='SOHO', instr='lasco', detector='C2')");
  expect(text.match(/\bbegin\b/g)).toHaveLength(2);
  expect(text.match(/^(?:endif|endelse)/gm)).toHaveLength(2);
  expect(text.endsWith('\nend\n')).toBe(true);
});

it('getSciDataScript for SolarSoft downloads whole images without a box', async () => {
  const { text } = await script('lang=sswidl&sourceIds=[10]');
  expect(text).toContain("vso_search(tstart, tend, instr='aia', wave='171 Angstrom')");
  expect(text).not.toContain('cutout');
});

it('the parameters of getSciDataScript accept dates with slashes, and are absent with words for missing values', async () => {
  const times = 'startDate=2024/01/02T03:04:05Z&endDate=2024/01/03T00:00:00Z';
  const response = await get(`/v2/getSciDataScript/?${times}&lang=sunpy&sourceIds=[10]`);
  expect(await response.text()).toContain('a.Time("2024-01-02T03:04:05", "2024-01-03T00:00:00")');
  const { status, text } = await script('lang=sswidl&sourceIds=[10]&x1=undefined&y1=undefined&x2=null&y2=NaN&movieId=undefined');
  expect(status).toBe(200);
  expect(text).toBe((await script('lang=sswidl&sourceIds=[10]')).text);
});

it.each([
  ['lang', 'lang=ruby&sourceIds=[10]'],
  ['sourceIds', 'lang=sunpy&sourceIds=[10,os.system]'],
  ['movieId', 'lang=sunpy&sourceIds=[10]&movieId=%0Aimport%20os'],
  ['movieId', 'lang=sswidl&sourceIds=[10]&movieId=%27%0Aspawn'],
  ['x1', 'lang=sswidl&sourceIds=[10]&x1=%27%0Aspawn&y1=0&x2=1&y2=1'],
  ['sourceIds', 'lang=sunpy&sourceIds=[131]'],
])('the parameters of getSciDataScript refuse code and unknown data: %s', async (parameter, query) => {
  const { status, text } = await script(query);
  expect([status, JSON.parse(text)]).toMatchObject([500, { parameter }]);
});
