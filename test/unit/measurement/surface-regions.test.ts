import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { earthAt, wrap180 } from '../../../src/sun/coordinates/observer.ts';
import { expectRefused, itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, NOON, SIZE } from '../../support/measurement/samples.ts';
import { type ImageValues, iso, measuringService } from '../../support/measurement/service.ts';

const HOURS = 6;
const LATER = NOON + HOURS * HOUR_MS;
const { ask } = await measuringService(
  {},
  undefined,
  [NOON, LATER].map((timeMs) => ({ sourceId: AIA_171, timeMs })),
);

const RADIANS = Math.PI / 180;
const RADIANS_PER_ARCSEC = RADIANS / 3600;
const RADIUS_M = 695_700_000;

/** The observer by the header: solar radii, latitude and Carrington longitude in degrees. */
async function observerAt(ms: number) {
  const { id } = (await (await ask('getClosestImage', { sourceId: AIA_171, date: iso(ms) })).json()) as { id: number };
  const text = await (await ask('getJP2Header', { id })).text();
  const number = (keyword: string) => Number(new RegExp(`<${keyword}>([^<]*)<`).exec(text)![1]);
  return { distance: number('DSUN_OBS') / RADIUS_M, b0: number('CRLT_OBS') * RADIANS, l0: number('CRLN_OBS') };
}

type Observer = Awaited<ReturnType<typeof observerAt>>;

/** Longitude and latitude in the line of sight of arcseconds, by the law of sines; null beside the Sun. */
function placeSeen([x, y]: readonly [number, number], { distance, b0 }: Observer) {
  const away = Math.hypot(x, y) * RADIANS_PER_ARCSEC;
  if (distance * Math.sin(away) >= 1) return null;
  // The angle at the centre of the Sun between the observer and the place.
  const angle = Math.asin(distance * Math.sin(away)) - away;
  const [west, north, ahead] = [
    (Math.sin(angle) * x) / Math.hypot(x, y),
    (Math.sin(angle) * y) / Math.hypot(x, y),
    Math.cos(angle),
  ];
  return {
    latitude: Math.asin(north * Math.cos(b0) + ahead * Math.sin(b0)) / RADIANS,
    longitude: Math.atan2(west, ahead * Math.cos(b0) - north * Math.sin(b0)) / RADIANS,
  };
}

async function dataOf(parameters: Readonly<Record<string, unknown>>, ms = NOON): Promise<ImageValues> {
  const response = await ask('getImageData', { sourceId: AIA_171, date: iso(ms), format: 'json', ...parameters });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as ImageValues;
}

async function curveOf(parameters: Readonly<Record<string, unknown>>) {
  const range = { sourceId: AIA_171, startTime: iso(NOON), endTime: iso(LATER) };
  const response = await ask('getLightCurve', { ...range, ...parameters });
  return ((await response.json()) as { curve: { mean: number | null; count: number; reason: string | null }[] }).curve;
}

const between = (value: number, middle: number, size: number) => size / 2 - Math.abs(value - middle);
const turned = (degrees: number) => ((degrees + 540) % 360) - 180;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Regions with a function that is positive inside of them and has about degrees. */
const REGIONS: readonly (readonly [string, Readonly<Record<string, unknown>>, (place: Place, l0: number) => number])[] = [
  [
    'a rectangle of Stonyhurst degrees',
    { frame: 'stonyhurst', x: -25, y: 18, width: 40, height: 20 },
    ({ latitude, longitude }) => Math.min(between(longitude, -25, 40), between(latitude, 18, 20)),
  ],
  [
    'a circle of Carrington degrees',
    { frame: 'carrington', circle: '350,-12,15' },
    ({ latitude, longitude }, l0) => {
      const away = turned(longitude + l0 - 350) * RADIANS;
      const [a, b] = [latitude * RADIANS, -12 * RADIANS];
      return 15 - Math.acos(Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(away)) / RADIANS;
    },
  ],
  [
    'a triangle of Stonyhurst degrees',
    { frame: 'stonyhurst', polygon: '0,0,50,0,0,40' },
    ({ latitude, longitude }) => Math.min(longitude, latitude, 40 - latitude - (40 / 50) * longitude),
  ],
];

