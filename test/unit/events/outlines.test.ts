import { afterAll, describe, expect, it } from 'vitest';
import {
  outlineFields,
  outlinePath,
  parseOutlinePath,
  pictureSize,
  placedShape,
} from '../../../src/events/records/outline-path.ts';
import { LEVEL_0_SCALE } from '../../../src/picture/grids/pixel-grid.ts';
import { DAY, hekRecord } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import type { OutlinedRecord } from '../../support/events/outlined-records.ts';
import { coronalHole, filament, HOLE, isInside, pinOf, polygonText, ringText } from '../../support/events/outlined-records.ts';
import { readPng } from '../../support/imaging/read-png.ts';
import { answered, testArchive } from '../../support/test-archive.ts';
import { json, startUpstream } from '../../support/upstream/test-upstream.ts';

const upstream = await startUpstream({});
afterAll(() => upstream.close());

const app = (...result: unknown[]) => {
  upstream.responders.hek = json({ result, overmax: false });
  return eventsApp(upstream.url);
};

const recordOf = async (record: unknown, startTime?: string) =>
  (await app(record).records('&sources=HEK', startTime))[0] as unknown as OutlinedRecord;

const outlineNames = (record: object) => Object.keys(record).filter((name) => /^hv_(poly|marker)_/.test(name));

const NAMES = [
  'hv_poly_hpc_x_ul_scaled_norot',
  'hv_poly_hpc_y_ul_scaled_norot',
  'hv_poly_hpc_x_final',
  'hv_poly_hpc_y_final',
  'hv_poly_width_max_zoom_pixels',
  'hv_poly_height_max_zoom_pixels',
  'hv_marker_offset_x',
  'hv_marker_offset_y',
  'hv_poly_url',
];

it('a record with an outline states the fields of the outline in all formats', async () => {
  const { get } = app(coronalHole());
  const flat = (await get('&sources=HEK&format=flat')).body as object[];
  const simple = (await get('&sources=HEK&format=simpletree')).body as Record<string, object[]>;
  const tree = (await get('&sources=HEK')).body as { pin: string; groups: { data: object[] }[] }[];
  const records = [flat[0]!, simple['HEK>>Coronal Hole']![0]!, tree.find(({ pin }) => pin === 'CH')!.groups[0]!.data[0]!];
  for (const record of records) {
    expect(outlineNames(record)).toEqual(NAMES);
    expect(record).toMatchObject({ hpc_boundcc: polygonText(HOLE), hv_poly_url: (flat[0] as OutlinedRecord).hv_poly_url });
  }
});

it('a record with an outline places a square of 60 arcseconds where it was measured, scaled to 1 au, two pixels of line around it', async () => {
  const square = [
    [-300, 200],
    [-240, 200],
    [-240, 260],
    [-300, 260],
  ] as const;
  const columns = { event_starttime: `${DAY}T12:00:00`, hpc_x: -270, hpc_y: 230, hpc_boundcc: polygonText(square) };
  const record = await recordOf(hekRecord(columns));
  const inset = 2 * LEVEL_0_SCALE;
  // The Earth is at 0.9833 au.
  expect(record.hv_poly_hpc_x_ul_scaled_norot).toBeCloseTo(-294.99 - inset, 1);
  expect(record.hv_poly_hpc_y_ul_scaled_norot).toBeCloseTo(-255.658 - inset, 1);
  expect(Math.abs(record.hv_poly_hpc_x_final - record.hv_poly_hpc_x_ul_scaled_norot)).toBeLessThan(0.3);
  expect(Math.abs(record.hv_poly_hpc_y_final - record.hv_poly_hpc_y_ul_scaled_norot)).toBeLessThan(0.3);
  expect([record.hv_poly_width_max_zoom_pixels, record.hv_poly_height_max_zoom_pixels]).toEqual([102, 102]);
  expect(Math.hypot(record.hv_marker_offset_x, record.hv_marker_offset_y)).toBeLessThan(2);
});

it('a record with an outline moves to the west with the Sun, and keeps its measured position', async () => {
  const columns = { event_starttime: `${DAY}T06:00:00`, event_endtime: `${DAY}T20:00:00` };
  const [early, late] = [
    await recordOf(filament(columns), `${DAY}T07:00:00Z`),
    await recordOf(filament(columns), `${DAY}T17:00:00Z`),
  ];
  expect(late.hv_poly_hpc_x_final - early.hv_poly_hpc_x_final).toBeGreaterThan(70);
  expect(late.hv_poly_hpc_x_final - early.hv_poly_hpc_x_final).toBeLessThan(95);
  expect(late.hv_poly_hpc_x_ul_scaled_norot).toBe(early.hv_poly_hpc_x_ul_scaled_norot);
  expect(late.hv_poly_url).not.toBe(early.hv_poly_url);
});

it('a record with an outline keeps its picture for two and a half minutes before and after each fifth minute', async () => {
  const urlAt = async (time: string) => (await recordOf(filament(), `${DAY}T${time}Z`)).hv_poly_url;
  const url = await urlAt('13:05:00');
  expect(await urlAt('13:02:31')).toBe(url);
  expect(await urlAt('13:07:29')).toBe(url);
  expect(await urlAt('13:10:00')).not.toBe(url);
});

