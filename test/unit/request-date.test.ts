import { describe, expect, it } from 'vitest';
import { parseRequestDate, suggestedDate } from '../../src/domain/request-date.ts';

const utc = (iso: string) => Date.parse(iso);

describe('parseRequestDate', () => {
  it('accepts dashes or slashes, letters in any case, and up to six digits of fraction', () => {
    expect(parseRequestDate('2014-01-02T03:04:05Z')).toBe(utc('2014-01-02T03:04:05Z'));
    expect(parseRequestDate('2014/01/02t03:04:05z')).toBe(utc('2014-01-02T03:04:05Z'));
    expect(parseRequestDate('2014-01-02T03:04:05.Z')).toBe(utc('2014-01-02T03:04:05Z'));
    expect(parseRequestDate('2014-01-02T03:04:05.25Z')).toBe(utc('2014-01-02T03:04:05.250Z'));
    expect(parseRequestDate('2014-01-02T03:04:05.000001Z')).toBe(utc('2014-01-02T03:04:05Z') + 0.001);
    expect(parseRequestDate('0099-12-31T23:59:59Z')).toBe(utc('0099-12-31T23:59:59Z'));
  });

  it.each([
    ['2014-01-02 03:04:05Z', '2014-01-02T03:04:05Z'],
    ['2014/01/02 03:04z', '2014-01-02T03:04:00Z'],
    ['2014-01-02T03:04Z', '2014-01-02T03:04:00Z'],
    ['2014-01-02T03:04:05+00:00', '2014-01-02T03:04:05Z'],
    ['2014-01-02T03:04:05.25+02:00', '2014-01-02T01:04:05.250Z'],
    ['2014-01-02T03:04:05 02:00', '2014-01-02T01:04:05Z'],
    ['2014-01-02T23:04:05-0530', '2014-01-03T04:34:05Z'],
    ['2014-01-02T03:04:05.1234567Z', '2014-01-02T03:04:05.123456Z'],
  ])('reads %s as %s', (text, iso) => {
    expect(parseRequestDate(text)).toBe(parseRequestDate(iso));
    expect(parseRequestDate(text)).toBeCloseTo(utc(iso), 0);
  });

  it('handles leap years', () => {
    expect(parseRequestDate('2012-02-29T00:00:00Z')).toBe(utc('2012-02-29T00:00:00Z'));
    expect(parseRequestDate('2000-02-29T00:00:00Z')).not.toBeNull();
    expect(parseRequestDate('1900-02-29T00:00:00Z')).toBeNull();
  });

  it.each([
    '2014-02-30T00:00:00Z',
    '2013-02-29T00:00:00Z',
    '2014-13-01T00:00:00Z',
    '2014-00-01T00:00:00Z',
    '2014-01-00T00:00:00Z',
    '2014-01-01T24:00:00Z',
    '2014-01-01T00:60:00Z',
    '2014-01-01T00:00:60Z',
    '14-01-01T00:00:00Z',
    '2014-1-1T00:00:00Z',
    ' 2014-01-01T00:00:00Z',
    '2014-01-01',
    '2014-01-01T00:00:00',
    '2014-01-01 00:00:00',
    '2014-01-01T00Z',
    '2014-01-01T00:00:00+2:00',
    '2014-01-01T00:00:00+14:01',
    '2014-01-01T00:00:00+01:60',
    '2014-01-01T00:00:00 CET',
    '2014-01-01T00:00:00,5Z',
    '1388534400',
    '2014-01-01T00:00:00Z\n',
    '',
  ])('rejects %j', (text) => {
    expect(parseRequestDate(text)).toBeNull();
  });
});

describe('suggestedDate', () => {
  it.each([
    ['2024-05-10', '2024-05-10T00:00:00Z'],
    ['2024-05-10 12:15', '2024-05-10T12:15:00Z'],
    ['2024-05-10T12:15:03.5', '2024-05-10T12:15:03Z'],
    ['2024-5-1 7:05', '2024-05-01T07:05:00Z'],
    ['2024.05.10', '2024-05-10T00:00:00Z'],
    ['2024-05-10T12Z', '2024-05-10T12:00:00Z'],
    ['20240510', '2024-05-10T00:00:00Z'],
    ['20240510_121503', '2024-05-10T12:15:03Z'],
    [' 2024-05-10T12:15:03Z', '2024-05-10T12:15:03Z'],
    ['10 May 2024', '2024-05-10T00:00:00Z'],
    ['May 10, 2024 12:15', '2024-05-10T12:15:00Z'],
    ['10-Sept-2024 12:15:03 UTC', '2024-09-10T12:15:03Z'],
    ['1715343303', '2024-05-10T12:15:03Z'],
    ['1715343303000', '2024-05-10T12:15:03Z'],
  ])('takes %j for %s', (text, iso) => {
    expect(suggestedDate(text)).toBe(iso);
  });

  it.each(['', 'yesterday', '2024-02-30', '2024-13-01', '10 Foo 2024', '05/10/2024', '171', '99999999999999', '10 May 24'])(
    'has no date for %j',
    (text) => {
      expect(suggestedDate(text)).toBeUndefined();
    },
  );
});
