// Writes boxes (ISO/IEC 15444-1, I.4).
import { concatenated } from '../../util/bytes.ts';
import { BOX_HEADER_BYTES, LONG_BOX_HEADER_BYTES, walkBoxes } from '../jp2/boxes.ts';

/** A longer box has a long header. */
const LONGEST_SHORT_BOX = 0xffffffff;

export function u16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value & 255);
}

export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

export function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** LBox, TBox and, where the length requires it, XLBox of a box with `contentBytes` of content. */
export function boxHeader(type: string, contentBytes: number): Uint8Array {
  const name = new TextEncoder().encode(type);
  const length = BOX_HEADER_BYTES + contentBytes;
  if (length <= LONGEST_SHORT_BOX) return concatenated([u32(length), name]);
  return concatenated([u32(1), name, u64(LONG_BOX_HEADER_BYTES + contentBytes)]);
}

export function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const bytes = concatenated(content);
  return concatenated([boxHeader(type, bytes.length), bytes]);
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
