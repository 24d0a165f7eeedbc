import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { instant, reportFile, sourceIds, textOf, wholeNumber } from '../../../src/cli/command.ts';
import { localServer } from '../../support/system/local-server.ts';
import { testFolder } from '../../support/system/test-folder.ts';

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

const folder = testFolder();

it('The report of a command states each object in a line of JSON', async () => {
  const path = join(folder, 'report.jsonl');
  const report = reportFile(path);
  report.write({ kind: 'differs', name: 'a.jp2' });
  report.write({ label: 'b.jp2' });
  await report.end();
  expect(await readFile(path, 'utf8')).toBe('{"kind":"differs","name":"a.jp2"}\n{"label":"b.jp2"}\n');
});

it('The report of a command fails before the work when its file cannot be opened, and at the end when the disk is full', async () => {
  expect(() => reportFile(join(folder, 'absent', 'report.jsonl'))).toThrow(/ENOENT/);
  const report = reportFile('/dev/full');
  report.write({ label: 'a.jp2' });
  // An error event without a listener would end the process here.
  await sleep(50);
  report.write({ label: 'b.jp2' });
  await expect(report.end()).rejects.toThrow(/ENOSPC/);
});

it('A file at an address that does not respond is refused with its host and the reason', async () => {
  const { url, close } = await localServer(() => undefined);
  await close();
  await expect(textOf(`${url}/list.csv`)).rejects.toThrow(`${url} does not respond: connect ECONNREFUSED`);
});
