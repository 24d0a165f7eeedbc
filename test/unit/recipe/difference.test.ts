import { expect, it } from 'vitest';
import { type Difference, type TimeUnit, unitsBefore } from '../../../src/picture/operations/difference.ts';
import { referenceTime, suffixOf } from '../../../src/picture/operations/operations.ts';

const at = (text: string) => Date.parse(text);
const before = (text: string, count: number, unit: TimeUnit) => new Date(unitsBefore(at(text), count, unit)).toISOString();

it.each<[string, number, TimeUnit, string]>([
  ['2024-03-01T00:00:00.250Z', 1, 'second', '2024-02-29T23:59:59.250Z'],
  ['2024-03-01T00:00:00Z', 90, 'minute', '2024-02-29T22:30:00.000Z'],
  ['2024-03-01T00:00:00Z', 25, 'hour', '2024-02-28T23:00:00.000Z'],
  ['2024-03-01T00:00:00Z', 1, 'day', '2024-02-29T00:00:00.000Z'],
  ['2024-03-01T00:00:00Z', 2, 'week', '2024-02-16T00:00:00.000Z'],
  ['2024-03-31T10:20:30.456Z', 1, 'month', '2024-02-29T10:20:30.456Z'],
  ['2023-03-31T00:00:00Z', 1, 'month', '2023-02-28T00:00:00.000Z'],
  ['2024-01-15T00:00:00Z', 1, 'month', '2023-12-15T00:00:00.000Z'],
  ['2024-05-31T00:00:00Z', 14, 'month', '2023-03-31T00:00:00.000Z'],
  ['2024-02-29T12:00:00Z', 1, 'year', '2023-02-28T12:00:00.000Z'],
  ['2024-02-29T12:00:00Z', 4, 'year', '2020-02-29T12:00:00.000Z'],
  ['2024-01-31T00:00:00Z', -1, 'month', '2024-02-29T00:00:00.000Z'],
  ['2024-01-31T00:00:00Z', 0, 'month', '2024-01-31T00:00:00.000Z'],
])('unitsBefore %s by %d %s is %s', (from, count, unit, result) => {
  expect(before(from, count, unit)).toBe(result);
});

it.each<TimeUnit>(['hour', 'day', 'week', 'month', 'year'])('unitsBefore clamps a billion %ss to 1990 and 9999', (unit) => {
  expect(before('2024-01-01T00:00:00Z', 1_000_000_000, unit)).toBe('1990-01-01T00:00:00.000Z');
  expect(before('2024-01-01T00:00:00Z', -1_000_000_000, unit)).toBe('9999-12-31T23:59:59.999Z');
});

it('unitsBefore keeps fractions of a millisecond in calendar units', () => {
  const takenAtMs = at('2024-03-31T10:20:30.456Z') + 0.5;
  expect(unitsBefore(takenAtMs, 1, 'month')).toBe(at('2024-02-29T10:20:30.456Z') + 0.5);
});

it.each<[Difference, string, string]>([
  [{ kind: 'running', count: 5, unit: 'minute' }, '2024-02-29T23:55:00.000Z', ' [RD 5 minutes]'],
  [{ kind: 'running', count: 1, unit: 'hour' }, '2024-02-29T23:00:00.000Z', ' [RD 1 hour]'],
  [{ kind: 'base', atMs: at('2024-01-02T03:04:05.600Z') }, '2024-01-02T03:04:05.600Z', ' [BD 2024-01-02 03:04:05]'],
  [{ kind: 'ratio', atMs: at('2024-01-02T03:04:05Z') }, '2024-01-02T03:04:05.999Z', ' [BR 2024-01-02 03:04:05]'],
  [{ kind: 'base', atMs: at('2024-01-02T03:04:05Z') }, '2024-01-02T03:04:05.999Z', ' [BD 2024-01-02 03:04:05]'],
])('%j has its reference time and watermark suffix', (difference, reference, suffix) => {
  const time = referenceTime({ difference }, at('2024-03-01T00:00:00Z'));
  expect(new Date(time!).toISOString()).toBe(reference);
  expect(suffixOf({ difference })).toBe(suffix);
});

it('a layer without operations has no reference time and no suffix', () => {
  expect([referenceTime({}, 0), suffixOf({})]).toEqual([null, '']);
});
