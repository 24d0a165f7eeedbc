// The main header as a data-bin: without the marker segments that speak of tile-parts and packets of the file.
import { concatenated } from '../../util/concatenated.ts';

const SIZ_AT = 2;
/** TLM, PLM, PPM: a codestream that is put together from bins has other tile-parts, and packet headers in place. */
const OF_THE_FILE: readonly number[] = [0xff55, 0xff57, 0xff60];

/** `mainHeader`: SOC up to the first SOT. The same bytes where there is nothing to leave out. */
export function mainHeaderBin(mainHeader: Uint8Array): Uint8Array {
  const view = new DataView(mainHeader.buffer, mainHeader.byteOffset, mainHeader.byteLength);
  const kept: number[][] = [[0, SIZ_AT]];
  let at = SIZ_AT;
  while (at + 4 <= mainHeader.length) {
    const end = at + 2 + view.getUint16(at + 2);
    if (!OF_THE_FILE.includes(view.getUint16(at))) kept.push([at, end]);
    at = end;
  }
  const parts = kept.map(([from, to]) => mainHeader.subarray(from, to));
  return concatenated(parts);
}
