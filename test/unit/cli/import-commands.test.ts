// The commands that import flares of RHESSI and orbits of spacecraft, and the flares of the sample, into a service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startDemoEvents } from '../../../demo/events/server.ts';
import { fillEmptyFlareList } from '../../../src/cli/ingest/rhessi-import.ts';
import type { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { DIVING, horizonsTable } from '../../support/bodies/kepler.ts';
import { runCommand, runHere } from '../../support/commands.ts';
import { RHESSI_HEADER, rhessiLine } from '../../support/events/event-records.ts';
import { flareList, oneFlare } from '../../support/events/events-app.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';
import { testServices } from '../../support/test-services.ts';

const TOKEN = 'a-token-for-tests-only';
const folder = testFolder();

let served: ServedApp;
let flares: D1RhessiFlares;
/** Requests that are still refused. */
let refusals = 0;

async function serve(list = flareList()) {
  flares = list;
  const app = createApp(testServices({ variables: { ADMIN_TOKEN: TOKEN }, flares }));
  served = await serveApp(async (request) => (refusals-- > 0 ? new Response('{}', { status: 503 }) : app.fetch(request)));
}

beforeEach(() => serve());
afterEach(() => served.close());

/** What a command prints. @throws Error with that where it fails */
async function command(name: string, args: string[], { token = TOKEN, run = runHere } = {}): Promise<string> {
  const { code, stdout, stderr } = await run(`src/cli/${name}.ts`, args, { HELIOEDGE_URL: served.url, ADMIN_TOKEN: token });
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout + stderr;
}

const asProcess = { run: runCommand as typeof runHere };

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const list = (...lines: string[]) =>
  file('list.csv', ['A flare list, with a comment before it', '', RHESSI_HEADER, ...lines, ''].join('\r\n'));

it('npm run rhessi sends the lines after the column names, and retries while the service is busy', async () => {
  refusals = 1;
  const lines = Array.from({ length: 2_500 }, (_, i) => rhessiLine({ id: String(i + 1) }));
  expect(await command('rhessi', [list(...lines)], asProcess)).toContain('2500 flares taken, 0 lines refused');
  expect(await flares.count()).toBe(2500);
});

it('npm run rhessi names refused lines by their line number', async () => {
  const failed = command('rhessi', [list(rhessiLine(), 'nonsense')]);
  await expect(failed).rejects.toThrow('line 5: The line does not have 13 columns, but 1.');
  await expect(failed).rejects.toThrow('1 flares taken, 1 lines refused');
});

it('npm run rhessi explains a wrong token and a file that is not a flare list', async () => {
  const refused = command('rhessi', [list(rhessiLine())], { token: 'another-token-than-it' });
  await expect(refused).rejects.toThrow(`ADMIN_TOKEN is not the token of ${served.url}.`);
  const other = command('rhessi', ['package.json']);
  await expect(other).rejects.toThrow('The list has no line id,start,peak,... before the flares.');
  await expect(command('rhessi', [list()])).rejects.toThrow('The list has no flares.');
});

const SPAN = { fromMs: DIVING.perihelionMs, toMs: DIVING.perihelionMs + 48 * HOUR_MS, stepMs: 6 * HOUR_MS };

it('npm run ephemeris imports a table of Horizons, lists it and removes it', async () => {
  const table = file('psp.txt', horizonsTable(DIVING, SPAN));
  const imported = 'psp: 9 rows from 2024-12-24T12:00:00Z to 2024-12-26T12:00:00Z\n';
  expect(await command('ephemeris', [table, '--body', 'psp'], asProcess)).toBe(imported);
  expect(await command('ephemeris', ['--list'])).toBe(imported);
  expect(await command('ephemeris', ['--remove', '--body', 'psp'])).toBe('psp: removed\n');
  expect(await command('ephemeris', ['--list'])).toBe('no tables\n');
});

it('npm run ephemeris fails with the sentence of the service, and explains itself without a file', async () => {
  const damaged = file('damaged.txt', horizonsTable(DIVING, SPAN).replace('$$EOE', ''));
  const refused = command('ephemeris', [damaged, '--body', 'psp']);
  await expect(refused).rejects.toThrow('Status 400: Expected a finite number for JDTDB in line 25');
  await expect(command('ephemeris', ['--body', 'psp'])).rejects.toThrow('Imports the orbit of a spacecraft');
});

it('The flares of the sample days are imported once, into a service without RHESSI flares.', async () => {
  const demo = await startDemoEvents();
  const fill = () => fillEmptyFlareList(served.url, TOKEN, demo.url);
  expect(await fill()).toBe(await flares.count());
  const all = await flares.between(0, Date.UTC(2100, 0), 100_000);
  const days = new Set(all.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10)));
  expect([...days]).toEqual(expect.arrayContaining(['2024-05-10', '2012-05-10']));
  expect(await fill()).toBe(0);
  await served.close();
  await serve(await oneFlare());
  expect([await fill(), await flares.count()]).toEqual([0, 1]);
  await demo.stop();
});
