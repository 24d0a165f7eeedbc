import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoEvents, startDemoEvents } from '../../../demo/events/server.ts';
import { fillEmptyFlareList } from '../../../src/cli/ingest/rhessi-import.ts';
import type { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/events/records/rhessi.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { rhessiLine } from '../../support/events/event-records.ts';
import { flareList } from '../../support/events/events-app.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { testServices } from '../../support/test-services.ts';

let demo: DemoEvents;
let service: ServedApp;
let flares: D1RhessiFlares;

beforeEach(async () => {
  demo = await startDemoEvents();
  flares = flareList();
  const app = createApp(testServices({ variables: { ADMIN_TOKEN: 'a-token-for-tests-only' }, flares }));
  service = await serveApp(async (request) => app.fetch(request));
});
afterEach(async () => {
  await demo.stop();
  await service.close();
});

const fill = () => fillEmptyFlareList(service.url, 'a-token-for-tests-only', demo.url);
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
