// The colours that an image is drawn in.
import { findSource } from '../../domain/catalogue/sources.ts';
import { aia304Brightness, applyBrightness } from './aia304-brightness.ts';
import { colourTable } from './colour-table.ts';

const SWAP_ID = 32;
const AIA_304_ID = 13;

/** SWAP files brought their palette along until this day, and some of them on it. */
const SWAP_LAST_PALETTE_DAY_END_MS = Date.parse('2013-06-28T00:00:00Z');

/**
 * Colours of the 256 samples of an image, RGB after RGB, not to be written to; null where it is drawn gray.
 * `embedded` is the palette of its JP2 file (256 times RGB), if it has one.
 */
export function paletteOf(sourceId: number, takenAtMs: number, embedded: Uint8Array | null): Uint8Array | null {
  const source = findSource(sourceId);
  if (source?.id === SWAP_ID && embedded && takenAtMs < SWAP_LAST_PALETTE_DAY_END_MS) return embedded;
  if (!source?.colourTable) return null;
  const table = colourTable(source.colourTable);
  return source.id === AIA_304_ID ? applyBrightness(table, aia304Brightness(takenAtMs)) : table;
}
