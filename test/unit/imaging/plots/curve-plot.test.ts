import { expect, it } from 'vitest';
import { curvePlot, plotPixels } from '../../../../src/measure/plots.ts';
import { pixelsPng } from '../../../../src/picture/encode/png.ts';
import type { CurvePoint } from '../../../../src/picture/plots/curve.ts';
import { readPng } from '../../../support/imaging/read-png.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const point = (minute: number, value: number | null, reach: number | null = 7): CurvePoint => ({
  atMs: NOON + minute * 60_000,
  value,
  lower: value !== null && reach !== null ? value - reach : null,
  upper: value !== null && reach !== null ? value + 2 * reach : null,
});

/** Paths of the lines of a plot, one for each stretch without a gap. */
const stretches = (svg: string) => /<path d="([^"]*)" fill="none" stroke="#1f4e9c"/.exec(svg)![1]!.split('M').slice(1);

it('a light curve ends at gaps and goes on after them', () => {
  const points = [point(0, 140), point(1, 141), point(2, null), point(3, 142), point(4, 143)];
  const { svg } = curvePlot(['AIA 171'], [{ name: 'mean', unit: 'DN/s', points }]);
  expect(stretches(svg).map((path) => path.split('L').length)).toEqual([2, 2]);
});

it('the plot states intervals whose ends are beyond its frame, and none where an end is open', () => {
  const named = (name: string, reach: number | null) => ({
    name,
    unit: 'DN/s',
    points: [point(0, 140, reach), point(1, 141, reach)],
  });
  const { svg } = curvePlot(['AIA 171 <synthetic>'], [named('mean', 7.04), named('max', null)]);
  expect(svg.match(/interval [^<]*/g)).toEqual(['interval -7 to +14 DN/s']);
  expect(svg).toContain('AIA 171 &lt;synthetic&gt;');
});

it('names and units of a header are short lines in the plot', () => {
  const panel = { name: 'mean', unit: `DN\u0007\n/s &deg; ${'x'.repeat(1000)}`, points: [point(0, 140), point(1, 141)] };
  const { svg } = curvePlot(['AIA 171'], [panel]);
  expect(svg).toContain('DN /s ° xxx');
  expect(svg).not.toContain('\u0007');
  expect(svg).not.toContain('x'.repeat(80));
});

it('the PNG has the size of the plot, and the colour of the curve', async () => {
  const { svg, width, height } = curvePlot(['AIA 171'], [{ name: 'mean', unit: 'DN/s', points: [point(0, 140), point(9, 150)] }]);
  const png = readPng(await pixelsPng(await plotPixels(svg, width, height), width, height));
  expect([png.width, png.height]).toEqual([width, height]);
  const isLine = (i: number) => png.rgba[i] === 0x1f && png.rgba[i + 1] === 0x4e && png.rgba[i + 2] === 0x9c;
  expect(Array.from({ length: width * height }, (_, i) => 4 * i).some(isLine)).toBe(true);
});