it('a record with an outline draws all parts of a multipolygon in one picture, with their holes', async () => {
  const part = (x: number, side: number) =>
    [
      [x, 0],
      [x + side, 0],
      [x + side, side],
      [x, side],
    ] as const;
  const text = `MULTIPOLYGON((${ringText(part(0, 100))},${ringText(part(20, 60).map(([x, y]) => [x, y + 20] as const))}),(${ringText(part(200, 40))}))`;
  const record = await recordOf(hekRecord({ event_starttime: `${DAY}T12:00:00`, hpc_boundcc: text }));
  const shape = parseOutlinePath(record.hv_poly_url)!;
  expect(shape.rings).toHaveLength(3);
  const picture = readPng(new Uint8Array(await (await testArchive().get(`/${record.hv_poly_url}`)).arrayBuffer()));
  const alphaAt = (x: number, y: number) => {
    const [px, py] = [x, -y].map((arcsec, i) => {
      const corner = i === 0 ? record.hv_poly_hpc_x_final : record.hv_poly_hpc_y_final;
      return Math.floor((arcsec * 0.9833 - corner) / LEVEL_0_SCALE);
    });
    return picture.rgba[(py! * picture.width + px!) * 4 + 3];
  };
  expect([alphaAt(10, 50), alphaAt(50, 50), alphaAt(150, 20), alphaAt(220, 20)]).toEqual([101, 0, 0, 101]);
});

it('a record with an outline extends to the limb and no further', async () => {
  const columns = { event_starttime: `${DAY}T01:00:00`, hpc_x: 900, hpc_y: 0 };
  const nearLimb = [
    [700, -200],
    [940, -100],
    [940, 100],
    [700, 200],
  ] as const;
  const record = await recordOf(hekRecord({ ...columns, hpc_boundcc: polygonText(nearLimb) }), `${DAY}T23:00:00Z`);
  const footprint = record.footprint_ring.map(({ x, y }) => [x, y] as const);
  const right = record.hv_poly_hpc_x_final + record.hv_poly_width_max_zoom_pixels * LEVEL_0_SCALE;
  expect(right).toBeLessThan(964);
  expect(right).toBeGreaterThan(940);
  expect(isInside(pinOf(record), [footprint])).toBe(true);
});

describe('a record without a visible outline', () => {
  it.each<[string, string | null, number?]>([
    ['no text', ''],
    ['null', null],
    ['an open text', 'POLYGON(('],
    ['coordinates off the sky', 'POLYGON((1e9 0,0 1e9,1 1))'],
    ['two vertices', 'POLYGON((1 2,3 4,1 2))'],
    ['words', 'POLYGON((a b,c d,e f))'],
    ['NaN', 'POLYGON((NaN NaN,NaN 1,1 NaN,NaN NaN))'],
    ['another geometry', 'LINESTRING(1 2,3 4,5 6)'],
    ['one place', 'POLYGON((5 5,5 5,5 5,5 5))', 3],
    ['less than a pixel', 'POLYGON((5 5,5.01 5,5 5.01,5 5))', 3],
    ['a text beyond the limit', polygonText(Array.from({ length: 10_000 }, (_, i) => [i % 97, i % 89] as const))],
  ])('empties hpc_boundcc for %s, so that the client uses the position of the event', async (_, hpc_boundcc, corners = 0) => {
    const record = await recordOf(hekRecord({ hpc_boundcc }));
    expect(outlineNames(record)).toEqual([]);
    expect(record).toMatchObject({ hpc_boundcc: '', hv_hpc_x: expect.any(Number), footprint_ring: { length: corners } });
  });

  it('omits the fields behind the Sun', async () => {
    const columns = { event_starttime: '2013-12-20T00:00:00', event_endtime: '2014-01-05T00:00:00', hpc_x: 700, hpc_y: 100 };
    const text = polygonText([
      [650, 50],
      [750, 50],
      [700, 150],
    ]);
    expect(await recordOf(hekRecord({ ...columns, hpc_boundcc: text }))).toMatchObject({
      visible: false,
      hpc_boundcc: '',
      footprint: [[{ visible: false }, { visible: false }, { visible: false }]],
      footprint_ring: [],
    });
  });

  it('omits the fields and hpc_boundcc for another source', async () => {
    const { records } = app();
    upstream.responders['donki/FLR'] = json([
      { flrID: 'F', beginTime: `${DAY}T11:00Z`, endTime: `${DAY}T13:00Z`, sourceLocation: 'S16W45' },
    ]);
    const [flare] = await records('&sources=CCMC');
    expect(flare).toMatchObject({ id: 'F' });
    expect(flare).not.toHaveProperty('hpc_boundcc');
    expect(outlineNames(flare!)).toEqual([]);
  });
});

