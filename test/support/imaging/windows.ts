// Compares windows with crops of the full decode.
import type { BaseImage } from '../../../src/imaging/jp2/component.ts';
import { type DecodedComponent, decodeBaseImage, decodeWindow } from '../../../src/imaging/jp2/decode.ts';
import { codestreamLevels } from '../../../src/imaging/jp2/level-blocks.ts';
import type { Jp2Index } from '../../../src/imaging/jp2/sidecar.ts';
import type { Rect } from '../../../src/imaging/jp2/structure.ts';
import { planWindow, type WindowPlan, windowRanges } from '../../../src/imaging/jp2/window.ts';

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

const chunksOf = (file: Uint8Array, index: Jp2Index, plan: WindowPlan) =>
  windowRanges(plan).map(({ offset, length }) => ({
    offset,
    bytes: file.subarray(index.codestreamOffset + offset, index.codestreamOffset + offset + length),
  }));

/** Decodes a window of a one-component, one-tile image on top of its whole resolution level `level`. */
export function decodeOnBase(file: Uint8Array, index: Jp2Index, level: number, reduce: number, window: Rect): DecodedComponent[] {
  const { levels } = (index.tiles[0] as Jp2Index['tiles'][number]).parameters.coding[0] as { levels: number };
  const below = planWindow(index, { reduce: levels - level, window: index.size });
  const base: BaseImage = decodeBaseImage(below, codestreamLevels(chunksOf(file, index, below)));
  const plan = planWindow(index, { reduce, window }, level + 1);
  return decodeWindow(index.size, plan, codestreamLevels(chunksOf(file, index, plan)), base);
}
