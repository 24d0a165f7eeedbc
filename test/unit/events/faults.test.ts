// Sources that fail in every way: the answer is always 200 with the rest, soon, and its header says what is missing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRhessiLine, type RhessiFlare } from '../../../src/domain/events/rhessi.ts';
import { cmeRecord, flareRecord, hekRecord, predictions, rhessiLine } from '../../support/events/event-records.ts';
import {
  type Answer,
  type EventUpstream,
  endless,
  halfAnAnswer,
  json,
  silence,
  startEventUpstream,
  text,
} from '../../support/events/event-upstream.ts';
import { eventsApp, MemoryEventDays, MemoryRhessiFlares } from '../../support/events/events-app.ts';

const HEK_GOOD = json({ result: [hekRecord()], overmax: false });
const WHOLE = JSON.stringify({ result: [hekRecord()], overmax: false });

let upstream: EventUpstream;
beforeEach(async () => {
  upstream = await startEventUpstream({ hek: HEK_GOOD, 'donki/CME': json([cmeRecord()]), 'donki/FLR': json([flareRecord()]) });
});
afterEach(() => upstream.close());

/** An isolate with a RHESSI flare in its database. */
function isolate(setup: Parameters<typeof eventsApp>[1] = {}) {
  const flares = new MemoryRhessiFlares();
  const flare = parseRhessiLine(rhessiLine()) as RhessiFlare;
  flares.rows.set(flare.id, flare);
  return eventsApp(upstream.url, { flares, ...setup });
}

const REST = ['2014-01-01T06:00:00-CME-001', '2014-01-01T11:30:00-FLR-001', '14010105'];
const idsOf = (body: unknown) => (body as { id: string }[]).map(({ id }) => id);

const deeplyNested = `{"result":[{"kb_archivid":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}],"overmax":false}`;

