import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shardOfFileName } from '../../../src/platform/storage/shards.ts';
import { parseRegularFileName, regularFileName, sourceOfFileName } from '../../../src/sun/catalogue/archive-name.ts';
import { archiveDirectory } from '../../../src/sun/catalogue/datasource.ts';
import { allSources, findSource, imageSources as images } from '../../../src/sun/catalogue/sources.ts';

const TIME = Date.UTC(2021, 5, 1, 0, 1, 21, 347);

it('the regular file name of a source stays as it is, with its folder, because the image index stores null for it', () => {
  const names = images.map((source) => {
    const name = regularFileName(source.id, TIME)!;
    return `${source.id} ${archiveDirectory(source, TIME, name)}/${name}`;
  });
  const recorded = readFileSync(join(import.meta.dirname, 'archive-names.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  const recordedIds = new Set(recorded.map((line) => line.split(' ')[0]));
  expect(names.filter((name) => recordedIds.has(name.split(' ')[0]))).toEqual(recorded);
});

it('the regular file name of a source leads back to its source and its time', () => {
  for (const { id: sourceId } of images) {
    const name = regularFileName(sourceId, TIME)!;
    expect([name, sourceOfFileName(name)?.id, parseRegularFileName(name)]).toEqual([
      name,
      sourceId,
      { sourceId, takenAtMs: TIME },
    ]);
  }
});

it('the regular file name of a source exists for known sources, in one spelling', () => {
  expect(regularFileName(9999, TIME)).toBeNull();
  expect(parseRegularFileName('2021_06_01__00_01_21_34__SDO_AIA_AIA_171.jp2')).toBeNull();
  expect(parseRegularFileName('2021_06_01__00_01_21_347__sdo_aia_aia_171.jp2')).toBeNull();
  expect(parseRegularFileName('iris_1330A_20240415_060002.jp2')).toBeNull();
  expect(sourceOfFileName('2021_06_01__00_01_21_34__sdo_aia_aia_171.jp2')?.id).toBe(10);
});

it('the shard of a file name comes from the source, and for other names from their digits, over all sixteen shards', () => {
  expect(shardOfFileName('2021_06_01__00_01_21_347__SDO_HMI_HMI_magnetogram.jp2')).toBe(19 % 16);
  const others = Array.from({ length: 500 }, (_, i) => shardOfFileName(`iris_1330A_20240415_${String(i).padStart(6, '0')}.jp2`));
  expect(new Set(others).size).toBe(16);
});

const DAY = Date.parse('2014-01-02T23:59:59.999Z');

it.each([
  [19, '', 'HMI/2014/01/02/magnetogram'],
  [131, 'PUNCH_L3_CTM_20250701000000_v0i.jp2', 'PUNCH/2014/01/02/CTM'],
  [134, 'x.jp2', 'PUNCH/2014/01/02/PAM'],
])('archiveDirectory of source %i and file name "%s" is %s', (id, fileName, directory) => {
  expect(archiveDirectory(findSource(id)!, DAY, fileName)).toBe(directory);
});

it('archiveDirectory contains no blanks and no .. for any file name', () => {
  for (const source of allSources) {
    for (const fileName of ['PUNCH_L3_../_20250701000000.jp2', '/../../../../..', '']) {
      expect(archiveDirectory(source, DAY, fileName)).toMatch(/^[A-Za-z0-9_-]+\/2014\/01\/02(\/[A-Za-z0-9_-]+){1,2}$/);
    }
  }
});
