import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSpokenDate } from '../../../src/explorer/model/spoken-date.ts';
import { formatIso } from '../../../src/sun/time.ts';

const CONTEXT = { nowMs: Date.UTC(2024, 4, 12, 9, 30), atMs: Date.UTC(2024, 4, 10, 7), isMonthFirst: false };

const understood = (text: string, context = CONTEXT) => {
  const result = parseSpokenDate(text, context);
  return typeof result === 'number' ? formatIso(result) : result;
};

it.each([
  ['now', 'newest'],
  ['today', '2024-05-12T00:00:00Z'],
  ['yesterday', '2024-05-11T00:00:00Z'],
  ['gestern 14:30', '2024-05-11T14:30:00Z'],
  ['hier, 6h05', '2024-05-11T06:05:00Z'],
  ["aujourd'hui", '2024-05-12T00:00:00Z'],
  ['-3h', '2024-05-10T04:00:00Z'],
  ['− 1,5 Tage', '2024-05-08T19:00:00Z'],
  ['+30 min', '2024-05-10T07:30:00Z'],
  ['3 hours ago', '2024-05-12T06:30:00Z'],
  ['il y a 2 jours', '2024-05-10T09:30:00Z'],
  ['hace 1 día', '2024-05-11T09:30:00Z'],
  ['14:30', '2024-05-10T14:30:00Z'],
  ['6:05:07 UTC', '2024-05-10T06:05:07Z'],
  ['10.05.2024', '2024-05-10T00:00:00Z'],
  ['10.5.2024, 14:30', '2024-05-10T14:30:00Z'],
  ['05/13/2024', '2024-05-13T00:00:00Z'],
  ['10. Mai 2024 um 14:30', '2024-05-10T14:30:00Z'],
  ['1er août 2023', '2023-08-01T00:00:00Z'],
  ['10 de mayo de 2024 a las 14:30', '2024-05-10T14:30:00Z'],
  ['31.02.2024', null],
  ['yesterday 25:00', null],
  ['-3 parsecs', null],
  ['soon', null],
  ['', null],
])('a time as people write it: %s is %s', (text, expected) => {
  expect(understood(text)).toBe(expected);
});

it('a time as people write it puts the month first where the language writes it so', () => {
  expect(understood('5/10/2024', { ...CONTEXT, isMonthFirst: true })).toBe('2024-05-10T00:00:00Z');
  expect(understood('5.10.2024', { ...CONTEXT, isMonthFirst: true })).toBe('2024-10-05T00:00:00Z');
  expect(understood('13/5/2024', { ...CONTEXT, isMonthFirst: true })).toBe('2024-05-13T00:00:00Z');
});

it('a time as people write it becomes a year of four digits, the newest image, or nothing, for any text', () => {
  const parts = fc.constantFrom(' ', ...'- + 3 h ago vor yesterday 10 . / : 2024 mai 999999 w'.split(' '));
  const text = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 9 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const result = parseSpokenDate(given, CONTEXT);
      if (typeof result === 'number') expect(formatIso(result)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      else expect([null, 'newest']).toContain(result);
    }),
  );
});
