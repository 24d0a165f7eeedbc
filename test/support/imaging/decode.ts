import { codestreamLevels } from '../../../src/jp2/codestream-blocks.ts';
import { type DecodedComponent, decodeSteps, decodeWindow } from '../../../src/jp2/decode.ts';
import type { Jp2Index } from '../../../src/jp2/sidecar.ts';
import type { Rect } from '../../../src/jp2/structure.ts';
import { planWindow, windowRanges } from '../../../src/jp2/window.ts';

type Decoding = Parameters<typeof decodeWindow>;

/** The plan of a window of a file in memory, and the byte ranges that a server would read for it. */
function decodingOf(file: Uint8Array, index: Jp2Index, reduce: number, window: Rect): Decoding {
  const plan = planWindow(index, { reduce, window });
  const chunks = windowRanges(plan).map(({ offset, length }) => ({
    offset,
    bytes: file.subarray(index.codestreamOffset + offset, index.codestreamOffset + offset + length),
  }));
  return [index.size, plan, codestreamLevels(chunks)];
}

/** Decodes a window from a file in memory. */
export function decodeFrom(file: Uint8Array, index: Jp2Index, reduce: number, window: Rect = index.size): DecodedComponent[] {
  return decodeWindow(...decodingOf(file, index, reduce, window));
}

/** The same in steps. */
export const decodeStepsFrom = (file: Uint8Array, index: Jp2Index, reduce: number, window: Rect = index.size) =>
  decodeSteps(...decodingOf(file, index, reduce, window));
