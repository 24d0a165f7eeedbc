import { afterAll, describe, expect, it } from 'vitest';
import { startDemoEvents } from '../../../demo/events/server.ts';
import { renderSun } from '../../../demo/image-file.ts';
import { expose } from '../../../demo/instruments/instrument.ts';
import { findInstrument } from '../../../demo/instruments/instruments.ts';
import { flaresBetween, longitudeAt, regionsAt } from '../../../demo/sun/features.ts';
import type { LookName } from '../../../demo/sun/looks.ts';
import { observerAt } from '../../../demo/sun/observer.ts';
import { project, viewOf } from '../../../demo/sun/view.ts';
import { parseOutlines } from '../../../src/events/records/record.ts';
import { isRhessiHeader, parseRhessiLine } from '../../../src/events/records/rhessi.ts';
import { wsaEvent, wsaFootpoints, wsaHoles } from '../../../src/events/records/wsa.ts';
import { outlineAt } from '../../../src/sun/coordinates/outline.ts';
import { ASTRONOMICAL_UNIT_M } from '../../../src/sun/geometry.ts';
import { isInside, type Points } from '../../support/events/outlined-records.ts';
import { placedRegions } from '../../support/sample-features.ts';
import { useSampleMaps } from '../../support/sample-maps.ts';

const DAY = ['2024-05-10T00:00:00', '2024-05-11T00:00:00'] as const;
const AIA_193 = 11;

type Json = Record<string, unknown>;

/** A page of the HEK search. */
async function searchHek(url: string, from: string, to: string, more: Record<string, string> = {}) {
  const query = new URLSearchParams({ event_starttime: from, event_endtime: to, result_limit: '1000', page: '1', ...more });
  return getJson<{ readonly result: readonly Json[]; readonly overmax: boolean }>(url, `/hek?${query}`);
}

async function getJson<T = readonly Json[]>(url: string, path: string): Promise<T> {
  return (await fetch(url + path)).json() as Promise<T>;
}

useSampleMaps();
const demo = await startDemoEvents();
const day = (await searchHek(demo.url, ...DAY)).result;
afterAll(() => demo.stop());

const ofType = (type: string, finder = '') =>
  day.filter((record) => record.event_type === type && String(record.frm_name).includes(finder));
const msOf = (text: unknown) => Date.parse(`${text}Z`);

const pictures = new Map<string, ReturnType<typeof draw>>();

/** The Sun as seen from the Earth at 4 arcseconds per pixel, drawn once, with a look-up of the grey level at a position in arcseconds. */
function picture(look: LookName, timeMs: number, size = 600, scale = 4) {
  const key = [look, timeMs, size, scale].join();
  const drawn = pictures.get(key) ?? draw(look, timeMs, size, scale);
  pictures.set(key, drawn);
  return drawn;
}

function draw(look: LookName, timeMs: number, size: number, scale: number) {
  const framing = { width: size, height: size, scaleArcsecPerPixel: scale, sunX: (size + 1) / 2, sunY: (size + 1) / 2 };
  const { samples } = renderSun(look, 'earth', timeMs, framing);
  const middle = (size - 1) / 2;
  const pixel = (x: number, y: number) => [Math.round(middle + x / scale), Math.round(middle - y / scale)] as const;
  const at = (x: number, y: number) => {
    const [column, row] = pixel(x, y);
    return samples[row * size + column]!;
  };
  /** Mean grey level of the positions (arcseconds) that pass a predicate. */
  const mean = (isIn: (x: number, y: number) => boolean) => {
    let [sum, count] = [0, 0];
    for (let i = 0; i < samples.length; i++) {
      if (!isIn(((i % size) - middle) * scale, (middle - Math.floor(i / size)) * scale)) continue;
      sum += samples[i]!;
      count++;
    }
    return sum / count;
  };
  return { at, mean, samples };
}

const grown = (ring: Points, factor: number): Points => {
  const [cx, cy] = [0, 1].map((axis) => ring.reduce((sum, point) => sum + point[axis as 0 | 1], 0) / ring.length);
  return ring.map(([x, y]) => [cx! + (x - cx!) * factor, cy! + (y - cy!) * factor]);
};

