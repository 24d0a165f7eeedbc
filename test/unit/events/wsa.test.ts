// Forecasts of WSA: coronal holes and magnetic connections, by made responses of its dashboard.
import { describe, expect, it } from 'vitest';
import { joinedContours, wsaEvent, wsaFootpoints, wsaHoles } from '../../../src/events/records/wsa.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { earthAt, wrap180 } from '../../../src/sun/coordinates/observer.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { isInside } from '../../support/events/outlined-records.ts';
import { json, type Responder, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const NOON = Date.UTC(2024, 0, 31, 12);
const { l0Degrees: L0 } = earthAt(NOON);
const carrington = (stonyhurst: number) => (((stonyhurst + L0) % 360) + 360) % 360;

/** A closed square, degrees from the meridian of the Earth at noon and from the equator. */
const square = (longitude: number, latitude: number, half: number) => {
  const corners = [-1, -1, 1, 1, -1].map(
    (side, i) => [longitude + side * half, latitude + [-1, 1, 1, -1, -1][i]! * half] as const,
  );
  return { lon: corners.map(([l]) => carrington(l)), lat: corners.map(([, b]) => b) };
};

const windowOf = (forecast: readonly object[], start = '2024-01-31 11:00:00') => ({
  forecast_time: '2024-01-31 12:00:00',
  forecast_range: [start, '2024-01-31 13:00:00'],
  forecast,
});

const HOLE = [
  { coords: square(0, 20, 10) },
  { coords: square(0, 20, 3) },
  { coords: square(88, -20, 8) },
  { coords: square(180, 0, 5) },
];
const FOOTPOINTS = [
  { label: '0.625', label_coords: { lat: 10, lon: carrington(30) }, contour_coords: square(30, 10, 5) },
  { label: '0.1', label_coords: { lat: [-5], lon: [carrington(170)] }, contour_coords: square(170, -5, 4) },
];

describe('a day of WSA', () => {
  const upstream = upstreamOfEachTest();
  const serve = () => {
    upstream.responders['wsa/load_helioviewer_coronal_holes'] = ((url, response, request) => {
      const isAll = url.searchParams.get('real') === 'all';
      const one = [windowOf(HOLE.slice(0, 1))];
      json(isAll ? { 0: [windowOf(HOLE)], 3: one } : one)(url, response, request);
    }) satisfies Responder;
    upstream.responders['wsa/load_helioviewer_footpoint_capabilities'] = json({
      input_maps: ['AGONG'],
      locations: ['SO'],
      advanced_days: [3],
    });
    upstream.responders['wsa/load_helioviewer_footpoints'] = json([windowOf(FOOTPOINTS)]);
    return eventsApp(upstream.url);
  };
  const AT = '2024-01-31T12:00:00Z';

  it('lists holes by map and realization, and connections by observer, in lists and in a tree', async () => {
    const { get } = serve();
    const { status: code, sources, body } = await get('&format=simpletree&sources=WSA', AT);
    expect([code, sources]).toEqual([200, 'WSA=ok']);
    const lists = body as Record<string, { path: string; label: string; short_label: string; pin: string; frm_name: string }[]>;
    expect(Object.keys(lists)).toEqual(['WSA>>Magnetic Connectivity', 'WSA>>Coronal Hole']);
    expect(lists['WSA>>Coronal Hole']!.map(({ path, label, pin }) => [path, label, pin]).sort()).toEqual([
      ['WSA>>Coronal Hole>>AGONG>>R0', 'Forecast: 2024-01-31 12:00', 'CH'],
      ['WSA>>Coronal Hole>>AGONG>>R3', 'Forecast: 2024-01-31 12:00', 'CH'],
      ['WSA>>Coronal Hole>>GONGZ', 'Forecast: 2024-01-31 12:00', 'CH'],
    ]);
    expect(lists['WSA>>Magnetic Connectivity']![0]).toMatchObject({
      path: 'WSA>>Magnetic Connectivity>>SO>>AGONG',
      label: 'SO, P: 62.5%, Forecast: 2024-01-31 12:00',
      short_label: 'P: 62.5%, Forecast: 2024-01-31 12:00',
      frm_name: 'SO AGONG',
      type: 'MC',
      start: '2024-01-31 11:00:00',
      peak: '2024-01-31 12:00:00',
      end: '2024-01-31 13:00:00',
      visible: true,
    });
    const tree = (await get('&sources=WSA', AT)).body as { pin: string; groups: { name: string; data: object[] }[] }[];
    expect(tree.map(({ pin, groups }) => [pin, groups.map(({ name, data }) => [name, data.length])])).toEqual([
      ['MC', [['SO', 2]]],
      [
        'CH',
        expect.arrayContaining([
          ['AGONG', 2],
          ['GONGZ', 1],
        ]),
      ],
    ]);
  });

  it('places outlines and their holes all around, and marks what is behind the limb', async () => {
    const { records } = serve();
    const found = await records('&sources=WSA', AT);
    const hole = found.find(({ path }) => path === 'WSA>>Coronal Hole>>AGONG>>R0')!;
    const footprint = hole.footprint as { x: number; y: number; visible?: false }[][];
    expect(footprint.map((contour) => contour.map(({ visible }) => visible ?? true))).toEqual([
      [true, true, true, true],
      [true, true, true, true],
      [true, true, false, false],
      [false, false, false, false],
    ]);
    const outer = footprint[0]!.map(({ x, y }) => [x, y] as const);
    expect(isInside([footprint[1]![0]!.x, footprint[1]![0]!.y], [outer])).toBe(true);
    expect(isInside([hole.hv_hpc_x as number, hole.hv_hpc_y as number], [outer])).toBe(true);
    expect((hole.footprint_ring as object[]).length).toBeGreaterThan(3);
    const behind = found.find(({ short_label: label }) => String(label).startsWith('P: 10%'))!;
    expect(behind).toMatchObject({ visible: false, footprint_ring: [], views: [{ name: 'WSA', content: { Target: 'SO' } }] });
  });

  it('asks with the dates around it, once for each map and observer, as a browser', async () => {
    const { get } = serve();
    await get('&sources=WSA', AT);
    const asked = upstream.requests.map(({ pathname, searchParams }) => [pathname.split('_').at(-1), ...searchParams.values()]);
    expect(asked.toSorted()).toEqual(
      [
        ['capabilities'],
        ['footpoints', '2024-01-30', '2024-02-01', 'AGONG', 'SO', '3'],
        ['holes', '2024-01-30', '2024-02-01', 'AGONG', 'SWPC_REALTIME', 'all'],
        ['holes', '2024-01-30', '2024-02-01', 'GONGZ', 'SWPC_REALTIME', '0'],
      ].toSorted(),
    );
  });

  it('answers with empty lists where nothing is forecast, and keeps days that the dashboard has dropped', async () => {
    const app = eventsApp(upstream.url);
    const empty = await app.get('&format=simpletree&sources=WSA', AT);
    expect([empty.status, empty.sources, empty.body]).toEqual([
      200,
      'WSA=ok',
      { 'WSA>>Magnetic Connectivity': [], 'WSA>>Coronal Hole': [] },
    ]);
    const { get, clock, objects } = serve();
    await get('&sources=WSA', AT);
    const later = eventsApp(upstream.url, { objects });
    later.clock.nowMs = clock.nowMs + 100 * DAY_MS;
    upstream.requests.length = 0;
    expect(await later.records('&sources=WSA', AT)).toHaveLength(5);
    expect(await later.records('&sources=WSA', '2024-01-20T12:00:00Z')).toEqual([]);
    expect(upstream.requests).toEqual([]);
  });

  it.each<[string, Responder]>([
    ['a refusal', text('{}', 403)],
    ['a failure', text('{}', 500)],
    ['an answer of another shape', json('none')],
  ])('becomes a failed source after %s, with an empty list', async (_, responder) => {
    upstream.responders.wsa = responder;
    const { status: code, sources, body } = await eventsApp(upstream.url).get('&format=flat&sources=WSA', AT);
    expect([code, sources, body]).toEqual([200, 'WSA=failed', []]);
  });
});

const request = { satellite: 'SWPC_REALTIME', map: 'AGONG' };

it('records of WSA join the parts of a contour that a map cuts at longitude 0', () => {
  const parts = [
    [
      [350, 10],
      [359.5, 12],
    ],
    [
      [0.5, 12],
      [8, 6],
      [0.4, -2],
    ],
    [
      [359.6, -2],
      [348, 2],
      [350, 9.5],
    ],
  ] as const;
  expect(joinedContours(parts)).toEqual([[...parts[0], ...parts[1], ...parts[2]]]);
  const polar = Array.from({ length: 37 }, (_, i) => [i * 10, 60 + (i % 2)] as const);
  expect(joinedContours([polar])).toEqual([polar]);
});

it('records of WSA place the pin of a hole about a pole between its edge and the pole, on the meridian of the Earth', () => {
  const lon = Array.from({ length: 37 }, (_, i) => i * 10);
  const polar = { coords: { lon, lat: lon.map(() => -60) } };
  const [record] = wsaHoles([windowOf([{ coords: square(40, 0, 20) }, polar])], request, 2);
  const event = wsaEvent(record!)!;
  expect(event.position).toMatchObject({ kind: 'stonyhurst', latitude: -75 });
  expect((event.position as { longitude: number }).longitude).toBeCloseTo(0, 6);
  expect(event.id).toBe('WSA:SWPC_REALTIME:AGONG:2:2024-01-31T11:00:00:2024-01-31T13:00:00');
});

it('records of WSA keep the places that the dashboard gives, as longitudes from the Earth at the time of the forecast', () => {
  const event = wsaEvent(wsaFootpoints([windowOf(FOOTPOINTS)], { satellite: 'SO', map: 'AGONG' }, '3')[0]!)!;
  const { longitude, latitude } = event.position as { longitude: number; latitude: number };
  expect([longitude, latitude]).toEqual([expect.closeTo(30, 6), 10]);
  expect(event.outlines[0]!.map(([l]) => Math.round(wrap180(l)))).toEqual([25, 25, 35, 35]);
});

it.each<[string, unknown]>([
  ['no times', { forecast: HOLE }],
  ['a range of one time', { ...windowOf(HOLE), forecast_range: ['2024-01-31 11:00:00'] }],
  ['an end before its start', windowOf(HOLE, '2024-02-02 00:00:00')],
  ['no contours', windowOf([])],
  ['coordinates of different lengths', windowOf([{ coords: { lat: [1, 2, 3], lon: [1, 2] } }])],
  ['coordinates that are no places', windowOf([{ coords: { lat: [91, 92, 'a'], lon: [1, 2, null] } }])],
  ['a forecast that is no list', { ...windowOf([]), forecast: 'none' }],
])('records of WSA make no event for a window with %s', (_, window) => {
  expect(wsaHoles([window as never], request, 0).map(wsaEvent)).toEqual([null]);
});

it('records of WSA stay within the limits of a record for maps of many contours', () => {
  const ring = {
    lon: Array.from({ length: 900 }, (_, i) => (i * 360) / 900),
    lat: Array.from({ length: 900 }, (_, i) => 60 + (i % 7)),
  };
  const [record] = wsaHoles([windowOf(Array.from({ length: 80 }, () => ({ coords: ring })))], request, 0);
  expect(JSON.stringify(record).length).toBeLessThan(40_000);
  expect(wsaEvent(record!)!.outlines.length).toBe(60);
});
