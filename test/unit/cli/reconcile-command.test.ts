import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { D1AuditLog } from '../../../src/operator/d1-audit-log.ts';
import type { Fault } from '../../../src/operator/reconciliation/find-faults.ts';
import type { ReconciliationRequest } from '../../../src/operator/reconciliation/reconcile.ts';
import { Failure } from '../../../src/platform/util/errors.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { runCommand } from '../../support/commands.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';
import { testServices } from '../../support/test-services.ts';

const TOKEN = 'a-token-of-this-test';
const fault = (kind: Fault['kind'], path: string, mended: Fault['mended']): Fault => ({
  kind,
  path,
  sentence: 'It does not fit.',
  mended,
});

const folder = testFolder();
const asked: ReconciliationRequest[] = [];
const audit = new D1AuditLog(databasesIn(migrated()));
const changes = () => audit.list({ before: Number.MAX_SAFE_INTEGER, limit: 10 });

const services = testServices({
  variables: { ADMIN_TOKEN: TOKEN },
  audit,
  reconcileStep: async (step) => {
    asked.push(step);
    const { walk } = step.cursor;
    if (step.cursor.after === 'AIA/broken.jp2') throw new Failure('conflict', 'This page cannot be compared.');
    if (walk === 'files') {
      const faults = [fault('damaged', 'AIA/a.jp2', step.mends ? 'quarantined' : null)];
      return { examined: 200, stated: 0, faults, next: { walk: 'rows', after: '' } };
    }
    if (walk === 'rows') return { examined: 100, stated: 7, faults: [], next: { walk: 'sidecars', after: '' } };
    return { examined: 50, stated: 0, faults: step.mends ? [] : [fault('old-sidecar', 'idx/1/AIA/b.jp2.idx', null)], next: null };
  },
});
const app = createApp(services);
const served = await serveApp(async (request) => app.fetch(request));
afterAll(() => served.close());
beforeEach(() => void asked.splice(0));

const reconcile = (...args: string[]) =>
  runCommand('src/cli/reconcile.ts', args, { HELIOEDGE_URL: served.url, ADMIN_TOKEN: TOKEN });

it('npm run sidecars fails for sources without images', async () => {
  const env = { HELIOEDGE_URL: served.url, ADMIN_TOKEN: TOKEN };
  const { code, stderr } = await runCommand('src/cli/sidecars.ts', ['--sources', '999,11'], env);
  expect([code, stderr]).toEqual([1, 'The service has no images of source 999 or 11.\n']);
});

it('npm run reconcile walks to the end, shows each fault and a table, and ends with status 2 where faults are left', async () => {
  const { code, stdout } = await reconcile();
  expect(code).toBe(2);
  expect(stdout).toContain('damaged AIA/a.jp2: It does not fit.\n');
  expect(stdout).toMatch(/^examined +350\nids stated +7\ndamaged +1\nold-sidecar +1$/m);
  expect(asked.map(({ cursor, mends }) => [cursor.walk, mends])).toEqual([
    ['files', false],
    ['rows', false],
    ['sidecars', false],
  ]);
  expect(await changes()).toEqual([]);
});

it('npm run reconcile mends, reports each fault as a line of JSON, and records what was mended', async () => {
  const report = join(folder, 'faults.jsonl');
  const { code, stdout } = await reconcile('--mend', '--report', report);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^damaged +1, 1 mended$/m)]);
  expect(
    readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Fault),
  ).toEqual([fault('damaged', 'AIA/a.jp2', 'quarantined')]);
  expect((await changes()).map(({ action, subject }) => [action, subject])).toEqual([['mend', '1 from AIA/a.jp2 to AIA/a.jp2']]);
});

it('npm run reconcile shows the place of a failure, from which it goes on', async () => {
  const { code, stdout, stderr } = await reconcile('--from', 'files:AIA/broken.jp2');
  expect([code, stdout]).toEqual([1, "failed: go on with --from 'files:AIA/broken.jp2'\n"]);
  expect(stderr).toContain('This page cannot be compared.');
});

it('npm run reconcile goes on from a place, and refuses a text that is none', async () => {
  expect((await reconcile('--from', 'sidecars:2/AIA/c.jp2.idx', '--mend')).code).toBe(0);
  expect(asked).toEqual([{ cursor: { walk: 'sidecars', after: '2/AIA/c.jp2.idx' }, mends: true, contents: 10 }]);
  const wrong = await reconcile('--from', 'nowhere');
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    'Expected a position that an interrupted run has shown for --from, got nowhere.\n',
  ]);
});
