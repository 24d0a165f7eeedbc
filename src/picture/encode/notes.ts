// Notes in finished files: a text of some lines where each format keeps one.
import { concatenated } from '../../platform/util/bytes.ts';
import { escapeXml } from '../../platform/util/markup.ts';
import type { Size } from '../../sun/image.ts';

const encode = (text: string) => new TextEncoder().encode(text);

const RIFF = { head: 12, chunkHead: 8 };
const VP8X = { alpha: 0x10, xmp: 0x04, bytes: 10 };

function riffChunk(name: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(RIFF.chunkHead + data.length + (data.length & 1));
  chunk.set(encode(name));
  new DataView(chunk.buffer).setUint32(4, data.length, true);
  chunk.set(data, RIFF.chunkHead);
  return chunk;
}

const xmp = (text: string) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>\
<rdf:li xml:lang="x-default">${escapeXml(text)}</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>`;

/** XMP behind the pixels of a WebP file with one chunk, which thereby becomes an extended one (RFC 9649, 2.7). Unset: none. */
export function webpNote(file: Uint8Array, { width, height }: Size, hasAlpha: boolean, text?: string): Uint8Array {
  if (text === undefined) return file;
  const extended = new Uint8Array(VP8X.bytes);
  const facts = new DataView(extended.buffer);
  facts.setUint32(0, VP8X.xmp | (hasAlpha ? VP8X.alpha : 0), true);
  facts.setUint32(4, (width - 1) | ((height - 1) << 24), true);
  facts.setUint16(8, (height - 1) >> 8, true);
  const noted = concatenated([
    file.subarray(0, RIFF.head),
    riffChunk('VP8X', extended),
    file.subarray(RIFF.head),
    riffChunk('XMP ', encode(xmp(text))),
  ]);
  new DataView(noted.buffer).setUint32(4, noted.length - RIFF.chunkHead, true);
  return noted;
}

/** A description in the root of an SVG document. */
export const svgNote = (document: string, text: string): string =>
  document.replace(/<svg[^>]*>/, (root) => `${root}<desc>${escapeXml(text)}</desc>`);

/** Signature and IHDR of a PNG file. */
const PNG_HEAD = 33;

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
export const noteChunk = (text: string) => chunk('iTXt', encode(`Comment\0\0\0\0\0${text}`));

/** The file with a note behind IHDR. */
export const pngNote = (file: Uint8Array, text: string): Uint8Array<ArrayBuffer> =>
  concatenated([file.subarray(0, PNG_HEAD), noteChunk(text), file.subarray(PNG_HEAD)]);