it('the demo HEK lists five types of events, each record with an id of its own', () => {
  for (const record of day) {
    expect(record.kb_archivid).toMatch(new RegExp(`^ivo://.*/${record.event_type}_\\w+_\\d{8}_\\d{6}_\\d+$`));
    expect(record.event_starttime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  }
  expect(new Set(day.map((record) => record.kb_archivid)).size).toBe(day.length);
  expect([...new Set(day.map((record) => record.event_type))].sort()).toEqual(['AR', 'CE', 'CH', 'FI', 'FL']);
});

it('the demo HEK returns exactly the records that overlap the window', async () => {
  const { result } = await searchHek(demo.url, '2024-05-10T06:40:00', '2024-05-10T06:41:00');
  expect(result.map((record) => record.fl_goescls)).toContain('X2.1');
  for (const record of result) {
    expect(msOf(record.event_starttime)).toBeLessThanOrEqual(Date.UTC(2024, 4, 10, 6, 41));
    expect(msOf(record.event_endtime)).toBeGreaterThanOrEqual(Date.UTC(2024, 4, 10, 6, 40));
  }
});

it('the demo HEK lists each outlined region once at any time', async () => {
  const { result } = await searchHek(demo.url, '2024-05-10T12:00:00', '2024-05-10T12:00:00');
  const ids = result
    .filter(({ event_type: type }) => type === 'AR' || type === 'CH')
    .map((record) => `${record.frm_name} ${record.frm_specificid || record.ar_noaanum}`);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
});

it('the demo HEK splits its results into pages, and returns the wanted columns alone', async () => {
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => searchHek(demo.url, ...DAY, { result_limit: '60', page: String(page) })),
  );
  expect(pages.flatMap(({ result }) => result)).toEqual(day);
  expect(pages.map(({ overmax }) => overmax)).toEqual([true, true, true, false]);
  const columns = ['kb_archivid', 'event_type', 'frm_name'];
  const { result } = await searchHek(demo.url, ...DAY, { return: [...columns, 'no_column'].join(',') });
  expect(result).toEqual(day.map((record) => Object.fromEntries(columns.map((name) => [name, record[name]]))));
});

it('positions of the demo HEK match the regions in the pictures of the archive within a tenth of an arcsecond', () => {
  const timeMs = msOf(DAY[0]);
  const { framing, observer } = expose(findInstrument(AIA_193)!, { sourceId: AIA_193, timeMs, size: 1024 });
  const view = viewOf(observer, framing);
  const regions = ofType('AR', 'NOAA').filter((record) => record.event_starttime === DAY[0]);
  expect(regions.length).toBeGreaterThan(8);
  for (const record of regions) {
    const region = regionsAt(timeMs).find(({ number }) => number === record.ar_noaanum)!;
    const drawn = project(view, longitudeAt(region, timeMs), region.latitudeDeg);
    expect((drawn.x - view.centreX) * framing.scaleArcsecPerPixel).toBeCloseTo(Number(record.hpc_x), 1);
    expect((view.centreY - drawn.y) * framing.scaleArcsecPerPixel).toBeCloseTo(Number(record.hpc_y), 1);
  }
});

it('positions of the demo HEK place regions on the visible disk, and leave out hidden ones', () => {
  const limb = (959.63 * ASTRONOMICAL_UNIT_M) / observerAt('earth', msOf(DAY[0])).distanceM;
  for (const record of [...ofType('AR'), ...ofType('CH'), ...ofType('FI'), ...ofType('FL')])
    expect(Math.hypot(Number(record.hpc_x), Number(record.hpc_y))).toBeLessThan(limb);
  const hidden = placedRegions(msOf(DAY[0])).filter(({ stonyhurstDeg }) => Math.abs(stonyhurstDeg) > 100);
  const numbers = hidden.map(({ feature }) => feature.number);
  expect(numbers.length).toBeGreaterThan(5);
  const numbered = ofType('AR', 'NOAA').filter((record) => record.event_starttime === DAY[0]);
  expect(numbered.map((record) => record.ar_noaanum).filter((number) => numbers.includes(number as number))).toEqual([]);
});

it('positions of the demo HEK place a flare at its peak on the brightest point of the Sun', () => {
  const flare = ofType('FL').find((record) => record.fl_goescls === 'X2.1')!;
  const { samples } = picture('euv94', msOf(flare.event_peaktime));
  const brightest = samples.reduce((most, grey) => Math.max(most, grey), 0);
  const near = [...samples.keys()].filter((i) => samples[i] === brightest);
  const [x, y] = [near.reduce((sum, i) => sum + (i % 600), 0), near.reduce((sum, i) => sum + Math.floor(i / 600), 0)];
  expect(Math.abs((x / near.length - 299.5) * 4 - Number(flare.hpc_x))).toBeLessThan(12);
  expect(Math.abs((299.5 - y / near.length) * 4 - Number(flare.hpc_y))).toBeLessThan(12);
});