const FAULTS: readonly (readonly [string, Answer])[] = [
  ['says nothing', silence],
  ['fails', text('broken', 500)],
  ['is busy', text('later', 503, { 'Retry-After': '1' })],
  ['refuses', text('no', 403)],
  ['has nothing there', text('no', 404)],
  ['sends garbage', text(Uint8Array.from({ length: 3000 }, (_, i) => (i * 97) % 256))],
  ['sends HTML', text('<!doctype html><html><body>Down for maintenance</body></html>', 200, { 'Content-Type': 'text/html' })],
  ['sends nothing', text('')],
  ['sends truncated JSON', text(WHOLE.slice(0, -20))],
  ['sends JSON of another shape', json({ status: 'ok' })],
  ['sends a number', json(42)],
  ['goes away in the middle', halfAnAnswer],
  [
    'hangs in the middle',
    (_url, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"result":['),
  ],
  ['hangs up', (_url, response) => response.destroy()],
  ['sends more than anybody can read', endless],
  ['sends a compressed bomb', text(gzipSync(Buffer.alloc(40 << 20, ' ')), 200, { 'Content-Encoding': 'gzip' })],
  ['says that it compressed what it did not', text(WHOLE, 200, { 'Content-Encoding': 'gzip' })],
  ['redirects elsewhere', text('', 302, { Location: 'http://localhost:9/hek' })],
  ['redirects in circles', text('', 301, { Location: '/hek' })],
  ['redirects nowhere', text('', 307)],
];

describe('when the HEK', () => {
  it.each(FAULTS)('%s, the other sources answer', async (_what, fault) => {
    upstream.answers.hek = fault;
    const from = performance.now();
    const { status, sources, body, headers } = await isolate().ask('&format=flat');
    expect([status, sources]).toEqual([200, 'HEK=failed, CCMC=ok, RHESSI=ok']);
    expect(idsOf(body)).toEqual(REST);
    expect(headers.get('Cache-Control')).toBe('public, max-age=60');
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  it.each(FAULTS)('%s, what it said before is shown with its age', async (_what, fault) => {
    const store = new MemoryEventDays();
    const first = isolate({ store });
    await first.ask();
    upstream.answers.hek = fault;
    const second = isolate({ store });
    second.clock.nowMs += 25 * 3_600_000;
    const { status, sources, body } = await second.ask('&format=flat');
    expect([status, sources]).toEqual([200, 'HEK=stale;age=90000, CCMC=ok, RHESSI=ok']);
    expect(idsOf(body)).toEqual(['ivo://sun.test/AR_1', ...REST]);
  });

  it('sends something absurdly deep, it is cut and nothing breaks', async () => {
    upstream.answers.hek = text(deeplyNested);
    const { status, sources } = await isolate({ limits: { responseBytes: 1 << 20 } }).ask('&format=flat');
    expect([status, sources]).toEqual([200, 'HEK=ok;skipped=1, CCMC=ok, RHESSI=ok']);
  });
});

describe('a record', () => {
  it('that is longer than any of the HEK is kept as far as a hundred kilobytes go', async () => {
    const columns = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`column_${i}`, String(i).padEnd(39_000, 'x')]));
    upstream.answers.hek = json({ result: [hekRecord(columns)], overmax: false });
    const [record] = (await isolate().ask('&format=flat&sources=HEK')).body as { id: string; source: object }[];
    expect(record).toMatchObject({
      id: 'ivo://sun.test/AR_1',
      source: { column_0: columns.column_0, column_1: columns.column_1 },
    });
    expect(JSON.stringify(record!.source).length).toBeLessThan(100_000);
  });
});

describe('a source', () => {
  it('that is gone fails alone, and all of them together still give an answer', async () => {
    await upstream.close();
    const flares = new MemoryRhessiFlares();
    flares.isBroken = true;
    const { status, sources, body } = await eventsApp(upstream.url, { flares }).ask();
    expect([status, sources]).toEqual([200, 'HEK=failed, CCMC=failed, RHESSI=failed']);
    const tree = body as { name: string; groups: { data: unknown[] }[] }[];
    expect(tree).toHaveLength(34);
    expect(tree.flatMap(({ groups }) => groups.flatMap(({ data }) => data))).toEqual([]);
  });

  it('that fails once is asked again at once', async () => {
    let asked = 0;
    upstream.answers.hek = (url, response, request) => {
      asked += 1;
      (asked === 1 ? text('broken', 500) : HEK_GOOD)(url, response, request);
    };
    expect((await isolate().ask('&sources=HEK')).sources).toBe('HEK=ok');
    expect(asked).toBe(2);
  });

  it('that refuses is not asked again', async () => {
    upstream.answers.hek = text('no', 400);
    await isolate().ask('&sources=HEK');
    expect(upstream.asked).toHaveLength(1);
  });

  it('may redirect on its own host', async () => {
    upstream.answers.hek = (url, response) => response.writeHead(301, { Location: `/hek/${url.search}` }).end();
    upstream.answers['hek/'] = HEK_GOOD;
    expect((await isolate().ask('&sources=HEK')).sources).toBe('HEK=ok');
  });

  it('that redirects to another host is not followed there', async () => {
    let reached = 0;
    const elsewhere = createServer((_request, response) => {
      reached += 1;
      response.end(WHOLE);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    upstream.answers.hek = text('', 302, { Location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/` });
    expect((await isolate().ask('&sources=HEK')).sources).toBe('HEK=failed');
    elsewhere.close();
    expect(reached).toBe(0);
  });

  it('is read no further than its limit', async () => {
    let sent = 0;
    upstream.answers.hek = (_url, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('['.repeat(65_536))) sent += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const { logged, ask } = isolate({ limits: { responseBytes: 200_000, attempts: 1 } });
    expect((await ask('&sources=HEK')).sources).toBe('HEK=failed');
    expect(String(logged[0]?.failure)).toContain('Expected at most 200000 bytes');
    // What the sockets of both sides hold comes on top.
    expect(sent).toBeLessThan(20 << 20);
  });

  it('has one deadline for all its pages', async () => {
    upstream.answers.hek = (_url, response) => {
      setTimeout(() => response.end(JSON.stringify({ result: [hekRecord()], overmax: true })), 120);
    };
    const from = performance.now();
    const { sources } = await isolate({ limits: { pages: 100, dayMs: 400, attemptMs: 300 } }).ask('&sources=HEK');
    expect(sources).toBe('HEK=failed');
    expect(performance.now() - from).toBeLessThan(3_000);
    expect(upstream.asked.length).toBeLessThan(6);
  });

  it('of which a part fails is named with it, and the rest is there', async () => {
    upstream.answers['donki/CME'] = text('broken', 500);
    const { sources, body } = await isolate().ask('&format=flat&sources=CCMC');
    expect(sources).toBe('CCMC=failed;missing=donki-cme');
    expect(idsOf(body)).toEqual(['2014-01-01T11:30:00-FLR-001']);
  });

  it('that sends dates in the future is not believed before they come', async () => {
    upstream.answers.hek = json({
      result: [
        hekRecord(),
        hekRecord({ kb_archivid: 'ivo://later', event_starttime: '2999-01-01T00:00:00', event_endtime: '2999-01-02T00:00:00' }),
      ],
      overmax: false,
    });
    expect(idsOf((await isolate().ask('&format=flat&sources=HEK')).body)).toEqual(['ivo://sun.test/AR_1']);
  });

  it('with ids that repeat gives each of them once', async () => {
    const model = predictions({}, {});
    upstream.answers['scoreboard/data'] = (url, response, request) =>
      (url.searchParams.get('id') === 'DAFFS_REGIONS' ? json(model) : json(predictions()))(url, response, request);
    upstream.answers['donki/FLR'] = json([flareRecord(), flareRecord({ classType: 'X1.0' })]);
    const { body } = await isolate().ask('&format=flat&sources=CCMC');
    const ids = idsOf(body);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(body).toMatchObject([{ type: 'CE' }, { label: '2014-01-01T11:52Z\nX1.0\nAR 11936' }, { type: 'FP' }]);
  });

  it('is not believed to give markup or scripts as links', async () => {
    const refs = [{ ref_name: 'x', ref_type: 'html', ref_url: 'javascript:alert(1)' }];
    upstream.answers.hek = json({ result: [hekRecord({ refs, kb_archivid: 'ivo://"><script>' })], overmax: false });
    const [record] = (await isolate().ask('&format=flat&sources=HEK')).body as {
      link: { url: string };
      views: { name: string; content: unknown }[];
    }[];
    expect(record!.link.url).toMatch(/ivorn=ivo%3A%2F%2F%22%3E%3Cscript%3E$/);
    expect(record!.views.find(({ name }) => name === 'References')!.content).toEqual({ x: { type: 'html', url: '' } });
  });
});

describe('the HEK is not believed', () => {
  it.each(['javascript:alert(1)', 'http://x"><script>alert(1)</script>', 'data:text/html,x'])(
    'that %s is the address of a method',
    async (frm_url) => {
      upstream.answers.hek = json({ result: [hekRecord({ frm_url })], overmax: false });
      const tree = (await isolate().ask('&sources=HEK')).body as { pin: string; groups: { name: string; url: string }[] }[];
      expect(tree.find(({ pin }) => pin === 'AR')!.groups).toMatchObject([{ name: 'NOAA SWPC Observer', url: '' }]);
    },
  );

  it('to have columns of ours', async () => {
    const ours = { hv_poly_url: 'javascript:1', hv_hpc_x: 999, hv_hpc_r_scaled: 1, url: 'javascript:2', link: 'javascript:3' };
    upstream.answers.hek = json({ result: [hekRecord({ ...ours, id: 'a', views: 'b', footprint: 'c' })], overmax: false });
    const [record] = (await isolate().ask('&format=flat&sources=HEK')).body as Record<string, unknown>[];
    for (const name of ['hv_poly_url', 'hv_hpc_r_scaled', 'url']) expect(record).not.toHaveProperty(name);
    expect(record).toMatchObject({ id: 'ivo://sun.test/AR_1', footprint: [], link: { text: 'HEK Archive Link' } });
    expect(record!.hv_hpc_x).not.toBe(999);
    expect(record!.source).toMatchObject(ours);
  });
});

describe('while the store of days is broken', () => {
  it('the sources answer for themselves', async () => {
    const store = new MemoryEventDays();
    store.isBroken = true;
    const { ask, logged } = isolate({ store });
    expect((await ask()).sources).toBe('HEK=ok, CCMC=ok, RHESSI=ok');
    expect(logged).toContainEqual({ events: 'hek', store: 'Error: the store is broken' });
  });
});