describe('a region in degrees', () => {
  it.each(REGIONS)('as %s has the pixels whose centres are in it', async (_, parameters, inside) => {
    const observer = await observerAt(NOON);
    const { values, corner, wcs } = await dataOf({ ...parameters, raw: true });
    // The coordinates of the array are those of its own pixels.
    const at = (column: number, row: number) =>
      [(column + 1 - wcs.crpix[0]) * wcs.cdelt[0], (row + 1 - wcs.crpix[1]) * wcs.cdelt[1]] as const;
    const wrong: string[] = [];
    let members = 0;
    for (let row = 2 - corner.y; row <= SIZE - corner.y; row++) {
      for (let column = 2 - corner.x; column <= SIZE - corner.x; column++) {
        const place = placeSeen(at(column, row), observer);
        const depth = place && inside(place, observer.l0);
        const isMember = (values[row]?.[column] ?? 0) > 0;
        members += isMember ? 1 : 0;
        // A tenth of a degree is a third of a pixel.
        if (depth !== null && Math.abs(depth) > 0.1 && isMember !== depth > 0) wrong.push(`${column},${row}: ${depth}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(members).toBeGreaterThan(2000);
  });

  it('turns with the Sun in Carrington coordinates, and stays below the Earth in Stonyhurst coordinates', async () => {
    for (const region of [
      { frame: 'carrington', x: 350, y: 10, width: 20, height: 16 },
      { frame: 'stonyhurst', x: 10, y: 10, width: 20, height: 16 },
    ]) {
      const curve = await curveOf(region);
      for (const [i, ms] of [NOON, LATER].entries()) {
        const kept = (await dataOf(region, ms)).values.flat().filter((value) => value !== null);
        expect(curve[i]!.count).toBe(kept.length);
        expect(curve[i]!.mean! / (kept.reduce((sum, value) => sum + value, 0) / kept.length)).toBeCloseTo(1, 4);
      }
    }
  });

  it('rotates differentially with track=rotation', async () => {
    const region = { frame: 'stonyhurst', x: -30, y: 25, width: 16, height: 6 };
    const [, tracked] = await curveOf({ ...region, track: 'rotation' });
    const square = Math.sin(25 * RADIANS) ** 2;
    const perDay = ((2.894 - 0.428 * square - 0.37 * square ** 2) * 1e-6 * 86_400) / RADIANS - 360 / 365.25;
    const shifted = { ...region, x: region.x + (perDay * HOURS) / 24 };
    const kept = (await dataOf(shifted, LATER)).values.flat().filter((value) => value !== null);
    expect(Math.abs(tracked!.count / kept.length - 1)).toBeLessThan(0.02);
    expect(Math.abs(tracked!.mean! / (kept.reduce((sum, value) => sum + value, 0) / kept.length) - 1)).toBeLessThan(0.02);
  });

  it('lacks values in an image in which a part of it is behind the limb', async () => {
    const curve = await curveOf({ frame: 'stonyhurst', x: 82, y: 0, width: 10, height: 10, track: 'rotation' });
    expect(curve.map(({ reason }) => reason)).toEqual([null, 'no-data']);
  });

  itRefuses(
    async (parameters) => ask('getImageData', { sourceId: AIA_171, date: iso(NOON), frame: 'stonyhurst', ...parameters }),
    [
      ['a latitude beyond a pole', { x: 0, y: 91, width: 1, height: 1 }, 400, /a latitude from -90 to 90 degrees for y, got 91/],
      ['a height beyond a pole', { x: 0, y: 80, width: 10, height: 30 }, 400, /from -90 to 90 degrees for height, got 30/],
      ['a vertex beyond a pole', { polygon: '0,0,10,0,0,-95' }, 400, /a latitude from -90 to 90 degrees for polygon, got -95/],
      ['a circle of more than the visible side', { circle: '0,0,91' }, 400, /a radius of at most 90 degrees for circle, got 91/],
      ['the other side', { x: 170, y: 0, width: 10, height: 10 }, 404, /Part of the region is behind the limb in this image/],
      ['an event', { eventId: 'SPoCA_v1.0_20240510_000000' }, 400, /^frame=stonyhurst cannot be combined with eventId/],
    ],
  );

  it('refuses to be read from the grid', async () => {
    const range = { sourceId: AIA_171, startTime: iso(NOON), endTime: iso(LATER), grid: 'true' };
    const response = await ask('getLightCurve', { ...range, frame: 'carrington', circle: '350,0,20' });
    await expectRefused(response, 400, /^frame=carrington cannot be combined with grid=true/);
  });
});

const asked = { sourceId: AIA_171, startTime: iso(NOON), endTime: iso(LATER), format: 'json' };

it('a path in degrees begins and ends where its vertices are in the first image', async () => {
  const observer = await observerAt(NOON);
  const ends = [
    [-40, 10],
    [35, -20],
  ] as const;
  for (const frame of ['stonyhurst', 'carrington'] as const) {
    const named = ends.map(([lon, lat]) => `${frame === 'carrington' ? lon + observer.l0 : lon},${lat}`);
    const { path } = (await (await ask('getTimeDistance', { ...asked, frame, path: named.join(), step: 1 })).json()) as {
      path: [number, number][];
    };
    // The header has a Carrington longitude alone.
    const away = frame === 'carrington' ? 0 : wrap180(observer.l0 - earthAt(NOON).l0Degrees);
    for (const [i, [longitude, latitude]] of ends.entries()) {
      const place = placeSeen(path.at(-i)!, observer)!;
      // The last position is less than a step before the end.
      expect(Math.abs(place.longitude + away - longitude)).toBeLessThan(0.1);
      expect(Math.abs(place.latitude - latitude)).toBeLessThan(0.1);
    }
  }
});

itRefuses(
  async (parameters) => ask('getTimeDistance', { ...asked, frame: 'stonyhurst', ...parameters }),
  [
    ['a vertex on the other side', { path: '0,0,150,0' }, 400, /observer of the first image saw for path, got 150,0/],
    ['a latitude beyond a pole', { path: '0,0,0,100' }, 400, /latitudes from -90 to 90 degrees for path, got 100/],
    ['a radial path', { radial: '270,0,900' }, 400, /^frame=stonyhurst cannot be combined with radial/],
  ],
);
