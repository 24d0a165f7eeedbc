import { codestreamLevels } from '../../../src/imaging/jp2/codestream-blocks.ts';
import { type DecodedComponent, decodeWindow } from '../../../src/imaging/jp2/decode.ts';
import type { Jp2Index } from '../../../src/imaging/jp2/sidecar.ts';
import type { Rect } from '../../../src/imaging/jp2/structure.ts';
import { planWindow, windowRanges } from '../../../src/imaging/jp2/window.ts';

/** Decodes a window from a file in memory, through the byte ranges that a server would read. */
export function decodeFrom(
  file: Uint8Array,
  index: Jp2Index,
  reduce: number,
  window: Rect = index.size,
  layers?: number,
): DecodedComponent[] {
  const plan = planWindow(index, { reduce, window, ...(layers ? { layers } : {}) });
  const chunks = windowRanges(plan).map(({ offset, length }) => ({
    offset,
    bytes: file.subarray(index.codestreamOffset + offset, index.codestreamOffset + offset + length),
  }));
  return decodeWindow(index.size, plan, codestreamLevels(chunks, layers));
}
