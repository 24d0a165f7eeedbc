import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { reportFile } from '../../../src/cli/command.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const folder = testFolder();

it('The report of a command states each object in a line of JSON', async () => {
  const path = join(folder, 'report.jsonl');
  const report = reportFile(path);
  report.write({ kind: 'differs', name: 'a.jp2' });
  report.write({ label: 'b.jp2' });
  await report.end();
  expect(await readFile(path, 'utf8')).toBe('{"kind":"differs","name":"a.jp2"}\n{"label":"b.jp2"}\n');
});

it('The report of a command fails at its end, and not before, when the file cannot be written', async () => {
  const report = reportFile(join(folder, 'absent', 'report.jsonl'));
  report.write({ label: 'a.jp2' });
  // An error event without a listener would end the process here.
  await sleep(50);
  report.write({ label: 'b.jp2' });
  await expect(report.end()).rejects.toThrow(/ENOENT/);
});
