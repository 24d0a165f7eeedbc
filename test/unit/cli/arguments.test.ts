import { expect, it } from 'vitest';
import { instant, sourceIds, wholeNumber } from '../../../src/cli/command.ts';

it.each([
  ['2024-05-10', '2024-05-10T00:00:00.000Z'],
  ['2024-05-10T12:15', '2024-05-10T12:15:00.000Z'],
  ['2024-05-10T12:15:03.25Z', '2024-05-10T12:15:03.250Z'],
  ['2024-05-10T12:15:03+02:00', '2024-05-10T10:15:03.000Z'],
])('Arguments of commands reads %s as the instant %s', (text, iso) => {
  expect(new Date(instant('from', text)).toISOString()).toBe(iso);
});

it('Arguments of commands reads source ids, with blanks after the commas', () => {
  expect([sourceIds('sources', '10'), sourceIds('sources', '10, 13,4')]).toEqual([[10], [10, 13, 4]]);
});

it.each([
  ['Expected a UTC date such as 2024-05-10T12:00:00Z for --to, got 2024-02-30.', () => instant('to', '2024-02-30')],
  ['Expected source ids separated by commas for --sources, got 10,,13.', () => sourceIds('sources', '10,,13')],
  ['Expected source ids separated by commas for --sources, got nothing.', () => sourceIds('sources', '')],
  ['Expected a whole number from 1 to 16 for --parallel, got 17.', () => wholeNumber('parallel', '17', 1, 16)],
  ['Expected a whole number from 1 to 16 for --parallel, got 0.', () => wholeNumber('parallel', '0', 1, 16)],
  ['Expected a whole number from 1 to 16 for --parallel, got 1e1.', () => wholeNumber('parallel', '1e1', 1, 16)],
])('Arguments of commands says %s', (sentence, read) => {
  expect(read).toThrow(sentence);
});