const outlines = (type: string) =>
  ofType(type)
    .filter((record) => record.hpc_boundcc !== '' && record.event_starttime === '2024-05-10T08:00:00')
    .filter((record) => Math.hypot(Number(record.hpc_x), Number(record.hpc_y)) < 700)
    .map((record) => ({ record, ring: parseOutlines(String(record.hpc_boundcc))[0]! }));

it.each([
  ['CH', 'darker', [1.2, 1.6], 0.72],
  ['AR', 'brighter', [1.4, 2], 1.15],
] as const)(
  'positions of the demo HEK lie inside the outline of each %s, where the corona is %s than around it',
  (type, brightness, [near, far], factor) => {
    const corona = picture('euv193', Date.UTC(2024, 4, 10, 12), 360, 6.5);
    const bright = brightness === 'darker' ? outlines('AR').map(({ ring }) => ring) : [];
    const meanIn = (isIn: (x: number, y: number) => boolean) =>
      corona.mean((x, y) => isIn(x, y) && !bright.some((ring) => isInside([x, y], [ring])));
    expect(outlines(type).length).toBeGreaterThan(1);
    for (const { record, ring } of outlines(type)) {
      expect(isInside([Number(record.hpc_x), Number(record.hpc_y)], [ring])).toBe(true);
      const around = meanIn((x, y) => isInside([x, y], [grown(ring, far)]) && !isInside([x, y], [grown(ring, near)]));
      const ratio = meanIn((x, y) => isInside([x, y], [ring])) / around;
      if (brightness === 'darker') expect(ratio).toBeLessThan(factor);
      else expect(ratio).toBeGreaterThan(factor);
    }
  },
);

it('positions of the demo HEK place ejections on the front at its first appearance', () => {
  const wide = { size: 600, scale: 24 };
  const ejections = ofType('CE').filter((record) => Number(record.cme_radiallinvel) > 700);
  expect(ejections.length).toBeGreaterThan(1);
  for (const record of ejections) {
    const startMs = msOf(record.event_starttime);
    const [x, y] = [Number(record.hpc_x), Number(record.hpc_y)];
    const here = (u: number, v: number) => Math.hypot(u - 0.96 * x, v - 0.96 * y) < 120;
    const [before, now] = [startMs - 3_600_000, startMs].map((ms) => picture('lascoC2', ms, wide.size, wide.scale).mean(here));
    expect(now! - before!).toBeGreaterThan(10);
  }
});

it('the demo DONKI links flares and their ejections both ways', async () => {
  const days = 'startDate=2024-05-10&endDate=2024-05-10';
  const [cmes, flares] = await Promise.all(['CME', 'FLR'].map((name) => getJson(demo.url, `/donki/${name}?${days}`)));
  const flare = flares!.find(({ classType }) => classType === 'X2.1')!;
  expect(flare).toMatchObject({ beginTime: '2024-05-10T06:36Z', sourceLocation: 'S17W19', activeRegionNum: 99_101 });
  const [linked] = flare.linkedEvents as Json[];
  const cme = cmes!.find(({ activityID }) => activityID === linked!.activityID)!;
  expect(cme.linkedEvents).toEqual([{ activityID: flare.flrID }]);
  expect(cme.startTime).toBe(flare.peakTime);
});

const ask = (id: string) =>
  fetch(
    `${demo.url}/scoreboard/data?id=${id}&time.min=2024-05-09T00:00:00.0&time.max=2024-05-11T00:00:00.0&format=json&include=header`,
  );

it.each(['SIDC_Operator_REGIONS', 'AMOS_v1', 'ASSA_1', 'MAG4_SHARP_REGIONS'])(
  'the demo scoreboard lists rows of %s',
  async (id) => {
    const { parameters, data } = (await (await ask(id)).json()) as { parameters: Json[]; data: unknown[][] };
    const rows = data.map((row) => Object.fromEntries(parameters.map(({ name }, i) => [String(name), row[i]])));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      expect(row.start_window).toMatch(/^2024-05-(09|10)T\d\d:00:00Z$/);
      expect(Date.parse(String(row.end_window)) - Date.parse(String(row.start_window))).toBe(86_400_000);
      expect(row.X).toBeGreaterThanOrEqual(0);
      expect(row.X).toBeLessThan(1);
      expect(Math.abs(Number(row.NOAALatitude))).toBeLessThan(90);
    }
  },
);

it('the demo flare scoreboard reports an unknown table or time as a HAPI error', async () => {
  const unknown = await ask('NOBODY');
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ status: { code: 1406 } });
  const timeless = await fetch(`${demo.url}/scoreboard/data?id=AMOS_v1&time.max=2024-05-11T00:00:00Z`);
  expect([timeless.status, await timeless.json()]).toMatchObject([400, { status: { code: 1402 } }]);
});

