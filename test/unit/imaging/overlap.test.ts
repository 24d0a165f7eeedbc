import { expect, it } from 'vitest';
import type { LayerPixels } from '../../../src/picture/raster/compose.ts';
import { sharePlaces } from '../../../src/picture/raster/overlap.ts';

const [WIDTH, HEIGHT] = [24, 3];
const WEIGHTS = [3, 2, 1];

/** A layer whose alphas are those of its columns. */
const layer = (alphaOf: (x: number) => number, x0 = 0, x1 = WIDTH): LayerPixels => ({
  ...{ width: WIDTH, height: HEIGHT, samples: new Uint8Array(WIDTH * HEIGHT), palette: null },
  covered: { x0, y0: 0, x1, y1: HEIGHT },
  alpha: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => alphaOf(i % WIDTH)),
});

const shared = WEIGHTS.map((weight, i) => ({ weightAt: () => weight, beside: 0, below: WEIGHTS.slice(0, i).map((_, j) => j) }));
const alphasAt = (layers: readonly LayerPixels[], x: number) => layers.map(({ alpha }) => alpha![WIDTH + x]);
const whole = layer(() => 255);

it('the mean of layers of several observers has the weights of the place of each pixel', () => {
  const opaque = { ...whole, alpha: null };
  const across = { weightAt: (x: number) => 1 + x, beside: 1, below: [] };
  const down = { weightAt: (_: number, y: number) => 5 + 2 * y, beside: 3, below: [0] };
  for (const top of [0, 5, 21]) {
    const [lower, upper, single] = sharePlaces([opaque, opaque, opaque], [across, down, null], top);
    const share = (i: number) =>
      (6 + 2 * (top + Math.floor(i / WIDTH))) / (7.5 + (i % WIDTH) + 2 * (top + Math.floor(i / WIDTH)));
    expect(upper!.alpha).toEqual(upper!.alpha!.map((_, i) => Math.floor(255 * share(i) + 0.5)));
    expect([lower!.alpha, single!.alpha]).toEqual([null, null]);
    // Beside the disc of the Sun each layer has one weight, from the pixel of the limb on.
    const [, limb] = sharePlaces([opaque, opaque, opaque], [across, down, null], top, { x: 12, y: top + 1.5, radius: 5 });
    const isOn = (i: number) => Math.hypot((i % WIDTH) + 0.5 - 12, Math.floor(i / WIDTH) - 1) <= 5;
    expect(limb!.alpha).toEqual(limb!.alpha!.map((_, i) => (isOn(i) ? upper!.alpha![i]! : 191)));
  }
});

it.each([
  ['is masked', layer((x) => (x < 12 ? 0 : 255))],
  ['ends', layer(() => 255, 12)],
])('the mean of layers of several observers leaves out the weight of a layer where it %s', (_, cut) => {
  const [lowest, middle, top] = [0, 1, 2].map((i) =>
    sharePlaces(
      [0, 1, 2].map((j) => (i === j ? cut : whole)),
      shared,
      5,
    ),
  );
  // 255 times 1 / (1 + 2), 1 / (1 + 3), and what stays under a layer that is not there.
  expect(alphasAt(lowest!, 11).slice(1)).toEqual([255, 85]);
  expect(alphasAt(middle!, 11)[2]).toBe(64);
  expect(alphasAt(top!, 11).slice(0, 2)).toEqual([255, 102]);
  for (const layers of [lowest!, middle!, top!]) expect(alphasAt(layers, 12)).toEqual([255, 102, 43]);
});

it('the mean of layers of several observers counts a layer by as much of a pixel as it shows, so that soft edges have no seam', () => {
  const soft = layer((x) => x * 10);
  const tops = Array.from({ length: WIDTH }, (_, x) => alphasAt(sharePlaces([soft, whole], shared.slice(0, 2), 0), x)[1]);
  expect(tops).toEqual(Array.from({ length: WIDTH }, (_, x) => Math.floor((255 * 2) / (2 + (3 * x * 10) / 255) + 0.5)));
});
