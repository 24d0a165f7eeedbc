// A note in a PNG file, of the service or of a browser.
import { concatenated } from '../../platform/util/bytes.ts';

/** Signature and IHDR of a PNG file. */
const HEAD = 33;

/** The check of a chunk (ISO/IEC 15948, annex D). */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/** An iTXt chunk (ISO/IEC 15948, 11.3.4.5) named Comment. */
export function noteChunk(text: string): Uint8Array<ArrayBuffer> {
  const data = new TextEncoder().encode(`iTXtComment\0\0\0\0\0${text}`);
  const ends = new DataView(new ArrayBuffer(8));
  ends.setInt32(0, data.length - 4);
  ends.setInt32(4, crc32(data));
  const [length, check] = [new Uint8Array(ends.buffer, 0, 4), new Uint8Array(ends.buffer, 4)];
  return concatenated([length, data, check]);
}

/** The file with a note behind IHDR. */
export const pngNote = (file: Uint8Array, text: string): Uint8Array<ArrayBuffer> =>
  concatenated([file.subarray(0, HEAD), noteChunk(text), file.subarray(HEAD)]);