const position = { kind: 'helioprojective', x: 0, y: 0, atMs: Date.UTC(2014, 0, 1, 12) } as const;
const circle = (vertices: number, radius: number) =>
  Array.from({ length: vertices }, (_, i) => {
    const angle = (2 * Math.PI * i) / vertices;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });

it.each([
  ['10 000 vertices', [circle(10_000, 400)]],
  ['12 rings of 600 vertices', Array.from({ length: 12 }, (_, i) => circle(600, 50 + 60 * i))],
  ['the largest coordinates', [circle(600, 30_000)]],
  ['edges that cross', [circle(101, 500).map((_, i, all) => all[(i * 50) % 101]!)]],
  ['no area', [circle(50, 500).map(([x]) => [x, x] as const)]],
  [
    'a spike to the limb at every vertex',
    [circle(600, 940).map(([x, y], i) => (i % 2 ? [x, y] : [1.1 * x, 1.1 * y]) as [number, number])],
  ],
])('an unusual outline keeps the path within 4100 characters and bounds the picture, with %s', async (_, outlines) => {
  const fields = outlineFields({ pin: 'CH', outlines, position }, position.atMs + 3_600_000) as Partial<OutlinedRecord>;
  const shape = parseOutlinePath(fields.hv_poly_url!)!;
  expect(fields.hv_poly_url!.length).toBeLessThanOrEqual(4_100);
  const { width, height, reduction } = pictureSize(shape);
  expect(Math.max(width, height) / reduction).toBeLessThanOrEqual(2048);
  expect([fields.hv_poly_width_max_zoom_pixels, fields.hv_poly_height_max_zoom_pixels]).toEqual([width, height]);
});

it('an unusual outline gets no picture beyond any coordinate of the sources', () => {
  expect(placedShape('CH', [circle(10, 1e6)])).toBeNull();
  expect(placedShape('CH', [])).toBeNull();
});

const { shape } = placedShape('CH', [HOLE])!;
const path = outlinePath(shape);

it('the path of a picture contains the whole outline', () => {
  expect(parseOutlinePath(path)).toEqual(shape);
  expect(path).toMatch(/^cache\/events\/2\/CH\/[\w-]+\.png$/);
});

const rings = path.split('/')[4]!.replace('.png', '');
it.each([
  '/cache/events/',
  '/cache/events/2/CH/.png',
  '/cache/events/2/CH/AAAA.png',
  '/cache/events/2/CH/~.png',
  `/cache/events/1/CH/${rings}.png`,
  `/cache/events/2/XX/${rings}.png`,
  `/cache/events/2/C3/${rings}.png`,
  `/cache/events/2/ch/${rings}.png`,
  `/cache/events/2/CH/${rings}`,
  `/cache/events/2/CH/${rings}.jpg`,
  `/cache/events/2/CH/${rings}AA.png`,
  `/cache/events/2/CH/${'AC'.repeat(2001)}.png`,
  '/cache/events/2/CH/%00...png',
  '/cache/events/2014/01/01/ivo%253A%252F%252Fhelio-informatics.org%252FCH_1.png',
  '/cache/events/../../jp2/x.png',
])('the path of a picture rejects %s', async (wrong) => {
  expect(await answered(testArchive().get(wrong))).toMatchObject([404, { error: expect.any(String) }]);
});

it('the picture of an outline comes as a PNG of the stated size and colours, drawn once, without its source', async () => {
  const record = await recordOf(coronalHole());
  upstream.responders.hek = (_url, response) => response.destroy();
  const archive = testArchive();
  const response = await archive.get(`/${record.hv_poly_url}`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'cache-control': 'public, max-age=86400',
    'access-control-allow-origin': '*',
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { rgba, width, height } = readPng(bytes);
  expect([width, height]).toEqual([record.hv_poly_width_max_zoom_pixels, record.hv_poly_height_max_zoom_pixels]);
  await archive.settle();
  expect(archive.cachedKeys()).toHaveLength(1);
  const again = await archive.get(`/${record.hv_poly_url}`);
  expect([again.headers.get('Age'), new Uint8Array(await again.arrayBuffer())]).toEqual(['0', bytes]);
  const at = (x: number, y: number) => [...rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
  const [x, y] = [0, 1].map((axis) => {
    const offset = axis === 0 ? record.hv_marker_offset_x : record.hv_marker_offset_y;
    return Math.floor((axis === 0 ? width : height) / 2 + offset);
  });
  // The colour of its type at 40 %, a black line, and nothing beside it.
  expect(at(x!, y!)).toEqual([254, 243, 142, 101]);
  const [red, green, blue, alpha] = at(2, Math.floor(height / 2));
  expect(Math.max(red!, green!, blue!)).toBeLessThan(130);
  expect(alpha).toBeGreaterThan(125);
  expect(at(Math.floor(width / 2), 10)[3]).toBe(0);
  const edge = (pixels: number[][]) => pixels.some(([, , , a]) => a! > 100);
  expect(edge(Array.from({ length: height }, (_, row) => at(0, row)))).toBe(true);
  expect(edge(Array.from({ length: width }, (_, column) => at(column, 0)))).toBe(true);
});
