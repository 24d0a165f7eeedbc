// Decodes a window of a JP2 file that is in memory.
import { codestreamLevels } from './codestream-blocks.ts';
import { type DecodedComponent, decodeWindow } from './decode.ts';
import type { Jp2Index } from './sidecar.ts';
import type { Rect } from './structure.ts';
import { planWindow, windowRanges } from './window.ts';

/**
 * The samples of every component in `window` (on the reference grid) after discarding `reduce` levels.
 * @param index Of the file
 * @throws Jp2Error when the codestream is malformed, or the window is too large
 */
export function decodeFileWindow(
  jp2: Uint8Array,
  index: Jp2Index,
  { reduce, window }: { readonly reduce: number; readonly window: Rect },
): DecodedComponent[] {
  const plan = planWindow(index, { reduce, window });
  const chunks = windowRanges(plan).map(({ offset, length }) => {
    const start = index.codestreamOffset + offset;
    return { offset, bytes: jp2.subarray(start, start + length) };
  });
  return decodeWindow(index.size, plan, codestreamLevels(chunks));
}