it('the demo flare list of RHESSI parses line by line after its comment', async () => {
  const text = await (await fetch(`${demo.url}/rhessi/list.csv?from=2024-05-10&to=2024-05-11`)).text();
  const lines = text.trimEnd().split('\n');
  const header = lines.findIndex(isRhessiHeader);
  expect(header).toBeGreaterThan(0);
  const flares = lines.slice(header + 1).map(parseRhessiLine);
  expect(flares.filter((flare) => typeof flare === 'string')).toEqual([]);
  const sample = flaresBetween(Date.UTC(2024, 4, 10), Date.UTC(2024, 4, 11));
  expect(flares.length).toBeGreaterThan(5);
  for (const flare of flares as { startMs: number }[])
    expect(sample.map(({ startMs }) => Math.floor(startMs / 1000))).toContain(flare.startMs / 1000);
});

describe('the demo dashboard of WSA', () => {
  const ask = <T>(name: string, more: Record<string, string>) =>
    getJson<T>(
      demo.url,
      `/wsa/load_helioviewer_${name}?${new URLSearchParams({ start_date: '2024-05-10', end_date: '2024-05-11', ...more })}`,
    );
  const map = { satellite: 'SO', map: 'AGONG' };

  it('forecasts the holes of the sample Sun in windows of four hours, for each realization, all around', async () => {
    const query = { input_map: 'AGONG', sat: 'SWPC_REALTIME', real: 'all' };
    const byNumber = await ask<Record<string, Json[]>>('coronal_holes', query);
    expect(Object.keys(byNumber)).toEqual(Array.from({ length: 12 }, (_, i) => String(i)));
    const windows = byNumber[0]!;
    expect(windows.map(({ forecast_range: range }) => (range as string[])[0])).toEqual(
      [0, 4, 8, 12, 16, 20].map((hour) => `2024-05-10T${String(hour).padStart(2, '0')}:00:00`),
    );
    expect(await ask('coronal_holes', { ...query, real: '0' })).toEqual(windows);
    const event = wsaEvent(wsaHoles(windows, map, 0)[2]!)!;
    const atMs = event.position.atMs;
    const corona = picture('euv193', atMs, 360, 6.5);
    const disk = corona.mean((x, y) => Math.hypot(x, y) < 700);
    const rings = event.outlines.map((outline) => outlineAt(outline, event.position, atMs));
    const onDisk = rings.filter((ring) => ring?.every(([x, y]) => Math.hypot(x, y) < 800)) as Points[];
    expect([onDisk.length > 1, rings.includes(null)]).toEqual([true, true]);
    for (const ring of onDisk) expect(corona.mean((x, y) => isInside([x, y], [ring]))).toBeLessThan(0.8 * disk);
  });

  it('connects each observer with two contours of probability, the likelier inside the other, west of its meridian', async () => {
    const { locations } = await getJson<{ locations: string[] }>(demo.url, '/wsa/load_helioviewer_footpoint_capabilities');
    const places = await Promise.all(
      locations.map(async (sat) => {
        const windows = await ask<Json[]>('footpoints', { input_map: 'AGONG', sat, adv: '3' });
        const [likely, less] = wsaFootpoints(windows.slice(0, 1), map, '3').map((record) => wsaEvent(record)!);
        expect([likely!.shortLabel, less!.shortLabel]).toEqual([
          expect.stringContaining('87.5%'),
          expect.stringContaining('62.5%'),
        ]);
        expect(likely!.outlines[0]!.every(([x, y]) => isInside([x, y], [less!.outlines[0]! as Points]))).toBe(true);
        return (likely!.position as { longitude: number }).longitude;
      }),
    );
    expect(places.map(Math.round)).toEqual([50, 100]);
  });
});

it.each([
  ['/hek?event_starttime=yesterday&event_endtime=2024-05-11T00:00:00', 400],
  ['/donki/FLR?startDate=2024-05-32&endDate=2024-06-01', 400],
  ['/wsa/load_helioviewer_footpoints?sat=NOBODY&start_date=2024-05-10&end_date=2024-05-11', 400],
  ['/wsa/load_helioviewer_coronal_holes?start_date=never&end_date=2024-05-11', 400],
  ['/constructor', 404],
  ['//', 404],
])('the demo server refuses %s with status %i', async (path, status) => {
  expect((await fetch(demo.url + path)).status).toBe(status);
});
