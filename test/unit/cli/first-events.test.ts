// The flare list of a new service, over loopback.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoEvents, startDemoEvents } from '../../../demo/events/server.ts';
import { fillEmptyFlareList } from '../../../src/cli/local/first-events.ts';
import { rhessiRoutes } from '../../../src/routes/internal/admin-rhessi.ts';
import { MemoryRhessiFlares } from '../../support/events/events-app.ts';

let demo: DemoEvents;
let service: Server;
let flares: MemoryRhessiFlares;

beforeEach(async () => {
  demo = await startDemoEvents();
  flares = new MemoryRhessiFlares();
  const app = new Hono().route('/admin/rhessi', rhessiRoutes(flares));
  service = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = request.method === 'POST' ? Buffer.concat(chunks) : undefined;
    const reply = await app.request(request.url!, { method: request.method!, ...(body ? { body } : {}) });
    response.writeHead(reply.status).end(await reply.text());
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await demo.stop();
  await new Promise((resolve) => service.close(resolve));
});

const fill = () => fillEmptyFlareList(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, 'a-token', demo.url);
const daysOf = () => new Set([...flares.rows.values()].map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10)));

it('imports the flares of the sample days once into a service without RHESSI flares', async () => {
  const taken = await fill();
  expect(taken).toBe(flares.rows.size);
  expect([...daysOf()]).toEqual(expect.arrayContaining(['2024-05-10', '2012-05-10']));
  expect(await fill()).toBe(0);
});

it('leaves the existing flare list of a service unchanged', async () => {
  await fill();
  const [first] = flares.rows.values();
  flares.rows.clear();
  await flares.add([first!]);
  expect(await fill()).toBe(0);
  expect(flares.rows.size).toBe(1);
});
