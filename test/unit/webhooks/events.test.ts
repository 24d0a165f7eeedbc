import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { D1EventCounts } from '../../../src/events/d1-event-counts.ts';
import { R2EventDays } from '../../../src/events/event-days.ts';
import { EventService } from '../../../src/events/event-service.ts';
import type { EventFeed } from '../../../src/events/ports.ts';
import type { RawRecord } from '../../../src/events/records/record.ts';
import { WEBHOOKS } from '../../../src/platform/limits/webhooks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import type { SolarEvent } from '../../../src/sun/events/solar-event.ts';
import { flareAt } from '../../support/events/event-records.ts';
import { testServices } from '../../support/test-services.ts';
import type { WebhookReceiver, WebhookService } from '../../support/webhooks/webhook-service.ts';
import { expectSigned, webhookReceiver, webhookService } from '../../support/webhooks/webhook-service.ts';

const NOW = Date.UTC(2024, 5, 1);
/** Minutes until the records of a day are asked for again. */
const LOOK = WEBHOOKS.eventsEveryMs / MINUTE_MS + 1;

const flare = (id: string, startMs: number, pin = 'FL') => flareAt(startMs, { id, pin, type: pin });

let there: WebhookReceiver;
let service: WebhookService;
/** What the source reports; null: it fails. */
let reported: SolarEvent[] | null;

beforeEach(async () => {
  there = await webhookReceiver();
  reported = [flare('earlier', NOW - HOUR_MS)];
  const feed: EventFeed = {
    name: 'hek',
    source: 'HEK',
    read: (record) => record as unknown as SolarEvent,
    load: async (dayMs) => {
      if (!reported) throw new Error('The source is away.');
      const ofDay = reported.filter(({ startMs }) => startMs < dayMs + DAY_MS && startMs + HOUR_MS >= dayMs);
      return { records: ofDay as unknown as RawRecord[], isCut: false, missing: [] };
    },
  };
  const platform = testServices();
  const clock = () => service?.time.nowMs ?? NOW;
  const [store, counts] = [new R2EventDays(platform.objects), new D1EventCounts(platform.databases)];
  const failing: EventFeed = { ...feed, name: 'wsa', source: 'WSA', load: () => Promise.reject(new Error('away')) };
  service = webhookService({ events: new EventService({ ...platform, clock, feeds: [feed, failing], store, counts }) });
});
afterEach(() => there.close());

const eventsReceived = () => there.received.map(({ body }) => JSON.parse(body).data.events as { id: string }[]);
const idsReceived = () =>
  eventsReceived()
    .flat()
    .map(({ id }) => id);

it('new events reach a webhook of their type when their source reports them, and not those from before', async () => {
  const { secret } = await service.add(there.address, { eventTypes: ['FL'] });
  await service.minute();
  await service.minute(LOOK);
  expect(there.received).toEqual([]);
  reported!.push(flare('new', NOW - HOUR_MS / 2), flare('region', NOW, 'AR'), flare('long ago', NOW - 3 * DAY_MS));
  await service.minute(LOOK);
  expectSigned(there.received[0]!, secret, service.time.nowMs);
  expect(eventsReceived()).toEqual([
    [
      {
        id: 'new',
        source: 'HEK',
        type: 'FL',
        name: 'Flare',
        method: 'SWPC',
        label: 'M1.2',
        start: '2024-05-31T23:30:00.000Z',
        end: '2024-06-01T00:30:00.000Z',
        peak: '2024-05-31T23:30:01.000Z',
        page: null,
      },
    ],
  ]);
  await service.minute(LOOK);
  await service.minute(2 * LOOK);
  expect(there.received).toHaveLength(1);
});

it('new events begin with the first answer of the source when it failed at first', async () => {
  reported = null;
  await service.add(there.address, { eventTypes: ['FL'] });
  await service.minute();
  reported = [flare('earlier', NOW - HOUR_MS)];
  await service.minute(LOOK);
  expect(there.received).toEqual([]);
  reported = null;
  await service.minute(LOOK);
  reported = [flare('earlier', NOW - HOUR_MS), flare('new', NOW)];
  await service.minute(LOOK);
  expect(idsReceived()).toEqual(['new']);
});

it('new events of one source arrive while another one fails from the beginning', async () => {
  await service.add(there.address, { eventTypes: ['FL', 'MC'] });
  await service.minute();
  reported!.push(flare('new', NOW));
  await service.minute(LOOK);
  expect(idsReceived()).toEqual(['new']);
});

it('new events arrive that were reported while a delivery failed, and have become old since', async () => {
  await service.add(there.address, { eventTypes: ['FL'] });
  await service.minute();
  await service.minute(20 * 60);
  there.receiver.respond = (response) => void response.writeHead(500).end();
  reported!.push(flare('first', NOW + 20 * HOUR_MS));
  await service.minute(LOOK);
  reported!.push(flare('aged', NOW - 18 * HOUR_MS));
  for (let i = 0; i < 14 * 12; i += 1) await service.minute(5);
  there.receiver.respond = (response) => void response.writeHead(204).end();
  for (let i = 0; i < 2 * 12; i += 1) await service.minute(5);
  expect(new Set(idsReceived())).toEqual(new Set(['first', 'aged']));
});

it('new events reach their webhook while that of images waits for an image database, and can be registered', async () => {
  await service.add(there.address, { sources: [10] });
  const failing = vi.spyOn(service.services.databases.ofShard(3), 'prepare').mockImplementation(() => {
    throw new Error('away');
  });
  await service.add(there.address, { eventTypes: ['FL'] });
  await expect(service.minute()).rejects.toThrow('away');
  reported!.push(flare('new', NOW));
  await expect(service.minute(LOOK)).rejects.toThrow('away');
  expect(service.queue).toHaveLength(1);
  failing.mockRestore();
  await service.minute(0);
  expect(idsReceived()).toEqual(['new']);
});

it('new events arrive apart from images, and once when a receiver fails', async () => {
  await service.add(there.address, { eventTypes: ['FL'], sources: [10] });
  await service.minute();
  reported!.push(flare('new', NOW));
  await service.addImages(10, 0);
  there.receiver.respond = (response) => void response.writeHead(500).end();
  await service.minute(LOOK);
  await service.minute(LOOK);
  there.receiver.respond = (response) => void response.writeHead(204).end();
  for (let i = 0; i < 5; i += 1) await service.minute(LOOK);
  expect(service.queue).toEqual([]);
  const bodies = new Map(there.received.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).type as string]));
  expect([...bodies.values()].sort()).toEqual(['events.added', 'images.added']);
});
