// The chunks of a PNG file (ISO/IEC 15948, clauses 5 and 11).
import { crc32 } from 'node:zlib';

export const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Colour types of IHDR (table 11.1), used with 8 bits a sample only. */
export const COLOUR = { grey: 0, rgb: 2, indexed: 3, rgba: 6 } as const;

export type ColourType = (typeof COLOUR)[keyof typeof COLOUR];

export const BYTES_PER_PIXEL: Readonly<Record<ColourType, number>> = { 0: 1, 2: 3, 3: 1, 6: 4 };

/** Length, type, data and CRC (5.3). */
export function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

export function header(width: number, height: number, colourType: ColourType): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data.set([8, colourType], 8);
  return chunk('IHDR', data);
}

/** PLTE and, with a transparent index, tRNS; its colour is written as black. `palette`: R, G, B of each index. */
export function paletteChunks(palette: Uint8Array, transparentIndex?: number): Uint8Array[] {
  if (transparentIndex === undefined) return [chunk('PLTE', palette)];
  const colours = palette.slice();
  colours.fill(0, transparentIndex * 3, transparentIndex * 3 + 3);
  const alpha = new Uint8Array(transparentIndex + 1).fill(255);
  alpha[transparentIndex] = 0;
  return [chunk('PLTE', colours), chunk('tRNS', alpha)];
}

/** PLTE and tRNS. `colours`: R, G, B, A of each index, alpha not premultiplied. */
export function translucentPaletteChunks(colours: Uint8Array): Uint8Array[] {
  return [
    chunk(
      'PLTE',
      colours.filter((_, i) => i % 4 < 3),
    ),
    chunk(
      'tRNS',
      colours.filter((_, i) => i % 4 === 3),
    ),
  ];
}
