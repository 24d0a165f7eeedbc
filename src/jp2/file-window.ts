// Decodes a window of a JP2 file that is in memory.
import { codestreamLevels } from './codestream-blocks.ts';
import { decodeWindow } from './decode.ts';
import type { Jp2Index } from './sidecar.ts';
import type { Rect } from './structure.ts';
import { planWindow, windowRanges } from './window.ts';

/** Samples of every component in `window` of the reference grid, `reduce` levels discarded. @throws Jp2Error (malformed or too large) */
export function decodeFileWindow(jp2: Uint8Array, index: Jp2Index, { reduce, window }: { reduce: number; window: Rect }) {
  const plan = planWindow(index, { reduce, window });
  const chunks = windowRanges(plan).map(({ offset, length }) => {
    const start = index.codestreamOffset + offset;
    return { offset, bytes: jp2.subarray(start, start + length) };
  });
  return decodeWindow(index.size, plan, codestreamLevels(chunks));
}
