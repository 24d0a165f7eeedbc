import { expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { imagePlane } from '../../../src/sun/coordinates/image-plane.ts';
import { MAP_METHODS, type MapGrid, type MapMethod } from '../../../src/sun/maps/map-grid.ts';
import { SurfaceStrip } from '../../../src/sun/maps/surface-strip.ts';
import { gridWcs } from '../../../src/sun/wcs.ts';

const [SIDE, DISTANCE, WIDTH] = [256, 215, 360];
const GRID: MapGrid = { frame: 'stonyhurst', projection: 'car', width: WIDTH, height: 180, centre: 0 };
const SEEN = [-90, 30, 100];

/** A mean of images of one time, from observers around the Sun. */
const AROUND = {
  grid: GRID,
  method: 'weighted' as MapMethod,
  seen: SEEN.map((longitudeDegrees) => ({ longitudeDegrees, atMs: 0 })),
};

/** The strip of a part of a map from images that are bright by their numbers, and how many of them reach it. */
function made(
  columns: readonly [number, number],
  rows: readonly [number, number],
  levelOf = (number: number, _: number) => 50 * (number + 1),
  { grid, method, seen } = AROUND,
) {
  const strip = new SurfaceStrip(grid, { columns, rows }, { atMs: 0, method, hasAges: false, fadesIn: false });
  const crpix = [(SIDE + 1) / 2, (SIDE + 1) / 2] as const;
  const axes = { naxis: [SIDE, SIDE], ctype: ['HPLN-TAN', 'HPLT-TAN'], cunit: ['arcsec', 'arcsec'] } as const;
  const sky = { ...axes, crpix, crval: [0, 0] } as const;
  let reaching = 0;
  for (const [number, { longitudeDegrees, atMs }] of seen.entries()) {
    const observer = { distanceRadii: DISTANCE, b0Degrees: 0, longitudeDegrees, l0Degrees: 0 };
    const { homography } = imagePlane(gridWcs({ ...sky, cdelt: [8, 8], lonpole: 180, latpole: 0 }), observer)!;
    const image = { homography: homography!, observer, atMs, time: number, number, imageHeight: SIDE };
    const part = strip.part(image);
    if (!part) continue;
    reaching++;
    const samples = new Uint8Array(SIDE * SIDE).map((_, i) => levelOf(number, i));
    const window = { x0: 0, y0: 0, width: SIDE, height: SIDE, samples };
    for (const _ of strip.add(
      part,
      0,
      window,
      Float64Array.from({ length: 256 }, (_, i) => i),
    ));
  }
  strip.finish();
  return { values: strip.values, reaching };
}

it.each(MAP_METHODS)('A map by %s of a rotation has the values of its single rows, whose blocks have no height.', (method) => {
  const grid = { ...GRID, width: 1024, height: 512 };
  const seen = Array.from({ length: 54 }, (_, i) => ({ longitudeDegrees: 0, atMs: -i * 12 * HOUR_MS }));
  const of = (rows: readonly [number, number]) => [
    ...made([256, 512], rows, (number) => 4 * number, { grid, method, seen }).values,
  ];
  const [south, north] = [400, 408];
  const rows = Array.from({ length: north - south }, (_, i) => of([south + i, south + i + 1]));
  expect(of([south, north])).toEqual(rows.flat());
});

it('A part of a map has the values of the whole, from the images that reach it alone.', () => {
  const noise = (number: number, i: number) => (i * 37 + ((i * i) % 251) * (number + 1)) % 256;
  const whole = made([0, WIDTH], [0, 180], noise);
  expect(whole.reaching).toBe(3);
  for (const [columns, rows, reaching] of [
    [[0, 90], [0, 90], 2],
    [[180, 232], [60, 120], 2],
    [[232, 360], [168, 180], 2],
    // The corners of blocks are nearer to the limb than any cell counts.
    [[232, 360], [172, 180], 0],
    [[172, 175], [88, 92], 1],
    [[348, 352], [80, 100], 1],
  ] as const) {
    const part = made(columns, rows, noise);
    expect(part.reaching, `${columns} ${rows}`).toBe(reaching);
    const expected = [...part.values.keys()].map((i) => {
      const [row, column] = [Math.floor(i / (columns[1] - columns[0])), i % (columns[1] - columns[0])];
      return whole.values[(rows[0] + row) * WIDTH + columns[0] + column];
    });
    expect([...part.values]).toEqual(expected);
  }
});

it('A map has at each place the mean of what observers around the Sun see there, weighted by the squares of their mu.', () => {
  const { values } = made([0, WIDTH], [90, 91]);
  for (let column = 0; column < WIDTH; column++) {
    const weights = SEEN.map((longitude) => {
      const angle = ((column + 0.5 - 180 - longitude) * Math.PI) / 180;
      const towards = Math.cos(angle) * Math.cos(Math.PI / 360);
      const mu = (DISTANCE * towards - 1) / Math.sqrt(DISTANCE ** 2 + 1 - 2 * DISTANCE * towards);
      return mu > 0.15 ? mu * mu : 0;
    });
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const mean = weights.reduce((all, weight, i) => all + 50 * (i + 1) * weight, 0) / sum;
    const isAtEdge = weights.some((weight) => Math.abs(weight - 0.0225) < 1e-3);
    if (!isAtEdge) expect(values[column]).toEqual(sum === 0 ? Number.NaN : expect.closeTo(mean, 1));
  }
});
