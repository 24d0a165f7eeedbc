// JP2 file around a codestream (ISO/IEC 15444-1, annex I).
import { concatenated } from '../../src/util/bytes.ts';

const GREYSCALE = 17;
const SRGB = 16;

/** Red, green and blue of 256 entries. */
export type Palette = readonly (readonly [number, number, number])[];

interface Jp2Parts {
  readonly width: number;
  readonly height: number;
  readonly codestream: Uint8Array;
  readonly xml: string;
  /** Written as pclr and cmap boxes where present. */
  readonly palette?: Palette;
}

/** The bytes of a JP2 file: signature, file type, header, XML, codestream. */
export function wrapJp2(parts: Jp2Parts): Uint8Array {
  const header = [
    box('ihdr', [...u32(parts.height), ...u32(parts.width), 0, 1, 7, 7, 0, 0]),
    box('colr', [1, 0, 0, ...u32(parts.palette ? SRGB : GREYSCALE)]),
  ];
  if (parts.palette)
    header.push(
      box('pclr', [...u16(parts.palette.length), 3, 7, 7, 7, ...parts.palette.flat()]),
      box('cmap', [0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2]),
    );
  return concatenated([
    box('jP  ', [0x0d, 0x0a, 0x87, 0x0a]),
    box('ftyp', [...ascii('jp2 '), 0, 0, 0, 0, ...ascii('jp2 ')]),
    box('jp2h', concatenated(header)),
    box('xml ', new TextEncoder().encode(parts.xml)),
    box('jp2c', parts.codestream),
  ]);
}

function box(type: string, content: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(8 + content.length);
  bytes.set(u32(bytes.length), 0);
  bytes.set(ascii(type), 4);
  bytes.set(content, 8);
  return bytes;
}

const u16 = (value: number) => [value >> 8, value & 0xff];
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
