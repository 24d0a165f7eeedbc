// The palette of an indexed PNG (ISO/IEC 15948), and the file with other colours in its place.

const SIGNATURE_BYTES = 8;
/** Length and type before the data of a chunk; its CRC after them. */
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

interface Chunk {
  readonly type: string;
  /** Place of the data in the file. */
  readonly from: number;
  readonly to: number;
}

/** The chunks before the image data. */
function leadingChunks(file: Uint8Array): Chunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at + HEAD_BYTES + CRC_BYTES <= file.length; ) {
    const from = at + HEAD_BYTES;
    const to = from + view.getUint32(at);
    const type = String.fromCharCode(...file.subarray(at + 4, from));
    if (type === 'IDAT' || to + CRC_BYTES > file.length) break;
    chunks.push({ type, from, to });
    at = to + CRC_BYTES;
  }
  return chunks;
}

/** Remainders of the polynomial of CRC-32 by byte (annex D). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1;
  return remainder;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = REMAINDERS[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** The transparent index, whose colour is not that of its level; -1 without one. */
const transparentIndex = (alpha: Uint8Array): number => alpha.indexOf(0);

/** The colours of the levels of an indexed PNG, R, G, B of each; null for other colour types. */
export function paletteOfPng(file: Uint8Array): Uint8Array | null {
  const chunks = leadingChunks(file);
  const dataOf = (type: string) => {
    const found = chunks.find((chunk) => chunk.type === type);
    return found && file.slice(found.from, found.to);
  };
  const palette = dataOf('PLTE');
  if (!palette) return null;
  // The file writes the transparent index as black; its neighbours tell its colour.
  const free = transparentIndex(dataOf('tRNS') ?? new Uint8Array(0));
  const last = palette.length / 3 - 1;
  if (free < 0 || last === 0) return palette;
  const [below, above] = [free === 0 ? 1 : free - 1, free === last ? last - 1 : free + 1];
  for (let channel = 0; channel < 3; channel += 1)
    palette[3 * free + channel] = Math.round((palette[3 * below + channel]! + palette[3 * above + channel]!) / 2);
  return palette;
}

/** An indexed PNG with other colours of as many levels; its pixels and their transparency stay. */
export function withPalette(file: Uint8Array, palette: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(file);
  const { from, to } = leadingChunks(file).find(({ type }) => type === 'PLTE')!;
  copy.set(palette.subarray(0, to - from), from);
  new DataView(copy.buffer).setUint32(to, crc32(copy.subarray(from - 4, to)));
  return copy;
}
