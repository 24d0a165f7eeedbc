// Compares windows with crops of the full decode.
import type { DecodedComponent } from '../../../src/jp2/decode.ts';
import type { Rect } from '../../../src/jp2/structure.ts';

/** The samples of `window` in a fully decoded component, both on the reduced grid. */
export function crop(full: DecodedComponent, window: Rect): number[] {
  const samples: number[] = [];
  if (window.x1 <= window.x0) return samples;
  for (let y = window.y0; y < window.y1; y++) {
    const row = (y - full.y0) * full.width - full.x0;
    samples.push(...full.samples.subarray(row + window.x0, row + window.x1));
  }
  return samples;
}

/** Describes the first difference of decoded windows from the crop of the full decode; empty without one. */
export function differenceFromCrop(windows: readonly DecodedComponent[], full: readonly DecodedComponent[]): string {
  for (const [c, window] of windows.entries()) {
    const expected = crop(full[c] as DecodedComponent, window);
    if (expected.length !== window.samples.length)
      return `component ${c}: ${window.samples.length} samples for ${expected.length}`;
    const at = expected.findIndex((sample, i) => sample !== window.samples[i]);
    if (at >= 0) {
      const [x, y] = [window.x0 + (at % window.width), window.y0 + Math.floor(at / window.width)];
      return `component ${c} at ${x},${y}: ${window.samples[at]} for ${expected[at]}`;
    }
  }
  return '';
}
