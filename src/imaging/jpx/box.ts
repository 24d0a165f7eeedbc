// Writes boxes (ISO/IEC 15444-1, I.4).
import { concatenated } from '../../util/bytes.ts';
import { totalLength } from '../byte-source.ts';
import { BOX_HEADER_BYTES, LONG_BOX_HEADER_BYTES, walkBoxes } from '../jp2/boxes.ts';

/** A longer box has a long header. */
const LONGEST_SHORT_BOX = 0xffffffff;

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value & 255);
}

/** @param length Bytes, of which the value takes the first four */
export function u32(value: number, length = 4): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < 4; i += 1) bytes[i] = value >>> (24 - 8 * i);
  return bytes;
}

export function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** A file has a few types in thousands of boxes. */
const NAMES = new Map<string, Uint8Array>();

function nameOf(type: string): Uint8Array {
  const name = NAMES.get(type) ?? new TextEncoder().encode(type);
  NAMES.set(type, name);
  return name;
}

/** LBox, TBox and, where the length requires it, XLBox of a box with `contentBytes` of content. */
export function boxHeader(type: string, contentBytes: number): Uint8Array {
  const name = nameOf(type);
  const length = BOX_HEADER_BYTES + contentBytes;
  if (length <= LONGEST_SHORT_BOX) {
    const header = u32(length, BOX_HEADER_BYTES);
    header.set(name, 4);
    return header;
  }
  return concatenated([u32(1), name, u64(LONG_BOX_HEADER_BYTES + contentBytes)]);
}

export function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  return concatenated([boxHeader(type, totalLength(content)), ...content]);
}

/** A box inside a superbox. */
export interface ChildBox {
  readonly type: string;
  readonly content: Uint8Array;
}

/** The boxes inside a box with a header of eight bytes. */
export function childrenOf(superbox: Uint8Array): ChildBox[] {
  return walkBoxes(superbox, BOX_HEADER_BYTES, superbox.length).map(({ type, start, end }) => ({
    type,
    content: superbox.subarray(start, end),
  }));
}
