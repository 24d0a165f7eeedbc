// Chunks of PNG files, and a note among them, of the service or of a browser.
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

/** A chunk: length, type, data and CRC (5.3). @param crc A faster one of the same */
export function chunk(type: string, data: Uint8Array, crc = crc32): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setInt32(data.length + 8, crc(bytes.subarray(4, data.length + 8)));
  return bytes;
}

/** An iTXt chunk (ISO/IEC 15948, 11.3.4.5) named Comment. */
export const noteChunk = (text: string) => chunk('iTXt', new TextEncoder().encode(`Comment\0\0\0\0\0${text}`));

/** The file with a note behind IHDR. */
export const pngNote = (file: Uint8Array, text: string): Uint8Array<ArrayBuffer> =>
  concatenated([file.subarray(0, HEAD), noteChunk(text), file.subarray(HEAD)]);
