// A PNG writer (ISO/IEC 15948) for what the service draws: rows filtered with Paeth, deflated by the platform's zlib with
// run-length matching, which on solar images is both faster and smaller than the default strategy.
import { constants, deflateSync } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

const COLOUR_INDEXED = 3;
const COLOUR_RGBA = 6;

const FILTER_PAETH = 4;

/** Table of the CRC of annex D. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) c = (CRC_TABLE[(c ^ (bytes[i] as number)) & 255] as number) ^ (c >>> 8);
  return ~c >>> 0;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(data.length + 8, crc32(bytes.subarray(4, data.length + 8)));
  return bytes;
}

function header(width: number, height: number, colourType: number): Uint8Array {
  const data = new Uint8Array(13);
  const view = new DataView(data.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  data.set([8, colourType], 8);
  return data;
}

/** Paeth-filtered rows (9.4), `bytesPerPixel` bytes a pixel, each behind its filter type. */
function filterRows(pixels: Uint8Array, rowBytes: number, height: number, bytesPerPixel: number): Uint8Array {
  const out = new Uint8Array((rowBytes + 1) * height);
  const blank = new Uint8Array(rowBytes);
  let at = 0;
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * rowBytes, (y + 1) * rowBytes);
    const above = y === 0 ? blank : pixels.subarray((y - 1) * rowBytes, y * rowBytes);
    out[at++] = FILTER_PAETH;
    for (let x = 0; x < rowBytes; x++) {
      const a = x < bytesPerPixel ? 0 : (row[x - bytesPerPixel] as number);
      const b = above[x] as number;
      const c = x < bytesPerPixel ? 0 : (above[x - bytesPerPixel] as number);
      const pa = Math.abs(b - c);
      const pb = Math.abs(a - c);
      const pc = Math.abs(a + b - 2 * c);
      const predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      out[at++] = (row[x] as number) - predicted;
    }
  }
  return out;
}

function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: 6, strategy: constants.Z_RLE });
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const png = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}

export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** One palette index a pixel. */
  readonly indexes: Uint8Array;
  /** R, G, B of each index. */
  readonly palette: Uint8Array;
  /** The index that is wholly transparent; its colour is written as black. */
  readonly transparentIndex?: number | undefined;
}

export function encodeIndexedPng({ width, height, indexes, palette, transparentIndex }: IndexedImage): Uint8Array {
  const colours = palette.slice();
  const transparency: Uint8Array[] = [];
  if (transparentIndex !== undefined) {
    colours.fill(0, transparentIndex * 3, transparentIndex * 3 + 3);
    const alpha = new Uint8Array(transparentIndex + 1).fill(255);
    alpha[transparentIndex] = 0;
    transparency.push(chunk('tRNS', alpha));
  }
  return join([
    SIGNATURE,
    chunk('IHDR', header(width, height, COLOUR_INDEXED)),
    chunk('PLTE', colours),
    ...transparency,
    chunk('IDAT', deflate(filterRows(indexes, width, height, 1))),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** `pixels`: R, G, B, A of each pixel, alpha not premultiplied. */
export function encodeRgbaPng(width: number, height: number, pixels: Uint8Array): Uint8Array {
  const idat = deflate(filterRows(pixels, width * 4, height, 4));
  return join([
    SIGNATURE,
    chunk('IHDR', header(width, height, COLOUR_RGBA)),
    chunk('IDAT', idat),
    chunk('IEND', new Uint8Array(0)),
  ]);
}
