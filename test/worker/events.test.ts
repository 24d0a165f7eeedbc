// Event sources in workerd: storage in R2 and D1.
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { D1EventCounts } from '../../src/events/d1-event-counts.ts';
import { D1RhessiFlares } from '../../src/events/d1-events-rhessi.ts';
import { R2EventDays } from '../../src/events/event-days.ts';
import { EventService } from '../../src/events/event-service.ts';
import { eventFeeds } from '../../src/events/feeds/feeds.ts';
import { parseRhessiLine, type RhessiFlare } from '../../src/events/records/rhessi.ts';
import { EVENT_MEMORY, EVENT_REQUESTS, EVENT_TTL_MS } from '../../src/platform/limits/events.ts';
import { readEventSettings } from '../../src/platform/settings/events.ts';
import { databasesFrom } from '../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import { flareRecord, hekRecord, NOON, predictions, rhessiLine } from '../support/events/event-records.ts';
import { anyMemory } from '../support/memory/any-memory.ts';

const SOURCES = ['HEK', 'CCMC', 'RHESSI'] as const;
const DAY_KEY = 'events/1/hek/2014/01/01.json.gz';

const settings = readEventSettings({ EVENTS_UPSTREAM: 'http://sources.test' });
const limits = { ...EVENT_REQUESTS, attemptMs: 150, dayMs: 300, firstRetryMs: 5 };

const good = (url: URL): Response => {
  if (url.pathname === '/hek') return Response.json({ result: [hekRecord()], overmax: false });
  if (url.pathname === '/donki/FLR') return Response.json([flareRecord()]);
  return Response.json(url.pathname === '/donki/CME' ? [] : predictions());
};

let requests: string[] = [];

function respondWith(respond: (url: URL) => Response | Promise<Response>): void {
  requests = [];
  vi.stubGlobal('fetch', async (url: URL) => {
    requests.push(url.pathname);
    return respond(url);
  });
}

afterEach(() => vi.unstubAllGlobals());

const flares = () => new D1RhessiFlares(databasesFrom(env));

/** The event service of a new isolate. */
function isolate(nowMs = Date.UTC(2024, 0, 1)): EventService {
  const feeds = eventFeeds(settings, flares(), limits);
  const store = new R2EventDays(new R2ObjectStore(env.ARCHIVE));
  const memory = anyMemory();
  const counts = new D1EventCounts(databasesFrom(env));
  const dayLimits = { dayMs: 5_000, staleWaitMs: 350, memory: EVENT_MEMORY, ttlMs: EVENT_TTL_MS };
  return new EventService({ feeds, store, counts, clock: () => nowMs, log: () => undefined, memory, limits: dayLimits });
}

it('event sources in workerd store a day in R2, compressed, for all isolates', async () => {
  respondWith(good);
  const first = await isolate().eventsAt(NOON, SOURCES);
  expect(first.events.map(({ id }) => id)).toEqual(['ivo://sun.test/AR_1', '2014-01-01T11:30:00-FLR-001']);
  expect(requests).toHaveLength(15);
  const object = await env.ARCHIVE.get(DAY_KEY);
  expect([...new Uint8Array(await object!.arrayBuffer()).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  respondWith(() => new Response('down', { status: 500 }));
  const second = await isolate().eventsAt(NOON, SOURCES);
  expect(requests).toEqual([]);
  expect(JSON.stringify(second)).toBe(JSON.stringify(first));
});

it('event sources in workerd respond again when the stored day is damaged', async () => {
  await env.ARCHIVE.put(DAY_KEY, new Uint8Array([1, 2, 3]));
  respondWith(good);
  const { states, events } = await isolate().eventsAt(NOON, ['HEK']);
  expect([states[0]!.state, events.length]).toEqual(['ok', 1]);
});

it('event sources in workerd include thousands of RHESSI flares in D1', async () => {
  const many = Array.from({ length: 4_500 }, (_, i) => ({
    ...(parseRhessiLine(rhessiLine({ id: String(i) })) as RhessiFlare),
    startMs: Date.UTC(2014, 0, 1 + (i % 28), 11, 40),
    endMs: Date.UTC(2014, 0, 1 + (i % 28), 12, 20),
  }));
  await flares().add(many);
  await flares().add(many.slice(0, 10));
  expect(await flares().count()).toBe(4_500);
  expect((await isolate().eventsAt(NOON, ['RHESSI'])).events).toHaveLength(161);
  expect((await isolate().eventsAt(NOON + 3_600_000, ['RHESSI'])).events).toEqual([]);
});
