// npm run reconcile, against admin operations whose steps the test decides.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault, ReconciliationCursor } from '../../../src/services/reconciliation/faults.ts';
import { runCommand } from '../../support/commands.ts';
import { adminApp, MemoryAuditLog } from '../../support/memory/admin-routes.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';

const TOKEN = 'a-token-of-this-test';
const fault = (kind: Fault['kind'], path: string, mended: Fault['mended']): Fault => ({
  kind,
  path,
  sentence: 'It does not fit.',
  mended,
});

let folder: string;
let served: ServedApp;
let asked: { cursor: ReconciliationCursor; mends: boolean }[] = [];
const audit = new MemoryAuditLog();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'helioedge-reconcile-'));
  const app = adminApp({
    token: TOKEN,
    audit,
    reconcile: async (step) => {
      asked.push(step);
      const { walk } = step.cursor;
      if (walk === 'files') {
        const faults = [fault('damaged', 'AIA/a.jp2', step.mends ? 'quarantined' : null)];
        return { examined: 200, faults, next: { walk: 'rows', after: '' } };
      }
      if (walk === 'rows') return { examined: 100, faults: [], next: { walk: 'sidecars', after: '' } };
      return { examined: 50, faults: step.mends ? [] : [fault('old-sidecar', 'idx/1/AIA/b.jp2.idx', null)], next: null };
    },
  });
  served = await serveApp(async (request) => app.fetch(request));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await served.close();
});
beforeEach(() => {
  asked = [];
});

const reconcile = (...args: string[]) =>
  runCommand('src/cli/reconcile.ts', args, { HELIOEDGE_URL: served.url, ADMIN_TOKEN: TOKEN });

describe('npm run reconcile', () => {
  it('walks to the end, shows each fault and a table, and ends with status 2 where faults are left', async () => {
    const { code, stdout } = await reconcile();
    expect(code).toBe(2);
    expect(stdout).toContain('damaged AIA/a.jp2: It does not fit.\n');
    expect(stdout).toMatch(/^examined +350\ndamaged +1\nold-sidecar +1$/m);
    expect(asked.map(({ cursor, mends }) => [cursor.walk, mends])).toEqual([
      ['files', false],
      ['rows', false],
      ['sidecars', false],
    ]);
    expect(audit.entries).toEqual([]);
  });

  it('mends, reports each fault as a line of JSON, and records what was mended', async () => {
    const report = join(folder, 'faults.jsonl');
    const { code, stdout } = await reconcile('--mend', '--report', report);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^damaged +1, 1 mended$/m)]);
    expect(
      readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Fault),
    ).toEqual([fault('damaged', 'AIA/a.jp2', 'quarantined')]);
    expect(audit.entries.map(({ action, subject }) => [action, subject])).toEqual([['mend', '1 from AIA/a.jp2 to AIA/a.jp2']]);
  });

  it('goes on from a place, and refuses a text that is none', async () => {
    expect((await reconcile('--from', 'sidecars:2/AIA/c.jp2.idx', '--mend')).code).toBe(0);
    expect(asked).toEqual([{ cursor: { walk: 'sidecars', after: '2/AIA/c.jp2.idx' }, mends: true }]);
    const wrong = await reconcile('--from', 'nowhere');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'Expected a place that an interrupted run has shown for --from, got nowhere.\n',
    ]);
  });
});
