import { expect, it } from 'vitest';
import { archiveDirectory } from '../../../src/sun/catalogue/datasource.ts';
import { allSources, findSource } from '../../../src/sun/catalogue/sources.ts';

const DAY = Date.parse('2014-01-02T23:59:59.999Z');

it.each([
  [14, '', 'AIA/2014/01/02/335'],
  [5, '', 'LASCO-C3/2014/01/02/white-light'],
  [19, '', 'HMI/2014/01/02/magnetogram'],
  [44, '', 'XRT/2014/01/02/Al_poly/Al_mesh'],
  [119, '', 'RHESSI/2014/01/02/VIS_CS'],
  [95, '', 'RHESSI/2014/01/02/Back_Projection'],
  [86, '', 'HRI_EUV/2014/01/02/174'],
  [90, '', 'SUVI/2014/01/02/171'],
  [2088, '', 'SJI/2014/01/02/1330'],
  [94, '', 'NSO-GONG/2014/01/02/6562'],
  [83, '', 'KCor/2014/01/02/735'],
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
