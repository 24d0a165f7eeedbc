import { expect, it } from 'vitest';
import { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/events/records/rhessi.ts';
import { eventPositionAt } from '../../../src/sun/coordinates/sphere.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { NOON, RHESSI_HEADER, rhessiLine } from '../../support/events/event-records.ts';
import { eventsApp, oneFlare } from '../../support/events/events-app.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { testServices } from '../../support/test-services.ts';

const TOKEN = 'a-token-for-tests-only';

function service() {
  const flares = new D1RhessiFlares(databasesIn(migrated()));
  const admin = createApp(testServices({ variables: { ADMIN_TOKEN: TOKEN }, flares }));
  const request = async (init: RequestInit = {}, token = TOKEN) => {
    const response = await admin.request('/admin/rhessi', { ...init, headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { flares, request, send: (body: string, token?: string) => request({ method: 'POST', body }, token) };
}

it('a line of the RHESSI flare list parses to a flare', () => {
  expect(parseRhessiLine(rhessiLine())).toEqual({
    id: 14010105,
    startMs: Date.UTC(2014, 0, 1, 11, 40),
    peakMs: Date.UTC(2014, 0, 1, 11, 52, 4),
    endMs: Date.UTC(2014, 0, 1, 12, 20),
    peakRate: 1500,
    totalCounts: 2_500_000,
    xArcsec: 655,
    yArcsec: -225,
    highBand: '25-50',
    dsun: '0.983',
    ntime: '12',
    nen: '5',
    link: '2014/01/01/14010105/',
  });
});

it.each([
  ['with a missing column', RHESSI_HEADER.slice(0, -5), /^The line does not have 13 columns, but 12\.$/],
  ['without a number', rhessiLine({ id: 'abc' }), /^Expected a whole number for id/],
  ['without a time', rhessiLine({ peak: 'noon' }), /^Expected times like/],
  [
    'that ends before it starts',
    rhessiLine({ end: '2014-01-01 11:00:00' }),
    /^Expected ascending times within 24 hours for start, peak and end/,
  ],
  ['that lasts longer than a day', rhessiLine({ end: '2014-01-05 11:00:00' }), /within 24 hours/],
  ['without a position', rhessiLine({ xloc: '' }), /^Expected a position within 2000 arcseconds/],
  ['far from the Sun', rhessiLine({ yloc: '9999' }), /^Expected a position within 2000 arcseconds/],
  ['with a link that is not a path', rhessiLine({ link: 'javascript:alert(1)' }), /^Expected a path for link/],
  ['with an oversized field', rhessiLine({ hi_band: '9'.repeat(300) }), /^Expected at most 200 characters for hi_band/],
])('a line of the RHESSI flare list gets a message: %s', (_what, line, message) => {
  expect(parseRhessiLine(line)).toMatch(message);
});

it('the import of the RHESSI flare list adds valid lines, and counts and lists the invalid ones', async () => {
  const { send, flares, request } = service();
  const lines = [RHESSI_HEADER, rhessiLine(), 'nonsense', rhessiLine({ id: '14010106', xloc: 'x' }), rhessiLine({ id: '7' }), ''];
  expect((await send(lines.join('\r\n'))).body).toEqual({
    added: 2,
    refused: 2,
    problems: [
      { line: 3, error: 'The line does not have 13 columns, but 1.' },
      { line: 4, error: 'Expected a position within 2000 arcseconds for xloc and yloc, got x, -225.' },
    ],
  });
  expect((await request()).body).toEqual({ flares: 2 });
  expect(await flares.between(NOON, NOON, 10)).toHaveLength(2);
});

it('the import of the RHESSI flare list replaces known flares, refuses a batch that is too large, and lists at most twenty invalid lines', async () => {
  const { send, flares } = service();
  await send(rhessiLine());
  await send(rhessiLine({ xloc: '600' }));
  expect(await flares.between(NOON, NOON, 10)).toMatchObject([{ id: 14010105, xArcsec: 600, peakRate: 1500 }]);
  expect((await send('x'.repeat((1 << 20) + 1))).status).toBe(413);
  const { status, body } = await send('\n'.repeat(5_000));
  expect([status, body.error]).toEqual([400, 'Expected at most 5000 lines for the batch, got 5001.']);
  const { refused, problems } = (await send('nonsense\n'.repeat(100))).body as { refused: number; problems: unknown[] };
  expect([refused, problems.length, await flares.count()]).toEqual([100, 20, 1]);
});

const flare = (id: number, start: string, end: string) =>
  parseRhessiLine(rhessiLine({ id: String(id), start, peak: start, end })) as RhessiFlare;

it('the RHESSI flares in progress at a time are found, also among thousands, which are added once', async () => {
  const flares = new D1RhessiFlares(databasesIn(migrated()));
  await flares.add([
    flare(1, '2013-12-31 23:50:00', '2014-01-01 00:10:00'),
    flare(2, '2014-01-01 00:10:00', '2014-01-01 00:20:00'),
    flare(3, '2014-01-01 00:30:00', '2014-01-01 00:40:00'),
  ]);
  const idsAt = async (from: string, to = from, limit = 10) =>
    (await flares.between(Date.parse(from), Date.parse(to), limit)).map(({ id }) => id);
  expect(await idsAt('2014-01-01T00:10:00Z')).toEqual([1, 2]);
  expect(await idsAt('2014-01-01T00:25:00Z')).toEqual([]);
  expect(await idsAt('2014-01-01T00:00:00Z', '2014-01-01T23:59:59Z')).toEqual([1, 2, 3]);
  expect(await idsAt('2014-01-01T00:00:00Z', '2014-01-01T23:59:59Z', 2)).toEqual([1, 2]);
  const days = Array.from({ length: 4_500 }, (_, i) => `2014-01-${String(1 + (i % 28)).padStart(2, '0')}`);
  const many = days.map((day, i) => flare(i + 4, `${day} 11:40:00`, `${day} 12:20:00`));
  await flares.add(many);
  await flares.add(many.slice(0, 10));
  expect([await flares.count(), (await flares.between(NOON, NOON, 10_000)).length]).toEqual([4_503, 161]);
});

it('the RHESSI flares carry all fields that clients read', async () => {
  const app = eventsApp('http://127.0.0.1:9', { flares: await oneFlare() });
  const [record] = await app.records('&sources=RHESSI');
  const { x, y } = eventPositionAt({ kind: 'helioprojective', x: 655, y: -225, atMs: Date.UTC(2014, 0, 1, 11, 52, 4) }, NOON);
  const texts = Object.fromEntries(RHESSI_HEADER.split(',').map((name, i) => [name, rhessiLine().split(',')[i]]));
  const row = { ...texts, id: 14010105, peakrate: 1500, totalcounts: 2_500_000, xloc: 655, yloc: -225 };
  expect(record).toMatchObject({
    id: 'RHESSI-14010105',
    path: 'RHESSI>>Solar Flares>>Flare',
    type: 'FL',
    pin: 'F2',
    label: 'RHESSI 14010105',
    title: 'RHESSI 14010105',
    short_label: '14010105: 2014-01-01 11:40:00',
    start: '2014-01-01 11:40:00',
    peak: '2014-01-01 11:52:04',
    end: '2014-01-01 12:20:00',
    hv_hpc_x: expect.closeTo(x, 3),
    hv_hpc_y: expect.closeTo(y, 3),
    link: { url: expect.stringMatching(/^https:.*\/flare_images_v2\/2014\/01\/01\/14010105\/$/), text: 'Full analysis' },
    views: [{ name: 'Main', content: row }],
    source: row,
  });
});
