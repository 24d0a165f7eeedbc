import { expect, it } from 'vitest';
import { drawOver } from '../../../src/picture/raster/compose.ts';

/** Every sample over every grey: pixel 256 * under + sample. */
const samples = Uint8Array.from({ length: 65_536 }, (_, i) => i & 255);
const greysBelow = () => Uint8Array.from({ length: 3 * 65_536 }, (_, i) => Math.floor(i / 3) >> 8);
const layer = { width: 256, height: 256, samples, covered: { x0: 0, y0: 0, x1: 256, y1: 256 }, alpha: null, palette: null };

/** `sample` over `under` with alpha `a` of 255, rounded to the nearest integer. */
const mean = (under: number, sample: number, a: number) => Math.round(under + ((sample - under) * a) / 255);
const means = (alpha: number) =>
  Uint8Array.from({ length: 3 * 65_536 }, (_, i) => mean(Math.floor(i / 3) >> 8, Math.floor(i / 3) & 255, alpha));

it.each([0, 1, 33, 50, 99, 100])(
  'compositing of layers blends every grey over every other to their mean at %i per cent, to the nearest step',
  (opacity) => {
    const rgb = greysBelow();
    drawOver(rgb, layer, opacity);
    expect(rgb).toEqual(means(Math.round((opacity * 255) / 100)));
  },
);

it.each([1, 33.33, 50, 100])(
  'compositing of layers adds the light of every grey to every other at %d per cent, at most 255',
  (opacity) => {
    const rgb = greysBelow();
    drawOver(rgb, layer, opacity, 'add');
    const wrong = rgb.findIndex((value, i) => {
      const [under, sample] = [Math.floor(i / 3) >> 8, Math.floor(i / 3) & 255];
      return value !== Math.min(255, under + Math.floor((opacity / 100) * sample + 0.5));
    });
    expect(wrong).toBe(-1);
  },
);
