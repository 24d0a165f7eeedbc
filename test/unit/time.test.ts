import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseXmlHeader } from '../../src/jp2/xml-header.ts';
import {
  dayStart,
  fileNameTime,
  formatDateTime,
  formatIso,
  isoDay,
  observationTime,
  parseHeaderDate,
  parseRequestDate,
  throughSecond,
} from '../../src/sun/time.ts';
import { archiveFiles, archiveTitles, xmlOfSample } from '../support/real-files.ts';

const utc = (iso: string) => Date.parse(iso);

it('parseHeaderDate allows a leap second, the end of a day, a zone and a time without seconds', () => {
  expect(parseHeaderDate('2016-12-31T23:59:60.5')).toBe(utc('2017-01-01T00:00:00.500Z'));
  expect(parseHeaderDate('2024-02-29T24:00:00.000')).toBe(utc('2024-03-01T00:00:00Z'));
  expect(parseHeaderDate('2024-02-29', '24:00:00')).toBe(utc('2024-03-01T00:00:00Z'));
  expect(parseHeaderDate('2024-02-29T12:00:03 UTC')).toBe(utc('2024-02-29T12:00:03Z'));
  expect(parseHeaderDate('2024-02-29T12:00+02:00')).toBe(utc('2024-02-29T10:00:00Z'));
});

it('parseHeaderDate reads every instant as a request does', () => {
  const digits = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
  const of = (...texts: readonly string[]) => fc.constantFrom(...texts);
  const texts = fc.tuple(
    fc.integer({ min: 0, max: 9999 }).map((year) => String(year).padStart(4, '0')),
    ...[
      of('-', '/'),
      digits(13),
      of('-', '/'),
      digits(32),
      of('T', 't', ' ', 'T ', '  ', 'x'),
      digits(25),
      of(':', ''),
      digits(61),
    ],
    ...[
      fc.option(
        digits(62).map((second) => `:${second}`),
        { nil: '' },
      ),
      of('', '.', '.5', '.123456789', ',5'),
    ],
    of('', 'Z', 'z', ' UTC', 'GMT', '+02:00', '-0530', ' 01:00', '+14:01', ' CET', '\n'),
  );
  let read = 0;
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('');
      const asRequest = parseRequestDate(text);
      expect(parseHeaderDate(text)).toBe(text.endsWith('\n') ? parseHeaderDate(text.trim()) : asRequest);
      if (asRequest !== null) read += 1;
    }),
    { seed: 20261128, numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(500);
});

it('parseHeaderDate rejects a day without a time, and days that do not exist', () => {
  expect(parseHeaderDate('2013/06/12')).toBeNull();
  expect(parseHeaderDate('2013-06-31T00:00:00')).toBeNull();
  expect(parseHeaderDate('nan')).toBeNull();
});

const timeOf = (entries: Record<string, string>) => observationTime(new Map(Object.entries(entries)));

it('observationTime prefers DATE-OBS to the average and the creation date, and takes DATE_OBS when it has no time', () => {
  expect(timeOf({ 'DATE-AVG': '2022-04-01T00:00:50', DATE: '2022-04-19T17:46:08', 'DATE-OBS': '2022-04-01T00:00:45.248' })).toBe(
    utc('2022-04-01T00:00:45.248Z'),
  );
  expect(timeOf({ 'DATE-OBS': '2005/01/11', 'TIME-OBS': '23:59:32.23', DATE_OBS: '2005-01-11T23:59:32.227Z' })).toBe(
    utc('2005-01-11T23:59:32.227Z'),
  );
});

it('observationTime combines DATE_OBS and TIME_OBS of LASCO headers, and is null when no keyword has an instant', () => {
  expect(timeOf({ DATE_OBS: '2023/12/01', TIME_OBS: '00:06:07.373' })).toBe(utc('2023-12-01T00:06:07.373Z'));
  expect(timeOf({})).toBeNull();
  expect(timeOf({ DATE_OBS: '2023/12/01' })).toBeNull();
  expect(timeOf({ DATE_OBS: '2023/12/01', TIME_OBS: '25:00:00' })).toBeNull();
  expect(timeOf({ 'DATE-AVG': '2022-04-01T00:00:50' })).toBeNull();
});

it.each([
  ['2014_01_02__00_00_02_62__SDO_AIA_AIA_335.jp2', '2014-01-02T00:00:02.620Z'],
  ['2021_06_01__00_01_21_347__SDO_AIA_AIA_171.jp2', '2021-06-01T00:01:21.347Z'],
  ['2010_04_01__00_00_28__PROBA2_SWAP_SWAP_174.jp2', '2010-04-01T00:00:28.000Z'],
  ['2024_11_07__00_56_53_858__HINODE_XRT.jp2', '2024-11-07T00:56:53.858Z'],
  ['solo_L3_eui-fsi174-image_20240702T120045260_V01.jp2', '2024-07-02T12:00:45.260Z'],
  ['iris_1330A_20240415_060002.jp2', '2024-04-15T06:00:02.000Z'],
  ['PUNCH_L3_CAM_20250701000000_v0i.jp2', '2025-07-01T00:00:00.000Z'],
])('fileNameTime reads %s', (name, iso) => {
  expect(fileNameTime(name)).toBe(utc(iso));
});

it('fileNameTime returns null for other names and for days that do not exist', () => {
  expect(fileNameTime('sun.jp2')).toBeNull();
  expect(fileNameTime('2014_02_30__00_00_02_62__SDO_AIA_AIA_335.jp2')).toBeNull();
});

it('formatted dates round down to seconds, state the UTC day, and include all of their second as the end of a range', () => {
  expect(formatDateTime(utc('2021-06-01T00:01:21.999Z'))).toBe('2021-06-01 00:01:21');
  expect(formatIso(utc('2021-06-01T00:01:21.999Z'))).toBe('2021-06-01T00:01:21Z');
  expect(formatDateTime(-0.5)).toBe('1969-12-31 23:59:59');
  const taken = utc('2021-06-01T00:01:21.999Z');
  const shown = utc(formatIso(taken));
  expect([throughSecond(shown) >= taken, throughSecond(shown) < shown + 1000]).toEqual([true, true]);
  expect(throughSecond(shown + 1)).toBe(shown + 1);
  expect(isoDay(utc('2024-05-10T23:59:59.999Z'))).toBe('2024-05-10');
  expect(dayStart(utc('2024-05-10T23:59:59.999Z'))).toBe(utc('2024-05-10'));
  expect(dayStart(utc('2024-05-10'))).toBe(utc('2024-05-10'));
  expect(isoDay(-0.5)).toBe('1969-12-31');
  expect(dayStart(-0.5)).toBe(utc('1969-12-31'));
});

describe.skipIf(!archiveFiles.length)('real archive files', () => {
  it.each(archiveTitles)('%s has the same time in its header and in its name', (name) => {
    const taken = observationTime(parseXmlHeader(xmlOfSample(name))!.fits)!;
    const named = fileNameTime(name)!;
    const hasFraction = /_\d{3}__/.test(name);
    expect(hasFraction ? taken : Math.floor(taken / 1000) * 1000).toBe(named);
  });
});
