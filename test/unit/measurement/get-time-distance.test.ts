import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { pathPositions, radialPath } from '../../../src/sun/coordinates/path.ts';
import { itRefuses } from '../../support/measurement/refusals.ts';
import { AIA_171, decodedSample, LASCO_C2, NOON, SIZE, valueOf171 } from '../../support/measurement/samples.ts';
import { iso, measuringService } from '../../support/measurement/service.ts';

interface TimeMap {
  readonly step: number;
  readonly path: readonly (readonly [number, number])[];
  readonly map: readonly { readonly reason: string | null; readonly values: readonly (number | null)[] }[];
}

const one = measuringService();

async function ask(parameters: Readonly<Record<string, unknown>>) {
  const range = { sourceId: AIA_171, startTime: iso(NOON - HOUR_MS), endTime: iso(NOON + HOUR_MS) };
  return (await one).ask('getTimeDistance', { ...range, ...parameters });
}

/** The value between four pixels, as the decoded bytes have it; x and y FITS pixels. */
function valueBetween(bytes: Uint8Array, x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const at = (i: number, j: number) => valueOf171(bytes[(SIZE - (row + j)) * SIZE + column + i - 1]!);
  const [u, v] = [x - column, y - row];
  return (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
}

describe('getTimeDistance', () => {
  it('gives the means over the width of a path of values between pixels, a row an image', async () => {
    const asked = { path: '[[-200,101],[200,-99]]', width: 9.6, format: 'json', cadence: 1800 };
    const { step, path, map } = (await (await ask(asked)).json()) as TimeMap;
    expect(map.map(({ reason }) => reason)).toEqual(['gap', 'gap', null, 'gap', 'gap']);
    expect(path).toHaveLength(Math.floor(Math.hypot(400, 200) / step) + 1);
    const { values } = map[2]!;
    expect(map[0]!.values.every((value) => value === null)).toBe(true);
    const bytes = await decodedSample(AIA_171);
    const { crpix } = await wcsOf(AIA_171);
    const aside = [200 / Math.hypot(400, 200), 400 / Math.hypot(400, 200)] as const;
    for (const [i, [x, y]] of path.entries()) {
      const samples = [-2.4, 2.4].map((away) => {
        const [px, py] = [crpix[0]! + (x + away * aside[0]) / step, crpix[1]! + (y + away * aside[1]) / step];
        return valueBetween(bytes, px, py);
      });
      expect(values[i]! / ((samples[0]! + samples[1]!) / 2), `position ${i}`).toBeCloseTo(1, 3);
    }
  });

  it('gives the levels between pixels with raw=true, of images without a law too', async () => {
    const asked = { sourceId: LASCO_C2, radial: '270,2500,5000', raw: true };
    const { map, law, status, unit, step, path } = (await (await ask({ ...asked, format: 'json' })).json()) as TimeMap & {
      law: string | null;
      status: string | null;
      unit: string;
    };
    expect([law, status, unit]).toEqual([null, null, 'level']);
    const bytes = await decodedSample(LASCO_C2);
    const { crpix, cdelt } = await wcsOf(LASCO_C2);
    expect(step).toBeCloseTo(cdelt[0]!, 6);
    for (const [i, [x, y]] of path.entries()) {
      const [px, py] = [crpix[0]! + x / cdelt[0]!, crpix[1]! + y / cdelt[1]!];
      const [column, row] = [Math.floor(px), Math.floor(py)];
      const at = (right: number, up: number) => bytes[(SIZE - (row + up)) * SIZE + column + right - 1]!;
      const [u, v] = [px - column, py - row];
      const expected = (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
      // Gnomonic coordinates differ from the sky by thousandths of a pixel here.
      expect(Math.abs(map[0]!.values[i]! - expected), `position ${i}`).toBeLessThan(0.5);
    }
    const fits = Buffer.from(await (await ask({ ...asked, format: 'fits' })).arrayBuffer()).toString('latin1');
    expect(fits).toContain("BUNIT   = 'level");
    expect(fits).not.toContain('Law of the first image');
  });

  it('takes positions at equal distances around corners, and position angles from north to east', () => {
    const corner = [
      { x: 0, y: 0 },
      { x: 25, y: 0 },
      { x: 25, y: 30 },
    ];
    const positions = pathPositions(corner, { step: 10, width: 0, finest: 1 });
    expect(positions.map(({ centre }) => [centre.x, centre.y])).toEqual([
      [0, 0],
      [10, 0],
      [20, 0],
      [25, 5],
      [25, 15],
      [25, 25],
    ]);
    const withEnd = pathPositions([...corner, corner[2]!], { step: 11, width: 0, finest: 1 });
    expect(withEnd.at(-1)!.centre).toEqual({ x: 25, y: 30 });
    const [start, end] = radialPath(90, 900, 1000);
    expect([start!.x, end!.x]).toEqual([-900, -1000]);
    expect(end!.y).toBeCloseTo(0, 9);
  });

  itRefuses(
    (parameters) => ask({ format: 'json', ...parameters }),
    [
      ['no path', {}, 400, /^getTimeDistance requires path or radial/],
      ['two paths', { path: '0,0,1,1', radial: '0,1,2' }, 400, /^radial cannot be combined with path/],
      ['a path off the image', { path: '5000,0,6000,0' }, 400, /a path in the image, which has 512 x 512 pixels, for path/],
      [
        'a tracked path off the disc',
        { radial: '270,900,1100', track: 'rotation' },
        400,
        /on the disc.* for radial, got 270,900,1100\./,
      ],
      ['distances in the wrong order', { radial: '0,1100,900' }, 400, /the second one greater, for radial/],
      ['too fine a step', { path: '0,0,1000,0', step: 0.1 }, 400, /0.244 arcseconds or more, for at most 4096 positions/],
      ['an image without a law', { sourceId: LASCO_C2, path: '0,0,1,1' }, 422, /no physical values.* With raw=true, its levels/],
    ],
  );
});

/** The coordinates of a sample image. */
async function wcsOf(sourceId: number) {
  const { ask: request } = await one;
  const pixel = { frame: 'pixel', x: 1, y: 1, width: 1, height: 1 };
  const response = await request('getImageData', { sourceId, date: iso(NOON), ...pixel, raw: true, format: 'json' });
  return ((await response.json()) as { wcs: { crpix: readonly number[]; cdelt: readonly number[] } }).wcs;
}
