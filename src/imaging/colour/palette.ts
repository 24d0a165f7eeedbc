// The colours in which an image is drawn. A palette is 256 times R, G, B; palettes are shared and must not be written to.
import { findSource } from '../../domain/catalogue/sources.ts';
import { aia304Brightness, applyBrightness } from './aia304-brightness.ts';
import { channelValues } from './channels.ts';
import { TABLES } from './tables.ts';

/** The palette of images without a colour table: sample i is the grey i, i, i. */
export const GREY_PALETTE = Uint8Array.from({ length: 256 * 3 }, (_, i) => Math.floor(i / 3));

const SWAP_ID = 32;
const AIA_304_ID = 13;

/** SWAP files carry a palette until this day; on the day itself only some do. */
const SWAP_LAST_PALETTE_DAY_END_MS = Date.parse('2013-06-28T00:00:00Z');

const built = new Map<string, Uint8Array>();

function build(name: string): Uint8Array {
  if (!Object.hasOwn(TABLES, name)) throw new RangeError(`Expected the name of a colour table, got ${name}.`);
  const channels = TABLES[name]!.map(channelValues);
  return Uint8Array.from({ length: 256 * 3 }, (_, i) => channels[i % 3]![Math.floor(i / 3)]!);
}

/**
 * The palette of a colour table.
 *
 * @throws RangeError for an unknown name
 */
export function colourTable(name: string): Uint8Array {
  const table = built.get(name) ?? build(name);
  built.set(name, table);
  return table;
}

/**
 * The palette of an image; null for grey.
 *
 * @param embedded Palette of the JP2 file, if it has one
 */
export function paletteOf(sourceId: number, takenAtMs: number, embedded: Uint8Array | null): Uint8Array | null {
  const source = findSource(sourceId);
  if (source?.id === SWAP_ID && embedded && takenAtMs < SWAP_LAST_PALETTE_DAY_END_MS) return embedded;
  if (!source?.colourTable) return null;
  const table = colourTable(source.colourTable);
  return source.id === AIA_304_ID ? applyBrightness(table, aia304Brightness(takenAtMs)) : table;
}
