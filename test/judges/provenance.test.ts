// What exiftool and astropy read of the files of the service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasModules, isInstalled, outputOf, PYTHON } from '../support/programs.ts';
import { testFolder } from '../support/system/test-folder.ts';
import { jsonOf, responseOf } from './verdicts.ts';

const folder = testFolder();

async function fileOf(path: string, name: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, new Uint8Array(await (await responseOf(path)).arrayBuffer()));
  return file;
}

const CREDIT = 'Credit: Courtesy of NASA/SDO';
const hasExiftool = isInstalled('exiftool');

it.skipIf(!hasExiftool).each(['png', 'jpg', 'webp'])(`exiftool reads the address and the credit of %s`, async (type) => {
  const { helioprojective } = await jsonOf('/tiles/10.json');
  const picture = `date=${helioprojective.date}&imageScale=10&layers=[10,1,100]&x0=0&y0=0&width=200&height=200`;
  const file = await fileOf(`/v2/takeScreenshot/?${picture}&display=true&type=${type}`, `sun.${type}`);
  const text = outputOf('exiftool', ['-s3', '-Comment', '-Description', file]).toString();
  expect(text).toContain('Address: /v2/takeScreenshot/?date=');
  expect(text).toContain(CREDIT);
});

it.skipIf(!hasModules('astropy'))('astropy reads the address and the credit of FITS', async () => {
  const { helioprojective } = await jsonOf('/tiles/10.json');
  const file = await fileOf(`/v2/getImageData/?id=${helioprojective.image}&level=4`, 'sun.fits');
  const script = 'import sys\nfrom astropy.io import fits\nprint("\\n".join(fits.getheader(sys.argv[1])["HISTORY"]))';
  const text = outputOf(PYTHON, ['-c', script, file]).toString();
  expect(text).toContain(`Address: /v2/getImageData/?id=${helioprojective.image}&level=4\n`);
  expect(text).toContain(CREDIT);
});
