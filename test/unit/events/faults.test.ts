// Failure modes of event sources: the response is always a prompt 200 with the remaining events, and its header names what failed.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { cmeRecord, flareRecord, hekRecord, predictions } from '../../support/events/event-records.ts';
import { emptyStore, eventsApp, oneFlare } from '../../support/events/events-app.ts';
import { localServer } from '../../support/system/local-server.ts';
import type { Responder } from '../../support/upstream/test-upstream.ts';
import { endlessResponse, json, noResponse, text, truncatedResponse } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const HEK_GOOD = json({ result: [hekRecord()], overmax: false });
const WHOLE = JSON.stringify({ result: [hekRecord()], overmax: false });

const upstream = upstreamOfEachTest({ hek: HEK_GOOD, 'donki/CME': json([cmeRecord()]), 'donki/FLR': json([flareRecord()]) });
const flares = await oneFlare();

/** An isolate whose database holds one RHESSI flare. */
const isolate = (setup: Parameters<typeof eventsApp>[1] = {}) => eventsApp(upstream.url, { flares, ...setup });

const REST = ['2014-01-01T06:00:00-CME-001', '2014-01-01T11:30:00-FLR-001', 'RHESSI-14010105'];
const idsOf = (body: unknown) => (body as { id: string }[]).map(({ id }) => id);

const deeplyNested = `{"result":[{"kb_archivid":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}],"overmax":false}`;

const FAULTS: readonly (readonly [string, Responder])[] = [
  ['does not respond', noResponse],
  ['responds with 500', text('broken', 500)],
  ['responds with 503', text('later', 503, { 'Retry-After': '1' })],
  ['responds with 403', text('no', 403)],
  ['responds with 404', text('no', 404)],
  ['sends binary noise', text(Uint8Array.from({ length: 3000 }, (_, i) => (i * 97) % 256))],
  ['sends HTML', text('<!doctype html><html><body>Down for maintenance</body></html>', 200, { 'Content-Type': 'text/html' })],
  ['sends an empty body', text('')],
  ['sends truncated JSON', text(WHOLE.slice(0, -20))],
  ['sends JSON of another shape', json({ status: 'ok' })],
  ['sends a number', json(42)],
  ['drops the connection within the body', truncatedResponse],
  [
    'stalls within the body',
    (_url, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"result":['),
  ],
  ['closes the connection', (_url, response) => response.destroy()],
  ['sends an endless body', endlessResponse],
  ['sends a decompression bomb', text(gzipSync(Buffer.alloc(40 << 20, ' ')), 200, { 'Content-Encoding': 'gzip' })],
  ['declares a compression that it did not apply', text(WHOLE, 200, { 'Content-Encoding': 'gzip' })],
  ['redirects in a loop', text('', 301, { Location: '/hek' })],
  ['redirects without a Location', text('', 307)],
];

it.each(FAULTS)(
  'when the HEK: %s, the other sources are served, and its last good response with its age',
  async (_what, fault) => {
    const store = emptyStore();
    await isolate({ store }).get();
    upstream.responders.hek = fault;
    const { status, sources, body, headers } = await isolate({ mayStall: true }).get('&format=flat');
    expect([status, sources]).toEqual([200, 'HEK=failed, CCMC=ok, RHESSI=ok, WSA=ok']);
    expect(idsOf(body)).toEqual(REST);
    expect(headers.get('Cache-Control')).toBe('public, max-age=60');
    const later = isolate({ store, mayStall: true });
    later.clock.nowMs += 25 * 3_600_000;
    const kept = await later.get('&format=flat');
    expect([kept.status, kept.sources]).toEqual([200, 'HEK=stale;age=90000, CCMC=ok, RHESSI=ok, WSA=ok']);
    expect(idsOf(kept.body)).toEqual(['ivo://sun.test/AR_1', ...REST]);
  },
);

it('when the HEK sends deeply nested JSON, the record is cut and skipped', async () => {
  upstream.responders.hek = text(deeplyNested);
  const { status, sources } = await isolate({ limits: { responseBytes: 1 << 20 } }).get('&format=flat');
  expect([status, sources]).toEqual([200, 'HEK=ok;skipped=1, CCMC=ok, RHESSI=ok, WSA=ok']);
});

it('an oversized record shrinks to a hundred kilobytes', async () => {
  const columns = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`column_${i}`, String(i).padEnd(39_000, 'x')]));
  upstream.responders.hek = json({ result: [hekRecord(columns)], overmax: false });
  const [record] = (await isolate().get('&format=flat&sources=HEK')).body as { id: string; source: object }[];
  expect(record).toMatchObject({ id: 'ivo://sun.test/AR_1', source: { column_0: columns.column_0, column_1: columns.column_1 } });
  expect(JSON.stringify(record!.source).length).toBeLessThan(100_000);
});

it('the service over sources that fail reports unreachable sources as failed, and responds with 200 even when all are', async () => {
  await upstream.close();
  const broken = { between: () => Promise.reject(new Error('the database is broken')) };
  const { status, sources, body } = await isolate({ flares: broken }).get();
  expect([status, sources]).toEqual([200, 'HEK=failed, CCMC=failed, RHESSI=failed, WSA=ok']);
  const tree = body as { name: string; groups: { data: unknown[] }[] }[];
  expect(tree).toHaveLength(36);
  expect(tree.flatMap(({ groups }) => groups.flatMap(({ data }) => data))).toEqual([]);
});

it('the service over sources that fail queries a source a second time after one failure', async () => {
  let attempts = 0;
  upstream.responders.hek = (url, response, request) => {
    attempts += 1;
    (attempts === 1 ? text('broken', 500) : HEK_GOOD)(url, response, request);
  };
  expect((await isolate().get('&sources=HEK')).sources).toBe('HEK=ok');
  expect(attempts).toBe(2);
});

