import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoEvents, startDemoEvents } from '../../../demo/events/server.ts';
import { fillEmptyFlareList } from '../../../src/cli/ingest/rhessi-import.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/domain/events/rhessi.ts';
import { rhessiRoutes } from '../../../src/routes/internal/admin-imports.ts';
import type { AdminVariables } from '../../../src/routes/internal/admin-scopes.ts';
import type { D1RhessiFlares } from '../../../src/storage/events/d1-events-rhessi.ts';
import { rhessiLine } from '../../support/events/event-records.ts';
import { flareList } from '../../support/events/events-app.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';

let demo: DemoEvents;
let service: ServedApp;
let flares: D1RhessiFlares;

beforeEach(async () => {
  demo = await startDemoEvents();
  flares = flareList();
  const app = new Hono<AdminVariables>()
    .use(async (c, next) => {
      c.set('operator', { name: 'admin', token: '', scopes: ['all'] });
      await next();
    })
    .route('/admin/rhessi', rhessiRoutes(flares));
  service = await serveApp(async (request) => app.fetch(request));
});
afterEach(async () => {
  await demo.stop();
  await service.close();
});

const fill = () => fillEmptyFlareList(service.url, 'a-token', demo.url);
const daysOf = async () =>
  new Set(
    (await flares.between(0, Date.UTC(2100, 0), 100_000)).map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10)),
  );

it('imports the flares of the sample days once into a service without RHESSI flares', async () => {
  const taken = await fill();
  expect(taken).toBe(await flares.count());
  expect([...(await daysOf())]).toEqual(expect.arrayContaining(['2024-05-10', '2012-05-10']));
  expect(await fill()).toBe(0);
});

it('leaves the existing flare list of a service unchanged', async () => {
  await flares.add([parseRhessiLine(rhessiLine()) as RhessiFlare]);
  expect(await fill()).toBe(0);
  expect(await flares.count()).toBe(1);
});
