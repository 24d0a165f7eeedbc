import { expect, it } from 'vitest';
import { ImagePlane } from '../../../src/domain/coordinates/image-plane.ts';
import { SurfaceStrip } from '../../../src/domain/maps/surface-strip.ts';
import { gridWcs } from '../../../src/domain/wcs.ts';

const [SIDE, DISTANCE, WIDTH] = [256, 215, 360];

it('A map has at each place the mean of what observers around the Sun see there, weighted by the squares of their mu.', () => {
  const grid = { frame: 'stonyhurst', projection: 'car', width: WIDTH, height: 180, centre: 0 } as const;
  const strip = new SurfaceStrip(grid, [90, 91], { atMs: 0, method: 'weighted', hasAges: false, fadesIn: false });
  const crpix = [(SIDE + 1) / 2, (SIDE + 1) / 2] as const;
  const sky = {
    naxis: [SIDE, SIDE],
    ctype: ['HPLN-TAN', 'HPLT-TAN'],
    cunit: ['arcsec', 'arcsec'],
    crpix,
    crval: [0, 0],
  } as const;
  const seen = [-90, 30, 100];
  for (const [number, longitudeDegrees] of seen.entries()) {
    const observer = { distanceRadii: DISTANCE, b0Degrees: 0, longitudeDegrees, l0Degrees: 0 };
    const { homography } = ImagePlane.of(gridWcs({ ...sky, cdelt: [8, 8], lonpole: 180, latpole: 0 }), observer)!;
    const image = { homography: homography!, observer, atMs: 0, time: 0, number, reduce: 0, imageHeight: SIDE };
    const samples = new Uint8Array(SIDE * SIDE).fill(50 * (number + 1));
    const window = { x0: 0, y0: 0, width: SIDE, height: SIDE, samples };
    for (const _ of strip.add(
      image,
      strip.part(image)!,
      window,
      Float64Array.from({ length: 256 }, (_, i) => i),
    ));
  }
  strip.finish();
  for (let column = 0; column < WIDTH; column++) {
    const weights = seen.map((longitude) => {
      const angle = ((column + 0.5 - 180 - longitude) * Math.PI) / 180;
      const towards = Math.cos(angle) * Math.cos(Math.PI / 360);
      const mu = (DISTANCE * towards - 1) / Math.sqrt(DISTANCE ** 2 + 1 - 2 * DISTANCE * towards);
      return mu > 0.15 ? mu * mu : 0;
    });
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const mean = weights.reduce((all, weight, i) => all + 50 * (i + 1) * weight, 0) / sum;
    const isAtEdge = weights.some((weight) => Math.abs(weight - 0.0225) < 1e-3);
    if (!isAtEdge) expect(strip.values[column]).toEqual(sum === 0 ? Number.NaN : expect.closeTo(mean, 1));
  }
});