it('the service over sources that fail follows redirects of a source on its own host', async () => {
  upstream.responders.hek = (url, response) => response.writeHead(301, { Location: `/hek/${url.search}` }).end();
  upstream.responders['hek/'] = HEK_GOOD;
  expect((await isolate().get('&sources=HEK')).sources).toBe('HEK=ok');
});

it('the service over sources that fail follows no redirect of a source to another host', async () => {
  let reached = 0;
  const elsewhere = await localServer((_request, response) => {
    reached += 1;
    response.end(WHOLE);
  });
  upstream.responders.hek = text('', 302, { Location: `${elsewhere.url}/` });
  expect((await isolate().get('&sources=HEK')).sources).toBe('HEK=failed');
  await elsewhere.close();
  expect(reached).toBe(0);
});

it('the service over sources that fail reads a source up to its byte limit only', async () => {
  let sent = 0;
  upstream.responders.hek = (_url, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write('['.repeat(65_536))) sent += 65_536;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const { logged, get } = isolate({ limits: { responseBytes: 200_000, attempts: 1 } });
  expect((await get('&sources=HEK')).sources).toBe('HEK=failed');
  expect(String(logged[0]?.failure)).toContain('sends more than 200000 bytes');
  // The socket buffers of both sides come on top.
  expect(sent).toBeLessThan(20 << 20);
});

it('the service over sources that fail gives all pages of a day one deadline', async () => {
  upstream.responders.hek = (_url, response) => {
    setTimeout(() => response.end(JSON.stringify({ result: [hekRecord()], overmax: true })), 120);
  };
  const { sources } = await isolate({ limits: { pages: 100, dayMs: 400, attemptMs: 300 } }).get('&sources=HEK');
  expect(sources).toBe('HEK=failed');
  expect(upstream.requests.length).toBeLessThan(6);
});

it('the service over sources that fail names the failed feed of a source, and serves its other feeds', async () => {
  upstream.responders['donki/CME'] = text('broken', 500);
  const { sources, body } = await isolate().get('&format=flat&sources=CCMC');
  expect(sources).toBe('CCMC=failed;missing=donki-cme');
  expect(idsOf(body)).toEqual(['2014-01-01T11:30:00-FLR-001']);
});

it('the service over sources that fail gives one event per id', async () => {
  const model = predictions({}, {});
  upstream.responders['scoreboard/data'] = (url, response, request) =>
    (url.searchParams.get('id') === 'DAFFS_REGIONS' ? json(model) : json(predictions()))(url, response, request);
  upstream.responders['donki/FLR'] = json([flareRecord(), flareRecord({ classType: 'X1.0' })]);
  const { body } = await isolate().get('&format=flat&sources=CCMC');
  const ids = idsOf(body);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(3);
  expect(body).toMatchObject([{ type: 'CE' }, { label: '2014-01-01T11:52Z\nX1.0\nAR 11936' }, { type: 'FP' }]);
});

it('the service over sources that fail lets no source inject markup or scripts through links', async () => {
  const refs = [{ ref_name: 'x', ref_type: 'html', ref_url: 'javascript:alert(1)' }];
  upstream.responders.hek = json({ result: [hekRecord({ refs, kb_archivid: 'ivo://"><script>' })], overmax: false });
  const [record] = (await isolate().get('&format=flat&sources=HEK')).body as {
    link: { url: string };
    views: { name: string; content: unknown }[];
  }[];
  expect(record!.link.url).toMatch(/ivorn=ivo%3A%2F%2F%22%3E%3Cscript%3E$/);
  expect(record!.views.find(({ name }) => name === 'References')!.content).toEqual({ x: { type: 'html', url: '' } });
});

it.each(['javascript:alert(1)', 'http://x"><script>alert(1)</script>', 'data:text/html,x'])(
  'a record of the HEK cannot set the address of a method to %s',
  async (frm_url) => {
    upstream.responders.hek = json({ result: [hekRecord({ frm_url })], overmax: false });
    const tree = (await isolate().get('&sources=HEK')).body as { pin: string; groups: { name: string; url: string }[] }[];
    expect(tree.find(({ pin }) => pin === 'AR')!.groups).toMatchObject([{ name: 'NOAA SWPC Observer', url: '' }]);
  },
);

it('a record of the HEK cannot set fields of the service', async () => {
  const reserved = { hv_poly_url: 'javascript:1', hv_hpc_x: 999, hv_hpc_r_scaled: 1, url: 'javascript:2', link: 'javascript:3' };
  upstream.responders.hek = json({ result: [hekRecord({ ...reserved, id: 'a', views: 'b', footprint: 'c' })], overmax: false });
  const [record] = (await isolate().get('&format=flat&sources=HEK')).body as Record<string, unknown>[];
  for (const name of ['hv_poly_url', 'hv_hpc_r_scaled', 'url']) expect(record).not.toHaveProperty(name);
  expect(record).toMatchObject({ id: 'ivo://sun.test/AR_1', footprint: [], link: { text: 'HEK Archive Link' } });
  expect(record!.hv_hpc_x).not.toBe(999);
  expect(record!.source).toMatchObject(reserved);
});

it('a broken store leaves a line in the log, and events come from the sources', async () => {
  const store = emptyStore();
  const fail = () => Promise.reject(new Error('the store is broken'));
  store.find = fail;
  store.keep = fail;
  const { get, logged } = isolate({ store });
  expect((await get()).sources).toBe('HEK=ok, CCMC=ok, RHESSI=ok, WSA=ok');
  expect(logged).toContainEqual({ events: 'hek', store: 'Error: the store is broken' });
});
