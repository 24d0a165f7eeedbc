import { expect, it } from 'vitest';
import { drawOver } from '../../../src/picture/raster/compose.ts';

/** Every sample over every grey: pixel 256 * under + sample. */
const samples = Uint8Array.from({ length: 65_536 }, (_, i) => i & 255);
const greysBelow = () => Uint8Array.from({ length: 3 * 65_536 }, (_, i) => Math.floor(i / 3) >> 8);
const layer = { width: 256, height: 256, samples, covered: { x0: 0, y0: 0, x1: 256, y1: 256 }, palette: null };

/** `sample` over `under` with alpha `a` of 255, rounded to the nearest integer. */
const mean = (under: number, sample: number, a: number) => Math.round(under + ((sample - under) * a) / 255);
const means = (alphaAt: (pixel: number) => number) =>
  Uint8Array.from({ length: 3 * 65_536 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return mean(pixel >> 8, pixel & 255, alphaAt(pixel));
  });

function over(opacity: number, alpha: Uint8Array | null): Uint8Array {
  const rgb = greysBelow();
  drawOver(rgb, { ...layer, alpha }, opacity);
  return rgb;
}

it.each([0, 1, 33, 50, 99, 100])(
  'compositing of layers blends every grey over every other to their mean at %i per cent, to the nearest step',
  (opacity) => {
    expect(over(opacity, null)).toEqual(means(() => Math.round((opacity * 255) / 100)));
  },
);

it.each([40, 100])('compositing of layers multiplies the mask with an opacity of %i per cent', (opacity) => {
  const alpha = Uint8Array.from({ length: 65_536 }, (_, i) => (i * 7) & 255);
  const whole = (opacity * 255) / 100;
  expect(over(opacity, alpha)).toEqual(means((pixel) => Math.round((whole * (alpha[pixel] as number)) / 255)));
});

it.each([1, 33.33, 50, 100])(
  'compositing of layers adds the light of every grey to every other at %d per cent, at most 255',
  (opacity) => {
    const rgb = greysBelow();
    drawOver(rgb, { ...layer, alpha: null }, opacity, 'add');
    const wrong = rgb.findIndex((value, i) => {
      const [under, sample] = [Math.floor(i / 3) >> 8, Math.floor(i / 3) & 255];
      return value !== Math.min(255, under + Math.floor((opacity / 100) * sample + 0.5));
    });
    expect(wrong).toBe(-1);
  },
);

it('compositing of layers takes colours from the palette and draws only covered pixels', () => {
  const palette = Uint8Array.from({ length: 768 }, (_, i) => i % 251);
  const rgb = new Uint8Array(9).fill(9);
  const shown = { width: 3, height: 1, samples: Uint8Array.of(5, 6, 7), covered: { x0: 1, y0: 0, x1: 2, y1: 1 } };
  drawOver(rgb, { ...shown, alpha: null, palette }, 100);
  expect([...rgb]).toEqual([9, 9, 9, 18, 19, 20, 9, 9, 9]);
});
