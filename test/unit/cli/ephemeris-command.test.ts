import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../../src/cli/command.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { DIVING, horizonsTable } from '../../support/bodies/kepler.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';
import { testServices } from '../../support/test-services.ts';

const TOKEN = 'a-token-for-tests-only';
const SPAN = { fromMs: DIVING.perihelionMs, toMs: DIVING.perihelionMs + 48 * HOUR_MS, stepMs: 6 * HOUR_MS };
const folder = testFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

let served: ServedApp;
const ephemeris = (args: readonly string[], token = TOKEN) =>
  run('src/cli/ephemeris.ts', args, { env: { HELIOEDGE_URL: served.url, ADMIN_TOKEN: token } });

beforeAll(async () => {
  const app = createApp(testServices({ variables: { ADMIN_TOKEN: TOKEN } }));
  served = await serveApp(async (request) => app.fetch(request));
});
afterAll(() => served.close());

it('npm run ephemeris imports a table of Horizons, lists it and removes it', async () => {
  const table = file('psp.txt', horizonsTable(DIVING, SPAN));
  const imported = 'psp: 9 rows from 2024-12-24T12:00:00Z to 2024-12-26T12:00:00Z\n';
  expect(await ephemeris([table, '--body', 'psp'])).toBe(imported);
  expect(await ephemeris(['--list'])).toBe(imported);
  expect(await ephemeris(['--remove', '--body', 'psp'])).toBe('psp: removed\n');
  expect(await ephemeris(['--list'])).toBe('no tables\n');
});

it('npm run ephemeris fails with the sentence of the service for a damaged table and another spacecraft, and explains a wrong token', async () => {
  const damaged = file('damaged.txt', horizonsTable(DIVING, SPAN).replace('$$EOE', ''));
  await expect(ephemeris([damaged, '--body', 'psp'])).rejects.toThrow(
    'Status 400: Expected a finite number for JDTDB in line 25',
  );
  await expect(ephemeris([damaged, '--body', '../x'])).rejects.toThrow('Status 400: Expected soho, psp,');
  await expect(ephemeris(['--list'], 'another-token-than-it')).rejects.toThrow(`ADMIN_TOKEN is not the token of ${served.url}.`);
});

it('npm run ephemeris explains itself without a file or a body', async () => {
  await expect(ephemeris(['--body', 'psp'])).rejects.toThrow('Imports the orbit of a spacecraft');
  expect(await ephemeris(['--help'])).toContain('npm run ephemeris -- FILE|URL --body NAME');
});
