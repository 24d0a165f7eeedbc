import { describe, expect, it } from 'vitest';
import { placingOf } from '../../../src/measure/cutouts.ts';
import { eachBy, NodeTable, noPlaces } from '../../../src/sun/coordinates/nodes.ts';
import { discAt } from '../../support/measurement/disc.ts';
import { readNpy } from '../../support/measurement/read-fits.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, decodedSample, HMI, LASCO_C2, NOON, SIZE, valueOf171 } from '../../support/measurement/samples.ts';
import { iso, measuringService } from '../../support/measurement/service.ts';

const HOUR_MS = 3_600_000;
const one = measuringService();

async function ask(parameters: Readonly<Record<string, unknown>>) {
  const range = { sourceId: AIA_171, startTime: iso(NOON), endTime: iso(NOON + HOUR_MS) };
  return (await one).ask('getCutout', { ...range, x: 0, y: 0, width: 96, height: 48, ...parameters });
}

const arrayOf = async (response: Response) => readNpy(new Uint8Array(await response.arrayBuffer()));

describe('getCutout', () => {
  it('gives the values of the pixels where the grid is that of the image', async () => {
    const { shape, values } = await arrayOf(await ask({ format: 'npy' }));
    expect(shape).toEqual([1, 10, 20]);
    const bytes = await decodedSample(AIA_171);
    for (let row = 0; row < 10; row++) {
      for (let column = 0; column < 20; column++) {
        const expected = valueOf171(bytes[(SIZE / 2 + 4 - row) * SIZE + SIZE / 2 - 10 + column]!);
        expect(values[row * 20 + column]! / expected, `${column}, ${row}`).toBeCloseTo(1, 2);
      }
    }
  });

  it('gives the levels of the pixels with raw=true, of images without a law too', async () => {
    const box = { sourceId: LASCO_C2, x: 3000, y: 0, width: 1000, height: 500, raw: true };
    const { shape, values } = await arrayOf(await ask({ ...box, format: 'npy' }));
    const array = await (await one).ask('getImageData', { ...box, date: iso(NOON), format: 'npy' });
    const { shape: own, values: bytes } = await arrayOf(array);
    const [height, width] = own as [number, number];
    expect([Math.abs(shape[1]! - height) <= 1, Math.abs(shape[2]! - width) <= 1]).toEqual([true, true]);
    const mean = (levels: ArrayLike<number>) => Array.from(levels).reduce((sum, level) => sum + level, 0) / levels.length;
    expect(Math.abs(mean(values) - mean(bytes))).toBeLessThan(0.5);
    const fits = Buffer.from(await (await ask(box)).arrayBuffer()).toString('latin1');
    expect(fits).toMatch(/BUNIT {3}= 'level/);
    expect(fits).not.toContain('Law of the first image');
  });

  it('puts several datasources on the same grid, and takes degrees of Carrington coordinates', async () => {
    const both = await arrayOf(await ask({ sourceIds: `${AIA_171},${HMI}`, scale: 9.6, format: 'npy' }));
    expect(both.shape).toEqual([1, 2, 5, 10]);
    expect(both.values.every((value) => !Number.isNaN(value))).toBe(true);
    const response = await ask({ frame: 'carrington', x: 350, y: 10, width: 30, height: 20, scale: 1 });
    const fits = Buffer.from(await response.arrayBuffer()).toString('latin1');
    for (const card of ["CTYPE1  = 'CRLN-CAR'", "BUNIT   = 'DN/s    '", "EXTNAME = 'IMAGES  '"]) expect(fits).toContain(card);
    expect(fits).toMatch(/NAXIS1 {2}= {19}30.*NAXIS2 {2}= {19}20/);
  });

  it('places cells between the nodes of the grid within 0.05 pixels of the exact place, and those at its ends', () => {
    const grid = { frame: 'helioprojective', x: -760, y: 250, width: 510, height: 500, scale: 0.6 } as const;
    const exact = placingOf(grid, discAt(NOON), discAt(NOON + 24 * HOUR_MS), true);
    const placing = new NodeTable(grid, eachBy(exact), { each: 2, pixels: 0.5 });
    const places = noPlaces(2 * grid.width);
    const errors: number[] = [];
    let unseen = 0;
    for (const y of [0.25, 3.75, 101.25, 499.75]) {
      placing.row(y, places);
      for (let i = 0; i < places.x.length; i++) {
        const place = exact((i + 0.5) / 2, y);
        if (place) errors.push(Math.hypot(places.x[i]! - place.x, places.y[i]! - place.y));
        else unseen += Number(Number.isNaN(places.x[i]!));
      }
    }
    expect([errors.length + unseen, unseen > 100, errors.length > 1000]).toEqual([4 * places.x.length, true, true]);
    expect(Math.max(...errors)).toBeLessThan(0.05);
  });

  itRefuses(ask, [
    ['a tracked region off the disc', { x: 1150, track: 'rotation' }, 400, /on the disc where it rotates.* for x, got 1150/],
    ['a region off the image', { x: 9000 }, 400, /a region of the first image/],
    ['too fine a scale', { scale: 0.01 }, 400, /arcseconds or more, for at most 4194304 values of each of 1 images/],
    ['too great a latitude', { frame: 'carrington', y: 91 }, 400, /latitude from -90 to 90/],
    ['a map beyond the pole', { frame: 'carrington', y: 85, height: 20 }, 400, /latitudes are from -90 to 90 degrees for height/],
    ['an unknown datasource beside it', { sourceIds: '77777' }, 400, /datasource, .* for sourceIds, got 77777/],
    ['an image without a law', { sourceId: LASCO_C2 }, 422, /no physical values.* With raw=true, its levels are given\./],
  ]);
});
